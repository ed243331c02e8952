/** A console whose clock the test moves, for tokens that have expired by the real one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface MovableClock {
  /** For the console's process. */
  readonly env: Readonly<Record<string, string>>;
  set(aheadSeconds: number): void;
  remove(): void;
}

const preload = pathToFileURL(resolve(import.meta.dirname, '../../oidc/movable-clock.mjs')).href;

export function createMovableClock(aheadSeconds: number): MovableClock {
  const folder = mkdtempSync(join(tmpdir(), 'console-clock-'));
  const file = join(folder, 'ahead');
  const set = (seconds: number) => writeFileSync(file, String(seconds));
  set(aheadSeconds);
  return {
    env: { TEST_CLOCK_FILE: file, NODE_OPTIONS: `--import ${preload}` },
    set,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
