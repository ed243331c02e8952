/** Polls that wait, more than there are places for calls, at a console with its own member. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { machineToken, type RunningConsole, startConsole, untilReady, waitFor } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { tokenOf } from '../proxy/support.ts';

/** More than the 512 calls that a member is given at a time; 10000 is what is promised. */
const count = Number(process.env.TEST_WAITING_POLLS ?? 700);
const openAtOnce = 100;
const patienceMs = 55_000;

let console: RunningConsole;
let poller: string;
let admin: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  console = await startConsole({ env: { CONSOLE_PROXY_POLLS: '20000' } });
  const added = await toolDone(['client', 'add', 'poller', '--scope', 'svc:queue:jobs:poll', '--json'], {
    dataDir: console.dataDir,
  });
  const { secret } = added.json<{ secret: string }>();
  poller = await tokenOf(console, { id: 'poller', secret }, 'svc:queue:jobs:poll');
  admin = await machineToken(console);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await console?.stop();
});

const call = (method: string, path: string, body?: string) =>
  fetch(`${console.url}/svc/rest/${path}`, {
    method,
    headers: { authorization: `Bearer ${admin}` },
    ...(body !== undefined && { body }),
  });

/** A poll on a connection of its own; what comes is counted. */
function openPoll(token: string, onReply: (reply: string) => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: console.port }, () => {
      socket.write(
        `GET /svc/rest/queues/jobs/600 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      resolve(socket);
    });
    sockets.push(socket);
    socket.on('data', (bytes) => onReply(bytes.toString('latin1')));
    socket.once('error', reject);
  });
}

async function waiting(): Promise<number> {
  expect((await call('GET', 'cluster')).status).toBe(200);
  const text = await (await fetch(`${console.url}/metrics`)).text();
  return Number(/^console_queue_polls_waiting (\d+)/m.exec(text)?.[1]);
}

test(`${count} polls of one caller wait; other calls go on, another caller's poll has a place, and offers end them (A2, S93)`, async () => {
  const replies: string[] = [];
  while (sockets.length < count) {
    const batch = Array.from({ length: Math.min(openAtOnce, count - sockets.length) }, () =>
      openPoll(poller, (reply) => replies.push(reply)),
    );
    await Promise.all(batch);
  }
  await until(async () => (await waiting()) === count, 'all polls to wait', patienceMs);
  expect(replies).toEqual([]);

  const slowest = { ms: 0 };
  for (let i = 0; i < 50; i += 1) {
    const at = performance.now();
    expect((await call('POST', `maps/m/${i}`, 'value')).status).toBe(200);
    expect((await call('GET', `maps/m/${i}`)).status).toBe(200);
    expect((await call('DELETE', 'queues/other/0')).status).toBe(204);
    slowest.ms = Math.max(slowest.ms, performance.now() - at);
  }
  const others: string[] = [];
  await openPoll(admin, (reply) => others.push(reply));
  await until(async () => (await waiting()) > count, 'the other poll to wait', patienceMs);

  const items = Array.from({ length: 20 }, (_, i) => `<item ${i}>`);
  for (const item of items) expect((await call('POST', 'queues/jobs', item)).status).toBe(200);
  await waitFor(() => replies.length + others.length >= items.length, 'so many polls to end');
  const given = [...replies, ...others].map((reply) => /<item \d+>$/.exec(reply)?.[0]);
  expect(given.sort()).toEqual([...items].sort());
  // Callers take turns, however many polls each of them has sent.
  expect(others).toHaveLength(1);
  await untilReady(console.url);
  globalThis.console.info(
    `${count} polls wait: ${residentMegabytes()} MB; slowest of 50 rounds of three calls: ${slowest.ms.toFixed(0)} ms`,
  );
}, 120_000);

function residentMegabytes(): number {
  const status = readFileSync(`/proc/${console.child.pid}/status`, 'latin1');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024);
}
