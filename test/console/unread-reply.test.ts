/** Callers who do not read what they have asked for, at a running console in front of a member that has much to say. */
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiToken, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';

/** More than the buffers of both sides take. */
const replyBytes = 64 * 1024 * 1024;
const stallSeconds = 2;

const member = createServer((req, res) => {
  if (!req.url!.includes('/maps/large')) {
    res.end('ok');
    return;
  }
  res.writeHead(200, { 'Content-Length': replyBytes });
  const chunk = Buffer.alloc(64 * 1024, 'x');
  let left = replyBytes;
  const send = () => {
    while (left > 0) {
      left -= chunk.length;
      if (!res.write(chunk)) return;
    }
    res.end();
  };
  res.on('drain', send);
  open += 1;
  res.once('close', () => {
    open -= 1;
  });
  send();
});
/** Large replies that the member is busy with. */
let open = 0;
let console: RunningConsole;
let token: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => member.listen(0, '127.0.0.1', resolve));
  console = await startConsole({
    env: {
      CONSOLE_MEMBERS: `http://127.0.0.1:${(member.address() as AddressInfo).port}`,
      CONSOLE_PROXY_REPLY_STALL: String(stallSeconds),
    },
  });
  token = await machineToken(console);
});
afterAll(async () => {
  await console?.stop();
  member.closeAllConnections();
  await new Promise((resolve) => member.close(resolve));
});

const request = (fields = '') =>
  `GET /svc/rest/maps/large/k HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${fields}\r\n`;

/** Asks, and reads nothing until it is told to. */
function askWithoutReading(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: console.port, host: '127.0.0.1' }, () => {
      socket.pause();
      socket.write(request());
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

const metric = async () => {
  const text = await (await fetch(`${console.url}/metrics`)).text();
  return Number(/^console_member_replies_stalled_total (\d+)$/m.exec(text)![1]);
};
const lines = () => console.log().filter(({ reason }) => reason === 'reply_stalled');

test('one who stops reading is cut off, at the member too, and that is audited, counted and explained (S64)', async () => {
  const [before, linesBefore] = [await metric(), lines().length];
  const socket = await askWithoutReading();
  const at = performance.now();
  await expect.poll(() => open, { timeout: 20_000 }).toBe(1);
  await expect.poll(() => open, { timeout: 40_000 }).toBe(0);
  expect(performance.now() - at).toBeGreaterThan(stallSeconds * 1000 - 200);
  const line = (await console.waitFor(() => lines()[linesBefore], 'the audit line'))!;
  expect(line).toMatchObject({ event: 'member.call', outcome: 'failure', actor: 'application-client' });
  expect(await metric()).toBe(before + 1);
  const explained = await fetch(`${console.url}/api/v1/access/explain?decision=${line.decisionId}`, {
    headers: { Authorization: `Bearer ${await apiToken(console)}` },
  });
  expect(await explained.json()).toMatchObject({ code: 'reply_stalled', path: '/svc/rest/maps/large/k' });
  // The caller finds what had been sent, and the end of the connection.
  const received = await readToEnd(socket);
  expect(received).toBeLessThan(replyBytes);
});

test('sending on, piece by piece, does not keep the reply alive (S64)', async () => {
  const linesBefore = lines().length;
  const socket = await askWithoutReading();
  socket.on('error', () => {});
  const head = request();
  let sent = 0;
  const timer = setInterval(() => socket.write(head[sent++ % head.length]!), 200);
  try {
    await console.waitFor(() => lines()[linesBefore], 'the audit line');
  } finally {
    clearInterval(timer);
    socket.destroy();
  }
});

test('one who reads slowly gets everything', async () => {
  const linesBefore = lines().length;
  const socket = await askWithoutReading();
  let received = 0;
  const isWhole = new Promise<void>((resolve, reject) => {
    socket.on('data', (bytes) => {
      received += bytes.length;
      socket.pause();
      // About 16 MiB a second: several times as long as one may read nothing.
      setTimeout(() => socket.resume(), 4);
      if (received > replyBytes) resolve();
    });
    socket.once('close', () => reject(new Error(`cut off after ${received} bytes`)));
  });
  socket.resume();
  await isWhole;
  socket.destroy();
  expect(lines()).toHaveLength(linesBefore);
});

test('one who pauses for less than that gets everything', async () => {
  const socket = await askWithoutReading();
  await expect.poll(() => open, { timeout: 20_000 }).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, (stallSeconds * 1000) / 2));
  expect(await readToEnd(socket, replyBytes)).toBeGreaterThan(replyBytes);
});

function readToEnd(socket: Socket, enough = Number.POSITIVE_INFINITY): Promise<number> {
  return new Promise((resolve) => {
    let received = 0;
    const end = () => {
      socket.destroy();
      resolve(received);
    };
    socket.on('data', (bytes) => {
      received += bytes.length;
      if (received > enough) end();
    });
    socket.on('error', end);
    socket.on('close', end);
    socket.resume();
  });
}
