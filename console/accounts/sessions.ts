/** Sign-in sessions as the store holds them: listed and ended without the browser they belong to. */
import type { ArtifactStore, ListedArtifact } from '../storage/storage.ts';

/** An application that a session has signed in to. */
export interface SessionApplication {
  readonly clientId: string;
  readonly grantId: string | undefined;
  /** The `sid` that its ID tokens carry. */
  readonly sid: string | undefined;
  /** Epoch seconds. */
  readonly since: number;
}

export interface SignInSession {
  /** Stands for the session in lists and forms; it is not the secret in the cookie. */
  readonly key: string;
  readonly uid: string;
  readonly accountId: string;
  /** Epoch seconds. */
  readonly startedAt: number;
  /** Epoch seconds. */
  readonly expiresAt: number;
  readonly clientAddress: string | undefined;
  readonly userAgent: string | undefined;
  readonly applications: readonly SessionApplication[];
}

/** Where a session was seen; noted beside it, because the library's own record has no room. */
export interface SessionUse {
  readonly uid: string;
  /** Epoch seconds of the sign-in; a confirmed password renews it. */
  readonly startedAt: number;
  readonly accountId: string;
  readonly clientId: string;
  readonly grantId?: string | undefined;
  readonly sid?: string | undefined;
  readonly clientAddress?: string | undefined;
  readonly userAgent?: string | undefined;
}

export type Sessions = ReturnType<typeof createSessions>;

export interface SessionsDeps {
  readonly artifacts: ArtifactStore;
  /** Whether a sign-in of this account at that time (epoch seconds) still counts. */
  readonly isStillValid: (accountId: string, startedAt: number) => Promise<boolean>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly idleSeconds: number;
  readonly maxSeconds: number;
  /** Makes the access tokens of a grant void, which are signed and not looked up. */
  readonly revokeTokens: (grantId: string) => Promise<void>;
  /** Hears of a session whose end is done; what it writes is done when `end` resolves. */
  readonly onEnded?: (session: SignInSession) => Promise<void>;
}

const grantBound = ['AccessToken', 'RefreshToken', 'AuthorizationCode', 'DeviceCode'] as const;
const useKind = 'SessionUse';
const endedKind = 'EndedSession';
/** Longer than any request is under way. */
const endedSeconds = 600;

