/** What a member says of itself on its page: ours, one that answers as the real engine does, and such as say little or nonsense. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi, personWith, startWithAdmin } from '../helpers/management.ts';
import { createUserAgent, textOf, type UserAgent } from '../helpers/user-agent.ts';
import { type Answer, startRecorder } from '../member-proxy/servers.ts';

type Recorder = Awaited<ReturnType<typeof startRecorder>>;
const pageOf = (id: string) => `/cluster/members/${encodeURIComponent(id)}`;
const partOf = (body: string, id: string) =>
  textOf({
    body: new RegExp(`<section class="part" id="${id}".*?</section>`, 's').exec(body)?.[0] ?? '',
  } as never);

/** Of the real engine, 5.5: docs/member-surface.md. */
const uuid = '5f1f9f5e-9b6c-4b1c-9b0a-2a8f4d7f2b11';
const engine: Readonly<Record<string, string>> = {
  '/rest/cluster': JSON.stringify({
    members: [
      { address: '[10.0.0.1]:5701', liteMember: false, localMember: true, uuid, memberVersion: '5.5.0' },
      { address: '[10.0.0.2]:5701', liteMember: true, localMember: false, uuid: 'b', memberVersion: '5.5.0' },
    ],
    connectionCount: 3,
    allConnectionCount: 5,
  }),
  '/rest/instance': '{"name":"dev_1"}',
  '/rest/management/cluster/nodes': JSON.stringify({
    status: 'success',
    response: `[Member [10.0.0.1]:5701 - ${uuid} this]\n5.5.0\n17.0.9`,
  }),
  '/rest/config/tcp-ip/member-list': '{"status":"success","member-list":["10.0.0.1:5701","10.0.0.2"]}',
  '/health':
    '{"nodeState":"ACTIVE","clusterState":"ACTIVE","clusterSafe":true,"migrationQueueSize":4,"clusterSize":2}',
};

/** @param of  by path below the prefix; undefined: the connection is closed, as where a group is off */
const answering =
  (of: (path: string) => string | undefined): Answer =>
  (req, res) => {
    const body = of(req.url!.replace(/^\/[^/]+/, ''));
    if (body === undefined) return void res.destroy();
    res.setHeader('Content-Type', 'application/json').end(body);
  };

async function consoleAt(
  recorder: Recorder,
): Promise<{ console: RunningConsole; ada: UserAgent; id: string }> {
  const console = await startConsole({ env: { CONSOLE_MEMBERS: recorder.address } });
  const ada = createUserAgent(console.url);
  await ada.signIn();
  const id = new URL(recorder.address).host;
  await console.waitFor(() => console.log().length > 0, 'a start');
  return { console, ada, id };
}

async function details(console: RunningConsole, id: string) {
  return (await callApi(console, 'GET', `/members/${id}/details`)) as Record<string, unknown>;
}

describe('the embedded member', () => {
  let console: RunningConsole;
  let ada: UserAgent;
  let id: string;
  beforeAll(async () => {
    ({ console, ada } = await startWithAdmin());
    const { items } = (await callApi(console, 'GET', '/members')) as { items: { id: string }[] };
    id = items[0]!.id;
  });
  afterAll(() => console?.stop());

  test('says its connections and what there is to know of its configuration', async () => {
    const said = await details(console, id);
    const { clients, all } = said.connections as { clients: number; all: number };
    expect(clients).toBeGreaterThan(0);
    expect(all).toBeGreaterThanOrEqual(clients);
    expect(said).toMatchObject({ member: id, nodeState: 'ACTIVE', migrationQueueSize: 0, sentSections: [] });
    const { body } = await ada.get(pageOf(id));
    expect(partOf(body, 'connections')).toMatch(/From clients \d+ In total, with other members \d+/);
    expect(partOf(body, 'configuration')).toMatch(/Node state ACTIVE Migration queue 0/);
    expect(partOf(body, 'configuration')).toContain('Not known: members do not report it.');
  });

  test('is said in German', async () => {
    const german = createUserAgent(console.url, { headers: { 'accept-language': 'de' } });
    await german.signIn();
    const { body } = await german.get(pageOf(id));
    expect(partOf(body, 'connections')).toMatch(/Verbindungen .*Von Clients \d+/);
    expect(partOf(body, 'configuration')).toContain('Nicht bekannt: Member sagen es nicht.');
  });

  test('is shown to a Viewer, without what members were given from here', async () => {
    const viewer = await personWith(console, 'viewer', ['Viewer']);
    const { body } = await viewer.get(pageOf(id));
    expect(partOf(body, 'connections')).toMatch(/From clients \d+/);
    expect(body).not.toContain('Added from here');
    const token = await apiToken(console, 'app:Viewer');
    const headers = { Authorization: `Bearer ${token}` };
    const reply = await fetch(`${console.url}/api/v1/members/${id}/details`, { headers });
    expect(((await reply.json()) as { sentSections: unknown }).sentSections).toBeNull();
  });

  test('is shown to nobody else', async () => {
    const metrics = await apiToken(console, 'app:MetricsViewer');
    const statusOf = async (headers: Record<string, string>) =>
      (await fetch(`${console.url}/api/v1/members/${id}/details`, { headers })).status;
    expect(await statusOf({ Authorization: `Bearer ${metrics}` })).toBe(403);
    expect(await statusOf({})).toBe(401);
    await expect(details(console, '10.255.255.1:1')).rejects.toThrow('404 ');
    await expect(details(console, '%00')).rejects.toThrow(/40[04] /);
  });
});

