import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { clientFields, userFields } from '../../bulk/columns.ts';
import {
  ImportInterruptedError,
  type ImportResult,
  importRecords,
  NoAdministratorError,
} from '../../bulk/import.ts';
import {
  createRejectedLines,
  noRejectedLines,
  RejectedLineError,
  type RejectedLines,
} from '../../bulk/rejected-lines.ts';
import { readAuth0 } from '../../bulk/sources/auth0.ts';
import { readCsv } from '../../bulk/sources/csv.ts';
import { readJsonLines } from '../../bulk/sources/json-lines.ts';
import { readKeycloak } from '../../bulk/sources/keycloak.ts';
import { readLdif } from '../../bulk/sources/ldif.ts';
import { type Source, SourceError } from '../../bulk/sources/source.ts';
import { createWorkDirectory, removeInterrupted } from '../../bulk/work-directory.ts';
import { diskStateOf } from '../../storage/disk-state.ts';
import type { GrowingCollection } from '../../storage/record-store.ts';
import {
  type Bulk,
  CommandError,
  type Input,
  type Reply,
  type Tools,
  UsageError,
} from '../runner/command.ts';
import { deepestReason } from '../runner/failures.ts';

/** @throws {CommandError} `import_rejected`, `import_interrupted` */
export async function runImport(collection: GrowingCollection, input: Input, tools: Tools): Promise<Reply> {
  const source = sourceOf(collection, input);
  const fromLine = lineIn(input);
  const [file] = input.positionals as [string];
  const path = resolve(tools.cwd, file);
  const total = file === '-' ? 0 : await sizeOf(path);
  const bulk = await tools.bulk!({ creates: true });
  for (const { file: interrupted, line } of removeInterrupted(bulk.dataDir))
    bulk.say(interruption(interrupted, line));
  const rejectedFile = resolve(
    tools.cwd,
    input.text('rejected') ?? `${file === '-' ? 'import' : basename(file)}.rejected.jsonl`,
  );
  const rejected = input.has('continue') ? await openRejected(rejectedFile) : noRejectedLines;
  const work = createWorkDirectory(bulk.dataDir, file);
  try {
    const result = await importRecords(
      {
        collection,
        source,
        bytes: file === '-' ? bulk.stdin : createReadStream(path),
        size: total,
        defaultRoles: input.texts('role') ?? [],
        isWithoutPasswords: input.has('no-passwords'),
        isDryRun: input.has('dry-run'),
        skipsExisting: input.has('skip-existing'),
        fromLine,
      },
      { target: bulk.target, work, rejected, continues: input.has('continue'), progress: bulk.progress },
    );
    return replyOf(collection, result, { isDryRun: input.has('dry-run'), rejectedFile, file });
  } catch (error) {
    throw explained(error, bulk);
  } finally {
    bulk.progress.close();
    work.remove();
    await rejected.close();
  }
}

/** @throws {UsageError} */
function sourceOf(collection: GrowingCollection, input: Input): Source {
  const [file = ''] = input.positionals;
  const from = collection === 'users' ? input.text('from') : undefined;
  if (from !== undefined) {
    if (input.has('format')) throw new UsageError('--from and --format exclude each other.');
    const source = sources[from];
    if (!source) throw new UsageError(`--from is one of ${Object.keys(sources).join(', ')}.`);
    return source;
  }
  const format = input.text('format') ?? formats[extname(file).toLowerCase()];
  if (format === 'jsonl') return readJsonLines;
  if (format === 'csv') {
    return collection === 'users' ? readCsv(userFields, ['username']) : readCsv(clientFields, ['id']);
  }
  if (input.has('format')) throw new UsageError('--format is jsonl or csv.');
  throw new UsageError(
    `Say what is in the file: --format jsonl or csv${collection === 'users' ? ', or --from keycloak, auth0 or ldif' : ''}.`,
  );
}

