import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../member-proxy/limits.ts';
import { createMembers, type MemberStatus, type MembersDeps } from '../../member-proxy/members/members.ts';
import type { MemberPrefix } from '../../member-proxy/members/prefix.ts';
import {
  type Answer,
  sendRaw,
  startProxy,
  startRawMember,
  startRecorder,
  type TestProxy,
  until,
  unusedAddress,
} from './servers.ts';
import { tokenFor } from './tokens.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const probes = { everyMs: 20, replyMs: 500 };
const uuids = ['11111111-2222-4333-8444-555555555555', '66666666-7777-4888-8999-aaaaaaaaaaaa'] as const;

describe('the first path segment', () => {
  test.each<{ name: string; answers: Record<string, number>; expected: MemberPrefix }>([
    { name: 'ready under svc', answers: { svc: 200, hazelcast: 404 }, expected: 'svc' },
    { name: 'ready under hazelcast', answers: { svc: 404, hazelcast: 200 }, expected: 'hazelcast' },
    { name: 'not ready yet', answers: { svc: 404, hazelcast: 503 }, expected: 'hazelcast' },
    { name: 'answering both', answers: { svc: 200, hazelcast: 200 }, expected: 'svc' },
    { name: 'refusing the other', answers: { svc: 403, hazelcast: 200 }, expected: 'hazelcast' },
  ])('is what a member says that is $name', async ({ answers, expected }) => {
    const member = await startMember((req, res) => {
      res.statusCode = req.url!.includes('/health/') ? (answers[req.url!.split('/')[1]!] ?? 404) : 404;
      res.end();
    });
    const { changes } = watch([member.address]);
    await until(() => changes.length > 0, 'an answer');
    expect(changes[0]).toMatchObject({ prefix: expected, address: member.address });
  });

  test('is found at a member that hangs up on paths it does not know, as the real engine does', async () => {
    const { address, answered } = await startEngine(['/hazelcast/health']);
    const { changes } = watch([address]);
    await until(() => changes.length > 0, 'an answer');
    expect(changes[0]).toMatchObject({ prefix: 'hazelcast', lastProbe: 'ready' });
    expect(answered()).toBeGreaterThan(0);
  });

  test('is found at a listener that hangs on paths it does not know, without waiting for it (C6)', async () => {
    const { address } = await startEngine(['/hazelcast/'], { hangs: true });
    // A probe that waits for the answer to the other prefix first waits longer than this test.
    const { changes } = watch([address], { probes: { everyMs: 20, replyMs: 60_000 } });
    await until(() => changes.length > 0, 'an answer');
    expect(changes[0]).toMatchObject({ prefix: 'hazelcast', lastProbe: 'ready' });
  });

  test('is found by cluster information where the health group is off, and the member stays in (S67)', async () => {
    const { address } = await startEngine(['/hazelcast/rest/cluster']);
    const { members } = watch([address]);
    await until(() => members.find(uuids[0]) !== undefined, 'it says who it is');
    expect(members.statuses()).toMatchObject([{ prefix: 'hazelcast', lastProbe: 'silent', isIn: true }]);
  });

  test('is found where health and cluster information are off, by any group that is on (S67)', async () => {
    const { address } = await startEngine(['/hazelcast/rest/maps/']);
    const { changes, members } = watch([address]);
    await until(() => changes.length > 0, 'an answer');
    expect(members.statuses()).toMatchObject([{ prefix: 'hazelcast', lastProbe: 'silent', isIn: true }]);
  });

  test('is each member’s own, and followed by the calls', async () => {
    const svc = await startMember((req, res) =>
      res.writeHead(req.url!.startsWith('/svc/') ? 200 : 404).end(),
    );
    const engine = await startMember((req, res) =>
      res.writeHead(req.url!.startsWith('/hazelcast/') ? 200 : 404).end(),
    );
    const proxy = await open([svc.address, engine.address]);
    await until(() => proxy.members.statuses()[1]?.prefix === 'hazelcast', 'an answer');
    const statuses = await Promise.all(Array.from({ length: 8 }, () => call(proxy, '/svc/rest/instance')));
    expect(statuses).toEqual(Array(8).fill(200));
    expect(engine.seen.some(({ url }) => url === '/hazelcast/rest/instance')).toBe(true);
    expect(svc.seen.some(({ url }) => url === '/svc/rest/instance')).toBe(true);
  });

  test('is svc until somebody answers, and what is found later counts', async () => {
    const address = await unusedAddress();
    const proxy = await open([address]);
    expect(proxy.members.statuses()[0]?.prefix).toBe('svc');
    const urls: string[] = [];
    const server = createServer((req, res) => {
      urls.push(req.url!);
      res.writeHead(req.url!.startsWith('/hazelcast/') ? 200 : 404).end();
    });
    await new Promise<void>((done) => server.listen(Number(new URL(address).port), '127.0.0.1', done));
    cleanups.push(() => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    });
    await until(() => proxy.members.statuses()[0]?.prefix === 'hazelcast', 'an answer');
    expect(await call(proxy, '/svc/rest/instance')).toBe(200);
    expect(urls).toContain('/hazelcast/rest/instance');
  });
});

