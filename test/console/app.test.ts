import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCors } from '../../console/http/cors.ts';
import { type AppDeps, createApp } from '../../console/server/request-handler.ts';
import { StorageUnavailableError } from '../../console/storage/storage.ts';
import { OAuthError, ProblemError, problems } from '../../platform/errors.ts';
import { createLogger } from '../../platform/log.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { openConnection } from './raw-connection.ts';

describe('what a handler throws (S86)', () => {
  const audited: unknown[] = [];
  const lines: string[] = [];
  let thrown: unknown;
  let server: ReturnType<typeof createServer>;
  let address: string;

  beforeAll(async () => {
    const handle = createApp(throwingDeps());
    server = createServer(handle).listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());
  beforeEach(() => {
    audited.length = 0;
    lines.length = 0;
  });

  const secretive = () => new TypeError('cannot read x of undefined; password=hunter22');

  test.each([
    { path: '/oauth2/token', body: { error: 'server_error' } },
    { path: '/oauth2/jwks', body: { code: 'server_error', status: 500 } },
    { path: '/throws-at-once', body: { code: 'server_error', status: 500 } },
    { path: '/svc/rest/cluster', body: { code: 'server_error', status: 500 } },
  ])('at $path is a bare 500 with a request id, and a log line with the stack', async ({ path, body }) => {
    thrown = secretive();
    const reply = await fetch(address + path);
    const text = await reply.text();
    expect(reply.status).toBe(500);
    expect(JSON.parse(text)).toMatchObject(body);
    expect(text).not.toMatch(/hunter22|TypeError|app\.test| at /);
    expect(lines).toHaveLength(1);
    const line = JSON.parse(lines[0]!);
    expect(line).toMatchObject({ level: 'error', msg: 'request failed', err: { type: 'TypeError' } });
    expect(line.err.stack).toContain('app.test');
    if (!path.startsWith('/svc/')) expect(reply.headers.get('x-request-id')).toBe(line.requestId);
    expect((await fetch(`${address}/fine`)).status).toBe(200);
  });

  test.each([
    {
      path: '/oauth2/token',
      error: new StorageUnavailableError('disk full at /secret/place'),
      status: 503,
      body: { error: 'temporarily_unavailable', error_description: 'the store cannot be written' },
    },
    {
      path: '/oauth2/jwks',
      error: new StorageUnavailableError('disk full at /secret/place'),
      status: 503,
      body: { code: 'storage_unavailable' },
    },
    {
      path: '/oauth2/token',
      error: new OAuthError('invalid_scope', 'no such scope'),
      status: 400,
      body: { error: 'invalid_scope', error_description: 'no such scope' },
    },
    {
      path: '/oauth2/jwks',
      error: new ProblemError(problems.methodNotAllowed, 'Use GET.'),
      status: 405,
      body: { code: 'method_not_allowed', detail: 'Use GET.' },
    },
  ])('what it names is told: $status at $path', async ({ path, error, status, body }) => {
    thrown = error;
    const reply = await fetch(address + path);
    const text = await reply.text();
    expect(reply.status).toBe(status);
    expect(JSON.parse(text)).toMatchObject(body);
    expect(text).not.toContain('secret');
    expect(lines).toEqual([]);
  });

  test('after the head has been sent the connection breaks, so that nobody takes the reply for whole', async () => {
    thrown = secretive();
    await expect(fetch(`${address}/half`).then((reply) => reply.text())).rejects.toThrow();
    expect(lines).toHaveLength(1);
  });

  function throwingDeps(): AppDeps {
    const fine: RequestListener = (req, res) => {
      if (req.url === '/throws-at-once') throw thrown;
      res.end('fine');
    };
    return {
      newRequestId: () => 'request-1',
      cors: createCors({ isKnown: () => false }),
      members: () => {
        throw thrown;
      },
      oauth: new Map([['/oauth2/token', () => Promise.reject(thrown)]]),
      api: () => Promise.reject(thrown),
      endpoints: new Map<string, RequestListener>([
        [
          '/oauth2/jwks',
          () => {
            throw thrown;
          },
        ],
        [
          '/half',
          (_req, res) => {
            res.writeHead(200, { 'Content-Length': 10 }).write('half');
            throw thrown;
          },
        ],
      ]),
      pages: fine,
      metrics: { request: () => {}, tokenRejected: () => {} },
      audit: (event, fields) => audited.push({ event, ...fields }),
      clientAddress: () => '192.0.2.1',
      log: createLogger({
        level: 'info',
        format: 'json',
        destination: { write: (line) => lines.push(line) },
      }),
    };
  }
});

describe('the front door', () => {
  let console: RunningConsole;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test.each([
    { name: 'a page', head: 'GET /login HTTP/1.1' },
    { name: 'a page that is not there', head: 'GET /nowhere HTTP/1.1' },
    { name: 'a probe', head: 'GET /live HTTP/1.1' },
    { name: 'the key set', head: 'GET /oauth2/jwks HTTP/1.1' },
    { name: 'a token error', head: 'POST /oauth2/token HTTP/1.1\r\nContent-Length: 0' },
    { name: 'a provider endpoint', head: 'GET /oauth2/authorize HTTP/1.1' },
    { name: 'discovery', head: 'GET /.well-known/openid-configuration HTTP/1.1' },
    { name: 'an error of the proxy', head: 'GET /svc/rest/cluster HTTP/1.1' },
    { name: 'a style sheet that is not there', head: 'GET /static/none.css HTTP/1.1' },
    { name: 'a preflight', head: preflight('/oauth2/token') },
    { name: 'a preflight of the proxy', head: preflight('/svc/rest/cluster') },
    { name: 'a bad Host', head: 'GET /live HTTP/1.1', host: 'a b' },
    { name: 'bytes that are no HTTP', head: 'GET / HTTP/1.1\r\nbad header' },
    { name: 'CONNECT', head: 'CONNECT a:1 HTTP/1.1' },
  ])('X-Request-Id is on the reply: $name', async ({ head, host = 'localhost' }) => {
    const ids = new Set<string>();
    for (let round = 0; round < 2; round++) {
      const connection = await openConnection(console.port);
      connection.send(`${head}\r\nHost: ${host}\r\n\r\n`);
      const { headers } = await connection.next();
      expect(headers['x-request-id']).toMatch(/^[\w-]{8,64}$/);
      ids.add(headers['x-request-id']!);
      connection.socket.destroy();
    }
    expect(ids.size).toBe(2);
  });

  test('the id is ours, whatever the caller sends', async () => {
    const connection = await openConnection(console.port);
    const { headers } = await connection.get('/live', 'X-Request-Id: forged\r\n');
    expect(headers['x-request-id']).not.toContain('forged');
    connection.socket.destroy();
  });
});

function preflight(path: string): string {
  return [
    `OPTIONS ${path} HTTP/1.1`,
    'Origin: http://localhost:9021',
    'Access-Control-Request-Method: GET',
  ].join('\r\n');
}