export function createSessions(deps: SessionsDeps) {
  const { artifacts, isStillValid, now, idleSeconds, maxSeconds, revokeTokens, onEnded } = deps;

  return {
    /** Notes an application of a session; the library loses one of two that sign in at the same time. */
    async record(use: SessionUse) {
      const { accountId, ...recorded } = use;
      const id = `${use.uid} ${use.clientId}`;
      const earlier = (await artifacts.get(useKind, id))?.payload;
      const isRecorded = (['startedAt', 'grantId', 'sid'] as const).every(
        (name) => earlier?.[name] === use[name],
      );
      if (earlier && isRecorded) return;
      await artifacts.put(useKind, id, {
        payload: { ...recorded, since: earlier?.since ?? Math.floor(now() / 1000) },
        expiresAt: use.startedAt + maxSeconds,
        accountId,
      });
    },
    async listOf(accountId: string): Promise<SignInSession[]> {
      const [sessions, uses] = await Promise.all([
        artifacts.listByAccount('Session', accountId),
        artifacts.listByAccount(useKind, accountId),
      ]);
      return validOnes(describeAll(sessions, uses));
    },
    async list(limit: number): Promise<SignInSession[]> {
      const sessions = (await artifacts.list('Session', limit)).filter(({ artifact }) => artifact.accountId);
      return validOnes(describeAll(sessions, await artifacts.list(useKind, limit * 4)));
    },
    /** Ends the session first, then everything issued under it (S39). @returns what was ended */
    async end(uid: string): Promise<SignInSession | undefined> {
      const ended = await removeRecords(uid);
      const [newest] = ended;
      if (!newest) return undefined;
      const uses = await usesOf(newest);
      const session = describeOne(newest, uses);
      const recorded = session.applications.flatMap(({ grantId }) => grantId ?? []);
      await Promise.all([...new Set([...recorded, ...ended.flatMap(grantIdsOf)])].map(revokeGrant));
      await Promise.all(uses.map(({ key }) => artifacts.removeByKey(useKind, key)));
      await onEnded?.(session);
      return session;
    },
    /** Ends what was issued under a grant, and the grant: its code or refresh token was used twice (S19). */
    revokeGrant,
    /** A request that was under way when the session ended must not write it back. */
    async hasEnded(uid: string): Promise<boolean> {
      return (await artifacts.get(endedKind, uid)) !== undefined;
    },
    /** @param exceptUid  a session to keep */
    async endAllOf(accountId: string, exceptUid?: string) {
      const sessions = await artifacts.listByAccount('Session', accountId);
      for (const { artifact } of sessions) {
        if (artifact.uid && artifact.uid !== exceptUid) await this.end(artifact.uid);
      }
    },
    /** Prolongs a session that is in use elsewhere, such as by a refresh, up to its absolute end. */
    async touch(uid: string) {
      const found = await artifacts.findByUid('Session', uid);
      if (!found) return;
      const { accountId, expiresAt = 0, payload } = found.artifact;
      if (accountId === undefined) return;
      const latest = Math.floor(Math.min(now() / 1000 + idleSeconds, Number(payload.loginTs) + maxSeconds));
      // Not a write for each use: a tenth of the idle time is exact enough.
      if (latest - expiresAt >= idleSeconds / 10) {
        await artifacts.extend('Session', found.key, { expiresAt: latest });
      }
    },
  };

  async function validOnes(all: SignInSession[]): Promise<SignInSession[]> {
    const areValid = await Promise.all(
      all.map(({ accountId, startedAt }) => isStillValid(accountId, startedAt)),
    );
    return all.filter((_session, index) => areValid[index]);
  }

  /** Requests side by side can leave two records of one session. @returns all of them, newest first */
  async function removeRecords(uid: string): Promise<ListedArtifact[]> {
    await artifacts.put(endedKind, uid, { payload: {}, expiresAt: Math.floor(now() / 1000) + endedSeconds });
    const removed: ListedArtifact[] = [];
    for (;;) {
      const found = await artifacts.findByUid('Session', uid);
      if (!found) return removed;
      await artifacts.removeByKey('Session', found.key);
      removed.push(found);
    }
  }

  async function usesOf({ artifact }: ListedArtifact): Promise<ListedArtifact[]> {
    if (artifact.accountId === undefined) return [];
    const uses = await artifacts.listByAccount(useKind, artifact.accountId);
    return uses.filter((use) => use.artifact.payload.uid === artifact.uid);
  }

  async function revokeGrant(grantId: string): Promise<void> {
    // First: without it no exchange that is under way is committed.
    await artifacts.remove('Grant', grantId);
    await artifacts.removeByGrant(grantId, grantBound);
    await revokeTokens(grantId);
  }
}

/** What {@link Sessions.note} has written of one session, whatever became of the library's own record. */
export async function recordedApplications(
  artifacts: ArtifactStore,
  { uid, accountId }: Pick<SignInSession, 'uid' | 'accountId'>,
): Promise<readonly SessionApplication[]> {
  const uses = await artifacts.listByAccount(useKind, accountId);
  return applicationsOf(uses.map(({ artifact }) => artifact.payload).filter((record) => record.uid === uid));
}

function describeAll(sessions: readonly ListedArtifact[], uses: readonly ListedArtifact[]): SignInSession[] {
  const byUid = new Map<string, ListedArtifact[]>();
  for (const use of uses) {
    const uid = String(use.artifact.payload.uid);
    byUid.set(uid, [...(byUid.get(uid) ?? []), use]);
  }
  return sessions
    .map((session) => describeOne(session, byUid.get(String(session.artifact.uid)) ?? []))
    .sort((a, b) => b.startedAt - a.startedAt);
}

function describeOne({ key, artifact }: ListedArtifact, uses: readonly ListedArtifact[]): SignInSession {
  const records = uses.map((use) => use.artifact.payload).sort((a, b) => Number(a.since) - Number(b.since));
  return {
    key,
    uid: String(artifact.uid),
    accountId: String(artifact.accountId),
    startedAt: Number(artifact.payload.loginTs ?? 0),
    expiresAt: artifact.expiresAt ?? 0,
    clientAddress: text(records[0]?.clientAddress),
    userAgent: text(records[0]?.userAgent),
    applications: applicationsOf(records),
  };
}

function applicationsOf(records: readonly Readonly<Record<string, unknown>>[]): SessionApplication[] {
  return records.map((record) => ({
    clientId: String(record.clientId),
    grantId: text(record.grantId),
    sid: text(record.sid),
    since: Number(record.since),
  }));
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function grantIdsOf({ artifact }: ListedArtifact): string[] {
  const authorizations = (artifact.payload.authorizations ?? {}) as Record<string, { grantId?: string }>;
  return Object.values(authorizations).flatMap(({ grantId }) => grantId ?? []);
}
