/**
 * Imports of users and clients from what was uploaded: it lies in the data directory before the job is there, so that
 * another process can go on with it.
 */
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { clientFields, userFields } from '../bulk/columns.ts';
import { ImportInterruptedError, importRecords, NoAdministratorError } from '../bulk/import.ts';
import type { Progress } from '../bulk/progress.ts';
import { RejectedLineError, type RejectedLines } from '../bulk/rejected-lines.ts';
import { readCsv } from '../bulk/sources/csv.ts';
import { readJsonLines } from '../bulk/sources/json-lines.ts';
import { type Source, SourceError } from '../bulk/sources/source.ts';
import type { BulkTarget, Objections } from '../bulk/target.ts';
import type { WorkDirectory } from '../bulk/work-directory.ts';
import type { GrowingCollection } from '../storage/record-store.ts';
import { JobFailure, type JobKind, type JobWork } from './job-kind.ts';
import type { SharedFiles } from './shared-files.ts';
import { folderOf } from './uploads.ts';

export interface ImportInput {
  readonly collection: GrowingCollection;
  readonly format: 'csv' | 'jsonl';
  /** What is wrong is left out. */
  readonly continues: boolean;
  readonly skipsExisting: boolean;
  /** Nothing is written. */
  readonly onlyCheck: boolean;
}

/** What is done for good. */
interface Checkpoint {
  readonly line: number;
  readonly added: number;
  readonly existing: number;
}

interface LeftOut {
  readonly line: number;
  readonly reason: string;
}

export interface ImportsDeps {
  readonly dataDir: string;
  readonly target: BulkTarget;
  readonly collection: GrowingCollection;
  /** Where several consoles share a store: another one may have taken in what was uploaded. */
  readonly shared?: Pick<SharedFiles, 'fetch' | 'remove'> | undefined;
}

/** Lines that are named with their reasons. */
const mostNamed = 100;

export function createImportKind({ dataDir, target, collection, shared }: ImportsDeps): JobKind {
  return {
    event: collection === 'users' ? 'users.imported' : 'clients.imported',
    async run(work) {
      const folder = folderOf(dataDir, work.job.id);
      const files = join(folder, 'work');
      await shared?.fetch(work.job.id);
      // What an earlier process had begun to sort is sorted again.
      await rm(files, { recursive: true, force: true });
      await mkdir(files, { recursive: true, mode: 0o700 });
      const { size } = await stat(join(folder, 'upload')).catch(uploadIsGone);
      return importOne(work, { target, files, upload: join(folder, 'upload'), size });
    },
    async discard({ id }) {
      await rm(folderOf(dataDir, id), { recursive: true, force: true });
      await shared?.remove(id);
    },
  };
}

/** The store was put back from a backup, which has no uploads. */
function uploadIsGone(cause: unknown): never {
  throw new JobFailure('upload_gone', 'What was uploaded for it is not there any more.', { cause });
}

interface Files {
  readonly target: BulkTarget;
  /** A directory for what is sorted meanwhile. */
  readonly files: string;
  readonly upload: string;
  readonly size: number;
}

async function importOne(
  work: JobWork,
  { target, files, upload, size }: Files,
): Promise<Readonly<Record<string, unknown>>> {
  const { job, signal } = work;
  const input = job.input as unknown as ImportInput;
  const before = job.checkpoint as unknown as Checkpoint | null;
  const leftOut = createLeftOut(input.continues);
  const tally = createTally(before, input.skipsExisting);
  const options = {
    collection: input.collection,
    source: sourceOf(input),
    bytes: createReadStream(upload),
    size,
    defaultRoles: [],
    isWithoutPasswords: false,
    isDryRun: input.onlyCheck,
    // What was stored after the checkpoint is there already, and was put there by this job.
    skipsExisting: input.skipsExisting || before !== null,
    fromLine: (before?.line ?? 0) + 1,
  };
  try {
    const { added, existing, others } = await importRecords(options, {
      target: counted(target, signal, tally.count),
      continues: input.continues,
      rejected: leftOut.lines,
      ...createReports(work, files, before, tally),
    });
    const stored = input.onlyCheck ? { added, existing } : tally.now();
    const checked = input.onlyCheck ? { onlyCheck: true } : {};
    return { ...stored, ...checked, others, rejected: leftOut.lines.count(), leftOut: leftOut.named };
  } catch (error) {
    throw explained(error);
  }
}

