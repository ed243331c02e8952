/** Streams of server-sent events, one a page: who may have one, what it is sent, and when it ends. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ProblemError } from '../../../platform/errors.ts';
import type { Guard, WithForm } from '../../http/guards.ts';
import type { WithSession } from '../../login/signed-in.ts';
import type { PageContext } from '../page-tools.ts';
import { type LiveList, newestName, newFramesOf } from './new-items.ts';
import { partFramesOf, type ReadParts } from './parts.ts';
import { createTopics, type Frame, type NewFrames } from './topics.ts';

export interface LiveDeps {
  /** Whether the session counts; it is not prolonged by that. */
  readonly isSessionLive: (uid: string) => Promise<boolean>;
  readonly findUser: (id: string) => Promise<WithSession['account'] | undefined>;
  /** What somebody may do at this moment, in words that are the same for all who may do the same. */
  readonly rightsOf: (ctx: PageContext) => string;
  /** How somebody reads it, in words that are the same for all who read it so: it stays as long as the page is open. */
  readonly presentationKeyOf: (ctx: PageContext) => string;
  /** Whoever may not is answered as by the page. @throws {ProblemError} */
  readonly checkMayRun: (ctx: PageContext, operation: string) => Promise<void>;
  /** Headers of a page. */
  readonly setHeaders: (ctx: PageContext) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: { warn(fields: object, message: string): void };
}

/** Why a stream ends: the page does something else for each. */
type Reason = 'session-ended' | 'role-changed' | 'restart' | 'too-many' | 'gone';

interface Stream {
  readonly ctx: PageContext;
  readonly res: ServerResponse;
  readonly session: string;
  readonly rights: string;
  leave(): void;
  /** Since when it has more unsent than it may; undefined: it has not. Epoch milliseconds. */
  behindSince: number | undefined;
  /** A frame was left out, so that the next is whole. */
  hasMissed: boolean;
}

export const mostOfSession = 8;
export const mostStreams = 2_000;
const mostUnsentBytes = 64 * 1024;
const longestBehindMs = 30_000;
const commentMs = 15_000;
/** So often it is looked at whether sessions and rights are as they were. */
const checkMs = 750;

export type Live = ReturnType<typeof createLive>;

