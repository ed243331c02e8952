/** Streams of server-sent events, one a page: who may have one, what it is sent, and when it ends. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ProblemError } from '../../../platform/errors.ts';
import type { Guard, WithForm } from '../../http/guards.ts';
import type { WithSession } from '../../login/signed-in.ts';
import type { PageContext } from '../page-tools.ts';
import { createLiveAccounts, type LiveAccountsDeps } from './live-accounts.ts';
import { type LiveList, newFramesOf } from './new-items.ts';
import { partFramesOf, type ReadParts } from './parts.ts';
import { begin, bye, queryOf, type Reason, resumed } from './stream-text.ts';
import {
  createTopics,
  type Frame,
  type FrameReader,
  type NewFrames,
  type Pace,
  type Topic,
} from './topics.ts';

export interface LiveDeps extends LiveAccountsDeps {
  /** What somebody may do at this moment, in words that are the same for all who may do the same. */
  readonly rightsOf: (ctx: PageContext) => string;
  /** How somebody reads it, in words that are the same for all who read it so: it stays as long as the page is open. */
  readonly presentationKeyOf: (ctx: PageContext) => string;
  /** Of the bar, which goes on by the stream of every page. */
  readonly barFrames: NewFrames;
  /** Whoever may not is answered as by the page. @throws {ProblemError} */
  readonly checkMayRun: (ctx: PageContext, operation: string) => Promise<void>;
  /** Headers of a page. */
  readonly setHeaders: (ctx: PageContext) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: { warn(fields: object, message: string): void };
}

interface Stream {
  readonly ctx: PageContext;
  readonly res: ServerResponse;
  readonly session: string;
  readonly rights: string;
  /** Of the page, and of its bar. */
  readonly readings: Reading[];
  /** Since when it has more unsent than it may; undefined: it has not. Epoch milliseconds. */
  behindSince: number | undefined;
}

interface StreamFrames {
  readonly frames: NewFrames;
  /** Besides, of lines that follow what comes. */
  readonly tail?: NewFrames | undefined;
}

interface Reading extends FrameReader {
  readonly topic: Topic;
  /** A frame was left out, so that the next is whole. */
  hasMissed: boolean;
  leave(): void;
}

export const mostOfSession = 8;
export const mostStreams = 2_000;
const mostUnsentBytes = 64 * 1024;
const longestBehindMs = 30_000;
const commentMs = 15_000;
/** So often it is looked at whether sessions and rights are as they were. */
const checkMs = 750;

/** @throws {ProblemError} */
type Check = (ctx: PageContext) => Promise<void>;

export type Live = ReturnType<typeof createLive>;

