import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { FastRequest } from '../../http/server/fast-path/fast-request.ts';
import { seeded } from '../helpers/seeded.ts';
import {
  type Answer,
  type ProxyOptions,
  sendRaw,
  startProxy,
  startRecorder,
  type TestProxy,
  until,
} from './servers.ts';
import { tokenFor } from './tokens.ts';

const large = 'x'.repeat(100_000);

/** A member whose replies differ by the key that is asked for. */
const answer: Answer = (req, res) => {
  const key = req.url!.split('/').at(-1);
  if (key === 'none') res.writeHead(204).end();
  else if (key === 'empty') res.writeHead(200, { 'Content-Length': 0 }).end();
  else if (key === 'chunked') res.writeHead(200).write('in ', () => res.end('chunks'));
  else if (key === 'large') res.end(large);
  else if (key === 'bytes') res.end(Buffer.from([0, 1, 0x80, 0xff, 0x0d, 0x0a]));
  else if (key === 'missing')
    res.writeHead(404, { 'Content-Type': 'text/plain', 'Content-Length': 2 }).end('no');
  else if (key === 'broken') res.writeHead(200, { 'Content-Length': 10 }).write('half', () => res.destroy());
  else if (key === 'held') held.push(() => res.writeHead(200, { 'Content-Length': 7 }).end('at last'));
  else
    res
      .writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 5, 'X-Of-Member': 'yes' })
      .end('value');
};
const held: (() => void)[] = [];

let member: Awaited<ReturnType<typeof startRecorder>>;
/** The one as it is, the other with Node's server alone. */
let proxy: TestProxy;
let withoutFastPath: TestProxy;
let tokens: ReadonlyMap<TestProxy, string>;
let fastCalls = 0;

async function start(options: ProxyOptions = {}): Promise<TestProxy> {
  const started = await startProxy({ members: [member.address], ...options });
  started.server.prependListener('request', (req: unknown) => {
    if (req instanceof FastRequest) fastCalls += 1;
  });
  return started;
}

beforeAll(async () => {
  member = await startRecorder(answer);
  proxy = await start();
  withoutFastPath = await start({ hasFastPath: false });
  const each = [proxy, withoutFastPath].map(async (one) => [one, await tokenFor(one.key, 'Admin')] as const);
  tokens = new Map(await Promise.all(each));
});
afterAll(async () => {
  await proxy.close();
  await withoutFastPath.close();
  await member.close();
});
afterEach(() => {
  member.seen.length = 0;
  held.length = 0;
  fastCalls = 0;
});

type Bytes = (authorization: string) => string;

const request =
  (startLine: string, fields = '', body = ''): Bytes =>
  (authorization) =>
    `${startLine} HTTP/1.1\r\nHost: p\r\n${authorization}${fields}\r\n${body}`;
const get = (key: string, fields = '') => request(`GET /svc/rest/maps/m/${key}`, fields);
const post = (fields: string, body: string) => request('POST /svc/rest/maps/m/k', fields, body);

/** The whole answer, with what differs from call to call left out, and what the member saw of it. */
async function outcomeAt(at: TestProxy, bytes: Bytes, token = tokens.get(at)!) {
  member.seen.length = 0;
  const { head, body, isClosed } = await sendRaw(at.address, bytes(`Authorization: Bearer ${token}\r\n`));
  const seen = member.seen.map(({ method, url, rawHeaders, body }) => ({
    method,
    url,
    fields: rawHeaders.map((each) => (each.startsWith('00-') ? 'trace' : each)).join('|'),
    body: body.toString('latin1'),
  }));
  const text = `${head}\r\n\r\n${body}`
    .replaceAll(/^Date: .*$/gm, 'Date: now')
    .replaceAll(/"decision_id":"[^"]*"/g, '"decision_id":"?"')
    .replaceAll(/"request_id":"[^"]*"/g, '"request_id":"?"')
    .replaceAll(/^X-Request-Id: .*$/gm, 'X-Request-Id: ?');
  return { text, isClosed, seen };
}

