import { describe, expect, test } from 'vitest';
import { connectRaw, countOf, eventually, memberFile, startTestMember } from './support.ts';

const head = (line: string, fields = '') => `${line} HTTP/1.1\r\nHost: m\r\n${fields}\r\n`;
const put = (path: string, body: string, fields = '') =>
  head(`POST ${path}`, `Content-Length: ${body.length}\r\n${fields}`) + body;
const poll = (seconds: number) => head(`DELETE /svc/rest/queues/q/${seconds}`);

/** One reply, whole, and the connection closed behind it. */
async function answerTo(port: number, request: string): Promise<string> {
  const raw = await connectRaw(port);
  raw.send(request);
  const text = await raw.received((received) => {
    const end = received.indexOf('\r\n\r\n');
    const length = /^content-length: (\d+)/im.exec(received)?.[1] ?? 0;
    return end !== -1 && received.length >= end + 4 + Number(length);
  });
  raw.socket.destroy();
  return text;
}

describe('a plain call is answered as Node’s server answers it', () => {
  const long = 'v'.repeat(10_000);
  test.each<[string, (fields: string) => string]>([
    ['a value', (fields) => head('GET /svc/rest/maps/m/text', fields)],
    ['a large value', (fields) => head('GET /hazelcast/rest/maps/m/long', fields)],
    ['a value without a type', (fields) => head('GET /svc/rest/maps/m/bytes', fields)],
    ['no value', (fields) => head('GET /svc/rest/maps/m/none', fields)],
    ['a write', (fields) => put('/svc/rest/maps/m/new', 'x', fields)],
    ['a large write', (fields) => put('/svc/rest/maps/m/new', long, fields)],
    ['an empty write', (fields) => put('/svc/rest/maps/m/new', '', fields)],
    ['a write by PUT', (fields) => put('/svc/rest/maps/m/new', 'x', fields).replace('POST', 'PUT')],
    ['a write above the limit', (fields) => put('/svc/rest/maps/m/new', 'x'.repeat(20_001), fields)],
    ['a removal', (fields) => head('DELETE /svc/rest/maps/m/none', fields)],
    ['an offer', (fields) => put('/svc/rest/queues/other', 'x', fields)],
    ['a short offer', (fields) => put('/svc/rest/queues/other/x', '', fields)],
    ['a size', (fields) => head('GET /svc/rest/queues/q/size', fields)],
    ['a poll in vain', (fields) => head('DELETE /svc/rest/queues/q/0', fields)],
    ['a missing key', (fields) => head('GET /svc/rest/maps/m', fields)],
    ['a bad escape', (fields) => head('GET /svc/rest/maps/m/%zz', fields)],
    ['a query', (fields) => head('GET /svc/rest/maps/m/text?a', fields)],
    ['bad seconds', (fields) => head('DELETE /svc/rest/queues/q/-1', fields)],
    [
      'a stored type that is none',
      (fields) => put('/svc/rest/maps/m/new', 'x', `Content-Type: é\r\n${fields}`),
    ],
    ['the cluster', (fields) => head('GET /svc/rest/cluster', fields)],
    ['the instance', (fields) => head('GET /hazelcast/rest/instance', fields)],
    ['the health', (fields) => head('GET /svc/health', fields)],
    ['a probe', (fields) => head('GET /svc/health/ready', fields)],
    ['an unknown probe', (fields) => head('GET /svc/health/none', fields)],
    ['the state', (fields) => put('/svc/rest/management/cluster/state', '&', fields)],
    ['a state that is none', (fields) => put('/svc/rest/management/cluster/changeState', 'a&b&none', fields)],
    ['the version', (fields) => head('GET /svc/rest/management/cluster/version', fields)],
    ['a deprecated backup', (fields) => put('/svc/rest/management/cluster/hotBackup', '&', fields)],
    ['the log level', (fields) => head('GET /svc/rest/log-level', fields)],
    ['a log level that is none', (fields) => put('/svc/rest/log-level', 'none', fields)],
    ['the licence', (fields) => head('GET /svc/rest/license', fields)],
    ['CP members', (fields) => head('GET /svc/rest/cp-subsystem/members', fields)],
    ['WAN', (fields) => put('/svc/rest/wan/publisher/pause', 'a&b&c&d', fields)],
    ['an unknown path', (fields) => head('GET /svc/rest/none', fields)],
    ['a method that is not there', (fields) => head('DELETE /svc/rest/cluster', fields)],
  ])('%s', async (_name, request) => {
    const { port } = await startTestMember(memberFile('limits: { body-bytes: 20000 }'));
    await answerTo(port, put('/svc/rest/maps/m/text', 'value', 'Content-Type: text/x\r\n'));
    await answerTo(port, put('/svc/rest/maps/m/long', long));
    await answerTo(port, put('/svc/rest/maps/m/bytes', '\0\x01\xff'));
    const plain = await answerTo(port, request(''));
    // A field of one hop is nothing that the fast path takes.
    expect(plain).toBe(await answerTo(port, request('TE: trailers\r\n')));
    expect(plain).toMatch(/^HTTP\/1\.1 \d{3} /);
  });
});

