/** Limits of live pages, over real connections: how much one may have unsent and how long, comments, and how many there are at most. */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import Koa from 'koa';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLive, type LiveDeps, mostOfSession, mostStreams } from '../../console/pages/live/streams.ts';
import type { PageContext } from '../../console/pages/page-tools.ts';
import { waitFor } from '../helpers/console.ts';

const frameMs = 2_000;
const checkMs = 750;
const mostUnsentBytes = 64 * 1024;

let now = 1_000_000;
let checks = 0;
let value = '';
let server: Server;
let live: ReturnType<typeof createLive>;
let clients: Client[] = [];
/** By their session. */
const replies = new Map<string, ServerResponse>();

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  value = 'first';
  const account = { id: 'acc' } as LiveDeps extends { findUser: (id: string) => Promise<infer A> }
    ? A
    : never;
  live = createLive({
    liveSessions: async (uids) => new Set(uids),
    barFrames: () => async () => undefined,
    findUser: async () => {
      checks++;
      return account;
    },
    rightsOf: () => 'all',
    presentationKeyOf: () => 'en',
    checkMayRun: async () => {},
    setHeaders: () => {},
    now: () => now,
    log: { warn: () => {} },
  });
  const page = live.of('readTraffic', async () => ({ one: value, other: 'the same' }));
  const app = new Koa();
  app.use(async (ctx, next) => {
    const form = new URLSearchParams(ctx.querystring);
    const uid = form.get('session') ?? '';
    ctx.state = { form: new Map(form), current: { uid, accountId: 'acc' }, account };
    // One page for all sessions.
    ctx.querystring = 'live=1';
    replies.set(uid, ctx.res);
    await page(ctx as unknown as PageContext, next);
  });
  server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const { leave } of clients) leave();
  clients = [];
  live.close();
  vi.useRealTimers();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface Client {
  /** What has come. */
  readonly text: () => string;
  readonly response: IncomingMessage;
  readonly isOver: () => boolean;
  leave(): void;
}

async function open(session: string): Promise<Client> {
  const { port } = server.address() as AddressInfo;
  const path = `/?live=1&session=${session}`;
  const asked = request({ host: '127.0.0.1', port, path, agent: false });
  asked.on('error', () => {});
  asked.end();
  const response = await new Promise<IncomingMessage>((resolve) => asked.once('response', resolve));
  let text = '';
  let isOver = false;
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  response
    .on('error', () => {})
    .once('close', () => {
      isOver = true;
    });
  const client = { text: () => text, response, isOver: () => isOver, leave: () => asked.destroy() };
  clients.push(client);
  return client;
}

