/** Replies that no HTTP server would send, over bare sockets (S63, S65, S69; docs/member-surface.md#on-the-wire). */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { sendRaw, startProxy, startRawMember, type TestProxy, until } from './servers.ts';
import { tokenFor } from './tokens.ts';

const closers: (() => Promise<void>)[] = [];
let proxy: TestProxy;
let authorization: string;

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A member that sends these bytes for each request, and what it got. */
async function answering(bytes: string | readonly string[], afterwards: (socket: Socket) => void = () => {}) {
  const got: string[] = [];
  const member = await startRawMember((socket) =>
    socket.on('data', async (request) => {
      got.push(request.toString('latin1'));
      for (const part of typeof bytes === 'string' ? [bytes] : bytes) {
        socket.write(Buffer.from(part, 'latin1'));
        await new Promise((done) => setTimeout(done, 5));
      }
      afterwards(socket);
    }),
  );
  closers.push(member.close);
  proxy = await startProxy({ members: [member.address] });
  closers.unshift(proxy.close);
  authorization = `Authorization: Bearer ${await tokenFor(proxy.key, 'Admin')}\r\n`;
  return { ...member, got };
}

const request = (method = 'GET', path = '/svc/rest/maps/m/k', fields = '', body = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: p\r\n${authorization}${fields}\r\n${body}`;
const post = () => request('POST', '/svc/rest/maps/m/k', 'Content-Length: 1\r\n', 'x');
const ok = 'HTTP/1.1 200 OK\r\n';

describe('a reply that cannot be passed on', () => {
  test.each([
    ['another protocol', 'CLIENT_ERROR Invalid command\r\n\r\n'],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['HTTP/2', 'HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['no status', 'HTTP/1.1 OK\r\nContent-Length: 0\r\n\r\n'],
    ['two digits of status', 'HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n'],
    ['four digits of status', 'HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a status beyond 599', 'HTTP/1.1 700 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a control byte in the reason', 'HTTP/1.1 200 O\x00K\r\nContent-Length: 0\r\n\r\n'],
    ['an interim reply', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['the half interim reply of the real engine', `HTTP/1.1 100 Continue\r\n${ok}Content-Length: 0\r\n\r\n`],
    ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
    ['bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n\r\n\r\n'],
    ['a field without a name', `${ok}: a\r\nContent-Length: 0\r\n\r\n`],
    ['a field without a colon', `${ok}Content-Length 0\r\n\r\n`],
    ['a space before the colon', `${ok}Content-Length : 0\r\n\r\n`],
    ['a folded field', `${ok}Content-Type: text/plain;\r\n a=b\r\nContent-Length: 0\r\n\r\n`],
    ['NUL in a field', `${ok}X: a\x00b\r\nContent-Length: 0\r\n\r\n`],
    ['CR in a field', `${ok}X: a\rSet-Cookie: b\r\nContent-Length: 0\r\n\r\n`],
    ['LF in a field', `${ok}X: a\nSet-Cookie: b\r\nContent-Length: 0\r\n\r\n`],
    ['a name that is no token', `${ok}X(y): a\r\nContent-Length: 0\r\n\r\n`],
    ['no length', `${ok}Content-Type: text/plain\r\n\r\nabc`],
    ['two lengths', `${ok}Content-Length: 3\r\nContent-Length: 5\r\n\r\nabc`],
    ['the same length twice', `${ok}Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc`],
    ['a list of lengths', `${ok}Content-Length: 3, 3\r\n\r\nabc`],
    ['a negative length', `${ok}Content-Length: -1\r\n\r\n`],
    ['a signed length', `${ok}Content-Length: +3\r\n\r\nabc`],
    ['an empty length', `${ok}Content-Length: \r\n\r\n`],
    ['a length that no number holds', `${ok}Content-Length: 9223372036854775808\r\n\r\n`],
    ['a hexadecimal length', `${ok}Content-Length: 0x3\r\n\r\nabc`],
    [
      'length and chunks',
      `${ok}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
    ],
    ['chunks twice', `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['another coding', `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['a body of 204', 'HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc'],
    ['chunks of 204', 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a head without end', ok + 'X: a\r\n'.repeat(4_000)],
    ['too many fields', `${ok}${'X: a\r\n'.repeat(200)}Content-Length: 0\r\n\r\n`],
  ])('%s is 502 bad_gateway, and its connection is closed (S63)', async (_, bytes) => {
    const member = await answering(bytes);
    const reply = await sendRaw(proxy.address, post());
    expect(reply.status).toBe(502);
    expect(JSON.parse(reply.body)).toMatchObject({ code: 'bad_gateway' });
    expect(reply.head).not.toMatch(/set-cookie/i);
    expect(member.got).toHaveLength(1);
    await until(() => member.closed() === member.opened(), 'the connection to the member is closed');
  });

  test.each([
    ['no size', `${ok}Transfer-Encoding: chunked\r\n\r\nxyz\r\n0\r\n\r\n`],
    ['a size with an extension', `${ok}Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\n\r\n`],
    ['a negative size', `${ok}Transfer-Encoding: chunked\r\n\r\n-3\r\nabc\r\n0\r\n\r\n`],
    ['a size that no member holds', `${ok}Transfer-Encoding: chunked\r\n\r\nfffffffff\r\nabc\r\n0\r\n\r\n`],
    ['a size line without CR', `${ok}Transfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n`],
    ['a chunk longer than its size', `${ok}Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n`],
    ['a trailer', `${ok}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: a\r\n\r\n`],
  ])('chunks with %s break off, and are not passed on as if they were whole (S63)', async (_, bytes) => {
    const member = await answering(bytes);
    const reply = await sendRaw(proxy.address, post());
    expect(reply.isClosed).toBe(true);
    expect(reply.body).not.toMatch(/\r\n0\r\n\r\n$/);
    await until(() => proxy.records.length === 1, 'the call is recorded');
    expect(proxy.records[0]!.decision).toBe('bad_gateway');
    await until(() => member.closed() === member.opened(), 'the connection to the member is closed');
  });
});

