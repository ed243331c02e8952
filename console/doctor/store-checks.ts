/** The data directory: whose it is, who can read it, whether it can be written, and how much room is left. */
import { readdirSync, type Stats, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sizeInWords } from '../../platform/files/size-in-words.ts';
import { about, type Finding } from './finding.ts';

const say = about('store');
const littleBytes = 200 * 1024 * 1024;

/** Before the store is opened, which puts the permissions of its own files right. */
export function checkFiles(dataDir: string, privateKeyFile: string | undefined): readonly Finding[] {
  const found = [dataDir, ...entriesOf(dataDir), ...(privateKeyFile === undefined ? [] : [privateKeyFile])]
    .map((path) => ({ path, stats: statSync(path, { throwIfNoEntry: false }) }))
    .filter((entry): entry is { path: string; stats: Stats } => entry.stats !== undefined);
  if (found.length === 0 || process.platform === 'win32') return [];
  const open = found.filter(({ stats }) => (stats.mode & 0o077) !== 0).map(({ path }) => path);
  if (open.length === 0) return [about('permissions').ok(`Only its owner can read ${dataDir}.`)];
  return [
    about('permissions').warning(
      `Other users of this machine could read ${open.join(', ')}: keys, sessions and secrets are in there.`,
      `chmod go-rwx ${open.join(' ')}`,
    ),
  ];
}

function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory).map((name) => join(directory, name));
  } catch {
    return []; // not there, or of somebody else: opening the store tells
  }
}

export interface StoreDeps {
  readonly dataDir: string;
  /** Where the store is in one: it is its disk that matters. */
  readonly database?: object | undefined;
  /** @throws {Error} when a write would not succeed */
  readonly checkWritable: () => Promise<void>;
}

/** What to do about each state of a disk. */
const advices: Readonly<Record<string, string>> = {
  read_only: 'Its file system is mounted read-only: see why (dmesg), and mount it writable again.',
  full: 'Make room there, or inodes: df -h and df -i.',
  limit: 'Raise the limit on the size of files of the console (ulimit -f).',
  no_permission: "Give the directory and its files to the console's user.",
};

export async function checkStore({
  dataDir,
  database,
  checkWritable,
}: StoreDeps): Promise<readonly Finding[]> {
  try {
    await checkWritable();
  } catch (error) {
    const reason = deepest(error as Error);
    const { state = 'unknown' } = error as { readonly state?: string };
    const [place, log] = database
      ? ['The database', 'The log of the database says more.']
      : [dataDir, `The system log says more; make room there if it is full: df -h ${dataDir}`];
    return [
      say.problem(
        `${place} cannot be written (${state}): ${reason}. What is stored is not damaged.`,
        advices[state] ?? log,
      ),
    ];
  }
  const { bavail, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  if (free < littleBytes)
    return [say.warning(`${dataDir} has ${sizeInWords(free)} left.`, `Make room there: df -h ${dataDir}`)];
  return [say.ok(`${dataDir} can be written, with ${sizeInWords(free)} left.`)];
}

/** What a look at every record has found: how many of each. */
export interface Contents {
  readonly records: number;
  readonly damaged: number;
  readonly unindexed: number;
  readonly stray: number;
  readonly miscounted: number;
  /** Some of them. */
  readonly named: readonly string[];
}

export function checkContents(
  { records, named, ...faults }: Contents,
  isInDatabase = false,
): readonly Finding[] {
  const contents = about('records');
  const found = Object.entries(faults).filter(([, count]) => count > 0);
  if (found.length === 0)
    return [contents.ok(`All ${records} are whole, and found each way that leads to them.`)];
  const list = found.map(([what, count]) => `${count} ${what}`).join(', ');
  return [
    contents.problem(
      `Of ${records} in the store: ${list}. ${named.join('; ')}`,
      isInDatabase
        ? 'Look at the disk and the memory of the machine of the database, and bring what pg_dump has written back.'
        : 'Look at the disk and the memory of the machine, and put a backup in place: npx console restore <backup>',
    ),
  ];
}

/** @param error  why it could not be opened, in words for an operator */
export function storeRejected(error: Error): Finding {
  return say.problem(
    error.message,
    'Do as it says; or name the data directory of the console with CONSOLE_DATA_DIR or --data-dir.',
  );
}

function deepest(error: Error): string {
  return error.cause instanceof Error ? deepest(error.cause) : error.message;
}
