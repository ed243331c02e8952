/** Sign-in sessions as the store holds them: listed and ended without the browser they belong to. */
import {
  type ArtifactStore,
  type BoundedCount,
  type ListedArtifact,
  StorageUnavailableError,
} from '../storage/storage.ts';
import { createSessionUses, type UsedSession } from './sessions/session-uses.ts';

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
  /** Epoch seconds; a use is written down when a tenth of the idle time has gone by. */
  readonly lastSeenAt: number;
  /** How the person has proved who they are. */
  readonly acr: string | undefined;
  readonly clientAddress: string | undefined;
  readonly userAgent: string | undefined;
  readonly applications: readonly SessionApplication[];
}

export interface SessionsPage {
  /** Those that still count, by key: fewer than were asked for where others do not. */
  readonly sessions: readonly SignInSession[];
  /** The key of the last one that was read; absent: this was the last page. */
  readonly next?: string;
}

export interface SessionsPageRequest {
  /** Absent: of all accounts. */
  readonly accountId?: string | undefined;
  readonly limit: number;
  readonly after?: string | undefined;
}

export type Sessions = ReturnType<typeof createSessions>;

export interface SessionsDeps {
  readonly artifacts: ArtifactStore;
  /** Since when sign-ins of these accounts count, epoch seconds by id; of one of which none does there is nothing. */
  readonly validSinceOf: (accountIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
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
const endedKind = 'EndedSession';
/** Sessions of an account that are read at once, to be ended. */
const endedAtOnce = 100;
/** Some 10 ms. */
const mostCounted = 200;
/** In the title of a list: some 5 ms. */
const mostInAll = 10_000;
/** Longer than any request is under way. */
const endedSeconds = 600;

export function createSessions(deps: SessionsDeps) {
  const { artifacts, validSinceOf, now, idleSeconds, maxSeconds, revokeTokens, onEnded } = deps;
  const uses = createSessionUses(deps);

  return {
    /** Notes an application of a session; the library loses one of two that sign in at the same time. */
    record: uses.record,
    /** At which applications a session has signed in, whatever became of the library's own record. */
    applicationsOf: async (session: UsedSession): Promise<readonly SessionApplication[]> =>
      applicationsOf((await uses.of(session)).map(({ artifact }) => artifact.payload)),
    /**
     * How many sessions have signed in at each of these applications, in their order, and count: together
     * {@link mostCounted} sessions are looked at.
     */
    async countAt(clientIds: readonly string[]): Promise<readonly BoundedCount[]> {
      if (clientIds.length === 0) return [];
      const limit = Math.max(1, Math.floor(mostCounted / clientIds.length));
      const found = await uses.at(clientIds, limit);
      const live = await liveOf(found.flatMap(({ uids }) => uids));
      return found.map(({ uids, areAll }) => ({
        value: uids.filter((uid) => live.has(uid)).length,
        isExact: areAll,
      }));
    },
    async listOf(accountId: string): Promise<SignInSession[]> {
      return newestFirst(await described(await artifacts.listByAccount('Session', accountId)));
    },
    async list(limit: number): Promise<SignInSession[]> {
      const all = await artifacts.list('Session', limit);
      return newestFirst(await described(all.filter(({ artifact }) => artifact.accountId)));
    },
    /** However many there are, a page costs the same. */
    async page({ accountId, limit, after }: SessionsPageRequest): Promise<SessionsPage> {
      const read =
        accountId === undefined
          ? await artifacts.list('Session', limit, after)
          : await artifacts.pageByAccount('Session', accountId, limit, after);
      const sessions = await described(read.filter(({ artifact }) => artifact.accountId));
      return read.length < limit ? { sessions } : { sessions, next: read.at(-1)!.key };
    },
    /** How many there are, to {@link mostInAll}. @param accountId  absent: of all accounts */
    count: (accountId?: string): Promise<BoundedCount> => artifacts.countSessions(mostInAll, accountId),
    /** The one with this `uid`, if it still counts. */
    async find(uid: string): Promise<SignInSession | undefined> {
      const found = await artifacts.findByUid('Session', uid);
      return found?.artifact.accountId === undefined ? undefined : (await described([found])).at(0);
    },
    /** What stands for it in lists; undefined once it has ended. */
    keyOf: async (uid: string): Promise<string | undefined> =>
      (await artifacts.findByUid('Session', uid))?.key,
    /**
     * Those of these that count, each once, without prolonging them.
     *
     * @param before  of who asks for the same ones again and again: where they were found, and are now
     */
    liveOf,
    /** The session that stands in a list under this `key`. */
    async findByKey(key: string): Promise<SignInSession | undefined> {
      const found = await artifacts.findByKey('Session', key);
      return found?.artifact.accountId === undefined ? undefined : (await described([found])).at(0);
    },
    /** Ends the session first, then everything issued under it (S39). @returns what was ended */
    async end(uid: string): Promise<SignInSession | undefined> {
      const ended = await removeRecords(uid);
      const [newest] = ended;
      if (!newest) return undefined;
      const used = await uses.of(usedSession(newest));
      const session = describe(newest, used);
      const recorded = session.applications.flatMap(({ grantId }) => grantId ?? []);
      await Promise.all([...new Set([...recorded, ...ended.flatMap(grantIdsOf)])].map(revokeGrant));
      await uses.remove(used);
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
      for (;;) {
        const some = await artifacts.listByAccount('Session', accountId, endedAtOnce);
        const ending = some.flatMap(({ artifact: { uid } }) => (uid && uid !== exceptUid ? [uid] : []));
        if (ending.length === 0) return;
        for (const uid of new Set(ending)) await this.end(uid);
      }
    },
    /**
     * Prolongs a session that is in use elsewhere, such as by a refresh, up to its absolute end.
     *
     * @param known  it, when it was read just now
     */
    async touch(uid: string, known?: ListedArtifact) {
      const found = known ?? (await artifacts.findByUid('Session', uid));
      if (!found) return;
      const { accountId, expiresAt = 0, payload } = found.artifact;
      if (accountId === undefined) return;
      const latest = Math.floor(Math.min(now() / 1000 + idleSeconds, Number(payload.loginTs) + maxSeconds));
      // Not a write for each use: a tenth of the idle time is exact enough.
      if (latest - expiresAt >= idleSeconds / 10) {
        await artifacts.extend('Session', found.key, { expiresAt: latest }).catch((error: unknown) => {
          // A store that takes no writes is still read: the session ends sooner, at most.
          if (!(error instanceof StorageUnavailableError)) throw error;
        });
      }
    },
  };

  async function liveOf(uids: readonly string[], before?: Map<string, string>): Promise<ReadonlySet<string>> {
    const found = await artifacts.findByUids('Session', [...new Set(uids)], before);
    before?.clear();
    for (const [uid, { key }] of found) before?.set(uid, key);
    const signedIn = [...found].flatMap(
      ([
        uid,
        {
          artifact: { accountId, payload },
        },
      ]) => (accountId === undefined ? [] : [{ uid, accountId, startedAt: Number(payload.loginTs ?? 0) }]),
    );
    return new Set((await validOnes(signedIn)).map(({ uid }) => uid));
  }

  async function described(listed: readonly ListedArtifact[]): Promise<SignInSession[]> {
    const used = await uses.ofAll(listed.map(usedSession));
    return validOnes(
      listed.map((session) => describe(session, used.get(String(session.artifact.uid)) ?? [])),
    );
  }

  function describe(listed: ListedArtifact, used: readonly ListedArtifact[]): SignInSession {
    const session = describeOne(listed, used);
    return { ...session, lastSeenAt: Math.max(session.startedAt, session.expiresAt - idleSeconds) };
  }

  async function validOnes<S extends Pick<SignInSession, 'accountId' | 'startedAt'>>(
    all: readonly S[],
  ): Promise<S[]> {
    if (all.length === 0) return [];
    const since = await validSinceOf(all.map(({ accountId }) => accountId));
    return all.filter(({ accountId, startedAt }) => startedAt >= (since.get(accountId) ?? Infinity));
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

  async function revokeGrant(grantId: string): Promise<void> {
    // First: without it no exchange that is under way is committed.
    await artifacts.remove('Grant', grantId);
    await artifacts.removeByGrant(grantId, grantBound);
    await revokeTokens(grantId);
  }
}

function usedSession({ artifact: { uid, accountId } }: ListedArtifact): UsedSession {
  return { uid: String(uid), accountId };
}

function newestFirst(sessions: SignInSession[]): SignInSession[] {
  return sessions.sort((a, b) => b.startedAt - a.startedAt);
}

function describeOne(
  { key, artifact }: ListedArtifact,
  uses: readonly ListedArtifact[],
): Omit<SignInSession, 'lastSeenAt'> {
  const records = uses.map((use) => use.artifact.payload).sort((a, b) => Number(a.since) - Number(b.since));
  return {
    key,
    uid: String(artifact.uid),
    accountId: String(artifact.accountId),
    startedAt: Number(artifact.payload.loginTs ?? 0),
    expiresAt: artifact.expiresAt ?? 0,
    acr: text(artifact.payload.acr),
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
