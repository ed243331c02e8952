/** A port of its own for whoever watches over the process. */
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { freePort, type RunningConsole, runFailing, startConsole } from '../helpers/console.ts';
import { openConnection } from './raw-connection.ts';

const consoles: RunningConsole[] = [];
afterEach(async () => {
  for (const console of consoles.splice(0)) await console.stop();
});

async function start(env: Readonly<Record<string, string>> = {}) {
  const port = await freePort();
  const console = await startConsole({ env: { CONSOLE_MANAGEMENT_PORT: `${port}`, ...env } });
  consoles.push(console);
  return { console, port, origin: `http://127.0.0.1:${port}` };
}

test('the management port answers probes and metrics, and nothing else', async () => {
  const { console, origin } = await start();
  for (const path of ['/live', '/ready', '/live?a=1']) {
    const reply = await fetch(origin + path);
    expect([reply.status, await reply.text()]).toEqual([200, 'ok\n']);
  }
  expect(await (await fetch(`${origin}/metrics`)).text()).toContain('console_http_connections');
  for (const path of [
    '/',
    '/login',
    '/oauth2/jwks',
    '/svc/rest/maps/m/k',
    '/api/v1/users',
    '/live/',
    '//live',
  ]) {
    const reply = await fetch(origin + path);
    expect([path, reply.status]).toEqual([path, 404]);
    expect(await reply.json()).toMatchObject({
      code: 'not_found',
      request_id: reply.headers.get('x-request-id'),
    });
  }
  expect((await fetch(`${origin}/oauth2/token`, { method: 'POST', body: 'grant_type=x' })).status).toBe(404);
  // The public port has them as ever.
  expect((await fetch(`http://127.0.0.1:${console.port}/live`)).status).toBe(200);
});

test('the management port asks for a token where the public one does', async () => {
  const { port } = await start();
  const connection = await openConnection(port);
  connection.send('GET /metrics HTTP/1.1\r\nHost: console.example\r\n\r\n');
  expect(await connection.next()).toMatchObject({ status: 401 });
  connection.socket.destroy();
});

test('probes are answered at the management port while all connections of the public one are taken (A1, S92)', async () => {
  const { console, origin } = await start({ CONSOLE_HTTP_CONNECTIONS: '100' });
  const sockets: Socket[] = [];
  // Those beyond the limit that may still ask for a probe are taken too.
  while (sockets.length < 600) sockets.push(connect(console.port, '127.0.0.1').on('error', () => {}));
  await Promise.all(
    sockets.slice(0, 100).map((socket) => new Promise((resolve) => socket.once('connect', resolve))),
  );
  for (const path of ['/live', '/ready']) expect((await fetch(origin + path)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

test('the management port says that the console is not ready while it stops (S81)', async () => {
  const { console, port } = await start();
  const upload = await openConnection(console.port);
  const first = 'GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n';
  upload.send(`${first}POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\nslow`);
  expect(await upload.next()).toMatchObject({ status: 200 });
  console.child.kill('SIGTERM');
  const statusNow = async () => (await fetch(`http://127.0.0.1:${port}/ready`)).status;
  let status = await statusNow();
  while (status === 200) status = await statusNow();
  expect(status).toBe(503);
  upload.send('load');
  await upload.next();
  expect(await console.stop()).toBe(0);
});

test('a management port that is taken keeps the console from starting, which names the setting', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { readonly port: number };
  const { code, stderr } = await runFailing({
    env: { CONSOLE_PORT: '0', CONSOLE_MANAGEMENT_PORT: `${port}` },
  });
  other.close();
  expect(code).not.toBe(0);
  expect(stderr).toContain(
    `Port ${port} at 127.0.0.1 is in use by another program. Stop it, or choose another port with CONSOLE_MANAGEMENT_PORT.`,
  );
});

test.each(['0', '65536', 'none'])('%s is no management port', async (value) => {
  const { code, stderr } = await runFailing({ env: { CONSOLE_MANAGEMENT_PORT: value } });
  expect(code).not.toBe(0);
  expect(stderr).toContain('CONSOLE_MANAGEMENT_PORT must be');
});
