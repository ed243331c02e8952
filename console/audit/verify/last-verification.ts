/**
 * When the audit was verified last, how far and with what outcome. Of files it stands beside them, so that it outlives the
 * process; of the rows of several consoles in the database, so that each of them knows.
 */
import { readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncDirectory, writeTemporary } from '../../../platform/files/durable-file.ts';
import type { ArtifactStore } from '../../storage/storage.ts';
import type { Verdict, VerifyReport } from './verify.ts';

export interface Verification {
  /** Epoch milliseconds, when it began: entries from then on were not looked at. */
  readonly at: number;
  /** Who asked for it, as jobs have it. */
  readonly by: string;
  readonly isGood: boolean;
  /** Whether signatures were checked. */
  readonly isSigned: boolean;
  readonly entries: number;
  /** Those that are not what was written come first. */
  readonly writers: readonly VerifiedWriter[];
  /** How many there are; some may not be named. */
  readonly writerCount: number;
}

export interface VerifiedWriter {
  readonly writer: string;
  readonly verdict: Verdict;
  /** The first entry that the verdict is about, and the last one where that is another. */
  readonly seq: number | null;
  readonly last: number | null;
  readonly says: string | null;
  readonly entries: number;
  /** The last entry that was looked at. */
  readonly lastSeq: number;
  /** Of its last check-point whose signature was checked, ISO 8601. */
  readonly lastCheckpointAt: string | null;
}

/** Each start of a process that writes is one. */
const mostWriters = 50;
const artifactKind = 'AuditVerification';
const onlyId = 'last';
const file = (dataDir: string) => join(dataDir, 'audit-verification.json');

export function verificationOf(
  { isGood, writers }: VerifyReport,
  { at, by, isSigned }: Pick<Verification, 'at' | 'by' | 'isSigned'>,
): Verification {
  const isFine = ({ verdict }: { readonly verdict: Verdict }) => verdict === 'ok';
  // Of those that are fine, those that were written last.
  const shown = [...writers].sort(
    (one, other) =>
      Number(isFine(one)) - Number(isFine(other)) || (one.lastCheckpointAt < other.lastCheckpointAt ? 1 : -1),
  );
  return {
    at,
    by,
    isGood,
    isSigned,
    entries: writers.reduce((sum, { entries }) => sum + entries, 0),
    writerCount: writers.length,
    writers: shown.slice(0, mostWriters).map(({ seq, last, says, lastCheckpointAt, ...one }) => ({
      writer: one.writer,
      verdict: one.verdict,
      seq: seq ?? null,
      last: last ?? null,
      says: says ?? null,
      entries: one.entries,
      lastSeq: one.lastSeq,
      lastCheckpointAt: lastCheckpointAt || null,
    })),
  };
}

export interface LastVerification {
  /** @returns undefined before the first one. @throws {Error} of a file that cannot be read; {StorageUnavailableError} */
  read(): Promise<Verification | undefined>;
  /** On the disk when it resolves. @throws {StorageUnavailableError} */
  store(verification: Verification): Promise<void>;
}

/** @param isShared  several consoles have the store, and their audit, in common */
export function lastVerification(
  dataDir: string,
  artifacts: Pick<ArtifactStore, 'get' | 'put'>,
  isShared: boolean,
): LastVerification {
  return isShared
    ? {
        async read() {
          const found = await artifacts.get(artifactKind, onlyId);
          return found?.payload as Verification | undefined;
        },
        store: (verification) => artifacts.put(artifactKind, onlyId, { payload: { ...verification } }),
      }
    : {
        read: () => readVerification(dataDir),
        store: (verification) => storeVerification(dataDir, verification),
      };
}

async function readVerification(dataDir: string): Promise<Verification | undefined> {
  try {
    return JSON.parse(await readFile(file(dataDir), 'utf8')) as Verification;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function storeVerification(dataDir: string, verification: Verification): Promise<void> {
  const path = file(dataDir);
  await rename(await writeTemporary(path, [JSON.stringify(verification)]), path);
  await syncDirectory(dirname(path));
}
