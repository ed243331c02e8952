/**
 * An import, with flat memory: each record is read and checked by itself, and lies on the disk until all of them are
 * compared with each other and with the store; only then are they added, a batch at a time, in the order of the file.
 */
import type { GrowingCollection } from '../storage/record-store.ts';
import type { ClientRecord, UserRecord } from '../storage/records.ts';
import { readClient } from './client-rows.ts';
import { type Allowed, RowError } from './fields.ts';
import type { Progress } from './progress.ts';
import type { RejectedLines } from './rejected-lines.ts';
import { findRepeated, nextRepeated } from './repeated-lines.ts';
import { keysOf } from './row-keys.ts';
import { createSortedRuns, type SortedRuns } from './sorted-runs.ts';
import type { Fields, Source, SourceRecord } from './sources/source.ts';
import { createSpool, type Spool, type SpooledRecord } from './spool.ts';
import { type BulkTarget, type Objections, rowsAtOnce } from './target.ts';
import { readUser } from './user-rows.ts';
import type { WorkDirectory } from './work-directory.ts';

export interface ImportOptions {
  readonly collection: GrowingCollection;
  readonly source: Source;
  readonly bytes: AsyncIterable<Buffer>;
  /** Of the file, in bytes; 0: not known. */
  readonly size: number;
  /** Of whoever has none in the file. */
  readonly defaultRoles: readonly string[];
  /** Hashes of the file are passed over: everybody is given a password afterwards. */
  readonly isWithoutPasswords: boolean;
  readonly isDryRun: boolean;
  /** Who is there already stays as it is, and is no fault. */
  readonly skipsExisting: boolean;
  /** Those before are passed over. */
  readonly fromLine: number;
}

export interface ImportDeps {
  readonly target: BulkTarget;
  readonly work: WorkDirectory;
  readonly rejected: RejectedLines;
  /** Whether lines may be left out. */
  readonly continues: boolean;
  readonly progress: Progress;
}

export interface ImportResult {
  /** Records that were added; at a dry run, those that would be. */
  added: number;
  existing: number;
  rejected: number;
  /** What was none of what is imported. */
  others: number;
}

/** What ended the import when a part of it was stored. */
export class ImportInterruptedError extends Error {
  override readonly name = 'ImportInterruptedError';
  /** All lines up to here are stored or were left out. */
  readonly line: number;

  constructor(line: number, cause: unknown) {
    super(`interrupted after line ${line}`, { cause });
    this.line = line;
  }
}

/** Nobody could administer the console, and the page that makes the first administrator would be gone. */
export class NoAdministratorError extends Error {
  override readonly name = 'NoAdministratorError';
}

/**
 * @throws {RejectedLineError} nothing was added
 * @throws {ImportInterruptedError} whole batches were added
 * @throws {SourceError}
 * @throws {NoAdministratorError}
 */
export async function importRecords(options: ImportOptions, deps: ImportDeps): Promise<ImportResult> {
  const spool = await createSpool(`${deps.work.path}/records`);
  try {
    return await importBy(spool, options, deps);
  } finally {
    await spool.close();
  }
}

async function importBy(spool: Spool, options: ImportOptions, deps: ImportDeps): Promise<ImportResult> {
  const { work, rejected, continues, target } = deps;
  const result: ImportResult = { added: 0, existing: 0, rejected: 0, others: 0 };
  const keys = createSortedRuns(work.path, 'keys');
  const found = await readAll(options, deps, { spool, keys, result });
  const repeated = createSortedRuns(work.path, 'repeated');
  await findRepeated(keys, repeated, found.count, deps);
  if (options.collection === 'users' && !found.hasAdministrator && !(await target.hasAdministrator())) {
    throw new NoAdministratorError();
  }
  const pass = { spool, repeated, total: found.count, result };
  // Without leave to leave lines out, all are known to be right before the first is added.
  if (options.isDryRun || !continues) await checkAll(options, deps, pass);
  if (!options.isDryRun) {
    result.added = 0;
    result.existing = 0;
    await addAll(options, deps, pass);
  }
  result.rejected = rejected.count();
  return result;
}

interface Reading {
  readonly spool: Spool;
  readonly keys: SortedRuns;
  readonly result: ImportResult;
}

interface Found {
  readonly count: number;
  /** Somebody of the file could administer the console. */
  readonly hasAdministrator: boolean;
}

/** What needs no store to be decided. */
const byThemselves: Allowed = {
  newId: () => '',
  now: Date.now,
  isRole: () => true,
  isProvider: () => true,
  checkOutboundUrl: () => {},
};