export function createLive(deps: LiveDeps) {
  const { rightsOf, presentationKeyOf, barFrames, checkMayRun, setHeaders, now, log } = deps;
  const liveAccountsOf = createLiveAccounts(deps);
  const topics = createTopics(randomBytes(6).toString('base64url'), now);
  const bySession = new Map<string, Set<Stream>>();
  const placesOfSessions = new Map<string, string>();
  let count = 0;
  let isClosed = false;
  let isChecking = false;
  const timers = [setInterval(comment, commentMs), setInterval(() => void checkAll(), checkMs)];
  for (const timer of timers) timer.unref();

  return {
    /**
     * What stands before the handler of a page: a stream of these parts where the address asks for one.
     *
     * @param operation  without which there is no such page
     */
    of: (operation: string, parts: ReadParts): Guard<WithSession & WithForm> =>
      guard(mayRun(operation), partFramesOf(parts), rightsOf),
    /** The same with lines that follow what comes. */
    ofTail: (operation: string, parts: ReadParts, tail: NewFrames): Guard<WithSession & WithForm> =>
      guard(mayRun(operation), partFramesOf(parts), rightsOf, tail),
    /** The same of a page for which there is no one operation. @param check  whoever may not is answered as by the page */
    ofAny: (check: Check, parts: ReadParts): Guard<WithSession & WithForm> =>
      guard(check, partFramesOf(parts), rightsOf),
    /** The same for the first page of a list: how many items have come since it was made. */
    ofList: (list: LiveList): Guard<WithSession & WithForm> => {
      const stream = guard(mayRun(list.operation), newFramesOf(list), rightsOf);
      return (ctx, next) => ((ctx as PageContext).state.form.get('cursor') ? next() : stream(ctx, next));
    },
    /** The same, of what is shown to one and not to another who may do the same: nobody else reads these frames. */
    ofPerson: (operation: string, parts: ReadParts): Guard<WithSession & WithForm> =>
      guard(mayRun(operation), partFramesOf(parts), (ctx) => `${rightsOf(ctx)} ${ctx.state.account.id}`),
    /** @returns whether, whenever it is asked from now on, the session counts and may do what it may do now */
    watch(ctx: PageContext): () => Promise<boolean> {
      const { current } = ctx.state;
      const rights = rightsOf(ctx);
      return async () => {
        const account = (await liveAccountsOf([current])).get(current.uid);
        if (!account) return false;
        ctx.state.account = account;
        return rightsOf(ctx) === rights;
      };
    },
    /** All pages come again, to whoever answers then. */
    close(): void {
      isClosed = true;
      for (const timer of timers) clearInterval(timer);
      for (const stream of all()) end(stream, 'restart');
      topics.close();
    },
  };

  function mayRun(operation: string): Check {
    return (ctx) => checkMayRun(ctx, operation);
  }

  /** @param readersOf  in words that are the same for all who read the same frames */
  function guard(
    check: Check,
    frames: NewFrames,
    readersOf: (ctx: PageContext) => string,
    tail?: NewFrames,
  ): Guard<WithSession & WithForm> {
    return async (ctx, next) => {
      const page = ctx as PageContext;
      if (page.state.form.get('live') !== '1') return next();
      await check(page);
      await open(page, { frames, tail }, readersOf(page));
    };
  }

  async function open(ctx: PageContext, { frames, tail }: StreamFrames, readers: string): Promise<void> {
    const { res } = ctx;
    const session = ctx.state.current.uid;
    const rights = rightsOf(ctx);
    const presentation = presentationKeyOf(ctx);
    const key = `${ctx.path}?${queryOf(ctx)} ${presentation} ${readers}`;
    const own = bySession.get(session);
    setHeaders(ctx);
    ctx.respond = false;
    const stream: Stream = { ctx, res, session, rights, readings: [], behindSince: undefined };
    if (isClosed || count >= mostStreams || (own?.size ?? 0) >= mostOfSession) {
      begin(res);
      return void res.end(bye(isClosed ? 'restart' : 'too-many'));
    }
    add(stream);
    res.once('close', () => remove(stream));
    begin(res);
    const last = ctx.get('Last-Event-ID') || (ctx.state.form.get('after') ?? '');
    const isKnown = last !== '' && topics.knows(key, last);
    if (last !== '' && !isKnown) res.write('event: reset\ndata: {}\n\n');
    const page = read(stream, key, frames, (error) => failed(stream, error));
    if (page.topic.frame()?.id === last) {
      page.hasMissed = false;
      res.write(resumed(last));
    } else await begun(stream, page, isKnown);
    if (tail)
      await begun(
        stream,
        read(stream, `tail ${key}`, tail, () => {}, 'tail'),
        true,
      );
    // It is the same on all pages, and what cannot be had is not in it.
    const bar = read(stream, `bar ${presentation} ${rights}`, barFrames, () => {});
    await begun(stream, bar, true);
  }

  /** Until a frame was sent, it has missed all of them: the first one is whole, and so is that of who was away. */
  function read(
    stream: Stream,
    key: string,
    frames: NewFrames,
    fail: (error: unknown) => void,
    pace?: Pace,
  ): Reading {
    const { ctx, res } = stream;
    const take = (frame: Frame) => send(stream, reading, frame);
    const { topic, leave } = topics.read(key, frames, { ctx, take, fail }, pace);
    const reading: Reading = { ctx, topic, hasMissed: true, leave };
    stream.readings.push(reading);
    if (res.destroyed) leave();
    return reading;
  }

  /** @param isLastEnough  a frame that was made before will do */
  async function begun(stream: Stream, reading: Reading, isLastEnough: boolean): Promise<void> {
    const { topic } = reading;
    const last = topic.frame();
    if (last && isLastEnough) send(stream, reading, last);
    else await topic.make();
    catchUp(stream, reading);
  }

  /** What was left out is not sent with the next change alone: there may be none. */
  function catchUp(stream: Stream, reading: Reading): void {
    const frame = reading.topic.frame();
    if (reading.hasMissed && frame) send(stream, reading, frame);
  }

  function add(stream: Stream): void {
    const own = bySession.get(stream.session) ?? new Set();
    bySession.set(stream.session, own.add(stream));
    count++;
  }

  function remove(stream: Stream): void {
    for (const { leave } of stream.readings) leave();
    const own = bySession.get(stream.session);
    if (!own?.delete(stream)) return;
    if (own.size === 0) bySession.delete(stream.session);
    count--;
  }

  function send(stream: Stream, reading: Reading, frame: Frame): void {
    const { res } = stream;
    if (res.writableEnded || res.destroyed) return;
    if (res.writableLength > mostUnsentBytes) {
      stream.behindSince ??= now();
      reading.hasMissed = true;
      return;
    }
    stream.behindSince = undefined;
    const text = frame.textFor(reading);
    if (text) res.write(text);
    reading.hasMissed = false;
  }

  function failed(stream: Stream, error: unknown): void {
    if (!(error instanceof ProblemError)) log.warn({ err: error }, 'a live page could not be made');
    end(stream, 'gone');
  }

  function end(stream: Stream, reason: Reason): void {
    if (!stream.res.writableEnded) stream.res.end(bye(reason));
    remove(stream);
  }

  function all(): Stream[] {
    return [...bySession.values()].flatMap((streams) => [...streams]);
  }

  function comment(): void {
    for (const { res } of all()) if (res.writableLength === 0) res.write(':\n\n');
  }

  async function checkAll(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    try {
      const open = [...bySession.values()].map((streams) => [...streams]);
      const accounts = await liveAccountsOf(
        open.map(([first]) => first!.ctx.state.current),
        placesOfSessions,
      );
      for (const streams of open) checkSession(streams, accounts.get(streams[0]!.session));
    } catch (error) {
      log.warn({ err: error }, 'the sessions of live pages could not be looked at');
    } finally {
      isChecking = false;
    }
  }

  /** @param streams  all of one. @param account  undefined: it counts no longer */
  function checkSession(streams: readonly Stream[], account: WithSession['account'] | undefined): void {
    if (!account) {
      for (const stream of streams) end(stream, 'session-ended');
      return;
    }
    for (const { ctx } of streams) ctx.state.account = account;
    const rights = rightsOf(streams[0]!.ctx);
    for (const stream of streams) {
      if (rights !== stream.rights) end(stream, 'role-changed');
      else if (stream.behindSince !== undefined && now() - stream.behindSince > longestBehindMs)
        stream.res.destroy();
      else if (stream.behindSince !== undefined)
        for (const reading of stream.readings) catchUp(stream, reading);
    }
  }
}
