/** What no HTTP client would send: spellings of targets, methods, fields and lengths beyond the common ones. */
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, sendRaw, startProxy, startRecorder, type TestProxy } from './servers.ts';
import { tokenFor } from './tokens.ts';

let answer: Answer = (_req, res) => res.end('ok');
let member: Awaited<ReturnType<typeof startRecorder>>;
let proxy: TestProxy;
let token: string;

beforeAll(async () => {
  member = await startRecorder((...args) => answer(...args));
  proxy = await startProxy({ members: [member.address] });
  token = await tokenFor(proxy.key, 'Admin');
});
afterAll(async () => {
  await proxy.close();
  await member.close();
});
afterEach(() => {
  member.seen.length = 0;
  answer = (_req, res) => res.end('ok');
});

const bearer = () => `Authorization: Bearer ${token}\r\n`;
const request = (line: string, fields = '', body = '') =>
  `${line}\r\nHost: p\r\n${bearer()}${fields}\r\n${body}`;
const get = (target: string, fields = '') => request(`GET ${target} HTTP/1.1`, fields);
const post = (fields: string, body: string) => request('POST /svc/rest/maps/m/k HTTP/1.1', fields, body);
const behind = () => get('/svc/rest/instance');
const chunked = 'Transfer-Encoding: chunked\r\n';
const end = '3\r\nabc\r\n0\r\n\r\n';

describe('targets', () => {
  test.each([
    ['of an IIS escape', '/svc/rest/maps/m/%u002e%u002e'],
    ['with raw UTF-8', '/svc/rest/maps/m/\xe2\x82\xac'],
    ['with a raw line separator', '/svc/rest/maps/m/a\x85b'],
    ['with a raw DEL', '/svc/rest/maps/m/a\x7fb'],
    ['with a byte that is no UTF-8', '/svc/rest/maps/m/%ff'],
    ['with UTF-8 beyond U+10FFFF', '/svc/rest/maps/m/%F4%90%80%80'],
    ['with an overlong slash of three bytes', '/svc/rest/maps/m/%E0%80%AF'],
    ['with NUL in the query', '/svc/rest/cluster?a=%00'],
    ['with a line end in the query', '/svc/rest/cluster?a=%0d%0ab'],
    ['with dots in the query that a reader may take for a path', '/svc/rest/cluster?/../rest/maps/m'],
    ['with dots behind a member target', '/members/h:1/svc/../svc/rest/maps/m/k'],
    ['with encoded dots behind a member target', '/members/h:1/svc/%2e%2e/k'],
    ['with an empty segment behind a member target', '/members/h:1/svc//rest/cluster'],
    ['with a fragment behind a member target', '/members/h:1/svc/rest/cluster#x'],
  ])('%s are 400 (S58)', async (_name, target) => {
    const reply = await sendRaw(proxy.address, get(target) + behind());
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.body).code).toBe('invalid_request');
    expect(member.seen.filter(({ url }) => url !== '/svc/rest/instance')).toEqual([]);
  });

  test.each([
    ['a foreign absolute-form by https', 'GET https://other/svc/rest/cluster HTTP/1.1'],
    ['an absolute-form without a path', 'GET http://other HTTP/1.1'],
    ['authority-form', 'GET other:5701 HTTP/1.1'],
    ['a scheme-relative target', 'GET //other/svc/rest/cluster HTTP/1.1'],
    ['no target', 'GET  HTTP/1.1'],
    ['a space within the target', 'GET /svc/rest/maps/m/a b HTTP/1.1'],
    ['a tab before the target', 'GET\t/svc/rest/cluster HTTP/1.1'],
    ['a backslash behind the host', 'GET \\\\other\\svc\\rest\\cluster HTTP/1.1'],
    ['a query alone', 'GET ?x HTTP/1.1'],
  ])('%s is 400 (S58)', async (_name, line) => {
    const reply = await sendRaw(proxy.address, request(line));
    expect(reply.status).toBe(400);
    // What came behind the last test's denial may still be on its way.
    expect(member.seen.filter(({ url }) => url !== '/svc/rest/instance')).toEqual([]);
  });

  test.each(['%2F', '%2f', '%252F', '%25252f'])(
    '%s in a key is not decoded on its way (S58)',
    async (slash) => {
      const target = `/svc/rest/maps/m/a${slash}b`;
      expect((await sendRaw(proxy.address, get(target))).status).toBe(200);
      expect(member.seen.map(({ url }) => url)).toEqual([target]);
    },
  );
});