test('a member that answers as the real engine does is read as it writes', async () => {
  const recorder = await startRecorder(answering((path) => engine[path] ?? '{}'));
  const { console, ada, id } = await consoleAt(recorder);
  try {
    await console.waitFor(() => recorder.seen.length > 0, 'a probe');
    await expect.poll(async () => (await details(console, id)).build).toBe('5.5.0');
    expect(await details(console, id)).toMatchObject({
      connections: { clients: 3, all: 5 },
      sees: ['10.0.0.1:5701', '10.0.0.2:5701'],
      instance: 'dev_1',
      build: '5.5.0',
      java: '17.0.9',
      nodeState: 'ACTIVE',
      migrationQueueSize: 4,
      memberList: ['10.0.0.1:5701', '10.0.0.2'],
      unknown: [],
    });
    const { body } = await ada.get(pageOf(id));
    expect(partOf(body, 'connections')).toMatch(
      /From clients 3 In total, with other members 5 .*10\.0\.0\.2:5701/,
    );
    expect(partOf(body, 'configuration')).toMatch(/Instance dev_1 Build 5\.5\.0 Runtime 17\.0\.9/);
  } finally {
    await console.stop();
    await recorder.close();
  }
});

test('what a member does not say is not known, with the reason; the rest of the page is there', async () => {
  const hostile = JSON.stringify({
    members: [{ address: '<script>alert(1)</script>' }, null, 7],
    connectionCount: -1,
    allConnectionCount: 'many',
  });
  const said: Readonly<Record<string, string>> = {
    '/rest/cluster': hostile,
    '/rest/instance': '"no object"',
    '/rest/config/tcp-ip/member-list': '{"member-list":"none"}',
    '/health': engine['/health']!,
  };
  const recorder = await startRecorder(
    answering((path) => (path.endsWith('/nodes') ? undefined : (said[path] ?? '{}'))),
  );
  const { console, ada, id } = await consoleAt(recorder);
  try {
    await expect.poll(async () => (await details(console, id)).nodeState).toBe('ACTIVE');
    const found = await details(console, id);
    expect(found).toMatchObject({ connections: null, instance: null, build: null, memberList: null });
    expect(found.unknown).toEqual([
      { part: 'instance', reason: expect.stringContaining('form that is not known') },
      { part: 'nodes', reason: expect.any(String) },
    ]);
    const page = await ada.get(pageOf(id));
    expect(page.status).toBe(200);
    expect(page.body).not.toContain('<script>alert');
    expect(partOf(page.body, 'connections')).toContain('From clients Unknown');
    expect(partOf(page.body, 'configuration')).toMatch(/Instance Not known\. .*Build Not known\./);
  } finally {
    await console.stop();
    await recorder.close();
  }
  // One that is away holds nobody up.
}, 20_000);

test('of a member that is away nothing is known, and nobody waits for it', async () => {
  const recorder = await startRecorder();
  const { address } = recorder;
  await recorder.close();
  const console = await startConsole({ env: { CONSOLE_MEMBERS: address } });
  try {
    const id = new URL(address).host;
    const found = await details(console, id);
    expect(found).toMatchObject({ connections: null, nodeState: null });
    expect(found.unknown).toHaveLength(5);
    expect(found.unknown).toContainEqual({ part: 'cluster', reason: 'The member does not answer.' });
  } finally {
    await console.stop();
  }
});