export function createLive(deps: LiveDeps) {
  const { isSessionLive, findUser, rightsOf, presentationKeyOf, checkMayRun, setHeaders, now, log } = deps;
  const topics = createTopics(randomBytes(6).toString('base64url'), now);
  const bySession = new Map<string, Set<Stream>>();
  let count = 0;
  let isClosed = false;
  let isChecking = false;
  const timers = [setInterval(comment, commentMs), setInterval(() => void check(), checkMs)];
  for (const timer of timers) timer.unref();

  return {
    /**
     * What stands before the handler of a page: a stream of these parts where the address asks for one.
     *
     * @param operation  without which there is no such page
     */
    of: (operation: string, parts: ReadParts): Guard<WithSession & WithForm> =>
      guard(operation, partFramesOf(parts), rightsOf),
    /** The same for the first page of a list: how many items have come since it was made. */
    ofList: (list: LiveList): Guard<WithSession & WithForm> => {
      const stream = guard(list.operation, newFramesOf(list), rightsOf);
      return (ctx, next) => ((ctx as PageContext).state.form.get('cursor') ? next() : stream(ctx, next));
    },
    /** The same, of what is shown to one and not to another who may do the same: nobody else reads these frames. */
    ofPerson: (operation: string, parts: ReadParts): Guard<WithSession & WithForm> =>
      guard(operation, partFramesOf(parts), (ctx) => `${rightsOf(ctx)} ${ctx.state.account.id}`),
    /** @returns whether, whenever it is asked from now on, the session counts and may do what it may do now */
    watch(ctx: PageContext): () => Promise<boolean> {
      const { current } = ctx.state;
      const rights = rightsOf(ctx);
      return async () => {
        const account = await liveAccountOf(current);
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

  /** @param readersOf  in words that are the same for all who read the same frames */
  function guard(
    operation: string,
    frames: NewFrames,
    readersOf: (ctx: PageContext) => string,
  ): Guard<WithSession & WithForm> {
    return async (ctx, next) => {
      const page = ctx as PageContext;
      if (page.state.form.get('live') !== '1') return next();
      await checkMayRun(page, operation);
      await open(page, frames, readersOf(page));
    };
  }

  async function open(ctx: PageContext, frames: NewFrames, readers: string): Promise<void> {
    const { res } = ctx;
    const session = ctx.state.current.uid;
    const rights = rightsOf(ctx);
    const key = `${ctx.path}?${queryOf(ctx)} ${presentationKeyOf(ctx)} ${readers}`;
    const own = bySession.get(session);
    setHeaders(ctx);
    ctx.respond = false;
    const stream: Stream = {
      ctx,
      res,
      session,
      rights,
      leave: () => {},
      behindSince: undefined,
      hasMissed: false,
    };
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
    const { topic, leave } = topics.read(key, frames, {
      ctx,
      take: (frame) => send(stream, frame),
      fail: (error) => failed(stream, error),
    });
    stream.leave = leave;
    if (res.destroyed) return leave();
    const frame = topic.frame();
    if (frame && frame.id === last) return void res.write(resumed(last));
    // The first one is whole, and so is that of who was away.
    stream.hasMissed = true;
    if (frame && isKnown) send(stream, frame);
    else await topic.make();
    const made = topic.frame();
    if (stream.hasMissed && made) send(stream, made);
  }

  function add(stream: Stream): void {
    const own = bySession.get(stream.session) ?? new Set();
    bySession.set(stream.session, own.add(stream));
    count++;
  }

  function remove(stream: Stream): void {
    stream.leave();
    const own = bySession.get(stream.session);
    if (!own?.delete(stream)) return;
    if (own.size === 0) bySession.delete(stream.session);
    count--;
  }

  function send(stream: Stream, frame: Frame): void {
    const { res } = stream;
    if (res.writableEnded || res.destroyed) return;
    if (res.writableLength > mostUnsentBytes) {
      stream.behindSince ??= now();
      stream.hasMissed = true;
      return;
    }
    stream.behindSince = undefined;
    const text = frame.textFor(stream);
    if (text) res.write(text);
    stream.hasMissed = false;
  }

  function failed(stream: Stream, error: unknown): void {
    if (!(error instanceof ProblemError)) log.warn({ err: error }, 'a live page could not be made');
    end(stream, 'gone');
  }

  function end(stream: Stream, reason: Reason): void {
    stream.res.end(bye(reason));
    remove(stream);
  }

  function all(): Stream[] {
    return [...bySession.values()].flatMap((streams) => [...streams]);
  }

  function comment(): void {
    for (const { res } of all()) if (res.writableLength === 0) res.write(':\n\n');
  }

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    try {
      for (const streams of [...bySession.values()]) await checkSession([...streams]);
    } catch (error) {
      log.warn({ err: error }, 'the sessions of live pages could not be looked at');
    } finally {
      isChecking = false;
    }
  }

  /** @returns undefined when the session counts no longer */
  async function liveAccountOf({ accountId, uid }: WithSession['current']) {
    const account = await findUser(accountId);
    return account && !account.disabled && (await isSessionLive(uid)) ? account : undefined;
  }

  /** All streams of one. */
  async function checkSession(streams: readonly Stream[]): Promise<void> {
    const { current } = streams[0]!.ctx.state;
    const account = await liveAccountOf(current);
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
    }
  }
}

function begin(res: ServerResponse): void {
  res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
  res.flushHeaders();
}

/** Nothing has changed meanwhile; the page says that it is live again. */
function resumed(id: string): string {
  return `id: ${id}\nevent: resumed\ndata: {}\n\n`;
}

function bye(reason: Reason): string {
  return `event: bye\ndata: ${JSON.stringify({ reason })}\n\n`;
}

/** In one order, without what is of the stream. */
function queryOf({ querystring }: PageContext): string {
  const query = new URLSearchParams(querystring);
  for (const name of ['live', 'after', newestName]) query.delete(name);
  query.sort();
  return query.toString();
}
