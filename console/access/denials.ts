/** What member surfaces refused lately, here and in processes of their own, kept for whoever asks why. */
import type { Logger } from '../../platform/log.ts';
import type { ArtifactStore } from '../storage/storage.ts';
import {
  type BatchPlace,
  createDenialBuffer,
  type DenialBatch,
  placeOf,
  ringSize,
  type StoredDenial,
} from './denial-buffer.ts';

export interface FoundDenial extends StoredDenial {
  /** The client whose process has refused it, when that was not the console. */
  readonly reportedBy?: string;
}

export type DenialLog = ReturnType<typeof createDenialLog>;

export interface DenialLogDeps {
  readonly artifacts: Pick<ArtifactStore, 'put' | 'get'>;
  /** Random, so that two processes never write to the same place; of `A-Z a-z 0-9 _ -`. */
  readonly newStem: () => string;
  /** Has other processes of this console write what they have still to write. Never rejects. */
  readonly flushOthers?: (() => Promise<void>) | undefined;
  /** How often they are written; by default once a second. */
  readonly writeEveryMs?: number | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Logger, 'warn'>;
}

const kinds = { own: 'RefusedCalls', reported: 'ReportedRefusals' } as const;
const lifeSeconds = 24 * 3600;

export function createDenialLog(deps: DenialLogDeps) {
  const { artifacts, newStem, flushOthers, writeEveryMs, now, log } = deps;
  const buffer = createDenialBuffer({
    write: (batch) => put(kinds.own, batch),
    newStem,
    ...(writeEveryMs !== undefined && { writeEveryMs }),
    now,
    log,
  });

  return {
    /** Touches memory only. @returns the decision id, which says where the denial will lie */
    record: buffer.record,
    /**
     * Keeps what another process has refused.
     *
     * @param batch     its ids are of another process
     * @param clientId  who reports it
     * @throws {StorageUnavailableError}
     */
    recordReported: (batch: DenialBatch, clientId: string) => put(kinds.reported, batch, clientId),
    /** Those of separate proxies are found a second after they happened. @returns undefined when unknown, or gone */
    async find(decisionId: string): Promise<FoundDenial | undefined> {
      const place = placeOf(decisionId);
      if (!place) return undefined;
      await Promise.all([buffer.flush(), place.isElsewhere ? undefined : flushOthers?.()]);
      const kind = place.isElsewhere ? kinds.reported : kinds.own;
      const artifact = await artifacts.get(kind, slotOf(place));
      const { batch, refusals, reportedBy } = (artifact?.payload ?? {}) as Partial<Payload>;
      const found = batch === place.number && refusals?.find((denial) => denial.decisionId === decisionId);
      return found ? { ...found, ...(reportedBy !== undefined && { reportedBy }) } : undefined;
    },
    /** Writes what is still to be written. */
    flush: buffer.flush,
  };

  function put(kind: string, batch: DenialBatch, reportedBy?: string): Promise<void> {
    const payload: Payload = {
      batch: batch.number,
      refusals: batch.refusals,
      ...(reportedBy !== undefined && { reportedBy }),
    };
    const expiresAt = Math.ceil(now() / 1000) + lifeSeconds;
    return artifacts.put(kind, slotOf(batch), { payload: { ...payload }, expiresAt });
  }
}

interface Payload {
  readonly batch: number;
  readonly refusals: readonly StoredDenial[];
  readonly reportedBy?: string;
}

function slotOf({ stem, number }: BatchPlace): string {
  return `${stem}.${number % ringSize}`;
}
