import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  apiToken,
  machineToken,
  mainScript,
  type RunningConsole,
  startConsole,
  waitFor,
} from '../helpers/console.ts';
import { startRecorder } from '../member-proxy/servers.ts';
import { openConnection } from './raw-connection.ts';

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s: not ready, nothing new accepted, what is under way finishes, exit 0 (S81)',
  async (signal) => {
    const console = await startConsole();
    const authorization = `Authorization: Bearer ${await machineToken(console)}\r\n`;
    const host = `Host: localhost:${console.port}\r\n`;
    const monitor = await openConnection(console.port);
    const poll = await openConnection(console.port);
    const upload = await openConnection(console.port);
    // The first reply on each connection tells that the request behind it has been read too.
    const first = `GET /live HTTP/1.1\r\n${host}\r\n`;
    poll.send(`${first}GET /svc/rest/queues/jobs/20 HTTP/1.1\r\n${host}${authorization}\r\n`);
    upload.send(
      `${first}POST /svc/rest/maps/m/k HTTP/1.1\r\n${host}${authorization}Content-Length: 8\r\n\r\nslow`,
    );
    expect([await monitor.get('/ready'), await poll.next(), await upload.next()].map(statusOf)).toEqual([
      200, 200, 200,
    ]);

    const startedAt = Date.now();
    console.child.kill(signal);
    let probe = await monitor.get('/ready');
    while (probe.status === 200) probe = await monitor.get('/ready');
    expect(probe).toMatchObject({ status: 503, headers: { connection: 'close' }, body: 'unavailable\n' });
    // What has come by then is accepted and answered; nothing is once the port is closed.
    await expect.poll(() => errorCodeOf(console.port)).toBe('ECONNREFUSED');
    console.child.kill(signal);
    console.child.kill('SIGTERM');

    upload.send('load');
    expect(await upload.next()).toMatchObject({ status: 200 });
    expect(poll.isClosed()).toBe(false);
    await offer(console, 'jobs', 'the last job');
    expect(await poll.next()).toMatchObject({ status: 200, body: 'the last job' });
    expect(await console.stop()).toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(20_000);
    expect(console.log().filter(({ msg }) => msg === 'stopping')).toHaveLength(1);
    expect(console.log().at(-1)).toMatchObject({ msg: 'stopped' });
  },
);

test('idle connections, and one in the middle of a head, do not keep the console (S81)', async () => {
  const console = await startConsole();
  const idle = await openConnection(console.port);
  expect((await idle.get('/live')).status).toBe(200);
  const silent = await openConnection(console.port);
  const halfHead = await openConnection(console.port);
  halfHead.send('GET /live HTTP/1.1\r\nHost: loc');
  const startedAt = Date.now();
  expect(await console.stop()).toBe(0);
  expect(Date.now() - startedAt).toBeLessThan(8_000);
  await waitFor(() => [idle, silent, halfHead].every(({ isClosed }) => isClosed()), 'closed connections');
});

test('a member that does not answer does not keep a console whose own question it is (S81)', async () => {
  const asked: string[] = [];
  const member = await startRecorder((req, res) => {
    if (!req.url!.includes('/queues/')) res.end('{}');
    else asked.push(req.url!);
  });
  const console = await startConsole({ env: { CONSOLE_MEMBERS: member.address } });
  const reading = new AbortController();
  const read = fetch(`${console.url}/api/v1/queues/silent`, {
    headers: { Authorization: `Bearer ${await apiToken(console)}` },
    signal: reading.signal,
  });
  await waitFor(() => asked.length > 0, 'the question at the member', 30_000);
  reading.abort();
  await expect(read).rejects.toThrow();
  const startedAt = Date.now();
  expect(await console.stop()).toBe(0);
  expect(Date.now() - startedAt).toBeLessThan(8_000);
  await member.close();
});

test('a signal during the start is heeded, and leaves a store that opens (S81)', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'console-early-'));
  const child = spawn(process.execPath, [mainScript], {
    env: { PATH: process.env.PATH, CONSOLE_DATA_DIR: dataDir, CONSOLE_PORT: '0', MEMBER_PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.once('data', () => child.kill('SIGTERM'));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code).toBe(0);
  const console = await startConsole({ dataDir });
  expect(await console.stop()).toBe(0);
  await rm(dataDir, { recursive: true });
});

const statusOf = ({ status }: { readonly status: number }) => status;

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

/** At the member itself, since the console takes nobody in any more. */
async function offer(console: RunningConsole, queue: string, item: string): Promise<void> {
  const member = /^ {2}member +(\S+)$/m.exec(console.stdout())![1]!;
  const response = await fetch(`${member}/svc/rest/queues/${queue}`, { method: 'POST', body: item });
  expect(response.status).toBe(200);
}