type Tally = ReturnType<typeof createTally>;

/** What has been added, by this process and by those before. @param skipsExisting  asked for: who is there already is no fault */
function createTally(before: Checkpoint | null, skipsExisting: boolean) {
  let [added, existing] = [before?.added ?? 0, before?.existing ?? 0];
  return {
    now: () => ({ added, existing }),
    count(objections: Objections): void {
      for (const objection of objections) {
        if (!objection) added++;
        else if (objection.isThere && skipsExisting) existing++;
        // Added between the checkpoint and the end of the process before.
        else if (objection.isThere && before) added++;
      }
    },
  };
}

function counted(
  target: BulkTarget,
  signal: AbortSignal,
  count: (objections: Objections) => void,
): BulkTarget {
  return {
    ...target,
    check(collection, rows) {
      signal.throwIfAborted();
      return target.check(collection, rows);
    },
    async add(collection, rows) {
      signal.throwIfAborted();
      const objections = await target.add(collection, rows);
      count(objections);
      return objections;
    },
  };
}

/** What is stored is said with its checkpoint: the line that `record` was told last. */
function createReports({ signal, report }: JobWork, path: string, before: Checkpoint | null, tally: Tally) {
  // Stored by the processes before: those lines are not read again.
  const stored = (before?.added ?? 0) + (before?.existing ?? 0);
  let line = before?.line ?? 0;
  const work: WorkDirectory = {
    path,
    record(last) {
      line = last;
    },
    remove() {},
  };
  const progress: Progress = {
    report(step, done, total) {
      if (step === 'storing') {
        const { added, existing } = tally.now();
        const so = { done: stored + done, total: stored + total, step: `storing, up to line ${line}` };
        report(so, { line, added, existing });
      }
      signal.throwIfAborted();
      if (step !== 'storing') report({ done, total: total > 0 ? total : null, step });
    },
    close() {},
  };
  return { work, progress };
}

/** Lines that are left out: counted, and the first of them named. */
function createLeftOut(continues: boolean) {
  const named: LeftOut[] = [];
  let count = 0;
  const lines: RejectedLines = {
    async add(rejected) {
      if (!continues) throw new RejectedLineError(rejected);
      count++;
      const { line, reason } = rejected;
      if (named.length < mostNamed) named.push({ line, reason });
    },
    count: () => count,
    close: async () => {},
  };
  return { named, lines };
}

function sourceOf({ collection, format }: ImportInput): Source {
  if (format === 'jsonl') return readJsonLines;
  return collection === 'users' ? readCsv(userFields, ['username']) : readCsv(clientFields, ['id']);
}

function explained(error: unknown): unknown {
  if (error instanceof ImportInterruptedError) {
    const stored = error.line === 0 ? 'Some of its first lines may be' : `Its lines up to ${error.line} are`;
    const message = `${stored} stored: ask for it again with skipExisting.`;
    return new JobFailure('import_interrupted', message, { cause: error });
  }
  const nothing = 'Nothing was written.';
  if (error instanceof RejectedLineError || error instanceof SourceError) {
    return new JobFailure('import_rejected', `${error.message} ${nothing}`, { cause: error });
  }
  if (error instanceof NoAdministratorError) {
    const message = `Nobody could administer the console: add an administrator first. ${nothing}`;
    return new JobFailure('import_rejected', message, { cause: error });
  }
  return error;
}