describe('a member goes out by its probes and comes back by them (S67)', () => {
  test('three failures put it out, two successes bring it back, and calls follow', async () => {
    let isReady = true;
    const shaky = await startMember((req, res) => {
      // What it answers is no HTTP, which is no answer.
      if (req.url!.includes('/health/') && !isReady) req.socket.end('no HTTP\r\n\r\n');
      else res.writeHead(200).end();
    });
    const steady = await startMember((_req, res) => res.end());
    const proxy = await open([shaky.address, steady.address], { ...fast, slowStartMs: 1 });
    const callsOf = (member: typeof shaky) =>
      member.seen.filter(({ url }) => url.includes('instance')).length;

    isReady = false;
    await until(() => !proxy.members.statuses()[0]!.isIn, 'the member is out');
    const probesBefore = shaky.seen.length;
    expect(probesBefore).toBeGreaterThanOrEqual(3);
    const before = callsOf(shaky);
    for (let i = 0; i < 10; i += 1) expect(await call(proxy, '/svc/rest/instance')).toBe(200);
    expect(callsOf(shaky)).toBe(before);

    isReady = true;
    await until(() => proxy.members.statuses()[0]!.isIn, 'the member is back');
    for (let i = 0; i < 10; i += 1) expect(await call(proxy, '/svc/rest/instance')).toBe(200);
    expect(callsOf(shaky)).toBeGreaterThan(before);
  });

  test('what it answers to a call, or hanging up on one, never puts it out', async () => {
    const member = await startRawMember((socket) => {
      socket.on('data', (bytes) => {
        if (bytes.toString().includes('/health/'))
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
        else socket.destroy();
      });
    });
    cleanups.push(member.close);
    const proxy = await open([member.address]);
    for (let i = 0; i < 10; i += 1) expect(await call(proxy, '/svc/rest/instance')).toBe(502);
    await until(() => proxy.members.statuses()[0]!.lastProbe === 'ready', 'a probe');
    expect(proxy.members.statuses()[0]!.isIn).toBe(true);
  });

  test('when all are out they are asked all the same, and none that answers is 503 no_member', async () => {
    const notReady = await startMember((req, res) =>
      res.writeHead(req.url!.includes('/health/') ? 503 : 200).end(),
    );
    const proxy = await open([notReady.address, await unusedAddress()]);
    await until(() => proxy.members.statuses().every(({ isIn }) => !isIn), 'all are out');
    expect(await call(proxy, '/svc/rest/instance')).toBe(200);
    await notReady.close();
    expect(await call(proxy, '/svc/rest/instance')).toBe(503);
  });

  test('a member that hangs is out, and the others answer', async () => {
    const hung = await startRawMember(() => undefined);
    cleanups.push(hung.close);
    const steady = await startMember((_req, res) => res.end());
    const proxy = await open([hung.address, steady.address], fast, { everyMs: 20, replyMs: 100 });
    await until(() => !proxy.members.statuses()[0]!.isIn, 'the member is out');
    const statuses = await Promise.all(Array.from({ length: 6 }, () => call(proxy, '/svc/rest/instance')));
    expect(statuses).toEqual(Array(6).fill(200));
  });
});

