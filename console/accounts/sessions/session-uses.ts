/**
 * At which applications a session has signed in: noted beside it, because the library's own record has no room, and
 * loses one of two that sign in at the same time. Found by the session, so that nothing costs more for an account with
 * many of them.
 */
import { mapWithPauses } from '../../../platform/async/pauses.ts';
import type { ArtifactStore, ListedArtifact } from '../../storage/storage.ts';

/** Where a session was seen. */
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

export interface SessionUsesDeps {
  readonly artifacts: ArtifactStore;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly maxSeconds: number;
}

export interface UsedSession {
  readonly uid: string;
  readonly accountId: string | undefined;
  /** What was read with it: not asked for again. */
  readonly uses?: readonly ListedArtifact[] | undefined;
}

/** At one application. */
export interface SessionsAt {
  readonly uids: readonly string[];
  /** Neither more than the limit, nor any of a version that did not record them so. */
  readonly areAll: boolean;
}

export type SessionUses = ReturnType<typeof createSessionUses>;

const kind = 'SessionUse';
/** The same use once more: found by its application. */
const kindAt = (clientId: string) => `SessionAt ${clientId}`;
/** Says until when there may be uses that a version of before has written, which are not found in each of these ways. */
const formerKind = 'SessionUses';
const formerIds = { bySession: 'by account until', byClient: 'not by client until' } as const;
type Way = keyof typeof formerIds;
/** The longest that a sign-in may last (CONSOLE_SESSION_MAX_SECONDS). */
const longestSeconds = 43_200;

export function createSessionUses({ artifacts, now, maxSeconds }: SessionUsesDeps) {
  /** Epoch seconds. */
  const formerUntil = new Map<Way, number>();

  return {
    async record(use: SessionUse) {
      const { accountId, ...recorded } = use;
      const id = `${use.uid} ${use.clientId}`;
      const earlier = (await artifacts.get(kind, id))?.payload;
      const isRecorded = (['startedAt', 'grantId', 'sid'] as const).every(
        (name) => earlier?.[name] === use[name],
      );
      if (earlier && isRecorded) return;
      // Before there is one of this version: whether there are others is seen once.
      await Promise.all([hasFormer('bySession'), hasFormer('byClient')]);
      const expiresAt = use.startedAt + maxSeconds;
      const payload = { ...recorded, since: earlier?.since ?? Math.floor(now() / 1000) };
      await Promise.all([
        artifacts.put(kind, id, { payload, expiresAt, uid: use.uid, accountId }),
        artifacts.put(kindAt(use.clientId), use.uid, { payload: { uid: use.uid }, expiresAt }),
      ]);
    },
    of,
    /**
     * The `uid` of each session that has signed in at an application, ended ones too: of each application, in their order.
     *
     * @param limit  so many of one application, whichever
     */
    async at(clientIds: readonly string[], limit: number): Promise<readonly SessionsAt[]> {
      const hasOthers = await hasFormer('byClient');
      const kinds = clientIds.map(kindAt);
      const { ofKinds } = await artifacts.readMany({ names: [], kinds, mostOfKind: limit + 1 });
      return ofKinds.map((some) => ({
        uids: some.slice(0, limit).map(({ payload }) => String(payload.uid)),
        areAll: some.length <= limit && !hasOthers,
      }));
    },
    /** Those of each of these sessions, by its `uid`. */
    async ofAll(sessions: readonly UsedSession[]): Promise<ReadonlyMap<string, readonly ListedArtifact[]>> {
      if (!(await hasFormer('bySession')))
        return artifacts.listByUids(
          kind,
          sessions.map(({ uid }) => uid),
        );
      const found = await mapWithPauses(
        sessions,
        async (session) => [session.uid, await of(session)] as const,
      );
      return new Map(found);
    },
    async remove(uses: readonly ListedArtifact[]) {
      await Promise.all(
        uses.flatMap(({ key, artifact: { payload } }) => [
          artifacts.removeByKey(kind, key),
          artifacts.remove(kindAt(String(payload.clientId)), String(payload.uid)),
        ]),
      );
    },
  };

  async function of({ uid, accountId, uses }: UsedSession): Promise<readonly ListedArtifact[]> {
    if (accountId === undefined || !(await hasFormer('bySession')))
      return uses ?? artifacts.listByUid(kind, uid);
    const ofAccount = await artifacts.listByAccount(kind, accountId);
    return ofAccount.filter(({ artifact }) => artifact.payload.uid === uid);
  }

  async function hasFormer(way: Way): Promise<boolean> {
    const until = formerUntil.get(way) ?? (await readFormerUntil(way));
    formerUntil.set(way, until);
    return now() / 1000 < until;
  }

  async function readFormerUntil(way: Way): Promise<number> {
    const known = (await artifacts.get(formerKind, formerIds[way]))?.payload.until;
    if (known !== undefined) return Number(known);
    const hasAny = (await artifacts.list(kind, 1)).length > 0;
    const until = hasAny ? Math.ceil(now() / 1000) + longestSeconds : 0;
    // Without it the next start looks again.
    await artifacts.put(formerKind, formerIds[way], { payload: { until } }).catch(() => {});
    return until;
  }
}
