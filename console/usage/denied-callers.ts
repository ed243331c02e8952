/** Who is denied the same call over and over: what an administrator has to look at, unless it was muted. */
import { causeOfRow, type DenialCause, textOfCause } from './denial-cause.ts';
import type { DenialMutes } from './muted-denials.ts';
import type { Usage } from './usage.ts';
import { addedRow, namesOfText, otherCallers, type UsageRow } from './usage-row.ts';

export interface DeniedCaller {
  readonly kind: 'client' | 'user';
  /** Of a person the name, while there is an account. */
  readonly id: string;
  /** Which calls, and how many. */
  readonly reason: string;
  /** What puts it right. */
  readonly fix: string;
  /** Of the last call. */
  readonly decisionId: string;
}

export type DeniedCallers = ReturnType<typeof createDeniedCallers>;

export interface DeniedCallersDeps {
  readonly usage: Pick<Usage, 'read' | 'settle'>;
  readonly mutes: Pick<DenialMutes, 'list'>;
  readonly users: { find(id: string): Promise<{ readonly username: string } | undefined> };
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Fewer calls are a slip: who made them has seen the answer. */
const leastCalls = 10;
/** Who has not called for so long has stopped. */
const recentMs = 3600 * 1000;
/** Yesterday's count too: a day ends at midnight UTC, and what goes on does not. */
const days = 2;
const mostShown = 10;
/** All callers' use is read for it. */
const freshMs = 30_000;

export function createDeniedCallers({ usage, mutes, users, now }: DeniedCallersDeps) {
  let last: { readonly at: number; readonly rows: Promise<readonly UsageRow[]> } | undefined;

  return {
    /**
     * Those who were denied at least ten calls of a kind since yesterday began, and one in the last hour, the most frequent first.
     *
     * @param isNow  reads anew; else as it was at most half a minute ago. What is muted is left out at once
     */
    async list({ isNow = false } = {}): Promise<readonly DeniedCaller[]> {
      if (isNow) await usage.settle();
      if (isNow || !last || now() - last.at > freshMs) last = { at: now(), rows: rowsOf() };
      const rows = await last.rows.catch((error: unknown) => {
        last = undefined;
        throw error;
      });
      const muted = new Set(mutes.list().map(textOfCause));
      const shown = rows.filter((row) => !muted.has(textOfCause(causeOfRow(row)))).slice(0, mostShown);
      return Promise.all(shown.map(shownRow));
    },
  };

  async function rowsOf(): Promise<readonly UsageRow[]> {
    const found = new Map<string, UsageRow>();
    for await (const rows of usage.read({ days })) {
      for (const row of rows.filter(isDenied)) {
        const key = textOfCause(causeOfRow(row));
        const known = found.get(key);
        found.set(key, known ? addedRow(known, row) : row);
      }
    }
    return [...found.values()]
      .filter(([, , , , , calls, , lastAt]) => calls >= leastCalls && lastAt > now() - recentMs)
      .sort((one, other) => other[5] - one[5]);
  }

  async function shownRow(row: UsageRow): Promise<DeniedCaller> {
    const decisionId = row[8]!;
    return {
      ...(await callerOf(causeOfRow(row), users)),
      reason: reasonOf(row),
      fix: `npx console explain --decision ${decisionId} says what opens the call; access mute keeps it out of here.`,
      decisionId,
    };
  }
}

function reasonOf([, permission, structure, name, , calls, firstAt]: UsageRow): string {
  const since = new Date(firstAt).toISOString().replace(/:\d\d\.\d+Z$/, 'Z');
  const [first] = structure === '' ? [] : (namesOfText(name) ?? []);
  const ofMap = structure.startsWith('map:') ? ` for the map ${first}` : ` for the queue ${first}`;
  return `${calls} calls were denied since ${since}: it lacks ${permission}${first === undefined ? '' : ofMap}.`;
}

/** Calls to members: what no permission opens is nothing to decide on. */
function isDenied([who, permission, , , isAllowed, , , , decisionId]: UsageRow): boolean {
  return !isAllowed && permission.startsWith('svc:') && decisionId !== null && who !== otherCallers;
}

/** @returns a person by name, while there is an account */
export async function callerOf(
  { who }: Pick<DenialCause, 'who'>,
  users: DeniedCallersDeps['users'],
): Promise<{ readonly kind: 'client' | 'user'; readonly id: string }> {
  const id = who.slice(who.indexOf(':') + 1);
  if (who.startsWith('client:')) return { kind: 'client', id };
  return { kind: 'user', id: (await users.find(id))?.username ?? id };
}
