import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTool, toolDone } from '../helpers/commands.ts';
import { admin, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';

const dataDir = await usedDataDir();
const tool = (...args: string[]) => runTool(['explain', ...args], { dataDir });

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole({ dataDir });
  const password = { dataDir, stdin: 'correct-staple-battery-9' };
  await toolDone(['user', 'add', 'vera', '--role', 'Viewer', '--password-file', '-'], password);
  await toolDone(['client', 'add', 'feeder', '--scope', 'svc:queue:jobs:offer'], { dataDir });
});

afterAll(async () => {
  await console?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('a user is told by the roles that the user has', async () => {
  const rejected = await tool('DELETE', '/svc/rest/maps/orders', '--user', 'vera');
  expect(rejected.code).toBe(1);
  expect(rejected.stdout).toMatch(/refused\. The call needs svc:data:write/);
  expect(rejected.stdout).toContain('svc:map:orders:write, or svc:data:write');
  const allowed = await tool('get', '/svc/rest/maps/orders/1', '--user', 'vera', '--json');
  expect([allowed.code, allowed.json().opened]).toEqual([0, { roles: ['Viewer'], scopes: [] }]);
  expect((await tool('DELETE', '/svc/rest/maps/orders', '--user', admin.username)).code).toBe(0);
});

test('a client is told by what it may ask for, and never by more', async () => {
  expect((await tool('POST', '/svc/rest/queues/jobs', '--client', 'feeder')).code).toBe(0);
  expect((await tool('DELETE', '/svc/rest/queues/jobs/0', '--client', 'feeder')).code).toBe(1);
  const foreign = await tool(
    'GET',
    '/svc/rest/cluster',
    '--client',
    'feeder',
    '--scope',
    'app:Viewer',
    '--json',
  );
  expect([foreign.code, foreign.json().error]).toEqual([1, 'invalid_request']);
});

test('flaw: without a caller it answered for nobody, and did not say so', async () => {
  const rejected = await tool('GET', '/svc/rest/cluster');
  expect(rejected.code).toBe(1);
  expect(rejected.stdout).toMatch(
    /Nobody was named.*no role and no scope.*--user, --client, --role or --scope/,
  );
  expect((await tool('GET', '/svc/rest/cluster', '--json')).json().note).toMatch(/^Nobody was named/);
  const named = await tool('GET', '/svc/rest/cluster', '--user', 'vera');
  expect([named.code, named.stdout]).toEqual([0, expect.not.stringContaining('Nobody')]);
});

test.each([
  [['GET', '/svc/rest/cluster', '--user', 'nobody'], 'not_found'],
  [['GET', '/svc/rest/cluster', '--client', 'nobody'], 'not_found'],
  [['GET', '/svc/rest/cluster', '--role', 'admin'], 'invalid_request'],
])('%j is refused', async (args, error) => {
  const rejected = await tool(...args, '--json');
  expect([rejected.code, rejected.json().error]).toEqual([1, error]);
});
