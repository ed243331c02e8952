/** Commands about the cluster, its maps and queues, through the socket of a running console. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { runTool as alone, temporaryDirectory } from './support.ts';

interface Allowed {
  readonly operation: string;
  readonly reason: string | null;
}

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

test('many keys are read by a job, and those that could be no key are none', async () => {
  await tool('map', 'put', 'many', 'key 1', '--value', 'steel', '--type', 'text/plain');
  const read = await tool('map', 'read', 'many', 'key 1', 'key-2', 'ключ');
  expect(read.stdout.split('\n').slice(0, 4)).toEqual([
    expect.stringMatching(/^KEY +TYPE +BYTES/),
    expect.stringMatching(/^key 1 +text\/plain +5/),
    expect.stringMatching(/^key-2 +no entry/),
    expect.stringMatching(/^ключ +no entry/),
  ]);
  const json = (await tool('map', 'read', 'many', 'key 1', '--json')).json();
  expect(json).toMatchObject({
    state: 'succeeded',
    entries: [{ id: 'key 1', type: 'text/plain', bytes: 5, problem: null }],
  });
  const listed = (await tool('map', 'readings', 'many')).stdout;
  expect(listed.match(/job_[0-9a-f]{32} +succeeded +\d of \d/g)).toHaveLength(2);
  expect((await failed('map', 'read', 'many')).code).toBe(2);
  expect((await failed('map', 'read', 'many', '<b>')).code).toBe(1);
  const tooMany = Array.from({ length: 101 }, (_, at) => `k${at}`);
  expect((await failed('map', 'read', 'many', ...tooMany)).code).toBe(2);
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
  expect((await tool('cluster', 'licence')).stdout).toContain('The members have none.');
  const key = `Some Company#7Nodes#${'k'.repeat(40)}`;
  const file = join(temporaryDirectory(), 'members.key');
  writeFileSync(file, `${key}\n`);
  const given = await tool('cluster', 'set-licence', '--key-file', file, '--yes', '--json');
  expect(given.json()).toMatchObject({ mostMembers: 7, expiresAt: null });
  expect((await tool('cluster', 'licence')).stdout).toMatch(/members +7/);
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

test('several items are taken from a queue at once, and none without --yes', async () => {
  for (const item of ['one', 'two', 'three']) await tool('queue', 'offer', 'parcels', '--value', item);
  const drained = await tool('queue', 'drain', 'parcels', '--most', '2', '--yes');
  expect(drained.stdout).toBe('one\ntwo\n2 taken. 1 left.\n');
  expect((await failed('queue', 'drain', 'parcels', '--most', '0', '--yes')).code).toBe(2);
  expect((await failed('queue', 'drain', 'parcels', '--most', '100000', '--yes')).stderr).toContain('--most');
  const asked = await alone(['queue', 'drain', 'parcels', '--most', '1', '--json'], console);
  expect([asked.code, asked.json().error]).toEqual([2, 'not_confirmed']);
  expect((await tool('queue', 'show', 'parcels')).stdout).toContain('has 1 item.');
});

test('a WAN publisher is synchronized, compared and emptied', async () => {
  const begun = await tool('wan', 'sync', 'atlantic', 'london', '--map', 'parts');
  const [, sync = ''] = /wan progress (\S+)/.exec(begun.stdout) ?? [];
  expect((await tool('wan', 'progress', sync)).stdout).toContain(sync);
  // The embedded member compares nothing, and says so.
  const checked = await failed('wan', 'check', 'atlantic', 'london', '--map', 'parts', '--json');
  expect([checked.code, checked.json().error]).toEqual([1, 'member_rejected']);
  expect((await failed('wan', 'progress', 'nothing')).code).toBe(1);
  expect((await tool('wan', 'clear', 'atlantic', 'london', '--yes')).stdout).toContain('done');
  expect((await tool('wan', 'list', '--json')).json()).toMatchObject([{ last: { what: 'cleared' } }]);
});

test('one publisher is shown with what was done to it, and others come to a replication once for a key', async () => {
  expect((await tool('wan', 'show', 'atlantic', 'london')).stdout).toMatch(/^last +cleared at \d{4}-/m);
  expect((await failed('wan', 'show', 'atlantic', 'nobody')).code).toBe(1);
  const file = join(temporaryDirectory(), 'pacific.json');
  const lima = { clusterName: 'lima', targetEndpoints: '127.0.0.1:1' };
  writeFileSync(file, JSON.stringify({ name: 'pacific', batchPublishers: [lima] }));
  const add = ['wan', 'add', '--file', file, '--json'];
  const key = ['--idempotency-key', 'pacific-to-lima-1'];
  for (const words of [
    [...add, ...key],
    [...add, ...key],
  ]) {
    expect((await tool(...words)).json()).toEqual({ added: ['lima'], ignored: [] });
  }
  expect((await tool(...add)).json()).toEqual({ added: [], ignored: ['lima'] });
  expect((await tool('wan', 'show', 'pacific', 'lima')).stdout).toMatch(/^last +added at /m);
  writeFileSync(file, '[]');
  expect((await failed(...add)).code).toBe(2);
});

test('one map is shown by what its name is known from, and one member with what is off there', async () => {
  await tool('role', 'add', 'Reader', '--scope', 'svc:map:known:read');
  expect((await tool('map', 'show', 'known', '--json')).json()).toMatchObject({
    id: 'known',
    sources: ['roles'],
  });
  expect((await tool('map', 'show', 'unknown')).stdout).toContain('there may be one all the same');
  const [member] = (await tool('member', 'list', '--json')).json<{ id: string }[]>();
  const { stdout } = await tool('member', 'show', member!.id);
  expect(stdout).toMatch(new RegExp(`^member +${member!.id}$`, 'm'));
  expect(stdout).toMatch(/^drained +no$/m);
  expect((await failed('member', 'show', '10.9.9.9:1')).code).toBe(1);
});

test('an item that is polled again with the same key is the same one', async () => {
  for (const item of ['one', 'two']) await tool('queue', 'offer', 'tickets', '--value', item);
  const poll = ['queue', 'poll', 'tickets', '--yes', '--idempotency-key', 'ticket-0123456789'];
  expect((await tool(...poll)).stdout).toBe('one\n');
  expect((await tool(...poll)).stdout).toBe('one\n');
  expect((await tool('queue', 'show', 'tickets')).stdout).toContain('has 1 item.');
});

test('a CP group is shown and destroyed by force, and reset brings it back', async () => {
  expect((await tool('cp', 'group', 'default')).stdout).toMatch(/status +ACTIVE/);
  expect((await tool('cp', 'sessions', 'default', '--json')).json()).toEqual([]);
  expect((await tool('cp', 'remove-group', 'default', '--dry-run')).stdout).toContain('may be done: default');
  await tool('cp', 'remove-group', 'default', '--yes');
  expect((await failed('cp', 'group', 'default')).code).toBe(1);
  expect((await failed('cp', 'remove-session', 'default', '7', '--yes')).code).toBe(1);
  await tool('cp', 'reset', '--yes');
  expect((await tool('cp', 'group', 'default', '--json')).json()).toMatchObject({ id: 'default' });
  const [member] = (await tool('member', 'list', '--json')).json<{ id: string }[]>();
  expect((await tool('cp', 'promote', member!.id)).stdout).toContain('is done');
  expect((await failed('cp', 'remove-member', '00000000-0000-4000-8000-000000000000', '--yes')).code).toBe(1);
});

test('the cluster is told its configuration, its backup and its version, or why not', async () => {
  const { may } = (await tool('cluster', 'show', '--json')).json<{ may: Allowed[] }>();
  const reasons = new Map(may.map(({ operation, reason }) => [operation, reason]));
  const commands: readonly [string, readonly string[]][] = [
    ['version', ['version', '5.5', '--dry-run']],
    ['hot-backup', ['backup', '--dry-run']],
    ['hot-backup-interrupt', ['interrupt-backup', '--dry-run']],
    ['force-start', ['force-start', '--dry-run']],
    ['partial-start', ['partial-start', '--dry-run']],
    ['shutdown', ['shutdown', '--dry-run']],
  ];
  for (const [operation, words] of commands) {
    const { code, stderr } = await failed('cluster', ...words);
    const reason = reasons.get(operation) ?? null;
    expect([operation, code], stderr).toEqual([operation, reason === null ? 0 : 1]);
    if (reason !== null) expect(stderr).toContain(reason);
  }
  for (const words of [['force-start'], ['partial-start'], ['shutdown'], ['version', '5.5']]) {
    expect((await alone(['cluster', ...words], console)).code, words.join(' ')).toBe(2);
  }
  expect((await tool('cluster', 'reload')).stdout).toMatch(/^added +nothing/);
  const file = join(temporaryDirectory(), 'members.yaml');
  writeFileSync(file, 'hazelcast:\n  map:\n    told-later: {}\n');
  expect((await tool('cluster', 'config', '--file', file)).stdout).toContain('told-later');
});

test('all sessions of somebody end, when it is said whose', async () => {
  const agent = createUserAgent(console.url);
  await agent.signIn();
  expect((await failed('session', 'end-all', '--yes')).code).toBe(2);
  expect((await alone(['session', 'end-all', '--user', 'ada'], console)).code).toBe(2);
  expect((await tool('session', 'end-all', '--user', 'ada', '--yes')).stdout).toBe('Ended 1 session.\n');
  expect((await agent.get('/account')).status).not.toBe(200);
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