/** Of its parts. */
const eventsIn = ({ text }: Client) =>
  [...text().matchAll(/^data: (\{"parts".*)$/gm)].map(([, data]) => JSON.parse(data!).parts as object);
function nextFrame(changed: string): void {
  value = changed;
  vi.advanceTimersByTime(frameMs);
}
/** Sessions and those who are behind are looked at. */
async function check(): Promise<void> {
  const before = checks;
  vi.advanceTimersByTime(checkMs);
  await waitFor(() => checks > before, 'a check');
  await turn();
}

/** Until about so many bytes are unsent, and none of them is sent any more: the other side does not read. */
async function fill(reply: ServerResponse, bytes: number): Promise<void> {
  for (let steady = 0; steady < 20; ) {
    const before = reply.writableLength;
    const missing = bytes - 2_048 - before;
    // What the system takes is not unsent: that may be megabytes.
    if (missing > 0) reply.write(`: ${'x'.repeat(missing > 20_000 ? 16_384 : 512)}\n\n`);
    await new Promise((resolve) => setTimeout(resolve, 1));
    steady = missing <= 0 && reply.writableLength === before ? steady + 1 : 0;
  }
}

test('whoever has more than 64 KB unsent misses frames, and has all parts as they are once that is sent', async () => {
  const [fast, slow] = [await open('fast'), await open('slow')];
  const reply = replies.get('slow')!;
  await waitFor(() => eventsIn(slow).length === 1, 'its first frame');
  slow.response.pause();
  await fill(reply, mostUnsentBytes);
  expect(reply.writableLength).toBeGreaterThan(mostUnsentBytes - 4_096);
  expect(reply.writableLength).toBeLessThan(mostUnsentBytes - 1_024);
  let before = reply.writableLength;
  nextFrame('sent');
  await waitFor(() => eventsIn(fast).length === 2, 'the frame at the other');
  expect(reply.writableLength).toBeGreaterThan(before);
  reply.write(`: ${'x'.repeat(mostUnsentBytes - reply.writableLength)}\n\n`);
  before = reply.writableLength;
  expect(before).toBeGreaterThan(mostUnsentBytes);
  for (const [at, changed] of ['missed', 'the last'].entries()) {
    nextFrame(changed);
    await waitFor(() => eventsIn(fast).length === 3 + at, 'the frame at the other');
  }
  expect(reply.writableLength).toBe(before);
  slow.response.resume();
  await waitFor(() => reply.writableLength === 0, 'all to be sent');
  // Nothing changes any more, and it does not stay behind.
  await check();
  await waitFor(() => eventsIn(slow).length === 3, 'all parts');
  nextFrame('after it');
  await waitFor(() => eventsIn(slow).length === 4, 'the frame after it');
  expect(eventsIn(slow)).toEqual([
    { one: 'first', other: 'the same' },
    { one: 'sent' },
    { one: 'the last', other: 'the same' },
    { one: 'after it' },
  ]);
  expect(eventsIn(fast).at(-1)).toEqual({ one: 'after it' });
  // It is long ago that it was behind.
  now += 30_001;
  await check();
  nextFrame('still there');
  await waitFor(() => eventsIn(slow).length === 5, 'one more');
});

test('whoever is behind for more than 30 s is closed', async () => {
  const slow = await open('slow');
  const reply = replies.get('slow')!;
  await waitFor(() => eventsIn(slow).length === 1, 'its first frame');
  slow.response.pause();
  await fill(reply, 2 * mostUnsentBytes);
  nextFrame('missed');
  await turn();
  now += 30_000;
  await check();
  expect(reply.destroyed).toBe(false);
  now += 1;
  await check();
  await waitFor(() => reply.destroyed, 'the end of the connection');
  expect(eventsIn(slow)).toHaveLength(1);
});

test('a comment comes each 15 s, though nothing changes', async () => {
  const stream = await open('one');
  await waitFor(() => eventsIn(stream).length === 1, 'its first frame');
  const comments = () => stream.text().match(/^:\n\n/gm)?.length ?? 0;
  vi.advanceTimersByTime(15_000);
  await waitFor(() => comments() === 1, 'a comment');
  vi.advanceTimersByTime(14_999);
  await turn();
  nextFrame('something');
  await waitFor(() => eventsIn(stream).length === 2, 'the next frame');
  // In that time the second one was due, and no other.
  expect(comments()).toBe(2);
});

test('a process has 2,000 at most, whoever they are of, and a place that is left is free again', async () => {
  expect(mostStreams).toBe(2_000);
  for (let from = 0; from < mostStreams; from += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, at) => open(`s${Math.floor((from + at) / mostOfSession)}`)),
    );
  }
  await waitFor(() => clients.every((client) => eventsIn(client).length === 1), 'all to have a frame');
  const tooMany = await open('another');
  await waitFor(() => tooMany.isOver(), 'its end');
  expect(tooMany.text()).toContain('event: bye\ndata: {"reason":"too-many"}');
  clients[0]!.leave();
  // The other side hears of that a little later.
  for (let tries = 0; tries < 100; tries++) {
    const again = await open('another');
    await waitFor(() => again.text() !== '', 'its first event');
    if (eventsIn(again).length === 1) return;
  }
  throw new Error('no place was free again');
}, 60_000);