const sources: Readonly<Record<string, Source>> = Object.assign(Object.create(null), {
  keycloak: readKeycloak,
  auth0: readAuth0,
  ldif: readLdif,
});

const formats: Readonly<Record<string, string | undefined>> = {
  '.csv': 'csv',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
};

function lineIn(input: Input): number {
  const text = input.text('from-line') ?? '1';
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new UsageError('--from-line is a whole number, 1 or more.');
}

/** @throws {ProblemError} `invalid_request` */
async function sizeOf(path: string): Promise<number> {
  try {
    const { size } = await stat(path);
    return size;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ProblemError(problems.invalidRequest, `The file ${path} cannot be read (${code}).`, { cause });
  }
}

/** @throws {ProblemError} `conflict` */
async function openRejected(path: string): Promise<RejectedLines> {
  try {
    return await createRejectedLines(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new ProblemError(
      problems.conflict,
      `${path} exists already: move it away, or name another one with --rejected.`,
      { cause },
    );
  }
}

interface Said {
  readonly isDryRun: boolean;
  readonly rejectedFile: string;
  readonly file: string;
}

function replyOf(
  collection: GrowingCollection,
  { added, existing, rejected, others }: ImportResult,
  { isDryRun, rejectedFile, file }: Said,
): Reply {
  const lines = [
    isDryRun
      ? `Nothing was written: ${counted(added, collection)} would be added.`
      : `Added ${counted(added, collection)}.`,
    ...(existing > 0 ? [`${existing} were there already, and stay as they are.`] : []),
    ...(others > 0
      ? [`${others} ${others === 1 ? 'entry is' : 'entries are'} nobody’s, and passed over.`]
      : []),
    ...(rejected > 0
      ? [`${rejected} lines were left out: ${rejectedFile} has them with their reasons.`]
      : []),
  ];
  return {
    text: lines.join('\n'),
    json: { added, existing, others, rejected, ...(rejected > 0 ? { rejectedFile } : {}), dryRun: isDryRun },
    target: `${added} from ${basename(file)}`,
    isUnchanged: isDryRun,
  };
}

function counted(count: number, collection: GrowingCollection): string {
  return `${count} ${count === 1 ? collection.slice(0, -1) : collection}`;
}

function explained(error: unknown, { dataDir }: Bulk): unknown {
  const nothing = 'Nothing was written.';
  if (error instanceof ImportInterruptedError) return interrupted(error);
  if (error instanceof RejectedLineError) {
    return new CommandError(
      'import_rejected',
      `${error.message} ${nothing} --continue leaves such lines out.`,
    );
  }
  if (error instanceof SourceError) return new CommandError('import_rejected', `${error.message} ${nothing}`);
  if (error instanceof NoAdministratorError) {
    return new CommandError(
      'import_rejected',
      `Nobody could administer the console: add an administrator first (npx console user add <name> --role Admin). ${nothing}`,
    );
  }
  const state = diskStateOf(error);
  if (error instanceof Error && state !== undefined) {
    return new CommandError(
      `storage_${state}`,
      `The files that an import needs meanwhile cannot be written to ${dataDir}: ${error.message}. ${nothing}`,
    );
  }
  return error;
}

function interrupted({ line, cause }: ImportInterruptedError): CommandError {
  const why = cause instanceof Error ? deepestReason(cause) : String(cause);
  const stored =
    line === 0
      ? 'Of the file, some of the first lines may be stored: repeat the command with --skip-existing.'
      : `The lines up to ${line} are stored: go on with --from-line ${line + 1} --skip-existing.`;
  return new CommandError('import_interrupted', `${why.replace(/\.?$/, '.')} ${stored}`, { cause });
}

function interruption(file: string, line: number): string {
  if (line === 0) return `An import of ${file} was killed before anything was stored.`;
  return `An import of ${file} was killed: its lines up to ${line} are stored, and --from-line ${line + 1} --skip-existing goes on.`;
}
