/** What an act on many things has changed, thing by thing with its version since, so that this can be taken back and nothing else. */
import { createPauses } from '../../platform/async/pauses.ts';
import type { ArtifactStore } from '../storage/storage.ts';

export interface BulkChange {
  readonly id: string;
  /** Of the thing, after the act. */
  readonly version: string;
}

/** As the store has it. */
export interface StoredChange {
  readonly kind: 'BulkChange';
  readonly id: string;
  readonly artifact: { readonly payload: Readonly<Record<string, unknown>>; readonly expiresAt: number };
}

export interface BulkChanges {
  /** For the commit of the change itself, so that neither is there without the other. @param at  how many came before */
  recordOf(job: Acted, at: number, change: BulkChange): StoredChange;
  /** Of a change that has no commit in common. @param at  how many came before. @throws {StorageUnavailableError} */
  add(job: Acted, at: number, change: BulkChange): Promise<void>;
  /** How many there are. @param known  so many of them there are at least. @throws {StorageUnavailableError} */
  count(jobId: string, known: number): Promise<number>;
  /** In the order in which they were made. @throws {StorageUnavailableError} */
  read(jobId: string): Promise<readonly BulkChange[]>;
  /** Until when it can be taken back, epoch milliseconds. */
  endOf(job: Acted): number;
  /** Of the last job that has taken it back, or does; undefined: none. @throws {StorageUnavailableError} */
  undoneBy(jobId: string): Promise<string | undefined>;
  /**
   * @param before  the job that ended before it had taken all back; null: none
   * @returns whether the caller is the one who takes it back, among processes too
   * @throws {StorageUnavailableError}
   */
  takeUndo(job: Acted, before: string | null): Promise<boolean>;
  /** @throws {StorageUnavailableError} */
  setUndoneBy(job: Acted, undoing: string): Promise<void>;
}

export interface Acted {
  readonly id: string;
  readonly createdAt: number;
}

const changeKind = 'BulkChange';
const undoKind = 'BulkUndo';
const turnKind = 'BulkUndoTurn';
const undoMs = 24 * 3_600_000;
/** Until then it is stored which job takes it back, or its console was killed before that. */
const turnSeconds = 60;
/** What is begun in the last moment finds all of it. */
const spareMs = 3_600_000;

export function createBulkChanges({
  artifacts,
}: {
  readonly artifacts: Pick<ArtifactStore, 'put' | 'get' | 'count'>;
}): BulkChanges {
  const endOf = ({ createdAt }: Acted) => createdAt + undoMs;
  const expiry = (job: Acted) => Math.floor((endOf(job) + spareMs) / 1000);
  const recordOf = (job: Acted, at: number, change: BulkChange): StoredChange => ({
    kind: changeKind,
    id: `${job.id} ${at}`,
    artifact: { payload: { ...change }, expiresAt: expiry(job) },
  });
  return {
    recordOf,
    async add(job, at, change) {
      const { kind, id, artifact } = recordOf(job, at, change);
      await artifacts.put(kind, id, artifact);
    },
    async count(jobId, known) {
      let found = known;
      for (const pause = createPauses(); await artifacts.get(changeKind, `${jobId} ${found}`); found++)
        await pause();
      return found;
    },
    async read(jobId) {
      const changes: BulkChange[] = [];
      for (const pause = createPauses(); ; await pause()) {
        const found = await artifacts.get(changeKind, `${jobId} ${changes.length}`);
        if (!found) return changes;
        changes.push(found.payload as unknown as BulkChange);
      }
    },
    endOf,
    undoneBy: async (jobId) => (await artifacts.get(undoKind, jobId))?.payload.job as string | undefined,
    async takeUndo({ id }, before) {
      const { count } = await artifacts.count(turnKind, `${id} ${before}`, turnSeconds);
      return count === 1;
    },
    async setUndoneBy(job, undoing) {
      await artifacts.put(undoKind, job.id, { payload: { job: undoing }, expiresAt: expiry(job) });
    },
  };
}
