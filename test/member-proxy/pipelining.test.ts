import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Answer, startProxy, startRecorder, type TestProxy, until } from './servers.ts';
import { tokenFor } from './tokens.ts';

let member: Awaited<ReturnType<typeof startRecorder>>;
let proxy: TestProxy;
let token: string;
/** Replies that the member holds back, by the path of their request. */
const held = new Map<string, () => void>();
const hold: Answer = (req, res) => void held.set(req.url!, () => res.end(req.url));

beforeEach(async () => {
  held.clear();
  member = await startRecorder(hold);
  proxy = await startProxy({ members: [member.address] });
  token = await tokenFor(proxy.key, 'Admin');
});
afterEach(async () => {
  await proxy.close();
  await member.close();
});

const head = (method: string, path: string, fields = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: p\r\nAuthorization: Bearer ${token}\r\n${fields}\r\n`;
const post = (path: string) => `${head('POST', path, 'Content-Length: 1\r\n')}x`;

/** A caller that sends on without waiting for replies. */
function sendAhead(bytes: string) {
  const socket = connect(Number(new URL(proxy.address).port), '127.0.0.1');
  let received = '';
  let isClosed = false;
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
  });
  socket.write(bytes);
  return { socket, received: () => received, isClosed: () => isClosed };
}

const paths = () => member.seen.map(({ method, url }) => `${method} ${url}`);

test('a read does not overtake the write that it was sent behind', async () => {
  const caller = sendAhead(post('/svc/rest/maps/m/1') + head('GET', '/svc/rest/maps/m/2'));
  await until(() => held.has('/svc/rest/maps/m/1'), 'the write reaches the member');
  // Whatever came with the write has been taken in by now: this one was sent later, and gets through.
  const other = sendAhead(head('GET', '/svc/rest/instance'));
  await until(() => held.has('/svc/rest/instance'), 'another caller’s read reaches the member');
  expect(paths()).toEqual(['POST /svc/rest/maps/m/1', 'GET /svc/rest/instance']);

  held.get('/svc/rest/maps/m/1')!();
  await until(() => held.has('/svc/rest/maps/m/2'), 'the read follows');
  held.get('/svc/rest/maps/m/2')!();
  await until(() => caller.received().endsWith('/svc/rest/maps/m/2'), 'both replies');
  expect(caller.received().match(/\/svc\/rest\/maps\/m\/\d/g)).toEqual([
    '/svc/rest/maps/m/1',
    '/svc/rest/maps/m/2',
  ]);
  for (const { socket } of [caller, other]) socket.destroy();
});

test('a poll takes no item while the reply before it cannot leave', async () => {
  const caller = sendAhead(head('DELETE', '/svc/rest/queues/a/60') + head('DELETE', '/svc/rest/queues/b/60'));
  await until(() => held.has('/svc/rest/queues/a/60'), 'the first poll reaches the member');
  held.get('/svc/rest/queues/a/60')!();
  await until(() => held.has('/svc/rest/queues/b/60'), 'the second follows');
  caller.socket.destroy();
});

test('many that were sent ahead are all answered, denials in their place among them', async () => {
  const gets = Array.from({ length: 40 }, (_, i) =>
    i % 4 === 3 ? head('GET', '/svc/none') : head('GET', `/svc/rest/maps/m/${i}`),
  );
  const caller = sendAhead(gets.join(''));
  const statuses = () => [...caller.received().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  await until(() => {
    for (const [path, reply] of held) {
      held.delete(path);
      reply();
    }
    return statuses().length === 40;
  }, 'all replies');
  expect(statuses()).toEqual(gets.map((_, i) => (i % 4 === 3 ? '404' : '200')));
  expect(paths()).toEqual(gets.flatMap((_, i) => (i % 4 === 3 ? [] : [`GET /svc/rest/maps/m/${i}`])));
  caller.socket.destroy();
});

test('what stands behind Connection: close reaches no member (S63)', async () => {
  const caller = sendAhead(
    head('GET', '/svc/rest/maps/m/last', 'Connection: close\r\n') + post('/svc/rest/maps/m/behind'),
  );
  await until(() => held.has('/svc/rest/maps/m/last'), 'the call reaches the member');
  held.get('/svc/rest/maps/m/last')!();
  await until(caller.isClosed, 'the connection is closed');
  expect(caller.received()).toMatch(/^HTTP\/1\.1 200 /);
  expect(paths()).toEqual(['GET /svc/rest/maps/m/last']);
});

test('of what is sent ahead without end little is read, and none of it is a request before its turn (S92)', async () => {
  const caller = sendAhead(head('DELETE', '/svc/rest/queues/q/60'));
  await until(() => held.has('/svc/rest/queues/q/60'), 'the poll reaches the member');
  const calls = head('GET', '/svc/rest/maps/m/k').repeat(1_000);
  const isBlocked = () => caller.socket.writableLength > 1_000_000;
  for (let sent = 0; sent < 200 && !isBlocked(); sent += 1) {
    caller.socket.write(calls);
    await new Promise((done) => setImmediate(done));
  }
  await until(isBlocked, 'nothing more is read');
  expect(proxy.overload.aheadBytes).toBeLessThan(200_000);
  expect(paths()).toEqual(['DELETE /svc/rest/queues/q/60']);
  caller.socket.destroy();
  await until(() => {
    for (const reply of held.values()) reply();
    return proxy.overload.connections === 0;
  }, 'the end of the connection is seen when replies go out');
  expect(proxy.overload.aheadBytes).toBe(0);
});

test('a write behind a denial with Connection: close is not carried out (D3)', async () => {
  for (let round = 0; round < 50; round += 1) {
    const rejected = `POST /svc/rest/maps/m/k HTTP/1.1\r\nHost: p\r\nContent-Length: 4\r\n\r\nab`;
    const caller = sendAhead(rejected);
    await until(() => caller.received().includes('401'), 'the denial');
    caller.socket.write(`cd${post('/svc/rest/maps/m/behind')}`);
    await until(caller.isClosed, 'the connection is closed');
    expect(caller.received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401']);
  }
  expect(paths()).toEqual([]);
});
