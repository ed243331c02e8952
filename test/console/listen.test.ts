import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { connect, createServer as createNetServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../console/server/listen.ts';
import { defaultOverloadLimits } from '../../http/server/overload/limits.ts';
import { createOverload } from '../../http/server/overload/overload.ts';
import { Secret } from '../../platform/secret.ts';
import { freePort, waitFor } from '../helpers/console.ts';
import { type Certificate, makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';
import { openConnection } from './raw-connection.ts';

const open: { close(timeoutMs: number): unknown }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close(0);
});

const ok: RequestListener = (_req, res) => void res.end('ok');

describe('where', () => {
  test('by default both loopback families answer, on one port', async () => {
    const { port } = await start({});
    for (const host of ['127.0.0.1', '::1']) {
      const connection = await openConnection(port, host);
      expect((await connection.get('/')).status).toBe(200);
      connection.socket.destroy();
    }
  });

  test.each([
    { host: '127.0.0.1', other: '::1' },
    { host: '::1', other: '127.0.0.1' },
  ])('$host alone answers when it is asked for', async ({ host, other }) => {
    const { port } = await start({ host });
    const connection = await openConnection(port, host);
    expect((await connection.get('/')).status).toBe(200);
    connection.socket.destroy();
    await expect(openConnection(port, other)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('refusals', () => {
  test.each(['127.0.0.1', '::1'])(
    'a port that %s has taken is named, and nothing is left open',
    async (taken) => {
      const port = await freePort();
      const other = createServer(ok).listen(port, taken);
      await once(other, 'listening');
      await expect(start({ port })).rejects.toMatchObject({
        name: 'ListenError',
        message: expect.stringContaining(`Port ${port} at ${taken} is in use`),
      });
      other.close();
      await once(other, 'close');
      const again = createNetServer().listen(port, '127.0.0.1');
      await once(again, 'listening');
      again.close();
    },
  );

  test('an address of another machine is named', async () => {
    await expect(start({ host: '192.0.2.1' })).rejects.toMatchObject({
      message: '192.0.2.1 is no address of this machine. Correct CONSOLE_HOST.',
    });
  });
});

describe('close (S81)', () => {
  test('cuts what is not finished in time', async () => {
    const server = await start({ handle: () => {} });
    const connection = await openConnection(server.port);
    connection.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await waitFor(() => connection.socket.bytesWritten > 0, 'a request under way');
    const startedAt = Date.now();
    await server.close(200);
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    await waitFor(connection.isClosed, 'the end of the connection');
  });

  test('lets a reply go out whole to a reader who is slow', async () => {
    const body = Buffer.alloc(8 * 1024 * 1024, 'x');
    const server = await start({ handle: (_req, res) => void res.end(body) });
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'readable');
    let isClosed = false;
    const closing = server.close(20_000).then(() => {
      isClosed = true;
    });
    let received = 0;
    for await (const chunk of socket) received += (chunk as Buffer).length;
    await closing;
    expect(received).toBeGreaterThan(body.length);
    expect(isClosed).toBe(true);
  });

  describe.skipIf(opensslIsMissing).each([
    ['/page', 'http'],
    ['/svc/rest/maps/m/k', 'http'],
    ['/page', 'https'],
  ])('on an idle connection a call of %s over %s', (path, scheme) => {
    let certificate: Certificate | undefined;
    beforeAll(async () => {
      if (scheme === 'https') certificate = await makeCertificate();
    });
    afterAll(() => certificate?.remove());
    const get = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const answer = (res: ServerResponse, body: string) =>
      void res.writeHead(200, { 'Content-Length': body.length }).end(body);

    test('that was on its way when the server began to end is answered, and is the last one there', async () => {
      const server = await start({ handle: (_req, res) => answer(res, 'ok'), certificate });
      const idle = await openConnection(server.port, '127.0.0.1', certificate?.pem);
      idle.send(get);
      expect(await idle.next()).not.toMatchObject({ headers: { connection: 'close' } });
      const closing = server.close(20_000);
      idle.send(get);
      expect(await idle.next()).toMatchObject({ status: 200, headers: { connection: 'close' }, body: 'ok' });
      await closing;
    });

    test('that comes late is answered however long that takes, beside one that says nothing more', async () => {
      const held: (() => void)[] = [];
      let isHeld = false;
      const server = await start({
        handle: (_req, res) => (isHeld ? void held.push(() => answer(res, 'late')) : answer(res, 'ok')),
        certificate,
      });
      const connect = () => openConnection(server.port, '127.0.0.1', certificate?.pem);
      const [late, silent] = [await connect(), await connect()];
      for (const one of [late, silent]) {
        one.send(get);
        await one.next();
      }
      isHeld = true;
      const closing = server.close(20_000);
      late.send(get);
      await waitFor(() => held.length === 1, 'the call');
      await waitFor(silent.isClosed, 'the end of the other', 10_000);
      expect(late.isClosed()).toBe(false);
      held[0]!();
      expect(await late.next()).toMatchObject({ headers: { connection: 'close' }, body: 'late' });
      await closing;
    });
  });

  test('forgets replies that a broken connection still owed', async () => {
    const held: (() => void)[] = [];
    const server = await start({ handle: (_req, res) => void held.push(() => res.end('ok')) });
    const connection = await openConnection(server.port);
    connection.send('GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n');
    await waitFor(() => held.length === 1, 'a request, with another behind it');
    connection.socket.destroy();
    const startedAt = Date.now();
    await server.close(20_000);
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });
});

async function start(options: {
  readonly host?: string;
  readonly port?: number;
  readonly handle?: RequestListener;
  readonly certificate?: Certificate | undefined;
}): Promise<Listening> {
  const { host, port = await freePort(), handle = ok, certificate } = options;
  const overload = createOverload({
    limits: defaultOverloadLimits,
    kindOf: () => 'page',
    sourceOfConnection: ({ remoteAddress }) => remoteAddress,
    sourceOfRequest: () => 'unknown',
    now: () => performance.now(),
  });
  const server = await listen({
    host,
    port,
    tls: certificate && {
      cert: certificate.pem,
      key: new Secret(readFileSync(certificate.keyFile, 'utf8')),
    },
    handle,
    overload,
    headMs: defaultOverloadLimits.headMs,
    onDenial: () => 'decision-1',
  });
  open.push(server);
  return server;
}
