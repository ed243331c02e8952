/** Where an import has its files while it runs: within the data directory, since they hold hashes and are large. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface WorkDirectory {
  readonly path: string;
  /** Remembered in case the import is killed. */
  record(line: number): void;
  remove(): void;
}

export interface Interrupted {
  readonly file: string;
  /** Up to here all was stored; 0: nothing was. */
  readonly line: number;
}

const prefix = 'import-';
const stateFile = 'state.json';

/** @param file  that is imported */
export function createWorkDirectory(dataDir: string, file: string): WorkDirectory {
  const path = join(dataDir, `${prefix}${process.pid}`);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { mode: 0o700 });
  const record = (line: number) =>
    writeFileSync(join(path, stateFile), JSON.stringify({ file, line }), { mode: 0o600 });
  record(0);
  return { path, record, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Removes what imports left that were killed. @returns which ones those were */
export function removeInterrupted(dataDir: string): readonly Interrupted[] {
  const left = readdirSync(dataDir).filter((name) => name.startsWith(prefix) && !isAlive(name));
  return left.map((name) => {
    const path = join(dataDir, name);
    const interrupted = stateIn(join(path, stateFile));
    rmSync(path, { recursive: true, force: true });
    return interrupted;
  });
}

function isAlive(name: string): boolean {
  const pid = Number(name.slice(prefix.length));
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** It was killed before it had written it whole: nothing was stored then, or it is not known. */
function stateIn(path: string): Interrupted {
  const unknown = { file: 'a file', line: 0 };
  if (!existsSync(path)) return unknown;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return unknown;
  }
}
