/** Jobs by commands: begun, waited for with a bar at a terminal, listed and stopped. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manyUsers } from '../bulk/support.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { program, run, temporaryDirectory } from './support.ts';

const hasTerminals = spawnSync('script', ['--version']).status === 0;

interface JobView {
  readonly id: string;
  readonly state: string;
  readonly result: Readonly<Record<string, unknown>> | null;
}

let console: RunningConsole;
let token: string;
beforeAll(async () => {
  console = await startConsole();
  token = await apiToken(console);
});
afterAll(() => console?.stop());

const done = (...args: string[]) => toolDone(args, { dataDir: console.dataDir });
const tool = (...args: string[]) => runTool(args, { dataDir: console.dataDir });

async function beginImport(rows: string): Promise<string> {
  const reply = await fetch(`${console.url}/api/v1/imports?of=users&format=csv`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' },
    body: rows,
  });
  return ((await reply.json()) as JobView).id;
}

test('a backup is begun and waited for, here and elsewhere, and listed with its job', async () => {
  const made = await done('backups', 'add', '--json');
  expect([made.stderr, made.json()]).toEqual(['', expect.objectContaining({ state: 'succeeded' })]);
  const { id, result } = made.json<JobView>();
  const listed = (await done('backups', 'list', '--json')).json();
  expect(listed).toEqual([{ id: result!.backup, createdAt: expect.any(String), bytes: expect.any(Number) }]);
  expect((await done('backups', 'show', String(result!.backup))).stdout).toContain(String(result!.backup));
  expect((await done('job', 'show', id)).stdout).toMatch(/^state +succeeded$/m);
  const tokenFile = join(temporaryDirectory(), 'token');
  writeFileSync(tokenFile, token);
  const there = ['--url', console.url, '--token-file', tokenFile, '--json'];
  const begun = (await toolDone(['backups', 'add', '--no-wait', ...there])).json<JobView>();
  expect((await toolDone(['job', 'wait', begun.id, ...there])).json()).toMatchObject({ state: 'succeeded' });
  const jobs = (await done('job', 'list', '--kind', 'backup', '--state', 'succeeded', '--json')).json<
    JobView[]
  >();
  expect(jobs.map((job) => job.id)).toEqual([begun.id, id]);
  const late = await tool('job', 'cancel', id, '--json');
  expect([late.code, late.json().error]).toEqual([1, 'conflict']);
}, 60_000);

test('one that fails ends with exit code 1, and says why', async () => {
  const id = await beginImport('username,roles\nbad name,Viewer\n');
  const waited = await tool('job', 'wait', id);
  expect([waited.code, waited.stderr]).toEqual([1, '']);
  expect(waited.stdout).toMatch(/^state +failed$/m);
  expect(waited.stdout).toMatch(/^problem +\S/m);
});

test.skipIf(!hasTerminals)(
  'at a terminal a bar shows how far a job is, on standard error',
  async () => {
    const id = await beginImport(manyUsers(3000, 'barred-'));
    const words = [process.execPath, program, 'job', 'wait', id].map((word) => `'${word}'`).join(' ');
    const out = join(temporaryDirectory(), 'out');
    const { stdout } = await run('script', ['-qec', `${words} > ${out}`, '/dev/null'], {
      dataDir: console.dataDir,
    });
    expect(stdout).toContain(`[${'#'.repeat(24)}] import-users: 3,000 of 3,000 lines, storing`);
    const { stdout: said } = await run('cat', [out], {});
    expect(said).toMatch(/^state +succeeded$/m);
    expect(said).not.toContain('[#');
  },
  60_000,
);

test('where no console runs nothing is begun that nobody would work on', async () => {
  const dataDir = join(temporaryDirectory(), 'data');
  await toolDone(['role', 'add', 'Alone', '--scope', 'svc:health:read'], { dataDir });
  const refused = await runTool(['backups', 'add', '--json'], { dataDir });
  expect([refused.code, refused.json().error]).toEqual([1, 'no_console']);
  expect((await toolDone(['job', 'list', '--json'], { dataDir })).json()).toEqual([]);
});
