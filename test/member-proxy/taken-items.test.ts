/** Items of queues whose caller leaves (B1, S94). `TEST_LEAVING_CALLERS` makes the runs longer. */
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { builtInConfig } from '../../member/config/built-in-config.ts';
import { startMember } from '../../member/member.ts';
import type { ItemRecord } from '../../member-proxy/queue-polls/queue-item.ts';
import { runLeavingCallers, sha256 } from '../helpers/leaving-callers.ts';
import { type ProxyOptions, startProxy, startRawMember, until } from './servers.ts';
import { signToken, tokenFor } from './tokens.ts';

const items = Number(process.env.TEST_LEAVING_CALLERS ?? 300);

async function memberAndProxy(options: ProxyOptions = {}) {
  const logged: { sha256?: string }[] = [];
  const log = { debug() {}, info() {}, warn: (fields: object) => void logged.push(fields), error() {} };
  const config = builtInConfig({ restEnabled: true, groups: ['DATA', 'CLUSTER_READ', 'HEALTH_CHECK'] });
  const member = await startMember({ config, host: '127.0.0.1', port: 0, log });
  const reported: ItemRecord[] = [];
  const proxy = await startProxy({
    members: [member.address],
    onItem: (record) => reported.push(record),
    ...options,
  });
  onTestFinished(async () => {
    await proxy.close();
    await member.close();
  });
  const direct = (method: string, path: string, init: RequestInit = {}) =>
    fetch(`${member.address}/svc/rest/queues/${path}`, { method, ...init });
  return {
    member,
    proxy,
    reported,
    logged,
    direct,
    fields: `Authorization: Bearer ${await tokenFor(proxy.key, 'Admin')}\r\n`,
    offer: async (queue: string, body: string) => {
      expect((await direct('POST', queue, { body })).status).toBe(200);
    },
    take: async (queue: string) => {
      const reply = await direct('DELETE', `${queue}/0`);
      return reply.status === 200 ? await reply.text() : undefined;
    },
  };
}

const portOf = ({ address }: { readonly address: string }) => Number(new URL(address).port);

describe('callers that close, reset and half-close as their item comes (B1, S94)', () => {
  test.each([
    { name: 'the embedded member', options: { canWithdraw: true }, method: 'DELETE' as const },
    { name: 'a member that goes on waiting', options: {}, method: 'GET' as const },
    {
      name: 'the embedded member, past the fast path',
      options: { canWithdraw: true, hasFastPath: false },
      method: 'GET' as const,
    },
  ])(
    `of ${items} items at $name each is read once, or in its queue, or told (B1)`,
    async ({ options, method }) => {
      const { proxy, reported, fields, offer, take } = await memberAndProxy(options);
      const outcome = await runLeavingCallers({
        port: portOf(proxy),
        fields,
        method,
        items,
        offer,
        take,
        lost: () => reported.flatMap((record) => record.sha256 ?? []),
      });
      console.info(items, outcome, count(reported));
      expect(outcome).toMatchObject({ missing: [], doubled: [] });
    },
    600_000,
  );

  test(`of ${items} items at the member's own port each is read once, or in its queue, or told (B1)`, async () => {
    const { member, logged, offer, take } = await memberAndProxy();
    const outcome = await runLeavingCallers({
      port: portOf(member),
      items,
      offer,
      take,
      lost: () => logged.flatMap((fields) => fields.sha256 ?? []),
    });
    console.info(items, outcome);
    expect(outcome).toMatchObject({ missing: [], doubled: [] });
  }, 600_000);
});

const poll = (fields: string, method = 'DELETE', path = 'q/30') =>
  `${method} /svc/rest/queues/${path} HTTP/1.1\r\nHost: p\r\n${fields}\r\n`;

function callerAt(address: string) {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(address).port), noDelay: true });
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  socket.on('error', () => undefined);
  return { socket, text: () => text };
}

/** A member whose polls are answered when a test says so, and which keeps what it is offered. */
async function heldMember() {
  const polls: Socket[] = [];
  const offers: string[] = [];
  let answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
  const member = await startRawMember((socket) =>
    socket.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      if (!text.startsWith('POST')) return void polls.push(socket);
      offers.push(text);
      socket.write(answer);
    }),
  );
  onTestFinished(member.close);
  return {
    ...member,
    polls,
    offers,
    rejectOffers: () => {
      answer = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n';
    },
    takeOffers: () => {
      answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
    },
    give: (item: string, type = 'Content-Type: a/b\r\n') =>
      polls.shift()!.write(`HTTP/1.1 200 OK\r\n${type}Content-Length: ${item.length}\r\n\r\n${item}`),
  };
}