describe('methods', () => {
  test.each(['get', 'Get', 'POST\0', 'G E T', 'FOO', ''])('%j is no method (S59)', async (method) => {
    const reply = await sendRaw(proxy.address, request(`${method} /svc/rest/cluster HTTP/1.1`));
    expect([400, 405]).toContain(reply.status);
    expect(member.seen).toEqual([]);
  });

  test.each(['TRACE', 'TRACK', 'DEBUG', 'MOVE', 'PROPFIND', 'M-SEARCH', 'QUERY'])(
    '%s reaches no member (S59)',
    async (method) => {
      const reply = await sendRaw(proxy.address, request(`${method} /svc/rest/maps/m/k HTTP/1.1`));
      expect([400, 405]).toContain(reply.status);
      expect(member.seen).toEqual([]);
    },
  );

  test.each(['h2c', 'websocket', 'TLS/1.0', 'HTTP/2.0'])(
    'an upgrade to %s is ignored (S59)',
    async (protocol) => {
      const fields = `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABk\r\n`;
      const reply = await sendRaw(proxy.address, get('/svc/rest/cluster', fields));
      expect(reply.status).toBe(200);
      const { headers } = member.seen[0]!;
      for (const name of ['upgrade', 'http2-settings']) expect(headers).not.toHaveProperty(name);
    },
  );

  test('the preface of HTTP/2 is refused (S59)', async () => {
    const reply = await sendRaw(proxy.address, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    expect(reply).toMatchObject({ status: 400, isClosed: true });
  });
});

describe('fields', () => {
  test('names with an underscore or in other case are not those on the list (S62)', async () => {
    const fields = [
      'Content_Type: text/evil',
      'User_Agent: evil',
      'X-HTTP-Method-Override: DELETE',
      'AUTHORIZATION_: Basic YTpi',
      'X-Original-URL: /svc/rest/maps/other',
      'X-Rewrite-URL: /svc/rest/maps/other',
      'X-Forwarded-Host: evil',
      'X-Accel-Redirect: /evil',
      'Max-Forwards: 0',
      'Range: bytes=0-1',
      'If-None-Match: *',
      'Content-Encoding: gzip',
      'Content-MD5: x',
      'Expect-CT: x',
      'Early-Data: 1',
      'CDN-Loop: a',
      'From: a@b',
      'CONTENT-TYPE: Text/Plain',
      'aCCEPT: a/b',
      'Content-Length: 0',
    ];
    expect((await sendRaw(proxy.address, post(`${fields.join('\r\n')}\r\n`, ''))).status).toBe(200);
    const names = member.seen[0]!.rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
    const known = [
      'host',
      'connection',
      'accept',
      'content-type',
      'user-agent',
      'content-length',
      'traceparent',
    ];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    expect(member.seen[0]!.headers).toMatchObject({ 'content-type': 'Text/Plain', accept: 'a/b' });
  });

  test('the trailer of a body is not one of its fields (S62)', async () => {
    const trailer = '3\r\nabc\r\n0\r\nContent-Type: text/evil\r\nX-Forwarded-For: 1\r\n\r\n';
    expect((await sendRaw(proxy.address, post(chunked, trailer))).status).toBe(200);
    expect(member.seen[0]!.headers).not.toHaveProperty('content-type');
    expect(member.seen[0]!.headers).not.toHaveProperty('x-forwarded-for');
  });

  test.each([
    ['Host', 'Connection: Host\r\n'],
    ['close and more', 'Connection: close, Content-Type, Accept\r\nAccept: a/b\r\nContent-Type: a/b\r\n'],
    ['itself', 'Connection: Connection, keep-alive\r\n'],
    ['nothing', 'Connection: ,, ,\r\n'],
  ])('Connection may list %s (S62)', async (_name, fields) => {
    expect((await sendRaw(proxy.address, get('/svc/rest/cluster', fields))).status).toBe(200);
    const { headers } = member.seen[0]!;
    expect(headers.host).toBe(new URL(member.address).host);
    expect(headers.connection).toBe('keep-alive');
    for (const name of ['content-type', 'accept']) expect(headers).not.toHaveProperty(name);
  });
});

describe('the length of a body', () => {
  test.each([true, false])(
    'a refused short body that came with its head closes no connection, fast path %s (D1)',
    async (hasFastPath) => {
      const other = await startProxy({ members: [member.address], hasFastPath });
      const bytes = 'POST /svc/ HTTP/1.1\r\nHost: p\r\nContent-Length: 4\r\n\r\nitem';
      const reply = await sendRaw(other.address, bytes);
      await other.close();
      expect([reply.status, reply.isClosed]).toEqual([401, false]);
      expect(reply.head).not.toMatch(/^connection: close/im);
    },
  );

  test('a refused body that has not come in full closes its connection, after the denial (D1)', async () => {
    const reply = await sendRaw(
      proxy.address,
      'POST /svc/rest/maps/m/k HTTP/1.1\r\nHost: p\r\nContent-Length: 4\r\n\r\nit',
    );
    expect([reply.status, reply.isClosed]).toEqual([401, true]);
    expect(reply.head).toMatch(/^connection: close/im);
  });

  test.each<[string, string, string]>([
    ['a coding that only ends so', 'Transfer-Encoding: xchunked\r\n', end],
    ['a coding with a parameter', 'Transfer-Encoding: chunked;q=1\r\n', end],
    ['a coding in quotes', 'Transfer-Encoding: "chunked"\r\n', end],
    ['a coding behind a vertical tab', 'Transfer-Encoding: \vchunked\r\n', end],
    ['a coding before NUL', 'Transfer-Encoding: chunked\0\r\n', end],
    ['two equal codings', `${chunked}${chunked}`, end],
    ['two codings', `${chunked}Transfer-Encoding: identity\r\n`, end],
    ['two codings, one in other case', `${chunked}TRANSFER-encoding: x\r\n`, end],
    ['chunked twice', 'Transfer-Encoding: chunked, chunked\r\n', end],
    ['a length with a semicolon', 'Content-Length: 3;\r\n', 'abc'],
    ['a fraction', 'Content-Length: 3.0\r\n', 'abc'],
    ['an exponent', 'Content-Length: 3e0\r\n', 'abc'],
    ['a length in quotes', 'Content-Length: "3"\r\n', 'abc'],
    ['an octal length', 'Content-Length: 0o3\r\n', 'abc'],
    ['a length with an underscore', 'Content-Length: 1_0\r\n', 'abc'],
    ['a length behind a no-break space', 'Content-Length: \xa03\r\n', 'abc'],
    ['a length in Arabic digits', 'Content-Length: \xd9\xa3\r\n', 'abc'],
    ['a list of equal lengths in two fields', 'Content-Length: 3, 3\r\nContent-Length: 3\r\n', 'abc'],
    ['a chunk size with a plus', chunked, '+3\r\nabc\r\n0\r\n\r\n'],
    ['a chunk size with an underscore', chunked, '0_3\r\nabc\r\n0\r\n\r\n'],
    ['a chunk size behind a space', chunked, ' 3\r\nabc\r\n0\r\n\r\n'],
    ['an empty chunk size', chunked, '\r\nabc\r\n0\r\n\r\n'],
    ['a chunk longer than its size', chunked, '3\r\nabcd\r\n0\r\n\r\n'],
    ['a chunk ended by CR alone', chunked, '3\r\nabc\r0\r\n\r\n'],
    ['a chunk size ended by CR alone', chunked, '3\rabc\r\n0\r\n\r\n'],
    ['NUL in a chunk extension', chunked, '3;a=\0\r\nabc\r\n0\r\n\r\n'],
    ['a bare CR in a chunk extension', chunked, '3;a\rb\r\nabc\r\n0\r\n\r\n'],
    ['a space before a colon in the trailer', chunked, '3\r\nabc\r\n0\r\nX : y\r\n\r\n'],
    ['a Transfer-Encoding in the trailer', chunked, '3\r\nabc\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ])('%s is 400, closes, and what stands behind is not read (S63)', async (_name, fields, body) => {
    const reply = await sendRaw(proxy.address, post(fields, body) + behind());
    expect(reply).toMatchObject({ status: 400, isClosed: true });
    expect(JSON.parse(reply.body).code).toBe('invalid_request');
    expect(member.seen).toEqual([]);
  });

  test('a body that ends early is given up, and no part of it is stored (S63)', async () => {
    for (const bytes of [post('Content-Length: 9\r\n', 'abc'), post(chunked, '9\r\nabc')]) {
      const socket = connect(Number(new URL(proxy.address).port), '127.0.0.1');
      await new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
        socket.end(Buffer.from(bytes, 'latin1'));
        socket.resume();
      });
    }
    expect(member.seen).toEqual([]);
  });
});

