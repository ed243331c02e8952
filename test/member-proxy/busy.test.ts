/** Members that have as much to do as they can take, and members that fall silent (S65, S66, S67). */
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type ProxyOptions,
  type RawReply,
  sendRaw,
  startProxy,
  startRawMember,
  type TestProxy,
  until,
  unusedAddress,
} from './servers.ts';
import { signToken, tokenFor } from './tokens.ts';

const closers: (() => unknown)[] = [];
let proxy: TestProxy;
let authorization: string;

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
/** Longer than any test lasts. */
const limits = { waitMs: 60_000 };

/** A member that answers all but what it holds, which it answers when told to. */
async function holding(isHeld: (request: string) => boolean) {
  const held: Socket[] = [];
  const requests: string[] = [];
  const member = await startRawMember((socket) =>
    socket.on('data', (bytes) => {
      const request = bytes.toString('latin1');
      requests.push(request.split(' HTTP')[0]!);
      if (isHeld(request)) held.push(socket);
      else socket.write(ok);
    }),
  );
  closers.push(member.close);
  return { ...member, requests, held, release: () => held.shift()?.write(ok) };
}

const isPoll = (request: string) => request.startsWith('DELETE /svc/rest/queues/');

async function open(members: readonly string[], options: ProxyOptions = {}): Promise<void> {
  proxy = await startProxy({ members, ...options });
  closers.unshift(proxy.close);
  authorization = `Authorization: Bearer ${await tokenFor(proxy.key, 'Admin')}\r\n`;
}

const request = (method: string, path: string, body = '', credentials = authorization) =>
  `${method} ${path} HTTP/1.1\r\nHost: p\r\n${credentials}${body && `Content-Length: ${body.length}\r\n`}\r\n${body}`;
const call = (method: string, path: string, body = '') => sendRaw(proxy.address, request(method, path, body));
const poll = () => call('DELETE', '/svc/rest/queues/q/60');
const hostOf = ({ address }: { readonly address: string }) => new URL(address).host;