async function held(options: ProxyOptions = {}) {
  const member = await heldMember();
  const reported: ItemRecord[] = [];
  const proxy = await startProxy({
    members: [member.address],
    onItem: (record) => reported.push(record),
    ...options,
  });
  onTestFinished(proxy.close);
  // What is still unanswered would be waited for at the stop.
  onTestFinished(() => member.polls.forEach((socket) => void socket.destroy()));
  const fieldsOf = async (sub: string) =>
    `Authorization: Bearer ${await signToken(proxy.key, { claims: { sub, client_id: sub, jti: sub, roles: ['Admin'] } })}\r\n`;
  /** A poll that waits at the member, whose caller then leaves. */
  const leave = async (path?: string) => {
    const caller = callerAt(proxy.address);
    caller.socket.write(poll(await fieldsOf('a'), 'DELETE', path));
    await until(() => member.polls.length > 0, 'the poll waits');
    const calls = proxy.records.length;
    caller.socket.destroy();
    await until(() => proxy.records.length > calls, 'the caller has left');
  };
  return { member, proxy, reported, fieldsOf, leave };
}

describe('an item that no caller took (B1, S94)', () => {
  test('is offered back, with its type, within a second', async () => {
    const { member, reported, leave } = await held();
    await leave();
    const at = performance.now();
    member.give('item');
    await until(() => reported.length === 1, 'it is put back');
    expect(performance.now() - at).toBeLessThan(1_000);
    expect(member.offers[0]).toMatch(
      /^POST \/svc\/rest\/queues\/q HTTP\/1\.1\r\n[\s\S]*content-type: a\/b\r\n[\s\S]*\r\n\r\nitem$/,
    );
    expect(reported[0]).toMatchObject({
      outcome: 'putBack',
      path: '/svc/rest/queues/q/30',
      size: 4,
      subject: 'a',
    });
  });

  test('goes to the next poll of that queue, which may come a moment later', async () => {
    const { member, proxy, reported, fieldsOf, leave } = await held();
    await leave();
    member.give('item');
    const next = callerAt(proxy.address);
    next.socket.write(poll(await fieldsOf('b')));
    await until(() => next.text().endsWith('item'), 'the next caller has it');
    expect(next.text()).toContain('Content-Type: a/b');
    expect(reported).toMatchObject([{ outcome: 'handedOn', subject: 'a' }]);
    expect(member.offers).toEqual([]);
  });

  test.each([
    ['another queue', 'DELETE', 'other/30'],
    ['another method, which says types differently', 'GET', 'q/30'],
  ])('does not go to a poll of %s', async (_, method, path) => {
    const { member, proxy, reported, fieldsOf, leave } = await held();
    await leave();
    const other = callerAt(proxy.address);
    other.socket.write(poll(await fieldsOf('b'), method, path));
    await until(() => member.polls.length === 2, 'the other poll waits');
    member.give('item');
    await until(() => reported.length === 1, 'it is put back');
    expect(reported[0]!.outcome).toBe('putBack');
    expect(other.text()).toBe('');
  });

  test('is given to a poll that its caller may make: one without the scope is refused and gets nothing', async () => {
    const { member, proxy, reported, leave } = await held();
    await leave();
    member.give('item');
    const claims = { sub: 'viewer', client_id: 'viewer', roles: ['Viewer'] };
    const viewer = callerAt(proxy.address);
    viewer.socket.write(poll(`Authorization: Bearer ${await signToken(proxy.key, { claims })}\r\n`));
    await until(() => viewer.text().includes('403'), 'he is refused');
    await until(() => reported.length === 1, 'it is put back');
    expect(viewer.text()).not.toContain('item');
  });

  test('is offered until it is taken, and goes to a poll that comes meanwhile', async () => {
    const { member, proxy, reported, fieldsOf, leave } = await held();
    member.rejectOffers();
    await leave();
    member.give('item');
    await until(() => member.offers.length >= 2, 'it is offered again');
    expect(reported).toEqual([]);
    const next = callerAt(proxy.address);
    next.socket.write(poll(await fieldsOf('b')));
    await until(() => next.text().endsWith('item'), 'the next caller has it');
    expect(reported).toMatchObject([{ outcome: 'handedOn' }]);
  });

  test('is told with its size and digest where it cannot be handed on, such as at a stop with a full queue', async () => {
    const { member, proxy, reported, leave } = await held();
    member.rejectOffers();
    await leave();
    member.give('item');
    await until(() => member.offers.length >= 1, 'it is offered');
    await proxy.close();
    expect(reported).toMatchObject([
      { outcome: 'lost', reason: 'no member took it back', size: 4, sha256: sha256('item') },
    ]);
  });

  test('is put back before a proxy that stops has stopped', async () => {
    const { member, proxy, reported, leave } = await held();
    await leave();
    const closed = proxy.close();
    member.give('item');
    await closed;
    expect(reported).toMatchObject([{ outcome: 'putBack' }]);
    expect(member.offers).toHaveLength(1);
  });

  test('is put back when the token of its poll has ended', async () => {
    const { member, proxy, reported, fieldsOf } = await held();
    const caller = callerAt(proxy.address);
    caller.socket.write(poll(await fieldsOf('a')));
    await until(() => member.polls.length === 1, 'the poll waits');
    proxy.revoked.add('a');
    proxy.recheck();
    await until(() => caller.text().includes('401'), 'he is refused');
    member.give('item');
    await until(() => reported.length === 1, 'it is put back');
    expect(reported[0]!.outcome).toBe('putBack');
    expect(caller.text()).not.toContain('item');
  });

  test('of a poll that does not wait is put back too', async () => {
    const { member, reported, leave } = await held();
    await leave('q/0');
    member.give('item', '');
    await until(() => reported.length === 1, 'it is put back');
    expect(member.offers[0]).not.toContain('content-type');
  });

  test('larger than there is room for is told, for it was not kept', async () => {
    const { member, reported, leave } = await held();
    await leave();
    const item = 'x'.repeat(70 * 1024 * 1024);
    member.give(item);
    await until(() => reported.length === 1, 'it is told');
    expect(reported[0]).toMatchObject({ outcome: 'lost', size: item.length, sha256: sha256(item) });
  });

  test('a caller who is gone when the item is on its way to him, unread, has not taken it', async () => {
    const { member, reported, proxy, fieldsOf } = await held();
    const item = 'x'.repeat(8 * 1024 * 1024);
    const caller = callerAt(proxy.address);
    caller.socket.pause();
    caller.socket.write(poll(await fieldsOf('a')));
    await until(() => member.polls.length === 1, 'the poll waits');
    member.give(item);
    await new Promise<void>((resolve) => caller.socket.once('readable', resolve));
    caller.socket.destroy();
    await until(() => reported.length === 1, 'it is put back');
    expect(reported[0]).toMatchObject({ outcome: 'putBack', size: item.length });
    expect(member.offers.join('').length).toBeGreaterThan(1);
  });

  test('a caller who reads the item and resets the connection is not given another one for it: it is told', async () => {
    const { member, reported, proxy, fieldsOf } = await held();
    const caller = callerAt(proxy.address);
    caller.socket.write(poll(await fieldsOf('a')));
    await until(() => member.polls.length === 1, 'the poll waits');
    member.give('item');
    await until(() => caller.text().endsWith('item'), 'he has it');
    caller.socket.resetAndDestroy();
    await until(() => reported.length === 1, 'it is told');
    expect(reported[0]).toMatchObject({ outcome: 'lost', sha256: sha256('item') });
    expect(member.offers).toEqual([]);
  });

  test.each(['end', 'destroy'] as const)(
    'nothing is told of a caller who reads the item and leaves by %s',
    async (way) => {
      const { member, reported, proxy, fieldsOf } = await held();
      const caller = callerAt(proxy.address);
      caller.socket.write(poll(await fieldsOf('a')));
      await until(() => member.polls.length === 1, 'the poll waits');
      member.give('item');
      await until(() => caller.text().endsWith('item'), 'he has it');
      caller.socket[way]();
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      expect(reported).toEqual([]);
      expect(member.offers).toEqual([]);
    },
  );

  test('keeps the type that it was offered with at our own member, whose DELETE says text/plain', async () => {
    const { proxy, reported, fields, direct } = await memberAndProxy();
    // With a connection that stands, a poll that is under way has been sent.
    const first = callerAt(proxy.address);
    first.socket.write(poll(fields, 'DELETE', 'q/0'));
    await until(() => proxy.records.length === 1, 'the first call is over');
    const caller = callerAt(proxy.address);
    caller.socket.write(poll(fields));
    await until(() => proxy.members.statuses()[0]!.pending === 1, 'the poll is under way');
    caller.socket.destroy();
    await until(() => proxy.records.length === 2, 'he has left');
    await direct('POST', 'q', { body: '{}', headers: { 'content-type': 'application/json' } });
    await until(() => reported.length === 1, 'it is put back');
    const reply = await direct('GET', 'q/0');
    expect([reply.headers.get('content-type'), await reply.text()]).toEqual(['application/json', '{}']);
  });
});

