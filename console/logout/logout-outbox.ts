/**
 * Applications that still have to hear of an ended session. Whoever ends a session writes here, the
 * command line too; a running console sends, and a restart loses nothing.
 */

import { createPauses } from '../../platform/async/pauses.ts';
import type { SignInSession } from '../accounts/sessions.ts';
import type { Artifact, ArtifactStore, ListedArtifact } from '../storage/storage.ts';

export interface LogoutNotice {
  readonly id: string;
  readonly sessionUid: string;
  readonly accountId: string;
  readonly clientId: string;
  /** The logout address of a further node of the application; absent: the client's own address. */
  readonly node?: string | undefined;
  readonly sid: string | undefined;
  /** Epoch milliseconds at which the session ended. */
  readonly endedAt: number;
  /** Tries so far. */
  readonly tries: number;
  /** Epoch milliseconds before which it is not tried again. */
  readonly dueAt: number;
  /** Why the last try failed. */
  readonly reason: string | undefined;
}

/** What became of the notice to one application. */
export interface NoticeOutcome {
  readonly sessionUid: string;
  readonly clientId: string;
  /** As in {@link LogoutNotice}. */
  readonly node?: string | undefined;
  readonly accountId: string;
  readonly state: 'confirmed' | 'waiting' | 'failed';
  readonly tries: number;
  /** Why the last try failed. */
  readonly reason: string | undefined;
  /** Epoch milliseconds at which the session ended. */
  readonly endedAt: number;
  /** Epoch milliseconds at which it is tried again, while it is waiting. */
  readonly dueAt?: number;
}

/** The last notice to an application of which nothing more will come. */
export interface LastLogout extends Pick<NoticeOutcome, 'tries' | 'reason' | 'endedAt'> {
  /** Epoch milliseconds of the last try. */
  readonly at: number;
}

export type EndedSessionId = Pick<SignInSession, 'uid' | 'accountId'>;

export type LogoutOutbox = ReturnType<typeof createLogoutOutbox>;

