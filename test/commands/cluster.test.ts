/** Commands about the cluster, its maps and queues, through the socket of a running console. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole({ env: { MEMBER_CONFIG: writeMemberConfig() } });
});
afterAll(() => console?.stop());

const tool = (...args: string[]) => toolDone(args, { dataDir: console.dataDir });
const failed = (...args: string[]) => runTool(args, { dataDir: console.dataDir });

test('an entry is stored, shown and removed; a map is cleared', async () => {
  await tool('map', 'put', 'parts', 'bolts/m8', '--value', 'steel', '--dry-run');
  expect((await failed('map', 'get', 'parts', 'bolts/m8')).code).toBe(1);
  await tool('map', 'put', 'parts', 'bolts/m8', '--value', 'steel', '--type', 'text/plain');
  expect((await tool('map', 'get', 'parts', 'bolts/m8')).stdout.trim()).toBe('steel');
  const json = (await tool('map', 'get', 'parts', 'bolts/m8', '--json')).json();
  expect(json).toMatchObject({ id: 'bolts/m8', type: 'text/plain', bytes: 5 });
  await tool('map', 'remove', 'parts', 'bolts/m8', '--yes');
  expect((await failed('map', 'get', 'parts', 'bolts/m8')).code).toBe(1);
  await tool('map', 'put', 'parts', 'nuts', '--value', 'brass');
  await tool('map', 'clear', 'parts', '--yes');
  expect((await failed('map', 'get', 'parts', 'nuts')).code).toBe(1);
  expect((await failed('map', 'put', 'parts', 'nuts')).code).toBe(2);
});

test('a queue gives the items that it was offered, and its name is listed by what it is known from', async () => {
  await tool('role', 'add', 'Clerk', '--scope', 'svc:queue:letters:offer');
  await tool('queue', 'offer', 'letters', '--value', 'first');
  expect((await tool('queue', 'show', 'letters')).stdout).toContain('has 1 item.');
  expect((await tool('queue', 'poll', 'letters', '--yes')).stdout.trim()).toBe('first');
  expect((await tool('queue', 'poll', 'letters', '--yes', '--json')).json()).toBeNull();
  const listed = (await tool('queue', 'list', '--search', 'let', '--json')).json();
  expect(listed).toMatchObject([{ id: 'letters', sources: ['roles'] }]);
});

test('the cluster moves to a state and back, and a member is given a log level', async () => {
  expect((await tool('cluster', 'state', 'frozen', '--yes')).stdout).toContain('frozen');
  expect((await tool('cluster', 'show', '--json')).json()).toMatchObject({ clusterState: 'frozen' });
  await tool('cluster', 'state', 'active', '--yes');
  expect((await failed('cluster', 'state', 'sleeping', '--yes')).code).toBe(1);
  const [member] = (await tool('member', 'list', '--json')).json<{ id: string }[]>();
  expect((await tool('member', 'log-level', member!.id, 'fine')).stdout).toContain('FINE');
  expect((await tool('member', 'log-level', member!.id, 'configured')).stdout).toContain('configured');
});

test('a WAN publisher is paused at each member and listed from then on; the CP subsystem is shown', async () => {
  expect((await tool('wan', 'pause', 'atlantic', 'london')).stdout).toContain('done');
  const listed = (await tool('wan', 'list', '--json')).json();
  expect(listed).toMatchObject([{ id: 'atlantic/london', last: { what: 'paused' } }]);
  expect((await failed('wan', 'stop', 'atlantic', 'nobody')).code).toBe(1);
  expect((await tool('cp', 'show')).stdout).toContain('default');
});

test('health says that all is well, and fails once the only member has gone', async () => {
  expect((await tool('health', 'show', '--json')).json()).toMatchObject({
    state: expect.not.stringMatching('problem'),
  });
  const [member] = (await tool('member', 'list', '--json')).json<{ id: string }[]>();
  expect((await tool('member', 'shutdown', member!.id, '--dry-run')).stdout).toContain('No other member');
  await tool('member', 'shutdown', member!.id, '--yes');
  await until(async () => (await failed('health', 'show')).code === 1, 'the end of the member');
});