describe('a plain call takes the short way, and nobody can tell', () => {
  test.each<[string, Bytes, string?]>([
    ['a value', get('k')],
    ['a value in bytes', get('bytes')],
    ['a large value', get('large')],
    ['an empty value', get('empty')],
    ['no content', get('none')],
    ['a value in chunks', get('chunked')],
    ['what the member says that is not there', get('missing')],
    ['a reply that breaks off', get('broken')],
    ['a write', post('Content-Type: text/plain\r\nContent-Length: 3\r\n', 'abc')],
    ['a write of nothing', post('Content-Length: 0\r\n', '')],
    ['a write without a length', post('', '')],
    ['a removal', request('DELETE /svc/rest/maps/m/k')],
    ['an offer', request('POST /svc/rest/queues/q', 'Content-Length: 2\r\n', 'it')],
    ['a call at one member', request('GET /members/nobody:1/svc/health')],
    [
      'a call with a positional body',
      request('POST /svc/rest/management/cluster/state', 'Content-Length: 1\r\n', '&'),
    ],
    ['a query', request('GET /svc/health?a=b')],
    ['fields that are repeated', get('k', 'Accept: a/b\r\nAccept: c/d\r\nX-Twice: 1\r\nX-Twice: 2\r\n')],
    ['a field with spaces around its value', get('k', 'User-Agent: \t curl \t\r\n')],
    ['a field beyond ASCII', get('k', 'User-Agent: caf\xe9\r\n')],
    ['keep-alive, said', get('k', 'Connection: keep-alive\r\n')],
    ['a path that no rule has', request('GET /svc/nothing')],
    ['a method that a path has not', request('PUT /svc/health', 'Content-Length: 0\r\n')],
    ['a dot segment (S58)', request('GET /svc/../health')],
    ['a bad escape (S58)', request('GET /svc/rest/maps/m/%zz')],
    ['a stored type that is none', post('Content-Type: \x01\r\nContent-Length: 1\r\n', 'x')],
    ['two tokens', get('k', 'Authorization: Bearer x\r\n')],
    ['a token that is none', get('k'), 'nonsense'],
    ['a host that is none', (authorization) => get('k')(authorization).replace('Host: p', 'Host: p/q')],
  ])('%s', async (_, bytes, token) => {
    const expected = await outcomeAt(withoutFastPath, bytes, token);
    expect(fastCalls).toBe(0);
    expect(await outcomeAt(proxy, bytes, token)).toEqual(expected);
    if (!_.includes('stored type')) expect(fastCalls).toBe(1);
  });
});