describe('the choice among members', () => {
  test('goes to the one with the fewest in-flight calls', async () => {
    const held: (() => void)[] = [];
    const slow = await startMember((req, res) => {
      if (req.url!.includes('/rest/instance')) held.push(() => res.end());
      else res.end();
    });
    const quick = await startMember((_req, res) => res.end());
    const proxy = await open([slow.address, quick.address]);
    const waiting = Array.from({ length: 2 }, () => call(proxy, '/svc/rest/instance'));
    await until(() => held.length > 0, 'a call is held');
    for (let i = 0; i < 6; i += 1) expect(await call(proxy, '/svc/rest/instance')).toBe(200);
    expect(held).toHaveLength(1);
    held[0]!();
    expect(await Promise.all(waiting)).toEqual([200, 200]);
    await until(
      () => proxy.members.statuses().every(({ pending }) => pending === 0),
      'nothing is counted any more',
    );
  });

  test('one after the other goes round', async () => {
    const all = await Promise.all([1, 2, 3].map(() => startMember((_req, res) => res.end())));
    const proxy = await open(all.map(({ address }) => address));
    for (let i = 0; i < 9; i += 1) await call(proxy, '/svc/rest/instance');
    const counts = all.map(({ seen }) => seen.filter(({ url }) => url.includes('instance')).length);
    expect(counts).toEqual([3, 3, 3]);
  });
});

describe('what members say about the cluster', () => {
  test('gives them their UUIDs, and a restarted one its new one', async () => {
    let uuid: string = uuids[0];
    let isUp = true;
    const member = await startMember((req, res) => {
      if (!isUp) req.socket.destroy();
      else res.end(req.url!.includes('/rest/cluster') ? clusterOf([[hostOf(req), uuid, true]]) : '');
    });
    const { members } = watch([member.address]);
    await until(() => members.find(uuids[0]) !== undefined, 'the UUID');
    expect(members.find(new URL(member.address).host)?.address).toBe(member.address);
    expect(members.find('127.0.0.1:1')).toBeUndefined();
    isUp = false;
    uuid = uuids[1];
    await member.close();
    await until(() => members.find(uuids[0]) === undefined, 'it is gone');
  });

  test('brings in the others where discovery is on, and leaves nobody in who has left', async () => {
    const other = await startMember((_req, res) => res.end());
    let known: [string, string, boolean][] = [];
    const seed = await startMember((req, res) =>
      res.end(req.url!.includes('/rest/cluster') ? clusterOf([[hostOf(req), uuids[0], true], ...known]) : ''),
    );
    known = [[new URL(other.address).host, uuids[1], false]];
    const { members } = watch([seed.address], { isDiscovering: true });
    await until(() => members.list().length === 2, 'the other has joined');
    expect(members.list().map(({ address }) => address)).toEqual([seed.address, other.address]);
    known = [];
    await until(() => members.list().length === 1, 'the other has left');
  });

  test.each([
    ['no JSON', 'ERROR'],
    ['another object', '{"members":5}'],
    ['an address with a path', clusterOf([['127.0.0.1:5701/x', uuids[1], true]])],
    ['an address with somebody’s name', clusterOf([['a@127.0.0.1:5701', uuids[1], true]])],
    ['no UUID', clusterOf([['127.0.0.1:5701', 'me', true]])],
  ])('is not followed where it is %s', async (_name, reply) => {
    const seed = await startMember((_req, res) => res.end(reply));
    const { members } = watch([seed.address], { isDiscovering: true });
    await until(
      () => seed.seen.filter(({ url }) => url.includes('/rest/cluster')).length >= 2,
      'it was asked',
    );
    expect(members.list().map(({ address, uuid }) => [address, uuid])).toEqual([[seed.address, undefined]]);
  });
});