describe('a poll that is answered too late (B1, S65)', () => {
  const limits = { pollGraceMs: 100, replyMs: 10_000 };

  test.each(['q/0', 'q/1'])('%s is 504 in time, and what it brings goes to who polls then', async (path) => {
    const { member, proxy, reported, fieldsOf } = await held({ limits });
    const first = callerAt(proxy.address);
    first.socket.write(poll(await fieldsOf('a'), 'DELETE', path));
    await until(() => first.text().includes('upstream_timeout'), 'his time is over');
    expect(first.text()).toMatch(/^HTTP\/1\.1 504 /);
    const next = callerAt(proxy.address);
    next.socket.write(poll(await fieldsOf('b')));
    // It asks by itself: the first poll may be stuck for good.
    await until(() => member.polls.length === 2, 'the next poll waits');
    member.give('item');
    await until(() => next.text().endsWith('item'), 'the next caller has it');
    expect([reported, member.offers]).toEqual([[], []]);
  });

  test('brings an item for which nobody waits: it is offered back', async () => {
    const { member, proxy, reported, fieldsOf } = await held({ limits });
    const caller = callerAt(proxy.address);
    caller.socket.write(poll(await fieldsOf('a'), 'DELETE', 'q/0'));
    await until(() => caller.text().includes('upstream_timeout'), 'his time is over');
    member.give('item');
    await until(() => reported.length === 1, 'it is put back');
    expect(reported).toMatchObject([{ outcome: 'putBack', subject: 'a', path: '/svc/rest/queues/q/0' }]);
    expect(member.offers).toHaveLength(1);
  });

  test('and was taken over by somebody with more time, has him ask again', async () => {
    const { member, proxy, fieldsOf, leave } = await held({ limits });
    await leave('q/1');
    const next = callerAt(proxy.address);
    next.socket.write(poll(await fieldsOf('b')));
    await until(() => member.polls.length === 2, 'he asks again');
    expect(next.text()).toBe('');
    member.polls.shift();
    member.give('item');
    await until(() => next.text().endsWith('item'), 'he has it');
  });

  test('keeps no place of the sixteen that a queue has', async () => {
    const { member, proxy, fieldsOf } = await held({ limits: { ...limits, memberPolls: 0 } });
    const fields = await fieldsOf('a');
    const callers = Array.from({ length: 16 }, () => callerAt(proxy.address));
    for (const { socket } of callers) socket.write(poll(fields, 'DELETE', 'q/1'));
    await until(() => callers.every(({ text }) => text().startsWith('HTTP/1.1 504')), 'all are late');
    const next = callerAt(proxy.address);
    next.socket.write(poll(fields));
    await until(() => member.polls.length === 17, 'the next poll waits there');
    member.polls.splice(0, 16);
    member.give('item');
    await until(() => next.text().endsWith('item'), 'he has it');
  });

  test('and is never answered, is given up in the end', async () => {
    const { member, proxy, fieldsOf } = await held({ limits: { pollGraceMs: 50, replyMs: 200 } });
    const caller = callerAt(proxy.address);
    caller.socket.write(poll(await fieldsOf('a'), 'DELETE', 'q/0'));
    await until(() => caller.text().includes('upstream_timeout'), 'his time is over');
    expect(proxy.members.statuses()[0]!.pending).toBe(1);
    await until(() => member.closed() === 1, 'its connection is closed');
    expect(proxy.members.statuses()[0]!.pending).toBe(0);
  });
});

