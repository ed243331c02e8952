import { describe, expect, test } from 'vitest';
import {
  connectRaw,
  countOf,
  empty,
  eventually,
  memberFile,
  pollRequest,
  startTestMember,
  waitingPoll,
} from './support.ts';

const queues = '/svc/rest/queues';
describe('waiting polls', () => {
  test('are served in the order in which they came, one per offer (S72)', async () => {
    const { call, port } = await startTestMember();
    const waiters = [];
    for (let i = 0; i < 50; i += 1) waiters.push(await waitingPoll(port, 'q'));
    for (const [i, waiter] of waiters.entries()) {
      await call('POST', `${queues}/q`, { body: `<item ${i}>` });
      expect(await waiter.received((text) => text.endsWith('>'))).toContain(`<item ${i}>`);
    }
    for (const waiter of waiters) expect(countOf(await waiter.received(() => true), 'HTTP/1.1 ')).toBe(2);
    expect(await call('GET', `${queues}/q/size`)).toMatchObject({ body: '0' });
  });

  test('one offer wakes exactly one of them (S72)', async () => {
    const { call } = await startTestMember();
    const polls = Array.from({ length: 10 }, () => call('DELETE', `${queues}/q/1`));
    await call('POST', `${queues}/q`, { body: 'only' });
    const replies = await Promise.all(polls);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 204)).toHaveLength(9);
  });

  test.each([
    { how: 'reset', leave: 'resetAndDestroy' },
    { how: 'closed', leave: 'destroy' },
    { how: 'half-closed', leave: 'end' },
  ] as const)('a poll whose connection was $how takes nothing (S72)', async ({ leave }) => {
    const { call, port } = await startTestMember();
    const gone = await waitingPoll(port, 'q');
    const stays = await waitingPoll(port, 'q');
    gone.socket[leave]();
    await eventually(
      () => openConnections(call),
      (open) => open <= 2,
    );

    await call('POST', `${queues}/q`, { body: '<first>' });
    expect(await stays.received((text) => text.endsWith('>'))).toContain('<first>');
    expect(await call('POST', `${queues}/q`, { body: 'second' })).toMatchObject(empty(200));
    expect(await call('GET', `${queues}/q/size`)).toMatchObject({ body: '1' });
  });

  test.each([
    { how: 'reset', leave: 'resetAndDestroy' },
    { how: 'half-closed', leave: 'end' },
  ] as const)(
    'nothing is lost or doubled when connections are $how as items are offered (S72)',
    async ({ leave }) => {
      const { call, port } = await startTestMember();
      const got: string[] = [];
      for (let i = 0; i < 20; i += 1) {
        const raw = await waitingPoll(port, 'q');
        raw.socket[leave]();
        if (leave === 'end') await new Promise((resolve) => raw.socket.once('finish', resolve));
        await call('POST', `${queues}/q`, { body: String(i) });
        const { body } = await call('DELETE', `${queues}/q/1`);
        // A half-closed connection can still be read: the offer may have come before the FIN.
        got.push(body || (/\d+$/.exec(await raw.closed())?.[0] ?? 'lost'));
      }
      expect(got).toEqual(Array.from({ length: 20 }, (_, i) => String(i)));
      expect(await call('GET', `${queues}/q/size`)).toMatchObject({ body: '0' });
    },
  );

  test('an item whose reply was not sent whole goes back to the head (S72)', async () => {
    const { call, port } = await startTestMember();
    const large = `first${'x'.repeat(8_000_000)}`;
    await call('POST', `${queues}/q`, { body: large });
    await call('POST', `${queues}/q`, { body: 'second' });

    const raw = await connectRaw(port);
    raw.socket.pause();
    raw.send(pollRequest('q'));
    await eventually(
      () => call('GET', `${queues}/q/size`),
      ({ body }) => body === '1',
    );
    raw.socket.resetAndDestroy();

    await eventually(
      () => call('GET', `${queues}/q/size`),
      ({ body }) => body === '2',
    );
    expect((await call('DELETE', `${queues}/q/0`)).body).toBe(large);
    expect((await call('DELETE', `${queues}/q/0`)).body).toBe('second');
  });

  test('a poll behind an unread reply takes no item (S72)', async () => {
    const { call, port } = await startTestMember();
    await call('POST', '/svc/rest/maps/m/large', { body: 'x'.repeat(8_000_000) });
    await call('POST', `${queues}/q`, { body: 'item' });

    const raw = await connectRaw(port);
    raw.socket.pause();
    raw.send(`GET /svc/rest/maps/m/large HTTP/1.1\r\nHost: m\r\n\r\n${pollRequest('q')}`);
    // What comes with the reply has been read by now.
    await new Promise((resolve) => raw.socket.once('readable', resolve));
    expect(await call('GET', `${queues}/q/size`)).toMatchObject({ body: '1' });
    raw.socket.destroy();
    expect(await call('GET', `${queues}/q/size`)).toMatchObject({ body: '1' });
    expect(await call('DELETE', `${queues}/q/0`)).toMatchObject({ body: 'item' });
  });

  test('a poll behind a waiting one takes no item before its turn (S72)', async () => {
    const { call, port } = await startTestMember();
    const raw = await waitingPoll(port, 'first');
    raw.send(pollRequest('second'));
    await call('POST', `${queues}/second`, { body: '<two>' });
    expect(await call('GET', `${queues}/second/size`)).toMatchObject({ body: '1' });

    await call('POST', `${queues}/first`, { body: '<one>' });
    expect(await raw.received((text) => text.endsWith('<two>'))).toMatch(/<one>HTTP[\s\S]*<two>$/);
    expect(await call('GET', `${queues}/second/size`)).toMatchObject({ body: '0' });
  });

  test('an item that came back goes to the poll that has waited since', async () => {
    const { call, port } = await startTestMember();
    await call('POST', `${queues}/q`, { body: `${'x'.repeat(8_000_000)}<end>` });
    const raw = await connectRaw(port);
    raw.socket.pause();
    raw.send(pollRequest('q'));
    await eventually(
      () => call('GET', `${queues}/q/size`),
      ({ body }) => body === '0',
    );
    const polled = call('DELETE', `${queues}/q/20`);
    await eventually(
      () => openConnections(call),
      (open) => open >= 3,
    );
    raw.socket.resetAndDestroy();
    expect((await polled).body.endsWith('<end>')).toBe(true);
  });
});

