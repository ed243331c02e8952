import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { exchangeRaw } from '../helpers/wire.ts';
import { sendRaw, startProxy, startRecorder, type TestProxy } from './servers.ts';
import { tokenFor } from './tokens.ts';

let member: Awaited<ReturnType<typeof startRecorder>>;
let proxy: TestProxy;
let token: string;

beforeAll(async () => {
  member = await startRecorder();
  proxy = await startProxy({ members: [member.address] });
  token = await tokenFor(proxy.key, 'Admin');
});
afterAll(async () => {
  await proxy.close();
  await member.close();
});
afterEach(() => {
  member.seen.length = 0;
});

const authorization = () => `Authorization: Bearer ${token}\r\n`;
const post = (fields: string, body: string, version = '1.1') =>
  `POST /svc/rest/maps/m/k HTTP/${version}\r\nHost: p\r\n${authorization()}${fields}\r\n${body}`;
const get = (fields: string, host = 'Host: p\r\n') =>
  `GET /svc/health HTTP/1.1\r\n${host}${authorization()}${fields}\r\n`;
const chunked = '3\r\nabc\r\n0\r\n\r\n';

test.each<[string, () => string]>([
  [
    'Content-Length with Transfer-Encoding',
    () => post('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', chunked),
  ],
  [
    'Transfer-Encoding with Content-Length',
    () => post('Transfer-Encoding: chunked\r\nContent-Length: 3\r\n', chunked),
  ],
  ['two differing Content-Lengths', () => post('Content-Length: 3\r\nContent-Length: 4\r\n', 'abcd')],
  ['two equal Content-Lengths', () => post('Content-Length: 3\r\nContent-Length: 3\r\n', 'abc')],
  ['a list of Content-Lengths', () => post('Content-Length: 3, 3\r\n', 'abc')],
  ['a Content-Length with plus', () => post('Content-Length: +3\r\n', 'abc')],
  ['a Content-Length with minus', () => post('Content-Length: -3\r\n', 'abc')],
  ['a hexadecimal Content-Length', () => post('Content-Length: 0x3\r\n', 'abc')],
  ['a Content-Length with a gap', () => post('Content-Length: 3 4\r\n', 'abc')],
  ['an empty Content-Length', () => post('Content-Length:\r\n', '')],
  ['a blank Content-Length', () => post('Content-Length:  \r\n', 'abc')],
  ['a Content-Length beyond 2^64', () => post('Content-Length: 99999999999999999999999\r\n', 'abc')],
  ['gzip, chunked', () => post('Transfer-Encoding: gzip, chunked\r\n', chunked)],
  ['chunked, gzip', () => post('Transfer-Encoding: chunked, gzip\r\n', chunked)],
  ['gzip', () => post('Transfer-Encoding: gzip\r\n', chunked)],
  ['identity', () => post('Transfer-Encoding: identity\r\n', 'abc')],
  ['xchunked', () => post('Transfer-Encoding: xchunked\r\n', chunked)],
  ['chunked twice', () => post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', chunked)],
  ['chunked, chunked', () => post('Transfer-Encoding: chunked, chunked\r\n', chunked)],
  ['an empty Transfer-Encoding', () => post('Transfer-Encoding:\r\n', chunked)],
  ['chunked in HTTP/1.0', () => post('Transfer-Encoding: chunked\r\n', chunked, '1.0')],
  ['HTTP/2.0 in clear', () => post('Content-Length: 0\r\n', '', '2.0')],
  ['HTTP/0.9', () => 'GET /svc/health\r\n\r\n'],
  ['a space before a colon', () => get('X-A : b\r\n')],
  ['a space before the colon of Content-Length', () => post('Content-Length : 3\r\n', 'abc')],
  ['a tab before the colon of Transfer-Encoding', () => post('Transfer-Encoding\t: chunked\r\n', chunked)],
  ['a folded field', () => get('X-A: b\r\n c\r\n')],
  ['a field folded by a tab', () => get('X-A: b\r\n\tc\r\n')],
  ['a folded Transfer-Encoding', () => post('Transfer-Encoding:\r\n chunked\r\n', chunked)],
  ['a folded Content-Length', () => post('Content-Length:\r\n 3\r\n', 'abc')],
  ['white space before the first field', () => 'GET /svc/health HTTP/1.1\r\n Host: p\r\n\r\n'],
  ['line ends of LF only', () => get('').replaceAll('\r\n', '\n')],
  ['LF behind the request line', () => get('').replace('\r\n', '\n')],
  ['LF behind a field', () => get('X-A: b\nX-B: c\r\n')],
  ['LF at the end of the head', () => get('').replace(/\r\n$/, '\n')],
  ['a bare CR within a value', () => get('X-A: b\rc\r\n')],
  ['a bare CR behind a name', () => get('X-A:\rb\r\n')],
  ['NUL in a value', () => get('X-A: b\0c\r\n')],
  ['NUL in a name', () => get('X\0A: b\r\n')],
  ['a control byte in a value', () => get('X-A: b\x07c\r\n')],
  ['a field without a colon', () => get('Xabc\r\n')],
  ['a field without a name', () => get(': x\r\n')],
  ['two Host fields', () => get('', 'Host: p\r\nHost: p\r\n')],
  ['two differing Host fields', () => get('', 'Host: p\r\nHost: q\r\n')],
  ['an empty Host', () => get('', 'Host:\r\n')],
  ['a Host with a path', () => get('', 'Host: a/b\r\n')],
  ['a Host with user information', () => get('', 'Host: a@b\r\n')],
  ['a Host with a comma', () => get('', 'Host: a, b\r\n')],
  ['a Host with a bad port', () => get('', 'Host: a:b\r\n')],
  ['no Host in HTTP/1.0', () => 'GET /svc/health HTTP/1.0\r\n\r\n'],
  [
    'two Content-Type fields',
    () => post('Content-Type: a/b\r\nContent-Type: c/d\r\nContent-Length: 0\r\n', ''),
  ],
  ['a chunk size with 0x', () => post('Transfer-Encoding: chunked\r\n', '0x3\r\nabc\r\n0\r\n\r\n')],
  ['a negative chunk size', () => post('Transfer-Encoding: chunked\r\n', '-3\r\nabc\r\n0\r\n\r\n')],
  [
    'an overflowing chunk size',
    () => post('Transfer-Encoding: chunked\r\n', 'fffffffffffffffff\r\nabc\r\n0\r\n\r\n'),
  ],
  ['LF behind a chunk size', () => post('Transfer-Encoding: chunked\r\n', '3\nabc\r\n0\r\n\r\n')],
  ['LF behind a chunk', () => post('Transfer-Encoding: chunked\r\n', '3\r\nabc\n0\r\n\r\n')],
  ['LF in a chunk extension', () => post('Transfer-Encoding: chunked\r\n', '3;a="b\nc"\r\nabc\r\n0\r\n\r\n')],
  [
    'a Content-Length in the trailer',
    () => post('Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n0\r\nContent-Length: 3\r\n\r\n'),
  ],
  ['a body on GET', () => `${get('Content-Length: 3\r\n')}abc`],
  ['a chunked body on GET', () => get('Transfer-Encoding: chunked\r\n') + chunked],
  ['a body on DELETE', () => post('Content-Length: 3\r\n', 'abc').replace('POST', 'DELETE')],
])('%s is 400 and closes (S63)', async (_, bytes) => {
  const reply = await sendRaw(
    proxy.address,
    `${bytes()}GET /svc/health HTTP/1.1\r\nHost: p\r\n${authorization()}\r\n`,
  );
  expect(reply.status).toBe(400);
  expect(reply.isClosed).toBe(true);
  expect(reply.head).toMatch(/\r\nconnection: close/i);
  expect(JSON.parse(reply.body)).toMatchObject({ code: 'invalid_request', status: 400 });
  expect(member.seen).toEqual([]);
});

test.each([
  ['PATCH', 'Content-Length: 3\r\n', 'abc'],
  ['PATCH', 'Transfer-Encoding: chunked\r\n', chunked],
  ['OPTIONS', 'Content-Length: 3\r\n', 'abc'],
])('flaw: %s with a body was 400 and named no method that would do (S59)', async (method, fields, body) => {
  const behind = `GET /svc/health HTTP/1.1\r\nHost: p\r\n${authorization()}\r\n`;
  const reply = await sendRaw(proxy.address, post(fields, body).replace('POST', method) + behind);
  expect(reply).toMatchObject({ status: 405, isClosed: true });
  expect(reply.head).toMatch(/\r\nallow: GET, HEAD, POST, PUT, DELETE\r\n/i);
  expect(reply.head).toMatch(/\r\nconnection: close/i);
  expect(JSON.parse(reply.body)).toMatchObject({ code: 'method_not_allowed' });
  expect(reply.body).not.toContain('has no body');
  expect(member.seen).toEqual([]);
});

test('no Host is 400 and closes (S24)', async () => {
  const reply = await sendRaw(proxy.address, 'GET /svc/health HTTP/1.1\r\n\r\n');
  expect(reply).toMatchObject({ status: 400, isClosed: true });
  expect(member.seen).toEqual([]);
});

test('bodies are framed anew: chunks, extensions and trailers end here (S63)', async () => {
  const body = '3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: t\r\n\r\n';
  expect((await sendRaw(proxy.address, post('Transfer-Encoding: Chunked\r\n', body))).status).toBe(200);
  expect(member.seen).toHaveLength(1);
  expect(member.seen[0]!.body.toString()).toBe('abcde');
  expect(member.seen[0]!.headers).toMatchObject({ 'content-length': '5' });
  expect(member.seen[0]!.headers).not.toHaveProperty('transfer-encoding');
  expect(member.seen[0]!.headers).not.toHaveProperty('x-trailer');
});

test('a pipelined request behind a good one stays a request of its own (S63)', async () => {
  const second = post('Content-Length: 3\r\n', 'two');
  const first = post('Content-Length: 3\r\nX-A: 1\r\n', 'one');
  const replies = await exchangeRaw(proxy.address, [first + second], 2);
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect(member.seen.map(({ body }) => body.toString())).toEqual(['one', 'two']);
});

test.each<[string, () => string, number, string]>([
  ['none', () => '', 401, 'Bearer'],
  ['another scheme', () => 'Authorization: Basic YTpi\r\n', 401, 'Bearer'],
  ['a scheme that only starts so', () => `Authorization: Bearerx ${token}\r\n`, 401, 'Bearer'],
  ['a cookie', () => `Cookie: access_token=${token}\r\n`, 401, 'Bearer'],
  ['two equal fields', () => authorization() + authorization(), 400, 'Bearer error="invalid_request"'],
  [
    'a second field of another scheme',
    () => `${authorization()}Authorization: Basic YTpi\r\n`,
    400,
    'Bearer error="invalid_request"',
  ],
  ['no token', () => 'Authorization: Bearer\r\n', 400, 'Bearer error="invalid_request"'],
  ['two tokens', () => `Authorization: Bearer ${token} ${token}\r\n`, 400, 'Bearer error="invalid_request"'],
  ['a list', () => `Authorization: Bearer ${token},Basic YTpi\r\n`, 400, 'Bearer error="invalid_request"'],
  ['a parameter', () => `Authorization: Bearer token="${token}"\r\n`, 400, 'Bearer error="invalid_request"'],
])('credentials: %s (S61)', async (_, fields, status, challenge) => {
  const reply = await sendRaw(
    proxy.address,
    `GET /svc/health?access_token=${token} HTTP/1.1\r\nHost: p\r\n${fields()}\r\n`,
  );
  expect(reply.status).toBe(status);
  expect(`${/\r\nwww-authenticate: ([^\r]*)/i.exec(reply.head)?.[1]}`.split(',')[0]).toBe(challenge);
  expect(JSON.parse(reply.body).code).toBe(status === 401 ? 'unauthorized' : 'invalid_request');
  expect(member.seen).toEqual([]);
});

test('a token in the body is no token (S61)', async () => {
  const reply = await fetch(`${proxy.address}/svc/rest/management/cluster/state`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `access_token=${token}`,
  });
  expect(reply.status).toBe(401);
  expect(member.seen).toEqual([]);
});

test('the scheme is read in any case (S61)', async () => {
  const reply = await sendRaw(proxy.address, get('').replace('Bearer', 'bEARER'));
  expect(reply.status).toBe(200);
});

test('header fields above 16 KiB are 431, and so are too many of them (S64)', async () => {
  const large = await sendRaw(proxy.address, get(`X-A: ${'a'.repeat(17_000)}\r\n`));
  expect(large).toMatchObject({ status: 431, isClosed: true });
  const many = await sendRaw(proxy.address, get('A: \r\n'.repeat(2100)));
  expect(many).toMatchObject({ status: 431, isClosed: true });
  expect(JSON.parse(many.body)).toMatchObject({ code: 'headers_too_large' });
  expect(member.seen).toEqual([]);
});
