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
}

export type SessionUses = ReturnType<typeof createSessionUses>;

const kind = 'SessionUse';
/** The same use once more: found by its application. */
const kindAt = (clientId: string) => `SessionAt ${clientId}`;
/** Says until when there may be uses that a version of before has written, which are found by account only. */
const former = { kind: 'SessionUses', id: 'by account until' } as const;
/** The longest that a sign-in may last (CONSOLE_SESSION_MAX_SECONDS). */
const longestSeconds = 43_200;

export function createSessionUses({ artifacts, now, maxSeconds }: SessionUsesDeps) {
  /** Epoch seconds. */
  let formerUntil: number | undefined;

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
      await hasFormer();
      const expiresAt = use.startedAt + maxSeconds;
      const payload = { ...recorded, since: earlier?.since ?? Math.floor(now() / 1000) };
      await Promise.all([
        artifacts.put(kind, id, { payload, expiresAt, uid: use.uid, accountId }),
        artifacts.put(kindAt(use.clientId), use.uid, { payload: { uid: use.uid }, expiresAt }),
      ]);
    },
    of,
    /** The `uid` of each session that has signed in at an application, at most `limit`, whichever; ended ones too. */
    async uidsAt(clientId: string, limit: number): Promise<readonly string[]> {
      return (await artifacts.list(kindAt(clientId), limit)).map(({ artifact }) =>
        String(artifact.payload.uid),
      );
    },
    /** Those of each of these sessions, by its `uid`. */
    async ofAll(sessions: readonly UsedSession[]): Promise<ReadonlyMap<string, readonly ListedArtifact[]>> {
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

  async function of({ uid, accountId }: UsedSession): Promise<readonly ListedArtifact[]> {
    if (accountId === undefined || !(await hasFormer())) return artifacts.listByUid(kind, uid);
    const uses = await artifacts.listByAccount(kind, accountId);
    return uses.filter(({ artifact }) => artifact.payload.uid === uid);
  }

  async function hasFormer(): Promise<boolean> {
    formerUntil ??= await readFormerUntil();
    return now() / 1000 < formerUntil;
  }

  async function readFormerUntil(): Promise<number> {
    const known = (await artifacts.get(former.kind, former.id))?.payload.until;
    if (known !== undefined) return Number(known);
    const hasAny = (await artifacts.list(kind, 1)).length > 0;
    const until = hasAny ? Math.ceil(now() / 1000) + longestSeconds : 0;
    // Without it the next start looks again.
    await artifacts.put(former.kind, former.id, { payload: { until } }).catch(() => {});
    return until;
  }
}