describe('what is not plain is left to the server’s own parser (S63)', () => {
  const chunked = '3\r\nabc\r\n0\r\n\r\n';
  test.each<[string, Bytes]>([
    ['chunks', post('Transfer-Encoding: chunked\r\n', chunked)],
    ['chunks and a length', post('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', chunked)],
    ['two lengths', post('Content-Length: 3\r\nContent-Length: 3\r\n', 'abc')],
    ['a length with a sign', post('Content-Length: +3\r\n', 'abc')],
    ['a length that begins with 0', post('Content-Length: 03\r\n', 'abc')],
    ['a length with a gap', post('Content-Length: 3 4\r\n', 'abc')],
    ['more than the length', post('Content-Length: 2\r\n', 'abc')],
    ['a body on GET', request('GET /svc/rest/maps/m/k', 'Content-Length: 3\r\n', 'abc')],
    ['a length on DELETE', request('DELETE /svc/rest/maps/m/k', 'Content-Length: 0\r\n')],
    ['Expect', post('Expect: 100-continue\r\nContent-Length: 3\r\n', 'abc')],
    ['Upgrade', get('k', 'Connection: Upgrade\r\nUpgrade: h2c\r\n')],
    ['close', get('k', 'Connection: close\r\n')],
    ['two of Connection', get('k', 'Connection: keep-alive\r\nConnection: keep-alive\r\n')],
    ['a list in Connection', get('k', 'Connection: keep-alive, accept\r\nAccept: a/b\r\n')],
    ['a folded line', get('k', 'X-A: b\r\n c\r\n')],
    ['a space before a colon', get('k', 'X-A : b\r\n')],
    ['a line without a colon', get('k', 'X-A\r\n')],
    ['a line feed alone', get('k', 'X-A: b\nX-C: d\r\n')],
    ['a carriage return alone', get('k', 'X-A: b\rX-C: d\r\n')],
    ['a zero byte', get('k', 'X-A: \0\r\n')],
    ['two hosts', get('k', 'Host: q\r\n')],
    ['no host', (authorization) => get('k')(authorization).replace('Host: p\r\n', '')],
    ['HTTP/1.0', (authorization) => get('k')(authorization).replace('HTTP/1.1', 'HTTP/1.0')],
    ['HTTP/1.2', (authorization) => get('k')(authorization).replace('HTTP/1.1', 'HTTP/1.2')],
    ['a method in small letters', request('get /svc/rest/maps/m/k')],
    ['HEAD', request('HEAD /svc/rest/maps/m/k')],
    ['OPTIONS', request('OPTIONS /svc/rest/maps/m/k')],
    ['a whole address', request('GET http://p/svc/health')],
    ['two spaces', request('GET  /svc/health')],
    ['a space in the path', request('GET /svc/he alth')],
    ['a byte beyond ASCII in the path', request('GET /svc/rest/maps/m/\xe9')],
    ['another surface', request('GET /live')],
    ['an empty line before it', (authorization) => `\r\n${get('k')(authorization)}`],
    ['a head above 16 KiB', get('k', `X-A: ${'a'.repeat(17_000)}\r\n`)],
    ['a target above 8 KiB', request(`GET /svc/rest/maps/m/${'k'.repeat(9_000)}`)],
    ['a proof of possession', get('k', 'DPoP: x.y.z\r\n')],
    ['no HTTP', () => '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n'],
  ])('%s', async (_, bytes) => {
    const expected = await outcomeAt(withoutFastPath, bytes);
    expect(await outcomeAt(proxy, bytes)).toEqual(expected);
    expect(fastCalls).toBe(0);
  });

  test('a thousand requests with a byte or two that are not as they were', async () => {
    const random = seeded(20_261_122);
    const whole = post('Content-Type: text/plain\r\nContent-Length: 3\r\nUser-Agent: a b\r\n', 'abc');
    let tookFastPath = 0;
    for (let i = 0; i < 1000; i += 1) {
      const at = random();
      const by = String.fromCharCode(Math.floor(random() * 256));
      const kind = Math.floor(random() * 3);
      const mutated: Bytes = (authorization) => {
        const text = whole(authorization);
        // Within the start line and the field lines, but for the token, which differs between the two.
        const tokenAt = text.indexOf('Authorization');
        const ranges = [text.slice(0, tokenAt), text.slice(tokenAt, tokenAt + authorization.length)];
        const rest = text.slice(tokenAt + authorization.length);
        const place = Math.floor(at * (ranges[0]!.length + rest.length));
        const mutate = (part: string, index: number) =>
          part.slice(0, index) + (kind === 0 ? '' : by) + part.slice(kind === 1 ? index : index + 1);
        return place < ranges[0]!.length
          ? mutate(ranges[0]!, place) + ranges[1] + rest
          : ranges.join('') + mutate(rest, place - ranges[0]!.length);
      };
      const expected = await sentAndAnswered(withoutFastPath, mutated);
      fastCalls = 0;
      const got = await sentAndAnswered(proxy, mutated);
      tookFastPath += fastCalls;
      expect(got, JSON.stringify(mutated(''))).toEqual(expected);
    }
    expect(tookFastPath).toBeGreaterThan(50);
  }, 180_000);
});

/** More than any mutated length asks for, and then no HTTP: what has been sent is complete, or wrong. */
const junk = Buffer.alloc(2000);

