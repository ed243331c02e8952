import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ProxyOptions, sendRaw, startProxy, startRecorder, type TestProxy, until } from './servers.ts';
import { tokenFor } from './tokens.ts';

let member: Awaited<ReturnType<typeof startRecorder>>;
let proxy: TestProxy;
let authorization: string;

beforeEach(async () => {
  member = await startRecorder();
});
afterEach(async () => {
  await proxy.close();
  await member.close();
});

async function open(options: ProxyOptions = {}): Promise<void> {
  proxy = await startProxy({ members: [member.address], ...options });
  authorization = `Authorization: Bearer ${await tokenFor(proxy.key, 'Admin')}\r\n`;
}

const post = (fields: string, body = '') =>
  `POST /svc/rest/maps/m/k HTTP/1.1\r\nHost: p\r\n${authorization}${fields}\r\n${body}`;

test('a body declared above 10 MiB is 413 before any of it is read (S64)', async () => {
  await open();
  const reply = await sendRaw(proxy.address, post('Content-Length: 10485761\r\n'));
  expect(reply).toMatchObject({ status: 413, isClosed: true });
  expect(JSON.parse(reply.body)).toMatchObject({ code: 'content_too_large' });
  expect(member.seen).toEqual([]);
});

test('a length that no number holds is 413 (S64)', async () => {
  await open();
  const reply = await sendRaw(proxy.address, post('Content-Length: 9223372036854775808\r\n'));
  expect(reply).toMatchObject({ status: 413, isClosed: true });
});

test.each([
  ['held', 2_000],
  ['already streaming', 2_000_000],
])('a chunked body above the limit is 413 while it is %s (S64)', async (_, bodyBytes) => {
  await open({ limits: { bodyBytes } });
  const size = bodyBytes + 1;
  const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
  const reply = await sendRaw(proxy.address, post('Transfer-Encoding: chunked\r\n', chunk));
  expect(reply).toMatchObject({ status: 413, isClosed: true });
  expect(member.seen).toEqual([]);
});

test('a chunked body is held to find its length, and sent on in chunks only when it is long', async () => {
  await open();
  for (const size of [500_000, 3_000_000]) {
    const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
    expect(
      (await sendRaw(proxy.address, post('Transfer-Encoding: chunked\r\n', `${chunk}0\r\n\r\n`))).status,
    ).toBe(200);
  }
  expect(member.seen.map(({ body }) => body.length)).toEqual([500_000, 3_000_000]);
  expect(member.seen.map(({ headers }) => headers['content-length'])).toEqual(['500000', undefined]);
  expect(member.seen[1]!.headers.connection).toBe('close');
});

test.each([
  ['small', 'Content-Length: 10\r\n', 'abc'],
  ['streaming', 'Content-Length: 200000\r\n', 'x'.repeat(100_000)],
  ['chunked', 'Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n'],
])('a %s body that stops arriving is 408 (S64)', async (_, fields, body) => {
  await open({ limits: { bodyStallMs: 100 } });
  const reply = await sendRaw(proxy.address, post(fields, body));
  expect(reply).toMatchObject({ status: 408, isClosed: true });
  expect(JSON.parse(reply.body)).toMatchObject({ code: 'request_timeout' });
  expect(member.seen).toEqual([]);
});

test('a body that arrives slowly but steadily is not refused (S64)', async () => {
  await open({ limits: { bodyStallMs: 400 } });
  const socket = connect(Number(new URL(proxy.address).port), '127.0.0.1');
  socket.write(post('Content-Length: 8\r\nConnection: close\r\n'));
  for (let i = 0; i < 8; i += 1) {
    // The pace is what is tested here.
    await new Promise((done) => setTimeout(done, 100));
    socket.write('x');
  }
  const [reply] = await once(socket, 'data');
  expect(String(reply)).toContain('HTTP/1.1 200');
  socket.destroy();
});

test('a head that does not arrive in time is 408 (S64)', async () => {
  await open({ server: { headersTimeout: 100, connectionsCheckingInterval: 20 } });
  const reply = await sendRaw(proxy.address, 'GET /svc/health HTTP/1.1\r\nHost: p\r\n');
  expect(reply).toMatchObject({ status: 408, isClosed: true });
  expect(JSON.parse(reply.body)).toMatchObject({ code: 'request_timeout' });
});

test('heads that are too slow all at once are refused a few in each turn of the event loop (A1, S92)', async () => {
  const deniedInTurn: number[] = [];
  let isNewTurn = true;
  const onDenial = () => {
    if (isNewTurn) {
      isNewTurn = false;
      deniedInTurn.push(0);
      setImmediate(() => {
        isNewTurn = true;
      });
    }
    deniedInTurn.push(deniedInTurn.pop()! + 1);
    for (const until = performance.now() + 1; performance.now() < until; );
    return randomUUID();
  };
  await open({ onDenial, server: { headersTimeout: 100, connectionsCheckingInterval: 1_000 } });
  const heads = Array.from({ length: 100 }, () =>
    sendRaw(proxy.address, 'GET /svc/health HTTP/1.1\r\nHost: p\r\n'),
  );
  for (const { status } of await Promise.all(heads)) expect(status).toBe(408);
  expect(deniedInTurn.reduce((sum, count) => sum + count)).toBe(heads.length);
  expect(Math.max(...deniedInTurn)).toBeLessThanOrEqual(3);
});

test('connections above the cap are 503, and a freed place is given away again (S64)', async () => {
  await open({ overload: { connections: 2 } });
  const port = Number(new URL(proxy.address).port);
  const held = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await Promise.all(held.map((socket) => once(socket, 'connect')));
  const request = `GET /svc/health HTTP/1.1\r\nHost: p\r\n${authorization}\r\n`;
  const rejected = await sendRaw(proxy.address, request);
  expect(rejected).toMatchObject({ status: 503, isClosed: true });
  expect(rejected.head).toContain('\r\nRetry-After: 1\r\n');
  expect(JSON.parse(rejected.body)).toMatchObject({ code: 'busy', decision_id: expect.any(String) });
  expect(member.seen).toEqual([]);
  held[0]!.destroy();
  let status = 503;
  await until(() => {
    void sendRaw(proxy.address, request).then((reply) => {
      status = reply.status;
    });
    return status === 200;
  }, 'a freed connection is usable');
  held[1]!.destroy();
});

test('what cannot be parsed behind a good request does not disturb its reply, and has one of its own (S64)', async () => {
  await open();
  const reply = await sendRaw(
    proxy.address,
    `GET /svc/health HTTP/1.1\r\nHost: p\r\n${authorization}\r\nnonsense\r\n\r\n`,
  );
  expect(reply).toMatchObject({ status: 200, isClosed: true });
  expect(reply.body).toMatch(/^okHTTP\/1\.1 400 /);
});