export interface LogoutOutboxDeps {
  readonly artifacts: ArtifactStore;
  /** Where this application gets notices: its own address first, then those of further nodes. */
  readonly targetsOf: (clientId: string) => Promise<readonly string[]>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const noticeKind = 'LogoutNotice' as const;
const outcomeKind = 'LogoutOutcome' as const;
const lastKind = 'LastLogout';
/** A console that was down for longer has no session left to speak of. */
const noticeSeconds = 86_400;
/** For the page that the person sees, and for whoever looks into it the day after. */
const outcomeSeconds = 86_400;
const lastSeconds = 400 * 86_400;
const mostListed = 10_000;
const listedAtOnce = 200;

export function createLogoutOutbox({ artifacts, targetsOf, now }: LogoutOutboxDeps) {
  const inSeconds = (seconds: number) => Math.floor(now() / 1000) + seconds;

  return {
    async add({ uid, accountId, applications }: Pick<SignInSession, 'uid' | 'accountId' | 'applications'>) {
      const at = now();
      const common = { sessionUid: uid, accountId, tries: 0, endedAt: at, dueAt: at, reason: undefined };
      const notices = await Promise.all(
        applications.map(async ({ clientId, sid }) =>
          (await targetsOf(clientId)).map((target, index) => {
            const node = index === 0 ? undefined : target;
            return { ...common, id: idOf(uid, clientId, node), clientId, node, sid };
          }),
        ),
      ).then((all) => all.flat());
      await Promise.all(notices.map(put));
    },
    async waiting(): Promise<LogoutNotice[]> {
      return (await artifacts.list(noticeKind, mostListed)).map(({ artifact }) => noticeOf(artifact));
    },
    /** As it is now, when it is to be tried now. */
    async due(id: string): Promise<LogoutNotice | undefined> {
      const found = await artifacts.get(noticeKind, id);
      const notice = found && noticeOf(found);
      return notice && notice.dueAt <= now() ? notice : undefined;
    },
    /** Another try failed; the next one is not before `dueAt` (epoch milliseconds). */
    postpone: (
      notice: LogoutNotice,
      { reason, dueAt }: { readonly reason: string; readonly dueAt: number },
    ) => put({ ...notice, tries: notice.tries + 1, reason, dueAt }),
    /** The last try is over. @param reason  why it failed; absent: the application has confirmed */
    async finish(notice: LogoutNotice, reason?: string) {
      const { id, accountId, sessionUid, clientId, node, endedAt } = notice;
      await artifacts.put(outcomeKind, id, {
        payload: { sessionUid, clientId, node, endedAt, tries: notice.tries + 1, reason },
        accountId,
        expiresAt: inSeconds(outcomeSeconds),
      });
      await artifacts.put(lastKind, clientId, {
        payload: { endedAt, tries: notice.tries + 1, reason, at: now() },
        expiresAt: inSeconds(lastSeconds),
      });
      await artifacts.remove(noticeKind, id);
    },
    /** Long after its outcome has been forgotten. */
    async lastAt(clientIds: readonly string[]): Promise<readonly (LastLogout | undefined)[]> {
      const names = clientIds.map((id) => ({ kind: lastKind, id }));
      const { named } = await artifacts.readMany({ names });
      return named.map((one) => one?.payload as LastLogout | undefined);
    },
    /** There is nobody to tell any more. */
    drop: ({ id }: LogoutNotice) => artifacts.remove(noticeKind, id),
    async outcomes({ uid, accountId }: EndedSessionId): Promise<NoticeOutcome[]> {
      return outcomesOf(await read(accountId), uid);
    },
    /** Those of every session, or of one account, that ended within a day; the newest first. */
    recent: async (accountId?: string): Promise<NoticeOutcome[]> =>
      outcomesOf(await read(accountId)).sort((a, b) => b.endedAt - a.endedAt),
    /** Tells of notices that any process has written, of those of one session once. @returns a function that ends it */
    onAdded(listener: () => void): () => void {
      let isDue = false;
      return artifacts.onPut(noticeKind, () => {
        if (isDue) return;
        isDue = true;
        setImmediate(() => {
          isDue = false;
          listener();
        });
      });
    },
    /** Tells of each try that has come to its end, in any process. @returns a function that ends the subscription */
    onTried(listener: () => void): () => void {
      const unfollow = [noticeKind, outcomeKind].map((kind) => artifacts.onPut(kind, listener));
      return () => {
        for (const end of unfollow) end();
      };
    },
  };

  async function read(accountId?: string): Promise<Records> {
    const list = (kind: string) =>
      accountId === undefined ? listAll(kind) : artifacts.listByAccount(kind, accountId);
    const [waiting, over] = await Promise.all([list(noticeKind), list(outcomeKind)]);
    return { waiting: waiting.map(({ artifact }) => artifact), over: over.map(({ artifact }) => artifact) };
  }

  /** In pieces, with pauses between. */
  async function listAll(kind: string): Promise<readonly ListedArtifact[]> {
    const all: ListedArtifact[] = [];
    const pause = createPauses();
    for (let after: string | undefined; all.length < mostListed; ) {
      const page = await artifacts.list(kind, listedAtOnce, after);
      all.push(...page);
      if (page.length < listedAtOnce) break;
      after = page.at(-1)!.key;
      await pause();
    }
    return all;
  }

  function put({ accountId, ...notice }: LogoutNotice): Promise<void> {
    return artifacts.put(noticeKind, notice.id, {
      payload: notice,
      accountId,
      expiresAt: inSeconds(noticeSeconds),
    });
  }
}

function noticeOf({ payload, accountId }: Artifact): LogoutNotice {
  return { ...(payload as Omit<LogoutNotice, 'accountId'>), accountId: String(accountId) };
}

function idOf(sessionUid: string, clientId: string, node: string | undefined): string {
  return [sessionUid, clientId, ...(node === undefined ? [] : [node])].join(' ');
}

interface Records {
  readonly waiting: readonly Artifact[];
  readonly over: readonly Artifact[];
}

/** What is over has the last word: its notice is removed a moment later. */
function outcomesOf({ waiting, over }: Records, sessionUid?: string): NoticeOutcome[] {
  const outcomes = new Map<string, NoticeOutcome>();
  const all = [
    ...waiting.map((artifact) => outcomeOf(artifact, true)),
    ...over.map((artifact) => outcomeOf(artifact, false)),
  ];
  for (const outcome of all) {
    if (sessionUid !== undefined && outcome.sessionUid !== sessionUid) continue;
    outcomes.set(idOf(outcome.sessionUid, outcome.clientId, outcome.node), outcome);
  }
  return [...outcomes.values()].sort((a, b) => receiverOf(a).localeCompare(receiverOf(b)));
}

function outcomeOf({ payload, accountId }: Artifact, isWaiting: boolean): NoticeOutcome {
  const { sessionUid, clientId, node, tries, reason, endedAt, dueAt } = payload as unknown as LogoutNotice;
  return {
    sessionUid,
    clientId,
    node,
    accountId: String(accountId),
    state: isWaiting ? 'waiting' : reason === undefined ? 'confirmed' : 'failed',
    tries,
    reason,
    endedAt,
    ...(isWaiting ? { dueAt } : {}),
  };
}

/** Who was told: the application, and which of its nodes when it has several. */
export function receiverOf({ clientId, node }: Pick<NoticeOutcome, 'clientId' | 'node'>): string {
  return node === undefined ? clientId : `${clientId} at ${new URL(node).host}`;
}
