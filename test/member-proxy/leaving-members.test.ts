/** Members that go down in their orderly way, and answer meanwhile as the real engine does (decision 19). */
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { ProbeTimes } from '../../member-proxy/members/members.ts';
import { type RawReply, sendRaw, startProxy, startRawMember, type TestProxy, until } from './servers.ts';
import { tokenFor } from './tokens.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const health = { failuresOut: 3, successesIn: 2, slowStartMs: 1 };
/** Probes that come by themselves only when a test wants them to. */
const rare: ProbeTimes = { everyMs: 60_000, replyMs: 500 };
const often: ProbeTimes = { everyMs: 20, replyMs: 500 };

/** Word for word as members of 5.3.8 and 5.7.0 say it between the start of their shutdown and its end. */
const notActive = '{"status":"fail","message":"Hazelcast instance is not active!"}';
const notBegun =
  '{"status":"fail","message":"State: PASSIVE Operation: class com.hazelcast.collection.impl.queue.operations.OfferOperation"}';

describe('a member that answers that it is not active (B3)', () => {
  test.each([
    { name: 'a write to a map', call: 'POST /svc/rest/maps/m/k', answer: json(notActive) },
    { name: 'an offer', call: 'POST /svc/rest/queues/q', answer: json(notActive) },
    { name: 'an offer that was not begun', call: 'POST /svc/rest/queues/q', answer: json(notBegun) },
    { name: 'a poll by GET', call: 'GET /svc/rest/queues/q/0', answer: json(notActive) },
    { name: 'the size of a queue', call: 'GET /svc/rest/queues/q/size', answer: json(notActive) },
  ])('gets nothing more, and $name goes to another', async ({ call, answer }) => {
    const going = await startMember(() => answer, { ready: 200 });
    const staying = await startMember(() => ok('done'));
    const proxy = await open([going.address, staying.address], rare);
    // Which of the two is first goes round.
    expect(await statusesOf(proxy, call, 4)).toEqual([200, 200, 200, 200]);
    expect(going.calls).toHaveLength(1);
    expect(staying.calls).toHaveLength(4);
    expect(isIn(proxy, going.address)).toBe(false);
  });

  test('gets the body of the offer once, and so does the other (B3)', async () => {
    const going = await startMember(() => json(notActive), { ready: 200 });
    const staying = await startMember(() => ok(''));
    const proxy = await open([going.address, staying.address], rare);
    await statusesOf(proxy, 'POST /svc/rest/queues/q', 2);
    const bodies = staying.calls.map((bytes) => bytes.split('\r\n\r\n')[1]);
    expect(bodies).toEqual(['item', 'item']);
    expect(going.calls.map((bytes) => bytes.split('\r\n\r\n')[1])).toEqual(['item']);
  });

  test('and is the only one, has its answer passed on as it came (B3)', async () => {
    const only = await startMember(() => json(notActive), { ready: 200 });
    const proxy = await open([only.address], rare);
    const { status, body } = await send(proxy, 'POST /svc/rest/queues/q');
    expect([status, body]).toEqual([500, notActive]);
  });

  test('when all go, the last answer is passed on (B3)', async () => {
    const members = await Promise.all(
      [1, 2, 3].map(() => startMember(() => json(notActive), { ready: 200 })),
    );
    const proxy = await open(
      members.map(({ address }) => address),
      rare,
    );
    const { status, body } = await send(proxy, 'POST /svc/rest/queues/q');
    expect([status, body]).toEqual([500, notActive]);
    expect(members.map(({ calls }) => calls.length)).toEqual([1, 1, 1]);
  });

  test.each([
    ['another reason', '{"status":"fail","message":"For input string: \\"x\\""}'],
    ['a state of the cluster', '{"status":"fail","message":"Cluster is in PASSIVE state! Operation: x"}'],
    ['no reason', '{"status":"fail"}'],
    ['no body', ''],
    ['no JSON', 'Hazelcast instance is not active!'],
  ])('an offer that failed for %s is not sent twice, and puts nobody out (B3)', async (_name, body) => {
    const failing = await startMember(() => json(body), { ready: 200 });
    const other = await startMember(() => json(body), { ready: 200 });
    const proxy = await open([failing.address, other.address], rare);
    const reply = await send(proxy, 'POST /svc/rest/queues/q');
    expect([reply.status, reply.body]).toEqual([500, body]);
    expect(failing.calls.length + other.calls.length).toBe(1);
    expect(proxy.members.statuses().every((status) => status.isIn)).toBe(true);
  });

  test('an offer that got no answer at all is not sent twice, not even from a member that is going (B3)', async () => {
    let ready = 200;
    const manner = () => ({ ready });
    const going = await startMember((socket) => void socket.destroy(), manner);
    const other = await startMember((socket) => void socket.destroy(), manner);
    const proxy = await open([going.address, other.address], often);
    ready = 503;
    await until(() => proxy.members.statuses().every((status) => !status.isIn), 'both are out');
    expect((await send(proxy, 'POST /svc/rest/queues/q')).status).toBe(502);
    expect(going.calls.length + other.calls.length).toBe(1);
  });
});