describe('polls at one member', () => {
  test('hold no more of its workers than they may: others are answered, and more polls are 503 member_busy', async () => {
    const member = await holding(isPoll);
    await open([member.address], { limits: { memberPolls: 2, waitMs: 100 } });
    const held = [poll(), poll()];
    await until(() => member.held.length === 2, 'two polls wait at the member');
    const rejected = await poll();
    expect(rejected.status).toBe(503);
    expect(rejected.head).toMatch(/\r\nRetry-After: \d+\r\n/);
    const problem = JSON.parse(rejected.body);
    expect(problem).toMatchObject({ code: 'member_busy' });
    expect(problem.detail).toContain(`The member ${hostOf(member)} has as many polls`);
    expect((await call('GET', '/svc/rest/cluster')).status).toBe(200);
    expect(member.requests.filter(isPoll)).toHaveLength(2);
    member.release();
    member.release();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('wait their turn, and get it when one ends', async () => {
    const member = await holding(isPoll);
    await open([member.address], { limits: { ...limits, memberPolls: 1 } });
    const polls = [poll(), poll(), poll()];
    for (let i = 1; i <= 3; i += 1) {
      await until(
        () => member.held.length === 1 && member.requests.length === i,
        `poll ${i} is at the member`,
      );
      member.release();
    }
    expect((await Promise.all(polls)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('one whose caller leaves is kept for the next caller, who needs no place of his own (S70, S94)', async () => {
    const member = await holding(isPoll);
    await open([member.address], { limits: { ...limits, memberPolls: 1 } });
    const caller = connect(Number(new URL(proxy.address).port), '127.0.0.1');
    caller.on('error', () => undefined);
    caller.write(request('DELETE', '/svc/rest/queues/q/60'));
    await until(() => member.held.length === 1, 'the first poll waits');
    const next = poll();
    caller.destroy();
    await until(() => proxy.records.length === 1, 'he has left');
    member.release();
    expect((await next).body).toBe('ok');
    expect(member.requests).toHaveLength(1);
  });

  test('go to another member that has room', async () => {
    const members = [await holding(isPoll), await holding(isPoll)];
    await open(
      members.map(({ address }) => address),
      { limits: { ...limits, memberPolls: 1 } },
    );
    const polls = [poll(), poll()];
    await until(() => members.every(({ held }) => held.length === 1), 'each member has one');
    for (const { release } of members) release();
    expect((await Promise.all(polls)).map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('polls that wait (A2, S93)', () => {
  test('have places of their own: with all of them taken, other calls pass, and with all of theirs taken, polls do (A2)', async () => {
    const member = await holding((request) => isPoll(request) || request.startsWith('GET '));
    await open([member.address], { limits: { memberConnections: 1, memberPolls: 2, waitMs: 100 } });
    const polls = [poll(), poll()];
    await until(() => member.held.length === 2, 'two polls wait');
    expect((await call('POST', '/svc/rest/maps/m/k', 'x')).status).toBe(200);
    const read = call('GET', '/svc/rest/instance');
    await until(() => member.held.length === 3, 'a read is at the member');
    member.release();
    // Which of the two came first at the member is not said.
    expect((await Promise.race(polls)).status).toBe(200);
    const next = poll();
    await until(() => member.held.length === 3, 'a poll has its place beside the read');
    expect((await call('POST', '/svc/rest/maps/m/k', 'x')).status).toBe(503);
    for (let i = 0; i < 3; i += 1) member.release();
    expect((await Promise.all([...polls, read, next])).map(({ status }) => status)).toEqual(
      Array(4).fill(200),
    );
  });

  test.each(['/svc/rest/queues/q/0', '/svc/rest/queues/q/'])(
    'a poll that does not wait, %s, takes none of their places and needs none (A2)',
    async (path) => {
      const member = await holding((request) => isPoll(request) && request.includes('/60 '));
      await open([member.address], { limits: { memberPolls: 1, waitMs: 100 } });
      const held = poll();
      await until(() => member.held.length === 1, 'a poll waits');
      expect((await call('DELETE', path)).status).toBe(200);
      member.release();
      expect((await held).status).toBe(200);
    },
  );

  test.each([
    '/svc/rest/queues/q%2F60',
    '/svc/rest/queues/q%2f60/0',
    '/svc/rest/queues/q?/60',
    '/svc/rest/queues/q/60/',
    '/svc/rest/queues/q/%36',
  ])('what a member may read as a poll that waits has a place of theirs: %s (A2)', async (path) => {
    const member = await holding(isPoll);
    await open([member.address], { limits: { memberPolls: 1, waitMs: 100 } });
    const held = poll();
    await until(() => member.held.length === 1, 'a poll waits');
    expect((await call('DELETE', path)).status).toBe(503);
    member.release();
    expect((await held).status).toBe(200);
  });

  test('of one caller, however many, do not keep those of others out (A2)', async () => {
    const member = await holding(isPoll);
    await open([member.address], { limits: { ...limits, memberPolls: 12, memberWaiting: 64 } });
    const credentials = async (sub: string) => {
      const claims = { sub, client_id: sub, roles: ['Admin'] };
      return `Authorization: Bearer ${await signToken(proxy.key, { claims })}\r\n`;
    };
    const [greedy, other, third] = [
      await credentials('greedy'),
      await credentials('other'),
      await credentials('third'),
    ];
    let count = 0;
    const pollAs = (who: string) => {
      count += 1;
      return sendRaw(proxy.address, request('DELETE', `/svc/rest/queues/q${count}/60`, '', who));
    };
    const answers: Promise<RawReply>[] = Array.from({ length: 600 }, () => pollAs(greedy));
    await until(() => member.held.length === 8, 'two thirds of the places are taken');
    // One that has no place in the line is refused at once, and the line has places left.
    const statuses = Promise.all(answers).then((all) => all.map(({ status }) => status));
    answers.push(pollAs(other));
    await until(() => member.held.length === 9, 'another caller has a place at once');
    answers.push(pollAs(third));
    await until(() => member.held.length === 10, 'and a third');
    const isDone = { now: false };
    void statuses.then(() => {
      isDone.now = true;
    });
    await until(() => {
      member.release();
      return isDone.now;
    }, 'all are answered');
    const served = (await statuses).filter((status) => status === 200);
    expect(served.length).toBeGreaterThan(8);
    expect(new Set(await statuses)).toEqual(new Set([200, 503]));
  });

  test('of several callers have their turns one after the other (A2)', async () => {
    const member = await holding(isPoll);
    await open([member.address], { limits: { ...limits, memberPolls: 1 } });
    const pollOf = async (sub: string) => {
      const claims = { sub, client_id: sub, roles: ['Admin'] };
      const who = `Authorization: Bearer ${await signToken(proxy.key, { claims })}\r\n`;
      return () => sendRaw(proxy.address, request('DELETE', `/svc/rest/queues/${sub}/60`, '', who));
    };
    const [many, one] = [await pollOf('many'), await pollOf('one')];
    const polls = Array.from({ length: 5 }, many);
    await until(() => member.held.length === 1, 'the first waits at the member');
    polls.push(one());
    await until(() => proxy.members.statuses()[0]!.pending === 6, 'all have come');
    for (let i = 1; i <= 6; i += 1) {
      await until(() => member.held.length === 1 && member.requests.length === i, `poll ${i} is there`);
      member.release();
    }
    await Promise.all(polls);
    expect(member.requests.map((line) => line.split('/')[4])).toEqual([
      'many',
      'many',
      'one',
      'many',
      'many',
      'many',
    ]);
  });
});

describe('calls at a member whose connections are all taken', () => {
  test('do not wait for ever: 503 member_busy (S65)', async () => {
    const member = await holding((request) => request.startsWith('GET '));
    await open([member.address], { limits: { memberConnections: 1, waitMs: 100 } });
    const held = call('GET', '/svc/rest/instance');
    await until(() => member.held.length === 1, 'a call is at the member');
    const rejected = await call('POST', '/svc/rest/maps/m/k', 'x');
    expect([rejected.status, JSON.parse(rejected.body).code]).toEqual([503, 'member_busy']);
    expect(rejected.head).toMatch(/\r\nRetry-After: \d+\r\n/);
    member.release();
    expect((await held).status).toBe(200);
    expect(member.requests).toHaveLength(1);
  });

  test('stand in a line that has an end', async () => {
    const member = await holding(() => true);
    await open([member.address], { limits: { ...limits, memberConnections: 1, memberWaiting: 1 } });
    const first = call('GET', '/svc/rest/cluster');
    await until(() => member.held.length === 1, 'the first call is at the member');
    const others = [call('GET', '/svc/rest/instance'), call('GET', '/svc/rest/instance')];
    const [rejected] = await Promise.all([Promise.race(others)]);
    expect(rejected!.status).toBe(503);
    member.release();
    await until(() => member.held.length === 1, 'the one in the line has its turn');
    member.release();
    expect((await first).status).toBe(200);
    expect((await Promise.all(others)).map(({ status }) => status).sort()).toEqual([200, 503]);
  });

  test('do not get what the member said twice to the call before (D4)', async () => {
    let asked = 0;
    const member = await startRawMember((socket) =>
      socket.setNoDelay().on('data', () => {
        asked += 1;
        if (asked % 2 === 0) return void socket.write(ok.replace('ok', 'b!'));
        socket.write(ok);
        // So late that the answer has been read, and so early that the next call has just been sent.
        setImmediate(() => setImmediate(() => socket.write(ok.replace('ok', 'a?'))));
      }),
    );
    closers.push(member.close);
    await open([member.address], { limits: { ...limits, memberConnections: 1 } });
    for (let i = 1; i <= 10; i += 1) {
      const replies = await Promise.all([
        call('GET', '/svc/rest/instance'),
        call('GET', '/svc/rest/instance'),
      ]);
      expect(replies.map(({ body }) => body).sort()).toEqual(['b!', 'ok']);
    }
  });

  test('use the connections that there are again', async () => {
    const member = await holding(() => false);
    await open([member.address], { limits: { ...limits, memberConnections: 2 } });
    const replies = await Promise.all(Array.from({ length: 50 }, () => call('GET', '/svc/rest/cluster')));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(member.opened()).toBeLessThanOrEqual(2);
  });
});

describe('a member that falls silent', () => {
  const probing = {
    probes: { everyMs: 20, replyMs: 300 },
    health: { failuresOut: 3, successesIn: 2, slowStartMs: 1 },
  };
  const reads = Array.from({ length: 6 }, () => '/svc/rest/instance');

  test('its reads move to another as soon as a probe goes unanswered; writes and polls stay (S66)', async () => {
    let isSilent = false;
    const hung = await holding(() => isSilent);
    const steady = await holding((request) => /^(?:POST|DELETE)/.test(request));
    await open([hung.address, steady.address], probing);
    await until(
      () => proxy.members.statuses().every(({ lastProbe }) => lastProbe === 'ready'),
      'both are ready',
    );
    isSilent = true;
    const pending = reads.map((path) => call('GET', path));
    expect((await Promise.all(pending)).map(({ status }) => status)).toEqual(reads.map(() => 200));
    const sentTwice = hung.requests.filter((line) => line.includes('instance')).length;
    expect(steady.requests.filter((line) => line.includes('instance'))).toHaveLength(6);
    expect(sentTwice).toBeLessThanOrEqual(6);
  });

  test('a write that it has is sent to nobody else (S66)', async () => {
    let isSilent = false;
    const hung = await holding(() => isSilent);
    const steady = await holding(() => false);
    await open([hung.address, steady.address], { ...probing, limits: { replyMs: 4_000 } });
    await until(
      () => proxy.members.statuses().every(({ lastProbe }) => lastProbe === 'ready'),
      'both are ready',
    );
    isSilent = true;
    const replies = await Promise.all([1, 2].map(() => call('POST', '/svc/rest/maps/m/k', 'x')));
    const got = [...hung.requests, ...steady.requests].filter((line) => line.startsWith('POST'));
    expect(got).toHaveLength(2);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 504]);
  });

  test('reads under way at a member that is killed are answered by another (S66)', async () => {
    const killed = await holding((request) => request.includes('/instance'));
    const steady = await holding(() => false);
    await open([killed.address, steady.address]);
    const pending = reads.map((path) => call('GET', path));
    await until(() => killed.held.length > 0, 'some are at the member');
    await killed.close();
    expect((await Promise.all(pending)).map(({ status }) => status)).toEqual(reads.map(() => 200));
  });

  test('a refused connection puts it behind the others at once, and nobody waits for its probes (S67)', async () => {
    const gone = await unusedAddress();
    const steady = await holding(() => false);
    await open([gone, steady.address], { ...probing, probes: { everyMs: 60_000, replyMs: 300 } });
    for (let i = 0; i < 6; i += 1) expect((await call('GET', '/svc/rest/instance')).status).toBe(200);
    await until(() => proxy.members.statuses()[0]!.lastProbe === 'unreachable', 'it was probed');
    expect(proxy.members.list()[0]!.isTrusted).toBe(false);
    expect(proxy.members.list()[1]!.isTrusted).toBe(true);
  });
});
