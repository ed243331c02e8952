/**
 * What a reading of many entries was asked for, and what it has found: in the store, so that any console gives it out,
 * encrypted where there is an encryption key (S79), and for a day at most. No value is among it.
 */
import type { ArtifactStore } from '../storage/storage.ts';

export interface ReadRowsDeps {
  readonly artifacts: Pick<ArtifactStore, 'put' | 'get' | 'removeByGrant'>;
  readonly cipher: {
    encrypt(text: string, label: string): string;
    open(stored: string, label: string): string;
  };
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface ReadRow {
  readonly key: string;
  readonly type: string | null;
  /** Of its value; null: there is no entry, or it could not be read. */
  readonly bytes: number | null;
  /** Why it could not be read. */
  readonly problem: { readonly code: string; readonly detail: string } | null;
}

export interface ReadRows {
  /** Before its job is there. @returns when it is removed by itself, epoch milliseconds. @throws {StorageUnavailableError} */
  begin(jobId: string, keys: readonly string[]): Promise<number>;
  /** In their order; undefined: they are not there any more. @throws {DecryptionError} @throws {StorageUnavailableError} */
  keysOf(jobId: string): Promise<readonly string[] | undefined>;
  /** @param at  how many were stored before. @throws {StorageUnavailableError} */
  store(jobId: string, at: number, rows: readonly ReadRow[]): Promise<void>;
  /** Those that have been stored by now. @throws {DecryptionError} @throws {StorageUnavailableError} */
  read(jobId: string): Promise<readonly ReadRow[]>;
  /** When it is removed by itself, epoch milliseconds; undefined: it has been. @throws {StorageUnavailableError} */
  endOf(jobId: string): Promise<number | undefined>;
  /** @throws {StorageUnavailableError} */
  remove(jobId: string): Promise<void>;
}

const keysKind = 'ReadKeys';
const rowsKind = 'ReadRows';
/** From when it was asked for. */
export const storedMs = 24 * 3_600_000;

export function createReadRows({ artifacts, cipher, now }: ReadRowsDeps): ReadRows {
  return {
    async begin(jobId, keys) {
      const endsAt = now() + storedMs;
      const payload = { endsAt, keys: cipher.encrypt(JSON.stringify(keys), labelOf(jobId, 'keys')) };
      await artifacts.put(keysKind, jobId, { payload, grantId: jobId, expiresAt: secondsOf(endsAt) });
      return endsAt;
    },
    async keysOf(jobId) {
      const begun = await begunOf(jobId);
      return begun && (JSON.parse(cipher.open(begun.keys, labelOf(jobId, 'keys'))) as string[]);
    },
    async store(jobId, at, rows) {
      const begun = await begunOf(jobId);
      if (!begun) return;
      const payload = {
        next: at + rows.length,
        rows: cipher.encrypt(JSON.stringify(rows), labelOf(jobId, `rows from ${at}`)),
      };
      const expiresAt = secondsOf(begun.endsAt);
      await artifacts.put(rowsKind, nameOf(jobId, at), { payload, grantId: jobId, expiresAt });
    },
    async read(jobId) {
      const rows: ReadRow[] = [];
      for (let at = 0; ; ) {
        const found = await artifacts.get(rowsKind, nameOf(jobId, at));
        if (!found) return rows;
        const { next, rows: stored } = found.payload as unknown as StoredRows;
        rows.push(...(JSON.parse(cipher.open(stored, labelOf(jobId, `rows from ${at}`))) as ReadRow[]));
        at = next;
      }
    },
    endOf: async (jobId) => (await begunOf(jobId))?.endsAt,
    async remove(jobId) {
      await artifacts.removeByGrant(jobId, [keysKind, rowsKind]);
    },
  };

  async function begunOf(jobId: string): Promise<StoredKeys | undefined> {
    const found = await artifacts.get(keysKind, jobId);
    return found && (found.payload as unknown as StoredKeys);
  }
}

interface StoredKeys {
  readonly endsAt: number;
  readonly keys: string;
}

interface StoredRows {
  /** Where those begin that come after. */
  readonly next: number;
  readonly rows: string;
}

function nameOf(jobId: string, at: number): string {
  return `${jobId} ${at}`;
}

/** What is encrypted is opened at its place alone. */
function labelOf(jobId: string, what: string): string {
  return `${what} of ${jobId}`;
}

function secondsOf(ms: number): number {
  return Math.floor(ms / 1000);
}