describe('a DELETE that failed without a reason (B3)', () => {
  test.each(['DELETE /svc/rest/queues/q/0', 'DELETE /svc/rest/maps/m'])(
    '%s goes to another member when the first says that it is not ready',
    async (call) => {
      let ready = 200;
      const going = await startMember(
        () => json(''),
        () => ({ ready }),
      );
      const staying = await startMember(() => ok('item'));
      const proxy = await open([going.address, staying.address], rare);
      ready = 503;
      expect(await statusesOf(proxy, call, 2)).toEqual([200, 200]);
      expect(going.calls).toHaveLength(1);
      expect(isIn(proxy, going.address)).toBe(false);
    },
  );

  test.each(['DELETE /svc/rest/queues/q/0', 'DELETE /svc/rest/maps/m'])(
    '%s goes to another member when the first is gone before it can be asked',
    async (call) => {
      const going = await startMember((socket) => {
        socket.write(json(''), () => void going.close());
        return undefined;
      });
      const staying = await startMember(() => ok('item'));
      const proxy = await open([going.address, staying.address], rare);
      expect(await statusesOf(proxy, call, 2)).toEqual([200, 200]);
      expect(going.calls).toHaveLength(1);
      expect(staying.calls).toHaveLength(2);
    },
  );

  test('is the caller’s answer when the member says that it is ready (B3)', async () => {
    const failing = await startMember(() => json(''), { ready: 200 });
    const other = await startMember(() => json(''), { ready: 200 });
    const proxy = await open([failing.address, other.address], rare);
    expect((await send(proxy, 'DELETE /svc/rest/queues/q/x')).status).toBe(500);
    expect(failing.calls.length + other.calls.length).toBe(1);
  });

  test('is asked of no other member when the caller leaves while the first is asked what it meant (B3)', async () => {
    let manner: Manner = { ready: 200 };
    let answerReady: (() => void) | undefined;
    const hold = (answer: () => void) => {
      answerReady = answer;
    };
    const going = await startMember(
      () => json(''),
      () => manner,
      hold,
    );
    const staying = await startMember(
      () => json(''),
      () => manner,
      hold,
    );
    const proxy = await open([going.address, staying.address], rare);
    manner = { ready: 503, wait: true };
    const { hostname, port } = new URL(proxy.address);
    const token = await tokenFor(proxy.key, 'Admin');
    const caller = connect(Number(port), hostname);
    caller.write(`DELETE /svc/rest/queues/q/0 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await until(() => answerReady !== undefined, 'the member is asked');
    caller.destroy();
    await until(() => proxy.records.length === 1, 'the caller has left');
    answerReady!();
    await until(() => proxy.members.statuses().some((status) => !status.isIn), 'it has said so');
    expect(going.calls.length + staying.calls.length).toBe(1);
    expect(proxy.members.statuses().map(({ pending }) => pending)).toEqual([0, 0]);
  });
});

describe('a member whose probe says that it is not ready (B3)', () => {
  test('is out with the first such answer, while silence takes three (B3)', async () => {
    let ready = 200;
    const going = await startMember(
      () => ok('going'),
      () => ({ ready }),
    );
    const staying = await startMember(() => ok('staying'));
    const proxy = await open([going.address, staying.address], often);
    ready = 503;
    await until(() => going.probes.at(-1) === 503, 'one answer');
    await until(() => !isIn(proxy, going.address), 'it is out');
    expect(going.probes.filter((status) => status === 503).length).toBeLessThanOrEqual(2);
    ready = 200;
    await until(() => isIn(proxy, going.address), 'it is back');
  });

  test('and hangs up on a poll that waits, has it go on at another with the seconds that are left (B3)', async () => {
    let ready = 200;
    const held: Socket[] = [];
    const going = await startMember(
      (socket) => void held.push(socket),
      () => ({ ready }),
    );
    const staying = await startMember(
      (socket) => void held.push(socket),
      () => ({ ready: 200 }),
    );
    const proxy = await open([going.address, staying.address], often);
    // One at each of them.
    const waiting = [1, 2].map(() => send(proxy, 'DELETE /svc/rest/queues/q/30'));
    await until(() => going.calls.length === 1 && staying.calls.length === 1, 'the polls wait');
    ready = 503;
    await until(() => !isIn(proxy, going.address), 'it is out');
    await new Promise((resolve) => setTimeout(resolve, 600));
    going.hangUp();
    await until(() => staying.calls.length === 2, 'the poll goes on');
    expect(staying.calls[1]).toMatch(/^DELETE \/svc\/rest\/queues\/q\/29 /);
    for (const socket of held) if (!socket.destroyed) socket.write(ok('item'));
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
    expect(going.calls).toHaveLength(1);
  });

  test('a poll at a member that dies without a word is no other member’s (B3)', async () => {
    const dying = await startMember((socket) => void socket.destroy(), { ready: 200 });
    const other = await startMember(() => ok('item'));
    const proxy = await open([dying.address, other.address], rare);
    const replies = await Promise.all([1, 2].map(() => send(proxy, 'DELETE /svc/rest/queues/q/30')));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 502]);
    expect(other.calls).toHaveLength(1);
  });
});

describe('memberShutdown through the proxy (B3)', () => {
  const shutdown = (host: string) => `POST /members/${host}/svc/rest/management/cluster/memberShutdown`;

  test('puts the member out before it hears of it, and it stays out although it says a while that it is ready (B3)', async () => {
    const going = await startMember(() => ok('{"status":"success"}'), { ready: 200 });
    const staying = await startMember(() => ok('v'));
    const proxy = await open([going.address, staying.address], often);
    const { host } = new URL(going.address);
    expect((await send(proxy, shutdown(host), 'dev&')).status).toBe(200);
    const before = going.probes.length;
    await until(() => going.probes.length > before + 3, 'good probes');
    expect(isIn(proxy, going.address)).toBe(false);
    await statusesOf(proxy, 'POST /svc/rest/maps/m/k', 4);
    expect(going.calls).toHaveLength(1);
  });

  test('that the member refuses leaves it in (B3)', async () => {
    const rejecting = await startMember(() => 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n', {
      ready: 200,
    });
    const other = await startMember(() => ok('v'));
    const proxy = await open([rejecting.address, other.address], rare);
    const { host } = new URL(rejecting.address);
    expect((await send(proxy, shutdown(host), 'dev&')).status).toBe(403);
    expect(isIn(proxy, rejecting.address)).toBe(true);
  });

  test('waits for a poll that waits there, and no new one comes to it (B3)', async () => {
    const held: Socket[] = [];
    const going = await startMember(
      (socket, bytes) => {
        if (bytes.includes('memberShutdown')) return ok('{"status":"success"}');
        held.push(socket);
        return undefined;
      },
      { ready: 200 },
    );
    const staying = await startMember(() => ok('v'));
    const proxy = await open([going.address, staying.address], rare);
    const { host } = new URL(going.address);
    const poll = send(proxy, `DELETE /members/${host}/svc/rest/queues/q/30`);
    await until(() => held.length === 1, 'the poll waits');
    const reported = send(proxy, shutdown(host), 'dev&');
    await until(() => !isIn(proxy, going.address), 'it is out');
    await statusesOf(proxy, 'POST /svc/rest/maps/m/k', 3);
    expect(going.calls).toHaveLength(1);
    held[0]!.write(ok('item'));
    expect([(await poll).status, (await reported).status]).toEqual([200, 200]);
    expect(going.calls).toHaveLength(2);
  });
});

interface Manner {
  readonly ready: number;
  readonly wait?: boolean;
}

/** @returns what goes out, or undefined for nothing */
type Act = (socket: Socket, bytes: string) => string | undefined;

async function startMember(
  act: Act,
  manner: Manner | (() => Manner) = { ready: 200 },
  holdReady: (answer: () => void) => void = () => {},
) {
  const calls: string[] = [];
  const probes: number[] = [];
  const callers = new Set<Socket>();
  const member = await startRawMember((socket) => {
    socket.on('data', (data) => {
      const bytes = data.toString();
      if (bytes.includes('/health/ready')) {
        const { ready, wait } = typeof manner === 'function' ? manner() : manner;
        probes.push(ready);
        const answer = () => socket.write(`HTTP/1.1 ${ready} Word\r\nContent-Length: 0\r\n\r\n`);
        if (wait) holdReady(answer);
        else answer();
        return;
      }
      if (bytes.startsWith('HEAD ') || bytes.includes('/rest/cluster HTTP')) {
        socket.write(
          bytes.startsWith('HEAD ') ? ok('') : 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n',
        );
        return;
      }
      calls.push(bytes);
      callers.add(socket);
      const said = act(socket, bytes);
      if (said !== undefined) socket.write(said);
    });
  });
  cleanups.push(member.close);
  return {
    address: member.address,
    calls,
    probes,
    close: member.close,
    hangUp() {
      for (const socket of callers) socket.destroy();
    },
  };
}

async function open(members: readonly string[], probes: ProbeTimes): Promise<TestProxy> {
  const proxy = await startProxy({ members, prefix: 'svc', probes, health });
  cleanups.push(proxy.close);
  await until(
    () => proxy.members.statuses().every(({ lastProbe }) => lastProbe === 'ready'),
    'the first probes',
  );
  return proxy;
}

async function send(proxy: TestProxy, call: string, given?: string): Promise<RawReply> {
  const token = await tokenFor(proxy.key, 'Admin');
  const body = given ?? (call.startsWith('POST') ? 'item' : undefined);
  const length = body === undefined ? '' : `Content-Length: ${body.length}\r\n`;
  const fields = `Host: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n${length}`;
  return sendRaw(proxy.address, `${call} HTTP/1.1\r\n${fields}\r\n${body ?? ''}`);
}

async function statusesOf(proxy: TestProxy, call: string, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i += 1) statuses.push((await send(proxy, call)).status);
  return statuses;
}

function isIn(proxy: TestProxy, address: string): boolean {
  return proxy.members.statuses().find((status) => status.address === address)!.isIn;
}

function ok(body: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

function json(body: string): string {
  const type = body === '' ? '' : 'Content-Type: application/json\r\n';
  return `HTTP/1.1 500 Internal Server Error\r\n${type}Content-Length: ${body.length}\r\n\r\n${body}`;
}