/** What of a request reached the member, and with what status it was answered. */
async function sentAndAnswered(at: TestProxy, bytes: Bytes) {
  member.seen.length = 0;
  const connection = open(at);
  connection.send(bytes);
  await new Promise((done) => setTimeout(done, 2));
  connection.socket.write(junk);
  await until(() => connection.isClosed, 'the end');
  const seen = member.seen.map(({ method, url, body }) => `${method} ${url} ${body.toString('latin1')}`);
  return { status: connection.received.split(' ')[1], seen };
}

/** A connection that stays open, and what has come on it. */
function open(at: TestProxy) {
  const socket = connect(Number(new URL(at.address).port), '127.0.0.1');
  const connection = { socket, received: '', isClosed: false };
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    connection.received += chunk.toString('latin1');
  });
  socket.on('close', () => {
    connection.isClosed = true;
  });
  const send = (bytes: Bytes) => socket.write(bytes(`Authorization: Bearer ${tokens.get(at)}\r\n`), 'latin1');
  return Object.assign(connection, { send });
}

const count = (text: string, part: string) => text.split(part).length - 1;

describe('a connection', () => {
  test('serves call after call, and goes over to the server with the first that is not plain', async () => {
    const connection = open(proxy);
    const calls: readonly Bytes[] = [
      get('k'),
      get('k'),
      post('Content-Length: 3\r\n', 'abc'),
      post('Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n0\r\n\r\n'),
      get('k'),
      post('Content-Length: 3\r\n', 'abc'),
    ];
    for (const [i, call] of calls.entries()) {
      connection.send(call);
      await until(() => count(connection.received, 'HTTP/1.1 200') === i + 1, `reply ${i + 1}`);
    }
    expect(fastCalls).toBe(3);
    expect(member.seen.map(({ method, body }) => `${method} ${body}`)).toEqual([
      'GET ',
      'GET ',
      'POST abc',
      'POST abc',
      'GET ',
      'POST abc',
    ]);
    connection.socket.destroy();
  });

  test('whose request comes byte by byte is served as any other', async () => {
    const connection = open(proxy);
    const bytes = post('Content-Length: 3\r\n', 'abc')(`Authorization: Bearer ${tokens.get(proxy)}\r\n`);
    connection.socket.setNoDelay(true);
    for (const byte of bytes.slice(0, 40)) {
      connection.socket.write(byte);
      await new Promise((done) => setImmediate(done));
    }
    connection.socket.write(bytes.slice(40));
    await until(() => connection.received.endsWith('value'), 'the reply');
    expect(member.seen.map(({ body }) => `${body}`)).toEqual(['abc']);
    connection.socket.destroy();
  });

  test('on which somebody sends ahead is answered in order', async () => {
    const connection = open(proxy);
    connection.send(get('held'));
    await until(() => held.length === 1, 'the first call at the member');
    connection.send(get('k'));
    connection.send(post('Content-Length: 3\r\n', 'abc'));
    await new Promise((done) => setTimeout(done, 50));
    expect(member.seen).toHaveLength(1);
    held[0]!();
    await until(() => count(connection.received, 'HTTP/1.1 200') === 3, 'three replies');
    expect(connection.received.replaceAll(/HTTP[\s\S]*?\r\n\r\n/g, '')).toBe('at lastvaluevalue');
    connection.socket.destroy();
  });

  test('on which two calls come in one read is answered in order', async () => {
    const connection = open(proxy);
    connection.send((authorization) => get('k')(authorization) + get('missing')(authorization));
    await until(() => connection.received.endsWith('\r\n\r\nno'), 'both replies');
    expect(connection.received.match(/HTTP\/1.1 \d+|value/g)).toEqual([
      'HTTP/1.1 200',
      'value',
      'HTTP/1.1 404',
    ]);
    expect(fastCalls).toBe(0);
    connection.socket.destroy();
  });

  test('on which somebody sends ahead without end is not read for ever (S64)', async () => {
    const connection = open(proxy);
    connection.send(get('held'));
    await until(() => held.length === 1, 'the first call at the member');
    const block = Buffer.alloc(64 * 1024, 'a');
    let sent = 0;
    while (sent < 64 * 1024 * 1024 && connection.socket.write(block)) sent += block.length;
    const blocked = () => connection.socket.writableLength > 0;
    await new Promise((done) => setTimeout(done, 300));
    for (let i = 0; i < 400; i += 1) connection.socket.write(block);
    await new Promise((done) => setTimeout(done, 500));
    expect(blocked()).toBe(true);
    connection.socket.destroy();
  });

  test.each<[string, (socket: Socket) => void]>([
    ['that breaks ends its call at the member (S70)', (socket) => socket.resetAndDestroy()],
    ['that says it sends no more ends its call at the member (S70)', (socket) => socket.end()],
  ])('%s', async (_, leave) => {
    const connection = open(proxy);
    connection.send(get('held'));
    await until(() => held.length === 1, 'the call at the member');
    const before = proxy.records.length;
    leave(connection.socket);
    await until(() => proxy.records.length === before + 1, 'the end of the call');
    expect(proxy.records.at(-1)).toMatchObject({ status: 0, path: '/svc/rest/maps/m/held' });
  });

  test('that reads slowly gets all of a reply, which is read from the member no faster', async () => {
    const socket = connect(Number(new URL(proxy.address).port), '127.0.0.1');
    socket.pause();
    const token = `Authorization: Bearer ${tokens.get(proxy)}\r\n`;
    socket.write(get('large')(token));
    await new Promise((done) => setTimeout(done, 100));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      socket.pause();
      setTimeout(() => socket.resume(), 2);
    });
    socket.resume();
    await until(() => received.endsWith(large), 'the whole value');
    socket.destroy();
  });
});

