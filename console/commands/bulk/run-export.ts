import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { exportRecords, type Format } from '../../bulk/export.ts';
import { createTextWriter } from '../../bulk/spool.ts';
import type { GrowingCollection } from '../../storage/record-store.ts';
import {
  type Bulk,
  CommandError,
  type Input,
  type Reply,
  type Tools,
  UsageError,
} from '../runner/command.ts';

export async function runExport(collection: GrowingCollection, input: Input, tools: Tools): Promise<Reply> {
  const [file] = input.positionals;
  const options = { collection, format: formatOf(input), withHashes: input.has('with-hashes') };
  if (file === undefined && input.has('json')) {
    throw new UsageError('--json goes with a file: what is exported would stand beside it.');
  }
  const bulk = await tools.bulk!();
  try {
    const path = file === undefined ? undefined : resolve(tools.cwd, file);
    const count = path === undefined ? await toOutput(options, bulk) : await toFile(path, options, bulk);
    const hashes = options.withHashes ? ', with hashes' : '';
    const said = `Exported ${count} ${collection}${hashes}.`;
    if (path === undefined) bulk.say(said);
    return {
      text: path === undefined ? '' : `${said} They are in ${path}.`,
      json: { exported: count, file: path, withHashes: options.withHashes },
      target: `${count}${hashes}`,
    };
  } finally {
    bulk.progress.close();
  }
}

type Options = Parameters<typeof exportRecords>[0];

/** Whole, or not there. */
async function toFile(path: string, options: Options, { target, progress }: Bulk): Promise<number> {
  const handle = await open(path, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause;
    throw new ProblemError(problems.conflict, `${path} exists already: name a file that does not.`, {
      cause,
    });
  });
  const writer = createTextWriter(handle);
  try {
    const count = await exportRecords(options, { target, write: writer.write, progress });
    await writer.close();
    return count;
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(path, { force: true });
    throw error;
  }
}

function toOutput(options: Options, { target, progress, stdout }: Bulk): Promise<number> {
  return exportRecords(options, { target, write: (text) => writeTo(stdout, text), progress });
}

/** As fast as it is read. @throws {CommandError} when nobody reads any more */
async function writeTo(output: Writable, text: string): Promise<void> {
  if (!output.destroyed && (output.write(text) || (await drained(output)))) return;
  throw new CommandError('failed', 'Whoever read the export has stopped before its end.');
}

async function drained(output: Writable): Promise<boolean> {
  await Promise.race([once(output, 'drain'), once(output, 'close')]).catch(() => {});
  return !output.destroyed;
}

/** @throws {UsageError} */
function formatOf(input: Input): Format {
  const format = input.text('format') ?? (extname(input.positionals[0] ?? '') === '.csv' ? 'csv' : 'jsonl');
  if (format === 'jsonl' || format === 'csv') return format;
  throw new UsageError('--format is jsonl or csv.');
}
