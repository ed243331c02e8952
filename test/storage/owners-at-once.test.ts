/** Processes that take a store and give it back at the same time: one after the other, and nobody without a word. */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const source = resolve(import.meta.dirname, '../../console/storage/embedded/lmdb/store-owner.ts');

/** Holds a file of its own while it has the store, which can be made once. */
const script = (dataDir: string) => `
import { closeSync, openSync, rmSync } from 'node:fs';
import { ownStore } from ${JSON.stringify(source)};
const held = ${JSON.stringify(join(dataDir, 'held'))};
for (let n = 0; n < 30; n++) {
  try {
    const release = await ownStore(${JSON.stringify(dataDir)}, 'tool');
    closeSync(openSync(held, 'wx'));
    rmSync(held);
    await release();
    console.log('taken');
  } catch (error) {
    console.log(error.reason ?? error.stack);
  }
}`;

test('have it one at a time, or hear that others use it: the locks of the library may be gone at that moment', async () => {
  const dataDir = join(temporaryDirectory(), 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const run = async () =>
    (
      await promisify(execFile)(process.execPath, [
        ...['--import', 'tsx', '--input-type=module', '-e', script(dataDir)],
      ])
    ).stdout;
  const outcomes = (await Promise.all([run(), run(), run(), run()])).join('').trim().split('\n');
  const own = outcomes.filter((line) => !line.startsWith('No current read transaction'));
  expect(own.filter((line) => !line.endsWith('taken') && !line.endsWith('locked'))).toEqual([]);
  expect(own.filter((line) => line.endsWith('taken')).length).toBeGreaterThan(10);
}, 60_000);