describe('a connection on which nothing comes (S64)', () => {
  const server = {
    headersTimeout: 300,
    requestTimeout: 600,
    keepAliveTimeout: 300,
    connectionsCheckingInterval: 50,
  };

  test('at all is told so, and closed', async () => {
    const quick = await start({ server });
    const connection = open(quick);
    await until(() => connection.isClosed, 'the end');
    expect(connection.received).toMatch(/^HTTP\/1\.1 408 /);
    await quick.close();
  });

  test('after a call is closed', async () => {
    const quick = await start({ server });
    tokens = new Map([...tokens, [quick, await tokenFor(quick.key, 'Admin')]]);
    const connection = open(quick);
    connection.send(get('k'));
    await until(() => connection.isClosed, 'the end');
    expect(connection.received).toMatch(/Keep-Alive: timeout=0\r\n/);
    expect(connection.received).toMatch(/value$/);
    await quick.close();
  });

  test('while a call waits longer than that stays open', async () => {
    const quick = await start({ server });
    tokens = new Map([...tokens, [quick, await tokenFor(quick.key, 'Admin')]]);
    const connection = open(quick);
    connection.send(get('held'));
    await until(() => held.length === 1, 'the call at the member');
    await new Promise((done) => setTimeout(done, 800));
    held[0]!();
    await until(() => connection.received.endsWith('at last'), 'the reply');
    await quick.close();
  });
});

test('the server closes idle connections of the fast path when it closes its own (S81)', async () => {
  const own = await start();
  tokens = new Map([...tokens, [own, await tokenFor(own.key, 'Admin')]]);
  const idle = open(own);
  idle.send(get('k'));
  await until(() => idle.received.endsWith('value'), 'the reply');
  const busy = open(own);
  busy.send(get('held'));
  await until(() => held.length === 1, 'the call at the member');
  own.server.closeIdleConnections();
  await until(() => idle.isClosed, 'the end of the idle one');
  expect(busy.isClosed).toBe(false);
  held[0]!();
  await until(() => busy.received.endsWith('at last'), 'the reply of the busy one');
  await own.close();
});