describe('too many waiting polls are 503 with an empty body (S73)', () => {
  test.each([
    { limit: 'waiters-per-queue: 2', refused: 'q', taken: 'other' },
    { limit: 'waiters: 2', refused: 'other', taken: undefined },
  ])('$limit', async ({ limit, refused, taken }) => {
    const { call, port } = await startTestMember(memberFile(`limits: { ${limit} }`));
    const first = await waitingPoll(port, 'q');
    await waitingPoll(port, 'q');
    expect(await call('DELETE', `${queues}/${refused}/20`)).toMatchObject(empty(503));
    if (taken !== undefined) expect(await call('DELETE', `${queues}/${taken}/1`)).toMatchObject(empty(204));

    await call('POST', `${queues}/q`, { body: '<served>' });
    expect(await first.received((text) => text.endsWith('>'))).toContain('<served>');
    expect(await call('DELETE', `${queues}/${refused}/1`)).toMatchObject(empty(204));
  });
});

test('a poll whose connection has gone makes room for another (S73)', async () => {
  const { call, port } = await startTestMember(memberFile('limits: { waiters-per-queue: 1 }'));
  const gone = await waitingPoll(port, 'q', 60);
  expect(await call('DELETE', `${queues}/q/1`)).toMatchObject(empty(503));
  gone.socket.destroy();
  await eventually(
    () => call('DELETE', `${queues}/q/1`),
    ({ status }) => status === 204,
  );
});

type Call = Awaited<ReturnType<typeof startTestMember>>['call'];

async function openConnections(call: Call): Promise<number> {
  return JSON.parse((await call('GET', '/svc/rest/cluster')).body).connectionCount;
}