describe('replies', () => {
  const ofThisHop = {
    'Keep-Alive': 'timeout=5',
    'Proxy-Authenticate': 'Basic',
    'Proxy-Authentication-Info': 'evil',
    'Proxy-Connection': 'close',
    TE: 'trailers',
    Upgrade: 'h2c',
  };
  /** They would speak for the console's whole origin. */
  const ofTheOrigin = {
    'Set-Cookie': 'session=evil; Path=/',
    'Set-Cookie2': 'a=1',
    Server: 'member/1',
    Location: 'http://evil/',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': '*',
    'Alt-Svc': 'h3="evil:443"',
    'Clear-Site-Data': '"cookies"',
    'Strict-Transport-Security': 'max-age=1',
    'WWW-Authenticate': 'Basic realm="console"',
    'Service-Worker-Allowed': '/evil',
    Refresh: '0; url=http://evil/',
    Link: '<http://evil/a.css>; rel=stylesheet',
    'Report-To': '{"url":"http://evil/"}',
    'Reporting-Endpoints': 'a="http://evil/"',
    NEL: '{"evil":1}',
    SourceMap: 'http://evil/map',
    'Public-Key-Pins': 'evil',
  };
  /** By these a browser would send more, allow more or load more than it did, at later visits too. */
  const ofTheBrowser = {
    'Accept-CH': 'Sec-CH-UA-Model',
    'Accept-CH-Lifetime': '86400',
    'Critical-CH': 'Sec-CH-UA-Model',
    'Observe-Browsing-Topics': '?1',
    'Origin-Agent-Cluster': '?0',
    'Origin-Trial': 'evil',
    'Permissions-Policy': 'camera=*',
    'Set-Login': 'logged-out',
    'Speculation-Rules': '"/evil.json"',
  };

  test.each([
    ...Object.entries({ ...ofThisHop, ...ofTheOrigin }).map((field) => ['S69', ...field] as const),
    ...Object.entries(ofTheBrowser).map((field) => ['D9', ...field] as const),
  ])('%s: %s of a member goes no further', async (_number, name, value) => {
    answer = (_req, res) => {
      res.writeHead(200, { [name]: value, 'Content-Type': 'text/plain', 'Content-Length': 2 });
      res.end('ok');
    };
    const reply = await sendRaw(proxy.address, get('/svc/rest/cluster'));
    expect([reply.status, reply.body]).toEqual([200, 'ok']);
    expect(reply.head).not.toContain(value);
    expect(reply.head).toContain('\r\nContent-Type: text/plain\r\n');
  });
});