async function readAll(
  options: ImportOptions,
  { rejected, progress }: ImportDeps,
  { spool, keys, result }: Reading,
): Promise<Found> {
  const { collection, source, bytes, size, fromLine } = options;
  let [count, bytesRead] = [0, 0];
  let hasAdministrator = false;
  const counted = counting(bytes, (length) => {
    bytesRead += length;
  });
  for await (const read of source(counted)) {
    progress.report('reading bytes', bytesRead, size, `, line ${read.line}`);
    if (read.line < fromLine) continue;
    if (read.isOther) result.others++;
    else {
      const { fields, record, reason } = recordIn(read, options);
      if (!fields || !record)
        await rejected.add({ line: read.line, reason: reason ?? '', fields: read.fields });
      else {
        count++;
        hasAdministrator ||= collection === 'users' && canAdminister(record as UserRecord, fields);
        await spool.add({ line: read.line, fields });
        const at = String(read.line).padStart(10, '0');
        for (const key of keysOf(collection, record, typeof fields.id === 'string'))
          await keys.add(`${key}\u0000${at}`);
      }
    }
  }
  await spool.finish();
  return { count, hasAdministrator };
}

async function* counting(
  bytes: AsyncIterable<Buffer>,
  count: (length: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    count(chunk.length);
    yield chunk;
  }
}

interface Read {
  readonly fields?: Fields;
  readonly record?: UserRecord | ClientRecord;
  readonly reason?: string;
}

function recordIn({ fields: given, reason }: SourceRecord, options: ImportOptions): Read {
  const { collection, isWithoutPasswords, defaultRoles } = options;
  // Of what has fields, only the hash is wrong.
  if (!given || (reason !== undefined && !isWithoutPasswords)) return { reason: reason ?? '' };
  const { passwordHash, ...others } = given;
  const rest = isWithoutPasswords ? others : given;
  const isRoleless = collection === 'users' && (rest.roles ?? '').toString() === '';
  const fields = isRoleless && defaultRoles.length > 0 ? { ...rest, roles: defaultRoles } : rest;
  try {
    const record = collection === 'users' ? readUser(fields, byThemselves) : readClient(fields, byThemselves);
    return { fields, record };
  } catch (error) {
    if (error instanceof RowError) return { reason: error.message };
    throw error;
  }
}

/** Whoever has no password yet cannot sign in to give others one. */
function canAdminister({ disabled, roles }: UserRecord, { passwordHash }: Fields): boolean {
  return !disabled && roles.includes('Admin') && passwordHash !== undefined;
}

interface Pass {
  readonly spool: Spool;
  readonly repeated: SortedRuns;
  readonly total: number;
  readonly result: ImportResult;
}

type Ask = (rows: readonly Fields[]) => Promise<Objections>;

async function checkAll(
  { collection, skipsExisting }: ImportOptions,
  deps: ImportDeps,
  pass: Pass,
): Promise<void> {
  const { target, progress } = deps;
  let done = 0;
  for await (const batch of batchesOf(pass, deps)) {
    await ask(batch, (rows) => target.check(collection, rows), { deps, skipsExisting, result: pass.result });
    done += batch.length;
    progress.report('checking', done, pass.total);
  }
}

async function addAll(
  { collection, skipsExisting }: ImportOptions,
  deps: ImportDeps,
  pass: Pass,
): Promise<void> {
  const { target, progress, work } = deps;
  let [done, line] = [0, 0];
  try {
    for await (const batch of batchesOf(pass, deps)) {
      await ask(batch, (rows) => target.add(collection, rows), { deps, skipsExisting, result: pass.result });
      done += batch.length;
      line = batch.at(-1)!.line;
      work.record(line);
      progress.report('storing', done, pass.total, `, up to line ${line}`);
    }
  } catch (error) {
    throw new ImportInterruptedError(line, error);
  }
}

interface Asking {
  readonly deps: ImportDeps;
  readonly skipsExisting: boolean;
  readonly result: ImportResult;
}

async function ask(
  batch: readonly SpooledRecord[],
  target: Ask,
  { deps: { rejected }, skipsExisting, result }: Asking,
): Promise<void> {
  const objections = await target(batch.map(({ fields }) => fields));
  for (const [index, { line, fields }] of batch.entries()) {
    const objection = objections[index];
    if (!objection) result.added++;
    else if (objection.isThere && skipsExisting) result.existing++;
    else await rejected.add({ line, reason: objection.reason, fields });
  }
}

/** In the order of the file, without those that repeat an earlier one. */
async function* batchesOf(
  { spool, repeated }: Pass,
  { rejected, continues }: ImportDeps,
): AsyncGenerator<readonly SpooledRecord[]> {
  const skipped = await nextRepeated(repeated);
  let batch: SpooledRecord[] = [];
  for await (const record of spool.read()) {
    const reason = continues ? await skipped(record.line) : undefined;
    if (reason === undefined) batch.push(record);
    else await rejected.add({ ...record, reason });
    if (batch.length < rowsAtOnce) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
