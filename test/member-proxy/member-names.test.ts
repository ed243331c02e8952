/** Which member a call gets that names one, or that only one can do, and what is told when none takes it (D11). */
import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../member-proxy/limits.ts';
import { createMembers, type DiscoveredMember } from '../../member-proxy/members/members.ts';
import {
  type Answer,
  type ProxyOptions,
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

const uuids = [
  '11111111-2222-4333-8444-555555555555',
  '66666666-7777-4888-8999-aaaaaaaaaaaa',
  'bbbbbbbb-cccc-4ddd-8eee-ffffffffffff',
] as const;
const rare = { everyMs: 60_000, replyMs: 1_000 };

describe('when no member can be reached (D11)', () => {
  test('each is named, with what is wrong with it (D11)', async () => {
    const silent = await startRawMember((socket) => socket.destroy());
    cleanups.push(silent.close);
    const members = [await unusedAddress(), await unusedAddress(), silent.address.replace('http:', 'https:')];
    const proxy = await open({ members });
    const { status, problem } = await ask(proxy, 'POST /svc/rest/maps/m/k');
    expect([status, problem.code]).toEqual([503, 'no_member']);
    for (const member of members) expect(problem.detail).toContain(new URL(member).host);
    expect(problem.detail).toMatch(/\(ECONNREFUSED\).*\(ECONNREFUSED\)|\(ECONNRESET\)/s);
    expect(problem.detail).not.toMatch(/Bearer|eyJ/);
  });

  test('the first path segment that is set for it, where it answers to the other (D11)', async () => {
    const member = await startRawMember((socket) => {
      socket.on('data', (bytes) => {
        if (/^\w+ \/hazelcast\//.test(bytes.toString()))
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
        else socket.destroy();
      });
    });
    cleanups.push(member.close);
    const proxy = await open({ members: [member.address], prefix: 'svc', probes: { ...rare, everyMs: 20 } });
    await until(() => proxy.members.statuses()[0]!.answersTo === 'hazelcast', 'it is found out');
    const { status, problem } = await ask(proxy, 'POST /svc/rest/maps/m/k');
    expect([status, problem.code]).toEqual([502, 'bad_gateway']);
    expect(problem.detail).toContain('begin with /hazelcast, and CONSOLE_MEMBER_PREFIX is svc');
  });
});

describe('a member that was started anew (D11)', () => {
  test('is found by its new UUID with the first call, before any probe (D11)', async () => {
    let uuid: string = uuids[0];
    const member = await startMember(() => [[undefined, uuid, true]]);
    const proxy = await open({ members: [member.address], probes: rare });
    await until(() => proxy.members.find(uuids[0]) !== undefined, 'the first UUID');
    uuid = uuids[1];
    expect((await ask(proxy, `GET /members/${uuids[1]}/svc/rest/instance`)).status).toBe(200);
    const asked = () => member.seen.filter(({ url }) => url.includes('/rest/cluster')).length;
    const before = asked();
    const unknown = await Promise.all(
      Array.from({ length: 20 }, () => ask(proxy, `GET /members/${uuids[2]}/svc/rest/instance`)),
    );
    expect(unknown.map(({ status }) => status)).toEqual(Array(20).fill(404));
    // Whoever guesses names does not make as many questions of them.
    expect(asked() - before).toBeLessThanOrEqual(3);
  });
});

describe('a reset of the CP subsystem (D11)', () => {
  test.each(['reset', 'restart'])(
    '%s goes to the master of the cluster, whoever is next (D11)',
    async (name) => {
      const all: { host: string }[] = [];
      const list = () => all.map(({ host }, i) => [host, uuids[i]!, false] as const);
      const first = await startMember(() => list());
      const second = await startMember(() => list());
      const third = await startMember(() => list());
      all.push(second, first, third);
      const proxy = await open({
        members: [first, second, third].map(({ address }) => address),
        probes: rare,
      });
      await until(
        () => proxy.members.statuses().every(({ lastProbe }) => lastProbe === 'ready'),
        'the probes',
      );
      for (let i = 0; i < 3; i += 1) {
        expect((await ask(proxy, `POST /svc/rest/cp-subsystem/${name}`, 'dev&')).status).toBe(200);
      }
      const resets = [first, second, third].map(
        ({ seen }) => seen.filter(({ url }) => url.includes('/cp-')).length,
      );
      expect(resets.map((count) => count - 1)).toEqual([0, 3, 0]); // each is asked once whether the group is on
    },
  );

  test('goes to any where none says which is the master, and says what that one said (D11)', async () => {
    const member = await startRecorder((req, res) => {
      if (req.method === 'POST') res.writeHead(500).end();
      else res.writeHead(req.url!.includes('/rest/cluster') ? 404 : 200).end();
    });
    cleanups.push(member.close);
    const proxy = await open({ members: [member.address], probes: rare });
    await until(() => proxy.members.statuses()[0]!.lastProbe === 'ready', 'a probe');
    expect((await ask(proxy, 'POST /svc/rest/cp-subsystem/reset', 'dev&')).status).toBe(500);
  });
});

describe('discovered members (D11)', () => {
  test('are there again after a restart although nobody names them yet, and go when they are named no more (D11)', async () => {
    const other = await startMember(() => []);
    let known: Row[] = [[undefined, uuids[0], true]];
    const seed = await startMember(() => known);
    known = [...known, [other.host, uuids[1], false]];
    let record: readonly DiscoveredMember[] = [];
    const first = membersOf(seed.address, { onDiscovered: (members) => (record = members) });
    await until(() => first.list().length === 2, 'the other has joined');
    await first.close();
    expect(record).toEqual([{ address: other.address, namedBy: seed.address }]);

    const gone = membersOf(await unusedAddress(), { remembered: record });
    expect(gone.list()).toHaveLength(1); // who named it is no member any more
    await seed.close();
    const again = membersOf(seed.address, { remembered: record });
    expect(again.list().map(({ address }) => address)).toEqual([seed.address, other.address]);

    const seedAgain = createServer((req, res) => res.end(clusterOf([[req.headers.host, uuids[0], true]])));
    cleanups.push(() => {
      seedAgain.closeAllConnections();
      seedAgain.close();
    });
    await new Promise<void>((done) =>
      seedAgain.listen(Number(new URL(seed.address).port), '127.0.0.1', done),
    );
    await until(() => again.list().length === 1, 'it is named no more');
  });
});

describe('a drained member (B3)', () => {
  test('gets calls that name it and no others, and its probes go on (B3)', async () => {
    const [first, second] = [await startMember(() => []), await startMember(() => [])];
    const proxy = await open({ members: [first.address, second.address], probes: { ...rare, everyMs: 20 } });
    proxy.members.drain(new Set([first.host]));
    for (let i = 0; i < 6; i += 1) expect((await ask(proxy, 'GET /svc/rest/instance')).status).toBe(200);
    const calls = () => first.seen.filter(({ url }) => url.includes('/rest/instance')).length;
    expect(calls()).toBe(0);
    expect((await ask(proxy, `GET /members/${first.host}/svc/rest/instance`)).status).toBe(200);
    expect(calls()).toBe(1);
    const before = first.seen.length;
    await until(() => first.seen.length > before + 2, 'probes');
    expect(proxy.members.statuses()[0]).toMatchObject({ isDrained: true, isIn: true, lastProbe: 'ready' });
    proxy.members.drain(new Set());
    for (let i = 0; i < 4; i += 1) await ask(proxy, 'GET /svc/rest/instance');
    expect(calls()).toBeGreaterThan(1);
  });

  test('and no other: 503 no_member says that all are drained (B3)', async () => {
    const only = await startMember(() => []);
    const proxy = await open({ members: [only.address] });
    proxy.members.drain(new Set([only.host]));
    const { status, problem } = await ask(proxy, 'POST /svc/rest/maps/m/k');
    expect([status, problem.code]).toEqual([503, 'no_member']);
    expect(problem.detail).toContain('npx console member undrain');
    expect(only.seen).toEqual([]);
  });
});

type Row = readonly [host: string | undefined, uuid: string, isLocal: boolean];

async function startMember(rows: () => readonly Row[]) {
  const answer: Answer = (req, res) =>
    res.end(
      req.url!.includes('/rest/cluster')
        ? clusterOf(rows().map(([host, ...rest]) => [host ?? req.headers.host, ...rest]))
        : '',
    );
  const member = await startRecorder(answer);
  cleanups.push(() => member.close().catch(() => undefined));
  return { ...member, host: new URL(member.address).host };
}

function membersOf(address: string, more: Partial<Parameters<typeof createMembers>[0]>) {
  const members = createMembers({
    addresses: [address],
    isDiscovering: true,
    probes: { everyMs: 20, replyMs: 500 },
    limits: defaultLimits,
    now: () => performance.now(),
    ...more,
  });
  cleanups.push(members.close);
  return members;
}

async function open(options: ProxyOptions): Promise<TestProxy> {
  const proxy = await startProxy(options);
  cleanups.push(proxy.close);
  return proxy;
}

async function ask(proxy: TestProxy, call: string, given?: string) {
  const token = await tokenFor(proxy.key, 'Admin');
  const body = given ?? (call.startsWith('POST') ? 'value' : undefined);
  const length = body === undefined ? '' : `Content-Length: ${body.length}\r\n`;
  const fields = `Host: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n${length}`;
  const { status, body: text } = await sendRaw(
    proxy.address,
    `${call} HTTP/1.1\r\n${fields}\r\n${body ?? ''}`,
  );
  return { status, problem: text.startsWith('{') ? JSON.parse(text) : {} };
}

function clusterOf(rows: readonly Row[]): string {
  const members = rows.map(([address, uuid, localMember]) => ({ address, uuid, localMember }));
  return JSON.stringify({ members });
}
