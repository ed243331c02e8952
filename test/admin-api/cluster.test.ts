/** `/api/v1/operations`, `/cp`, `/wan` and the commands to a member, on an embedded member with every endpoint group. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiToken, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { writeMemberConfig } from './member-config.ts';

let console: RunningConsole;
let bare: RunningConsole;
let tokens: Readonly<Record<'admin' | 'viewer' | 'members', string>>;
beforeAll(async () => {
  [console, bare] = await Promise.all([
    startConsole({ env: { MEMBER_CONFIG: writeMemberConfig() } }),
    startConsole(),
  ]);
  const [admin, viewer, members] = await Promise.all([
    apiToken(console),
    apiToken(console, 'app:Viewer'),
    machineToken(console),
  ]);
  tokens = { admin, viewer, members };
}, 30_000);
afterAll(() => Promise.all([console?.stop(), bare?.stop()]));

async function call(method: string, path: string, body?: unknown, token = tokens.admin, at = console) {
  const response = await fetch(`${at.url}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : undefined };
}
const atMember = (method: string, path: string, body?: string) =>
  fetch(`${console.url}/svc${path}`, {
    method,
    headers: { Authorization: `Bearer ${tokens.members}` },
    ...(body !== undefined && { body }),
  });
const audited = (event: string) =>
  console.log().filter((line) => line.audit === true && line.event === event && line.outcome === 'success');
async function member(): Promise<string> {
  return (await call('GET', '/members')).body.items[0].id;
}
const mayOf = (
  body: { may: { operation: string; isPossible: boolean; reason: string | null }[] },
  word: string,
) => body.may.find(({ operation }) => operation === word);

describe('the cluster', () => {
  test('is shown with its state, and with what may be done', async () => {
    const { body } = await call('GET', '/operations', undefined, tokens.viewer);
    expect(body).toMatchObject({
      clusterState: 'active',
      isSafe: true,
      migrationQueueSize: 0,
      clusterSize: 1,
    });
    expect(body.clusterVersion).toMatch(/^\d+\.\d+$/);
    expect(mayOf(body, 'state')).toEqual({ operation: 'state', isPossible: true, reason: null });
  });

  test('changes its state once, as callers of the member see; a dry run moves nothing', async () => {
    const stateAtMember = async () => (await atMember('POST', '/rest/management/cluster/state', '&')).json();
    const dry = await call('POST', '/operations/state?dryRun=true', { state: 'frozen' });
    expect(dry.body.result).toMatchObject({ clusterState: 'frozen' });
    expect(await stateAtMember()).toMatchObject({ state: 'active' });
    for (const _again of [1, 2]) {
      expect((await call('POST', '/operations/state', { state: 'passive' })).body).toMatchObject({
        clusterState: 'passive',
      });
    }
    expect(await stateAtMember()).toMatchObject({ state: 'passive' });
    const entry = await call('PUT', '/maps/orders/entries/1', { value: '' });
    expect(entry).toMatchObject({ status: 409, body: { code: 'member_rejected' } });
    expect((await call('POST', '/operations/state', { state: 'active' })).status).toBe(200);
    await console.waitFor(() => audited('cluster.state_changed').length === 2, 'the audit lines');
    expect(audited('cluster.state_changed').map(({ changes }) => changes)).toEqual([
      { clusterState: { from: 'active', to: 'passive' } },
      { clusterState: { from: 'passive', to: 'active' } },
    ]);
  });

  test('keeps its version when asked for that, and rejects one that it does not run', async () => {
    const { clusterVersion: version } = (await call('GET', '/operations')).body;
    expect((await call('POST', '/operations/version', { version })).status).toBe(200);
    const other = await call('POST', '/operations/version', { version: '99.9' });
    expect(other).toMatchObject({ status: 409, body: { code: 'member_rejected' } });
  });

  test('shows what a configuration would add beside what was sent from here, and sends nothing', async () => {
    const config = 'svc:\n  map:\n    sent-from-here:\n      max-idle-seconds: 5\n  license-key: x\n';
    const preview = async (text: string) =>
      (await call('POST', '/operations/config/preview', { config: text })).body;
    const section = { sectionName: 'map', configName: 'sent-from-here' };
    const first = {
      isCompared: true,
      isCut: false,
      sections: [{ ...section, state: 'new' }, { configName: '' }],
    };
    expect(await preview(config)).toMatchObject(first);
    expect(await preview(config)).toMatchObject(first);
    await call('POST', '/operations/config', {
      config: 'svc:\n  map:\n    sent-from-here: { max-idle-seconds: 5 }\n',
    });
    expect((await preview(config)).sections[0]).toMatchObject({ ...section, state: 'same' });
    expect((await preview(config.replace('5', '6'))).sections[0]).toEqual({
      ...section,
      state: 'different',
      lines: [
        { change: 'same', text: 'map:' },
        { change: 'same', text: '  sent-from-here:' },
        { change: 'removed', text: '    max-idle-seconds: 5' },
        { change: 'added', text: '    max-idle-seconds: 6' },
      ],
    });
    for (const text of ['<hazelcast/>', 'x: [', 'a: 1\nb: 2', '- a', '&a [*a]']) {
      expect([text, await preview(text)]).toEqual([text, { isCompared: false, isCut: false, sections: [] }]);
    }
  });

  test('has configuration added, and says what was there already', async () => {
    const config = 'svc:\n  map:\n    added-here: {}\n';
    const added = await call('POST', '/operations/config', { config });
    expect(added.body).toMatchObject({
      added: [{ sectionName: 'map', configName: 'added-here' }],
      ignored: [],
    });
    expect((await call('POST', '/operations/config', { config })).body).toMatchObject({
      added: [],
      ignored: [{ configName: 'added-here' }],
    });
    expect((await call('POST', '/operations/config', { config: 'x: [' })).status).toBe(409);
  });

  test('says which endpoint group is missing, and does nothing then', async () => {
    const token = await apiToken(bare);
    const reason = async () =>
      mayOf((await call('GET', '/operations', undefined, token, bare)).body, 'shutdown');
    await until(async () => (await reason())?.isPossible === false, 'the groups that are off');
    expect((await reason())?.reason).toContain('CLUSTER_WRITE');
    for (const [word, body] of [
      ['state', { state: 'passive' }],
      ['shutdown', undefined],
      ['force-start', undefined],
    ] as const) {
      expect(await call('POST', `/operations/${word}`, body, token, bare)).toMatchObject({
        status: 409,
        body: { code: 'member_rejected' },
      });
    }
    expect((await call('GET', '/cp', undefined, token, bare)).body).toMatchObject({
      isAvailable: false,
      isKnown: true,
    });
    expect((await call('GET', '/operations', undefined, token, bare)).body).toMatchObject({
      clusterState: 'active',
    });
  });
});

describe('one member', () => {
  test('is given a log level, and its own again', async () => {
    const path = `/members/${await member()}/log-level`;
    expect((await call('POST', path, { level: 'FINE' })).body).toMatchObject({ level: 'FINE' });
    expect(await (await atMember('GET', '/rest/log-level')).json()).toEqual({ logLevel: 'FINE' });
    expect((await call('POST', `${path}?dryRun=true`, { level: 'OFF' })).body.result).toMatchObject({
      level: 'OFF',
    });
    expect((await call('GET', path, undefined, tokens.viewer)).body).toMatchObject({ level: 'FINE' });
    expect((await call('POST', path, { level: null })).body).toMatchObject({ level: null });
    expect((await call('GET', path)).body).toMatchObject({ level: null });
    expect((await call('GET', '/members/10.0.0.1:1/log-level')).status).toBe(404);
  });
});

describe('the CP subsystem', () => {
  test('is shown with its members and groups', async () => {
    const { body } = await call('GET', '/cp', undefined, tokens.viewer);
    expect(body).toMatchObject({ isAvailable: true, reason: null, members: [{ id: expect.any(String) }] });
    expect(body.groups.map(({ id }: { id: string }) => id)).toContain('default');
    const group = (await call('GET', '/cp/groups/default')).body;
    expect(group).toMatchObject({ id: 'default', status: 'ACTIVE', members: body.members });
    expect((await call('GET', '/cp/groups/default/sessions')).body).toMatchObject({ items: [], next: null });
    expect((await call('GET', '/cp/groups/nobody')).status).toBe(404);
  });

  test('loses a group, and has it again after a reset; what is not there is 404', async () => {
    expect((await call('POST', '/cp/groups/default/remove?dryRun=true')).status).toBe(200);
    expect((await call('POST', '/cp/groups/default/remove')).status).toBe(204);
    expect((await call('GET', '/cp/groups/default')).status).toBe(404);
    expect((await call('POST', '/cp/groups/default/remove')).status).toBe(404);
    expect((await call('POST', '/cp/reset?reason=x')).status).toBe(400);
    expect((await call('POST', '/cp/reset?reason=no%20majority')).status).toBe(204);
    expect((await call('GET', '/cp/groups/default')).status).toBe(200);
    const nobody = '4dbd5b2e-6a2f-4d41-9a0d-1b6a3b0a8a11';
    expect((await call('POST', `/cp/members/${nobody}/remove`)).status).toBe(404);
    expect((await call('POST', '/cp/groups/default/sessions/7/remove')).status).toBe(409);
    expect((await call('POST', `/cp/members/${await member()}/promote`)).status).toBe(204);
    expect((await call('POST', '/cp/groups/METADATA/remove')).status).toBe(409);
    await console.waitFor(() => audited('cp.reset').length === 1, 'the audit line');
    expect(audited('cp.reset')).toMatchObject([{ target: 'all groups', reason: 'no majority' }]);
    expect(audited('cp.group_removed')).toMatchObject([{ target: 'default' }]);
  });
});

describe('a WAN publisher', () => {
  const path = '/wan/atlantic/publishers/london';

  test('is paused and resumed at every member, and known from then on', async () => {
    expect((await call('GET', path)).status).toBe(404);
    const id = await member();
    const paused = await call('POST', `${path}/pause`, {});
    expect(paused.body).toMatchObject({
      publisher: { id: 'atlantic/london', last: { what: 'paused', members: [id] } },
      results: [{ member: id, isDone: true, reason: null }],
    });
    expect((await call('POST', `${path}/resume`, { member: id })).status).toBe(200);
    expect((await call('GET', '/wan', undefined, tokens.viewer)).body).toMatchObject({
      items: [
        {
          id: 'atlantic/london',
          last: { what: 'resumed' },
          lastSync: null,
          lastCheck: null,
          members: [{ member: id, state: 'sending', clearedAt: null }],
        },
      ],
    });
    const unknown = await call('POST', '/wan/atlantic/publishers/nobody/pause', {});
    expect(unknown).toMatchObject({ status: 409, body: { code: 'member_rejected' } });
    expect((await call('GET', '/wan/atlantic/publishers/nobody')).status).toBe(404);
    await console.waitFor(() => audited('wan.publisher_resumed').length === 1, 'the audit line');
    expect(audited('wan.publisher_paused')).toMatchObject([
      { target: 'atlantic/london', changes: { members: [id] } },
    ]);
  });

  test('synchronizes, says how far it is, and throws away what waits', async () => {
    const started = await call('POST', `${path}/sync`, { map: 'orders' });
    const { sync } = started.body.lastSync;
    const progress = (await call('GET', `/wan/syncs/${sync}`, undefined, tokens.viewer)).body;
    expect(progress).toMatchObject({ id: sync, replication: 'atlantic', publisher: 'london' });
    expect((await call('GET', '/wan/syncs/nothing')).status).toBe(404);
    expect((await call('POST', `${path}/clear`, {})).status).toBe(200);
    expect((await call('POST', `${path}/check`, { map: 'orders' })).status).toBe(409);
  });

  test('is added with a configuration', async () => {
    const config = {
      name: 'pacific',
      batchPublishers: [{ clusterName: 'lima', targetEndpoints: '127.0.0.1:1' }],
    };
    expect((await call('POST', '/wan', { config })).body).toEqual({ added: ['lima'], ignored: [] });
    expect((await call('POST', '/wan', { config })).body).toEqual({ added: [], ignored: ['lima'] });
    expect((await call('GET', '/wan/pacific/publishers/lima')).body).toMatchObject({
      last: { what: 'added' },
    });
    // What is in it the members judge, but for a name that nothing could ask for again.
    const refused = { name: 'pacific', batchPublishers: 7 };
    expect((await call('POST', '/wan', { config: refused })).status).toBe(409);
    for (const name of [7, '', 'x'.repeat(1000)])
      expect((await call('POST', '/wan', { config: { ...config, name } })).status).toBe(400);
  });
});

test('shuts a member down, and then says that none answers', async () => {
  const id = await member();
  const dry = await call('POST', `/members/${id}/shutdown?dryRun=true`);
  expect(dry.body).toMatchObject({ status: 204, warnings: ['No other member takes calls.'] });
  expect((await call('GET', '/operations')).body).toMatchObject({ clusterState: 'active' });
  expect((await call('POST', `/members/${id}/shutdown?reason=x`)).status).toBe(400);
  expect((await call('POST', `/members/${id}/shutdown?reason=new%20memory`)).status).toBe(204);
  await until(async () => (await call('GET', '/operations')).body.clusterState === null, 'its end');
  expect(mayOf((await call('GET', '/operations')).body, 'state')?.isPossible).toBe(false);
  await console.waitFor(() => audited('member.shut_down').length === 1, 'the audit line');
  expect(audited('member.shut_down')).toMatchObject([{ target: id, reason: 'new memory' }]);
});
