/**
 * Who would lose or gain which calls by a change: the calls of the last days, decided on once more by the rules that
 * decide on calls. What members refuse by themselves nobody here knows.
 */

import { createPauses } from '../../platform/async/pauses.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import { principalOf } from '../access/principal.ts';
import { isRole } from '../accounts/roles.ts';
import { checkScopes, isPermission } from '../clients/client-rules.ts';
import { shownCalls } from './gather.ts';
import { createDecide, isOfCalls, type Outcome, type Principal } from './needs.ts';
import { createUsageReports, type UsageReportsDeps } from './usage-reports.ts';
import { addedRow, keyOfRow, tokenRows, type UsageRow } from './usage-row.ts';

export interface AskedChange {
  readonly role?: string | undefined;
  readonly client?: string | undefined;
  /** Of a role `permissions`, of a client `scopes`: all that it is to have. */
  readonly change: { readonly permissions?: readonly string[]; readonly scopes?: readonly string[] };
  readonly days: number;
}

type Decide = (row: UsageRow) => Outcome;
type DecideFor = (who: string) => Promise<{ readonly before: Decide; readonly after: Decide } | undefined>;

/** Kinds of calls that an answer shows of each list. */
const mostShown = 500;

export function createWhatIf(deps: UsageReportsDeps) {
  const { usage, users, clients, roles } = deps;
  const { permissionsOf, period } = createUsageReports(deps);

  /** @throws {ProblemError} `not_found`, `invalid_request` */
  return async ({ role, client, change, days }: AskedChange): Promise<object> => {
    if ((role === undefined) === (client === undefined)) throw invalid('Give a role, or a client.');
    await usage.settle();
    if (client !== undefined) {
      if (!change.scopes || change.permissions) throw invalid('The change of a client is its scopes.');
      const { decideFor, removed } = await changeOfClient(client, change.scopes);
      return compare(usage.read({ days, who: `client:${client}` }), decideFor, days, removed);
    }
    if (!change.permissions || change.scopes) throw invalid('The change of a role is its permissions.');
    return compare(usage.read({ days }), changeOfRole(role!, change.permissions), days, []);
  };

  async function changeOfClient(id: string, given: readonly string[]) {
    const client = await clients.find(id);
    if (!client) throw new ProblemError(problems.notFound, `There is no client ${JSON.stringify(id)}.`);
    const scopes = checkScopes(given, client.grantTypes);
    const changed = { ...client, scopes };
    const principalAfter = principalOf({ client: id }, { ...deps, clients: { find: async () => changed } });
    const [before, after] = await Promise.all([principalOf({ client: id }, deps), principalAfter]);
    const decides = {
      before: createDecide(before, permissionsOf),
      after: createDecide(after, permissionsOf),
    };
    const removed = client.scopes.filter((scope) => !scopes.includes(scope));
    return { decideFor: async () => decides, removed };
  }

  /** Of everybody who has the role, with whatever else they have. */
  function changeOfRole(name: string, given: readonly string[]): DecideFor {
    if (isRole(name)) throw new ProblemError(problems.conflict, `${name} is built in and stays as it is.`);
    if (!roles.find(name)) {
      throw new ProblemError(problems.notFound, `There is no role ${JSON.stringify(name)}.`);
    }
    const wrong = given.find((permission) => !isPermission(permission));
    if (wrong !== undefined) throw invalid('Among the permissions is one that there is not.');
    const permissionsAfter = (role: string) => (role === name ? given : permissionsOf(role));
    /** Many people have the same roles. */
    const byRoles = new Map<string, { readonly before: Decide; readonly after: Decide }>();
    const found = new Map<string, { readonly before: Decide; readonly after: Decide } | undefined>();
    return async (who) => {
      if (found.has(who) || !who.startsWith('user:')) return found.get(who);
      const held = (await users.find(who.slice(5)))?.roles ?? [];
      const key = JSON.stringify(held);
      const principal: Principal = { roles: held, scopes: [] };
      const decides = !held.includes(name)
        ? undefined
        : (byRoles.get(key) ?? {
            before: createDecide(principal, permissionsOf),
            after: createDecide(principal, permissionsAfter),
          });
      if (decides) byRoles.set(key, decides);
      found.set(who, decides);
      return decides;
    };
  }

  async function compare(
    chunks: AsyncIterable<readonly UsageRow[]>,
    decideFor: DecideFor,
    days: number,
    removed: readonly string[],
  ): Promise<object> {
    const lists = { loses: new Map(), gains: new Map(), unknown: new Map() } as Record<
      'loses' | 'gains' | 'unknown',
      Map<string, UsageRow>
    >;
    const rejectedTokens = new Map<string, UsageRow>();
    let calls = 0;
    const pause = createPauses(1);
    for await (const rows of chunks) {
      await pause();
      // All are of one caller.
      const decides = rows[0] && (await decideFor(rows[0][0]));
      for (const row of rows) {
        if (row[2] === tokenRows.asked && removed.includes(row[3])) collect(rejectedTokens, row);
        if (!decides || !isOfCalls(row)) continue;
        calls += row[5];
        const list = listFor(row, decides);
        if (list) collect(lists[list], row);
      }
    }
    const named = (list: Map<string, UsageRow>) => withNames([...list.values()]);
    return {
      ...(await period(days)),
      calls,
      loses: await named(lists.loses),
      gains: await named(lists.gains),
      unknown: await named(lists.unknown),
      rejectedTokens: [...rejectedTokens.values()].map(([, , , scope, , count, , last]) => ({
        scope,
        calls: count,
        lastAt: new Date(last).toISOString(),
      })),
      knowsMembers: false,
    };
  }

  async function withNames(rows: readonly UsageRow[]) {
    const most = [...rows].sort((one, other) => other[5] - one[5]).slice(0, mostShown);
    const callers = new Map<string, { readonly kind: string; readonly id: string }>();
    for (const [who] of most) if (!callers.has(who)) callers.set(who, await callerOf(who));
    return most.map((row) => ({ caller: callers.get(row[0])!, ...shownCalls(row) }));
  }

  async function callerOf(who: string) {
    const at = who.indexOf(':');
    const [kind, id] = [who.slice(0, at), who.slice(at + 1)];
    return { kind, id: kind === 'user' ? ((await users.find(id))?.username ?? id) : id };
  }
}

function listFor(row: UsageRow, { before, after }: { readonly before: Decide; readonly after: Decide }) {
  const [was, is] = [before(row), after(row)];
  if (was === is) return undefined;
  if (is === 'unknown' || was === 'unknown') return 'unknown';
  const isAllowed = row[4];
  if (isAllowed && was === 'open') return 'loses';
  return !isAllowed && is === 'open' ? 'gains' : undefined;
}

function collect(list: Map<string, UsageRow>, row: UsageRow): void {
  const key = `${row[0]}\n${keyOfRow(row)}`;
  const known = list.get(key);
  list.set(key, known ? addedRow(known, row) : row);
}

function invalid(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail);
}
