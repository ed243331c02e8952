/**
 * Time that is moved for consoles and their database alike, by libfaketime (Debian: `faketime`): what they read as the time of
 * day is ahead by what a file says. How long something takes stays as it is, so timers and time-outs are those of always.
 */
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const libraries = '/usr/lib';
const library = (existsSync(libraries) ? readdirSync(libraries) : [])
  .map((folder) => join(libraries, folder, 'faketime/libfaketimeMT.so.1'))
  .find((file) => existsSync(file));

/** Behind the name of what is skipped; undefined when it is there. */
export const whyNoMovedTime = library === undefined ? ' (skipped: apt-get install faketime)' : undefined;

export interface MovedTime {
  /** Of each process whose time it is. */
  readonly environment: Readonly<Record<string, string>>;
  /** Epoch milliseconds, as they have it. */
  now(): number;
  /** For all of them at once. */
  move(seconds: number): void;
  close(): Promise<void>;
}

export async function startMovedTime(): Promise<MovedTime> {
  if (library === undefined) throw new Error('libfaketime is not installed');
  const folder = await mkdtemp(join(tmpdir(), 'console-time-'));
  // PostgreSQL has another user.
  chmodSync(folder, 0o755);
  const file = join(folder, 'ahead');
  let ahead = 0;
  const write = () => writeFileSync(file, `+${ahead}\n`);
  write();
  return {
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      // Read at each question: one that remembered the file would be at another time than its neighbours.
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
    now: () => Date.now() + ahead * 1000,
    move(seconds) {
      ahead += seconds;
      write();
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