describe('more polls of one queue than are kept at a member (A2, S94)', () => {
  test('are given items by turns, and end with 204 when their time is over', async () => {
    const { member, proxy, fieldsOf } = await held({ limits: { memberPolls: 0 } });
    const [many, one] = [await fieldsOf('many'), await fieldsOf('one')];
    const wait = (count: number, path: string) =>
      Array.from({ length: count }, () => {
        const caller = callerAt(proxy.address);
        caller.socket.write(poll(many, 'DELETE', path));
        return caller;
      });
    const callers = wait(16, 'q/30');
    await until(() => member.polls.length === 16, 'as many as are kept wait at the member');
    callers.push(...wait(3, 'q/30'));
    await until(() => proxy.waitingPolls() === 19, 'three more wait, and go on doing so');
    callers.push(...wait(1, 'q/2'));
    const other = callerAt(proxy.address);
    other.socket.write(poll(one));
    await until(() => proxy.waitingPolls() >= 20, 'he waits behind them');
    expect(proxy.members.statuses()[0]!.pending).toBe(16);
    member.give('first');
    await until(() => callers.some(({ text }) => text().endsWith('first')), 'one of the many has the first');
    member.give('second');
    await until(() => other.text().endsWith('second'), 'the other caller has the second');
    await until(
      () => callers.filter(({ text }) => text().startsWith('HTTP/1.1 204')).length >= 1,
      'time is over',
    );
  });
});

function count(reported: readonly ItemRecord[]) {
  return Object.fromEntries(
    (['handedOn', 'putBack', 'lost'] as const).map((outcome) => [
      outcome,
      reported.filter((record) => record.outcome === outcome).length,
    ]),
  );
}