describe('endpoint groups that are off', () => {
  const health = ['/hazelcast/health'];

  test('are told with the member and the key that turns them on, and put nobody out (S67)', async () => {
    const { address } = await startEngine([...health, '/hazelcast/rest/cluster']);
    const proxy = await open([address]);
    await until(() => proxy.members.statuses()[0]!.offGroups.length > 0, 'the groups');
    expect(proxy.members.statuses()[0]!.offGroups.toSorted()).toEqual(
      ['CLUSTER_WRITE', 'CP', 'DATA', 'PERSISTENCE', 'WAN'].toSorted(),
    );
    const rejected = await reply(proxy, '/svc/rest/maps/m/k');
    const problem = JSON.parse(rejected.body);
    expect([rejected.status, problem.code]).toEqual([502, 'group_disabled']);
    expect(problem.detail).toContain(`DATA is off at the member ${new URL(address).host}`);
    expect(problem.detail).toContain('network.rest-api.endpoint-groups.DATA.enabled: true');
    expect(problem.decision_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await call(proxy, '/svc/rest/cluster')).toBe(200);
    expect(proxy.members.statuses()[0]!.isIn).toBe(true);
  });

  test('at one member: calls go to the others', async () => {
    const off = await startEngine([...health, '/hazelcast/rest/cluster']);
    const on = await startEngine([...health, '/hazelcast/rest/']);
    const proxy = await open([off.address, on.address]);
    await until(() => proxy.members.statuses()[0]!.offGroups.length > 0, 'the groups');
    for (let i = 0; i < 6; i += 1) expect(await call(proxy, '/svc/rest/maps/m/k')).toBe(200);
    expect((await reply(proxy, `/members/${new URL(off.address).host}/svc/rest/maps/m/k`)).status).toBe(502);
  });

  test('a member that hangs up on everything may be going down: that is no group that is off', async () => {
    const { address } = await startEngine([]);
    const proxy = await startProxy({ members: [address], prefix: 'hazelcast', probes, health: fast });
    cleanups.push(proxy.close);
    await until(() => proxy.members.statuses()[0]!.lastProbe === 'silent', 'a probe');
    const rejected = await reply(proxy, '/svc/rest/maps/m/k');
    expect(JSON.parse(rejected.body)).toMatchObject({
      code: 'bad_gateway',
      detail: expect.stringContaining(`${new URL(address).host} closed the connection without an answer`),
    });
  });

  test('flaw: a member of this product with REST off was a bare 403 to each call that came to it', async () => {
    const off = await startMember((_req, res) => res.writeHead(403).end());
    const on = await startMember((_req, res) => res.end());
    const proxy = await open([off.address, on.address]);
    await until(() => proxy.members.statuses()[0]!.offGroups.length === 7, 'all groups are off');
    for (let i = 0; i < 6; i += 1) expect(await call(proxy, '/svc/rest/maps/m/k')).toBe(200);
    const { host } = new URL(off.address);
    const rejected = await reply(proxy, `/members/${host}/svc/rest/maps/m/k`);
    const problem = JSON.parse(rejected.body);
    expect([rejected.status, problem.code]).toEqual([502, 'group_disabled']);
    expect(problem.detail).toContain(`REST is off at the member ${host}. Set network.rest-api.enabled: true`);
  });

  test('flaw: groups were not told of a member of this product without health and cluster information', async () => {
    const { address } = await startMember((req, res) =>
      res.writeHead(req.url!.includes('/rest/maps/') ? 200 : 403).end(),
    );
    const proxy = await open([address]);
    await until(() => proxy.members.statuses()[0]!.offGroups.length === 6, 'all but DATA');
    expect(await call(proxy, '/svc/rest/maps/m/k')).toBe(200);
    expect(JSON.parse((await reply(proxy, '/svc/rest/cluster')).body).code).toBe('group_disabled');
  });

  test.each([undefined, 'hazelcast'] as const)(
    'flaw: of two members one that hangs up on everything got half of the writes (prefix %s)',
    async (prefix) => {
      const mute = await startEngine([]);
      const on = await startEngine(['/hazelcast/']);
      const members = [mute.address, on.address];
      const proxy = await startProxy({ members, probes, health: fast, ...(prefix && { prefix }) });
      cleanups.push(proxy.close);
      await until(() => proxy.members.list()[0]!.isTrusted === false, 'it is asked last');
      expect(proxy.members.statuses()[0]).toMatchObject({ isIn: true, lastProbe: 'silent' });
      const token = await tokenFor(proxy.key, 'Admin');
      const fields = `Host: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\nContent-Length: 1\r\n`;
      for (let i = 0; i < 6; i += 1) {
        const written = await sendRaw(proxy.address, `POST /svc/rest/maps/m/k HTTP/1.1\r\n${fields}\r\nv`);
        expect(written.status).toBe(200);
      }
    },
  );
});