describe('a poll that waits', () => {
  test('gets the item, and the next call on its connection is answered', async () => {
    const { port, call } = await startTestMember();
    const raw = await connectRaw(port);
    raw.send(poll(20));
    await eventually(
      () => call('POST', '/svc/rest/queues/q', { body: 'item' }),
      ({ status }) => status === 200,
    );
    expect(await raw.received((text) => text.endsWith('item'))).toContain('HTTP/1.1 200 OK');
    raw.send(head('GET /svc/rest/queues/q/size'));
    await raw.received((text) => countOf(text, 'HTTP/1.1 200') === 2);
  });

  test('and whose time is over is 204', async () => {
    const { port } = await startTestMember();
    expect(await answerTo(port, poll(1))).toMatch(/^HTTP\/1\.1 204 No Content\r\n/);
  });

  test.each<[string, (socket: { destroy(): void; resetAndDestroy(): void; end(): void }) => void]>([
    ['and whose client leaves takes no item', (socket) => socket.destroy()],
    ['and whose connection breaks takes no item', (socket) => socket.resetAndDestroy()],
    ['and whose client sends no more takes no item', (socket) => socket.end()],
  ])('%s', async (_name, leave) => {
    const { port, call } = await startTestMember(memberFile('limits: { waiters: 1 }'));
    const raw = await connectRaw(port);
    raw.send(poll(60));
    const anotherPoll = (wanted: number) =>
      eventually(
        () => call('DELETE', '/svc/rest/queues/q/1'),
        ({ status }) => status === wanted,
      );
    await anotherPoll(503); // the place is taken
    leave(raw.socket);
    await anotherPoll(204); // and free again
    await call('POST', '/svc/rest/queues/q', { body: 'item' });
    expect(await call('DELETE', '/svc/rest/queues/q/1')).toMatchObject({ status: 200, body: 'item' });
  });

  test('and whose client never reads it leaves the item at the head', async () => {
    const { port, call } = await startTestMember(memberFile('limits: { body-bytes: 30000000 }'));
    const item = Buffer.alloc(25_000_000, 'i');
    await call('POST', '/svc/rest/queues/q', { body: item });
    await call('POST', '/svc/rest/queues/q', { body: 'second' });
    const raw = await connectRaw(port);
    raw.socket.pause();
    raw.send(poll(1));
    await eventually(
      () => call('GET', '/svc/rest/queues/q/size'),
      ({ body }) => body === '1',
    );
    raw.socket.resetAndDestroy();
    await eventually(
      () => call('GET', '/svc/rest/queues/q/size'),
      ({ body }) => body === '2',
    );
    expect((await call('DELETE', '/svc/rest/queues/q/1')).body.length).toBe(item.length);
  });
});

test('a member that stops answers the call under way and closes its connection', async () => {
  const member = await startTestMember();
  const idle = await connectRaw(member.port);
  idle.send(head('GET /svc/rest/maps/m/k'));
  await idle.received((text) => text.includes('204'));
  const waiting = await connectRaw(member.port);
  waiting.send(poll(60));
  await eventually(
    () => member.call('GET', '/svc/rest/queues/q/size'),
    ({ status }) => status === 200,
  );
  const closing = member.close();
  expect(await waiting.closed()).toMatch(/^HTTP\/1\.1 204 No Content\r\n[\s\S]*Connection: close/);
  await idle.closed();
  await closing;
});
