/** Calls of the last hour cost the same for as long as a console runs. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const script = join(import.meta.dirname, 'promoted-calls.ts');

/**
 * Found by one console in five: 200 calls were held themselves, so that after a slow minute V8 made all of them in its old space, 300
 * bytes of each, and collected that every few seconds. What is left are strings of the last 200.
 */
test('after a slow minute, calls do not all become old', async () => {
  const args = ['--expose-gc', '--import', 'tsx', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
  expect(Number(stdout)).toBeLessThan(100);
}, 90_000);
