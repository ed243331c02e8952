/**
 * Applications that still have to hear of an ended session. Whoever ends a session writes here, the
 * command line too; a running console sends, and a restart loses nothing.
 */
import type { SignInSession } from '../accounts/sessions.ts';
import { createClaims } from '../outbox/claims.ts';
import type { Artifact, ArtifactStore } from '../storage/storage.ts';

export interface LogoutNotice {
  readonly id: string;
  readonly sessionUid: string;
  readonly accountId: string;
  readonly clientId: string;
  readonly sid: string | undefined;
  /** Tries so far. */
  readonly tries: number;
  /** Epoch milliseconds before which it is not tried again. */
  readonly dueAt: number;
  /** Why the last try failed. */
  readonly reason: string | undefined;
}

/** What became of the notice to one application. */
export interface NoticeOutcome {
  readonly clientId: string;
  readonly state: 'confirmed' | 'waiting' | 'failed';
  readonly tries: number;
  readonly reason: string | undefined;
}

export type EndedSessionId = Pick<SignInSession, 'uid' | 'accountId'>;

export interface LogoutOutbox {
  add(session: Pick<SignInSession, 'uid' | 'accountId' | 'applications'>): Promise<void>;
  waiting(): Promise<LogoutNotice[]>;
  /**
   * For the one caller that is to try now, among processes too; others get nothing until it gives the
   * notice back, or a few seconds after it has died.
   */
  take(id: string): Promise<LogoutNotice | undefined>;
  giveBack(id: string): Promise<void>;
  /** Another try failed; the next one is not before `dueAt` (epoch milliseconds). */
  postpone(notice: LogoutNotice, next: { readonly reason: string; readonly dueAt: number }): Promise<void>;
  /** The last try is over. @param reason  why it failed; absent: the application has confirmed */
  finish(notice: LogoutNotice, reason?: string): Promise<void>;
  /** There is nobody to tell any more. */
  drop(notice: LogoutNotice): Promise<void>;
  outcomes(session: EndedSessionId): Promise<NoticeOutcome[]>;
  /** Tells of notices that this process has written. @returns a function that ends the subscription */
  onAdded(listener: () => void): () => void;
}

export interface LogoutOutboxDeps {
  readonly artifacts: ArtifactStore;
  /** Whether this application has an address for notices. */
  readonly isNotified: (clientId: string) => boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const noticeKind = 'LogoutNotice';
const outcomeKind = 'LogoutOutcome';
const claimKind = 'LogoutClaim';
/** A console that was down for longer has no session left to speak of. */
const noticeSeconds = 86_400;
/** For the page that the person sees. */
const outcomeSeconds = 3600;
const mostListed = 10_000;

export function createLogoutOutbox({ artifacts, isNotified, now }: LogoutOutboxDeps): LogoutOutbox {
  const claims = createClaims(artifacts, claimKind);
  const listeners = new Set<() => void>();
  const inSeconds = (seconds: number) => Math.floor(now() / 1000) + seconds;

  return {
    async add({ uid, accountId, applications }) {
      const told = applications.filter(({ clientId }) => isNotified(clientId));
      await Promise.all(
        told.map(({ clientId, sid }) =>
          put({
            id: `${uid} ${clientId}`,
            sessionUid: uid,
            accountId,
            clientId,
            sid,
            tries: 0,
            dueAt: now(),
            reason: undefined,
          }),
        ),
      );
      if (told.length > 0) for (const listener of listeners) listener();
    },
    async waiting() {
      return (await artifacts.list(noticeKind, mostListed)).map(({ artifact }) => noticeOf(artifact));
    },
    async take(id) {
      if (!(await claims.take(id))) return undefined;
      const notice = await artifacts.get(noticeKind, id);
      if (notice && noticeOf(notice).dueAt <= now()) return noticeOf(notice);
      await claims.giveBack(id);
      return undefined;
    },
    giveBack: claims.giveBack,
    postpone: (notice, { reason, dueAt }) => put({ ...notice, tries: notice.tries + 1, reason, dueAt }),
    async finish(notice, reason) {
      const { id, accountId, sessionUid, clientId } = notice;
      await artifacts.put(outcomeKind, id, {
        payload: { sessionUid, clientId, tries: notice.tries + 1, reason },
        accountId,
        expiresAt: inSeconds(outcomeSeconds),
      });
      await artifacts.remove(noticeKind, id);
    },
    drop: ({ id }) => artifacts.remove(noticeKind, id),
    async outcomes({ uid, accountId }) {
      const [waiting, over] = await Promise.all([
        artifacts.listByAccount(noticeKind, accountId),
        artifacts.listByAccount(outcomeKind, accountId),
      ]);
      const outcomes = new Map<string, NoticeOutcome>();
      for (const { artifact } of waiting) if (isOf(artifact, uid)) add(outcomes, artifact, 'waiting');
      for (const { artifact } of over) {
        if (isOf(artifact, uid)) add(outcomes, artifact, artifact.payload.reason ? 'failed' : 'confirmed');
      }
      return [...outcomes.values()].sort((a, b) => a.clientId.localeCompare(b.clientId));
    },
    onAdded(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

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

function isOf({ payload }: Artifact, uid: string): boolean {
  return payload.sessionUid === uid;
}

function add(
  outcomes: Map<string, NoticeOutcome>,
  { payload }: Artifact,
  state: NoticeOutcome['state'],
): void {
  const { clientId, tries, reason } = payload as Pick<NoticeOutcome, 'clientId' | 'tries' | 'reason'>;
  outcomes.set(clientId, { clientId, state, tries, reason });
}