describe('a reply in pieces', () => {
  const whole = `${ok}Content-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc`;
  test.each([
    ['byte by byte', [...whole]],
    ['head and body apart', [whole.slice(0, -3), 'abc']],
    ['within the end of the head', [whole.slice(0, whole.indexOf('\r\n\r\n') + 3), '\nabc']],
    ['chunks byte by byte', [...`${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n`]],
  ])('%s is the same reply, and its connection is used again', async (_, parts) => {
    const member = await answering(parts);
    for (let i = 0; i < 2; i += 1) {
      const reply = await sendRaw(proxy.address, request());
      expect(reply.status).toBe(200);
      expect(reply.body).toContain('c');
    }
    expect(member.opened()).toBe(1);
  });

  test('HEAD has a length and no body, and its connection is used again', async () => {
    const member = await answering(`${ok}Content-Length: 300\r\n\r\n`);
    for (let i = 0; i < 2; i += 1) {
      const reply = await sendRaw(proxy.address, request('HEAD', '/svc/rest/cluster'));
      expect(reply.status).toBe(200);
      expect(reply.head.toLowerCase()).toContain('content-length: 300');
    }
    expect(member.opened()).toBe(1);
  });

  test('every byte value of a value comes back as it was', async () => {
    const value = Buffer.from(Array.from({ length: 256 }, (_, i) => i)).toString('latin1');
    await answering(`${ok}Content-Length: 256\r\n\r\n${value}`);
    const reply = await fetch(`${proxy.address}/svc/rest/maps/m/k`, {
      headers: { authorization: authorization.slice('Authorization: '.length).trim() },
    });
    expect(Buffer.from(await reply.arrayBuffer()).toString('latin1')).toBe(value);
  });
});

