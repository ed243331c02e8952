/** From SIGTERM on a load balancer has CONSOLE_SHUTDOWN_DELAY to find out, and nobody's call is refused meanwhile. */
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { clientSecret, freePort, machineToken, startConsole, waitFor } from '../helpers/console.ts';
import { addProxyClient, memberOf, startProxy } from '../proxy/support.ts';
import { openConnection } from './raw-connection.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Longer than any of these tests takes. */
const long = { CONSOLE_SHUTDOWN_DELAY: '60' };

describe.each(['1', '2'])('with %s processes that answer', (workers) => {
  test('a console is not ready, takes connections and serves them, each reply ends one; a second signal ends the delay (S81)', async () => {
    const managementPort = await freePort();
    const console = await startConsole({
      env: { ...long, CONSOLE_MANAGEMENT_PORT: `${managementPort}`, CONSOLE_WORKERS: workers },
    });
    stops.push(console.stop);
    const authorization = `Authorization: Bearer ${await machineToken(console)}\r\n`;
    const host = `Host: localhost:${console.port}\r\n`;
    const open = await openConnection(console.port);
    expect(await open.get('/live')).toMatchObject({ status: 200, headers: { connection: 'keep-alive' } });
    console.child.kill('SIGTERM');
    for (const port of [console.port, managementPort]) await untilNotReady(port);

    expect(await open.get('/live')).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await waitFor(open.isClosed, 'the end of a connection of before');
    const requests = [
      `GET /login HTTP/1.1\r\n${host}\r\n`,
      `GET /svc/rest/cluster HTTP/1.1\r\n${host}${authorization}\r\n`,
      tokenRequest(host),
    ];
    for (const request of requests) {
      const connection = await openConnection(console.port);
      connection.send(request);
      expect(await connection.next()).toMatchObject({ status: 200, headers: { connection: 'close' } });
      await waitFor(connection.isClosed, 'the end of its connection');
    }
    expect(await hurried(console, console.port)).toBe(0);
    expect(console.log().filter(({ msg }) => msg === 'stopping')).toMatchObject([
      { signal: 'SIGTERM', delayMs: 60_000 },
    ]);
  });

  test('a separate proxy does the same', async () => {
    const console = await startConsole();
    stops.push(console.stop);
    const proxy = await startProxy({
      ...{ console, client: await addProxyClient(console), members: [memberOf(console)] },
      env: { ...long, CONSOLE_WORKERS: workers },
    });
    stops.push(proxy.stop);
    const port = Number(new URL(proxy.url).port);
    const token = await machineToken(console);
    proxy.child.kill('SIGTERM');
    await untilNotReady(port);
    const connection = await openConnection(port);
    connection.send(
      `GET /svc/rest/cluster HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    expect(await connection.next()).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect(await hurried(proxy, port)).toBe(0);
  });
});

test('Ctrl-C waits for nobody', async () => {
  const console = await startConsole({ env: long });
  stops.push(console.stop);
  const { child } = console;
  child.kill('SIGINT');
  await waitFor(() => child.exitCode !== null, 'its end', 30_000);
  expect(child.exitCode).toBe(0);
});

/** One connection for each question: the reply to one ends it. */
async function untilNotReady(port: number): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const probe = await (await openConnection(port)).get('/ready');
    if (probe.status === 503) return;
    if (Date.now() > deadline) throw new Error(`waited 20 s in vain for port ${port} not to be ready`);
  }
}

interface Ending {
  readonly child: { kill(signal: 'SIGTERM'): boolean };
  stop(): Promise<number | null>;
}

/** By signals until nobody gets in any more: those of the first second are one with the first. @returns the exit code */
async function hurried({ child, stop }: Ending, port: number): Promise<number | null> {
  const deadline = Date.now() + 20_000;
  while ((await errorCodeOf(port)) !== 'ECONNREFUSED') {
    if (Date.now() > deadline) throw new Error('waited 20 s in vain for the end of the delay');
    child.kill('SIGTERM');
    await new Promise((tick) => setTimeout(tick, 250));
  }
  return stop();
}

function tokenRequest(host: string): string {
  const body = 'grant_type=client_credentials';
  const basic = `Authorization: Basic ${btoa(`application-client:${clientSecret}`)}\r\n`;
  const type = 'Content-Type: application/x-www-form-urlencoded\r\n';
  return `POST /oauth2/token HTTP/1.1\r\n${host}${basic}${type}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** Why nobody gets in. */
function errorCodeOf(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
}