test('closed members are asked no more', async () => {
  const member = await startMember((_req, res) => res.end());
  const { members } = watch([member.address]);
  await until(() => member.seen.length >= 2, 'probes');
  await members.close();
  const asked = member.seen.length;
  const other = await startMember((_req, res) => res.end());
  watch([other.address]);
  await until(() => other.seen.length >= 6, 'probes elsewhere');
  expect(member.seen.length - asked).toBeLessThanOrEqual(1); // the one that was under way
});

const fast = { failuresOut: 3, successesIn: 2, slowStartMs: 10_000 };

async function startMember(answer: Answer) {
  const member = await startRecorder(answer);
  cleanups.push(() => member.close().catch(() => undefined));
  return member;
}

/** Answers these paths, and hangs up on all others, or lets them hang as a listener of the advanced network does. */
async function startEngine(paths: readonly string[], { hangs = false } = {}) {
  let count = 0;
  const member = await startRawMember((socket) => {
    socket.on('data', (bytes) => {
      const [method, url = ''] = bytes.toString().split(' ', 2);
      if (!paths.some((path) => url.startsWith(path))) {
        if (!hangs) socket.destroy();
        return;
      }
      count += 1;
      const body = clusterOf([['127.0.0.1:5701', uuids[0], true]]);
      const length = method === 'HEAD' ? 0 : body.length;
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${body.slice(0, length)}`);
    });
  });
  cleanups.push(member.close);
  return { address: member.address, answered: () => count };
}

function watch(addresses: readonly string[], options: Partial<MembersDeps> = {}) {
  const changes: MemberStatus[] = [];
  const members = createMembers({
    addresses,
    probes,
    limits: defaultLimits,
    now: () => performance.now(),
    onChange: (status) => changes.push(status),
    ...options,
  });
  cleanups.push(members.close);
  return { members, changes };
}

async function open(addresses: readonly string[], health = fast, times = probes): Promise<TestProxy> {
  const proxy = await startProxy({ members: addresses, probes: times, health });
  cleanups.push(proxy.close);
  return proxy;
}

async function reply(proxy: TestProxy, path: string) {
  const token = await tokenFor(proxy.key, 'Admin');
  const fields = `Host: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n`;
  return sendRaw(proxy.address, `GET ${path} HTTP/1.1\r\n${fields}\r\n`);
}

async function call(proxy: TestProxy, path: string): Promise<number> {
  return (await reply(proxy, path)).status;
}

function clusterOf(members: readonly (readonly [address: string, uuid: string, isLocal: boolean])[]): string {
  return JSON.stringify({
    members: members.map(([address, uuid, localMember]) => ({
      address,
      liteMember: false,
      localMember,
      uuid,
      memberVersion: '5.5.0',
    })),
    connectionCount: 0,
    allConnectionCount: 0,
  });
}

function hostOf(req: { headers: { host?: string | undefined } }): string {
  return req.headers.host ?? '';
}
