/** Registration by a program: what an engineer writes in Python who has the description of the API and nothing else. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientSecret, type RunningConsole, startConsole } from '../helpers/console.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const script = join(import.meta.dirname, 'registration.py');

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console?.stop());

test.skipIf(!hasPython)(
  `a script makes a machine for one map, is refused another one, and opens it (python3${hasPython ? '' : ': not here'})`,
  () => {
    const run = spawnSync('python3', [script, console.url], {
      input: clientSecret,
      encoding: 'utf8',
      timeout: 15_000,
    });
    expect([run.stderr, run.status]).toEqual(['', 0]);
    expect(JSON.parse(run.stdout)).toEqual([
      ['made', 201, ['svc:map:orders:write']],
      ['orders', 200],
      ['prices', 403],
      ['opened', 200, ['svc:map:orders:write', 'svc:map:prices:write']],
      ['prices', 200],
    ]);
  },
);
