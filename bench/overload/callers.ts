/**
 * Callers who mean no good, as a process of their own: `CALLERS` says how many of each kind. All of it is bounded, goes
 * to loopback only, and ends after `SECONDS` or with SIGTERM.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** How many connections of each kind. */
export interface Callers {
  /** Send 640 KiB of requests for a page ahead, and read nothing. */
  readonly unread: number;
  /** Send a byte of a head a second. */
  readonly slowHeads: number;
  /** Send a byte of a body a second. */
  readonly slowBodies: number;
  /** Send nothing. */
  readonly idle: number;
  /** Wait for an item of a queue. */
  readonly polls: number;
}

/** What has become of them, a line a second on standard output. */
export interface CallersReport {
  readonly open: number;
  readonly polling: number;
  /** Polls that were answered before their time. */
  readonly pollsDenied: number;
}

const aheadBytes = 640 * 1024;
/** Connections that are opened at a time. */
const atATime = 100;
/** One that is cut off comes again, so often. */
const comesAgain = 3;

if (process.env.CALLERS !== undefined) await main(JSON.parse(process.env.CALLERS) as Callers);

async function main(callers: Callers): Promise<void> {
  const { URL: url = '', TOKEN: token = '', SECONDS: seconds = '60' } = process.env;
  const { hostname, port, host } = new URL(url);
  if (!/^(127\.|localhost$)/.test(hostname)) throw new Error(`${hostname} is not this machine`);
  const sockets = new Set<Socket>();
  const polling = new Set<Socket>();
  let pollsDenied = 0;
  let isOver = false;
  process.once('SIGTERM', end);
  setTimeout(end, Number(seconds) * 1000);
  const report = setInterval(emitReport, 1000);
  const login = `GET /login HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  const slowHead = `GET /login HTTP/1.1\r\nHost: ${host}\r\nX-Slow: ${'x'.repeat(500)}`;
  const bodyHead = `POST /login HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n`;

  await openAll(callers.idle, () => {});
  await openAll(callers.polls, poll);
  await openAll(callers.slowHeads, (socket) => drip(socket, slowHead), comesAgain);
  await openAll(
    callers.slowBodies,
    (socket) => drip(socket, `${bodyHead}${'a'.repeat(900)}`, bodyHead.length),
    comesAgain,
  );
  await openAll(callers.unread, (socket) => {
    socket.pause();
    socket.write(login.repeat(Math.ceil(aheadBytes / login.length)));
  });
  process.stdout.write('ready at all\n');

  async function openAll(count: number, use: (socket: Socket, i: number) => void, again = 0): Promise<void> {
    for (let i = 0; i < count && !isOver; i += atATime) {
      const some = Math.min(atATime, count - i);
      await Promise.all(Array.from({ length: some }, (_, k) => open((socket) => use(socket, i + k), again)));
    }
  }

  async function open(use: (socket: Socket) => void, again: number): Promise<void> {
    const socket = connect({ host: hostname, port: Number(port) });
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      sockets.delete(socket);
      polling.delete(socket);
      if (again > 0 && !isOver) void wait(1000).then(() => open(use, again - 1));
    });
    await new Promise<void>((resolve) => socket.once('connect', resolve).once('close', () => resolve()));
    if (isOver) return void socket.destroy();
    socket.resume();
    if (!socket.destroyed) use(socket);
  }

  function poll(socket: Socket, i: number): void {
    polling.add(socket);
    socket.write(
      `DELETE /svc/rest/queues/overload-${i % 50}/300 HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    socket.once('data', () => {
      pollsDenied += 1;
      socket.destroy();
    });
  }

  /** @param at  how much of it is sent at once */
  function drip(socket: Socket, text: string, at = 1): void {
    let sent = at;
    socket.write(text.slice(0, at));
    const timer = setInterval(() => {
      if (sent < text.length) socket.write(text[sent++]!);
    }, 1000);
    socket.once('close', () => clearInterval(timer));
  }

  function emitReport(): void {
    const counts: CallersReport = { open: sockets.size, polling: polling.size, pollsDenied };
    process.stdout.write(`${JSON.stringify(counts)}\n`);
  }

  function end(): void {
    isOver = true;
    clearInterval(report);
    for (const socket of sockets) socket.destroy();
    setTimeout(() => process.exit(), 500).unref();
  }
}