describe('what comes behind a reply', () => {
  test.each([
    ['in the same piece', [`${ok}Content-Length: 2\r\n\r\nokERROR\r\n`]],
    ['right after it', [`${ok}Content-Length: 2\r\n\r\nok`, 'ERROR\r\n']],
    ['as a second reply', [`${ok}Content-Length: 2\r\n\r\nok${ok}Content-Length: 5\r\n\r\nstray`]],
    ['after 204', ['HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\nERROR\r\n']],
    ['after the body of a HEAD', [`${ok}Content-Length: 5\r\n\r\nstray`]],
  ])('%s is never part of another reply (S63)', async (_, parts) => {
    const member = await answering(parts);
    for (let i = 1; i <= 3; i += 1) {
      const reply = await sendRaw(proxy.address, request(_.includes('HEAD') ? 'HEAD' : 'GET'));
      expect([200, 204]).toContain(reply.status);
      expect(['ok', '']).toContain(reply.body);
      await until(() => member.closed() === i, 'the connection is not kept');
    }
  });

  test('a connection that says close is not kept (S63)', async () => {
    const member = await answering(`${ok}Connection: close\r\nContent-Length: 2\r\n\r\nok`);
    for (let i = 1; i <= 2; i += 1) {
      expect((await sendRaw(proxy.address, request())).status).toBe(200);
      await until(() => member.closed() === i, 'the connection is closed');
    }
  });

  test('an idle connection that the member closes is not used again (S63)', async () => {
    const member = await answering(`${ok}Content-Length: 2\r\n\r\nok`, (socket) => socket.end());
    for (let i = 1; i <= 3; i += 1) {
      expect((await sendRaw(proxy.address, post())).status).toBe(200);
      await until(() => member.closed() === i, 'the connection is closed');
    }
  });
});

describe('what a member gets', () => {
  test('one piece, with one space behind each colon and nothing behind the body (S62)', async () => {
    const member = await answering(`${ok}Content-Length: 2\r\n\r\nok`);
    await sendRaw(
      proxy.address,
      request(
        'POST',
        '/svc/rest/maps/m/k%2F1',
        'Content-Type:  text/plain \r\nContent-Length: 3\r\n',
        'a\0b',
      ),
    );
    expect(member.got).toHaveLength(1);
    const [head = '', body] = member.got[0]!.split('\r\n\r\n', 2);
    const [line, ...fields] = head.split('\r\n');
    expect(line).toBe('POST /svc/rest/maps/m/k%2F1 HTTP/1.1');
    for (const field of fields) expect(field).toMatch(/^[A-Za-z-]+: \S(?:.*\S)?$/);
    expect(fields.map((field) => field.toLowerCase())).toContain('content-length: 3');
    expect(body).toBe('a\0b');
  });

  test.each(['GET', 'DELETE', 'HEAD'])('%s has neither a length nor a body (S63)', async (method) => {
    const member = await answering(`${ok}Content-Length: 0\r\n\r\n`);
    expect((await sendRaw(proxy.address, request(method))).status).toBe(200);
    expect(member.got.join('')).not.toMatch(/content-length|transfer-encoding|expect/i);
    expect(member.got.join('')).toMatch(/\r\n\r\n$/);
  });
});

test('a member that answers before it has the whole body is heard, and the caller’s connection ends', async () => {
  const member = await startRawMember((socket) =>
    socket.once('data', () =>
      socket.write(`HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nfull`),
    ),
  );
  closers.push(member.close);
  proxy = await startProxy({ members: [member.address] });
  closers.unshift(proxy.close);
  authorization = `Authorization: Bearer ${await tokenFor(proxy.key, 'Admin')}\r\n`;
  const caller = connect(Number(new URL(proxy.address).port), '127.0.0.1');
  let received = '';
  caller.on('data', (bytes) => {
    received += bytes;
  });
  caller.on('error', () => undefined);
  caller.write(request('POST', '/svc/rest/maps/m/k', 'Content-Length: 200000\r\n', 'x'.repeat(100_000)));
  await once(caller, 'close');
  expect(received).toMatch(/^HTTP\/1.1 503 /);
  expect(received).toMatch(/\r\nConnection: close\r\n/i);
  expect(received).toMatch(/full/);
});
