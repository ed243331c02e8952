/** One connection to a member: one request at a time, and the next only when nothing is left of the last (S63). */
import type { Readable } from 'node:stream';
import type { Attempt, Connection } from './attempt.ts';
import { type BodyPump, pumpBody } from './body-pump.ts';
import { UpstreamFailure } from './failure.ts';
import { type Endpoint, openSocket } from './open-socket.ts';
import { createReplyReader } from './reply-reader.ts';

export interface ConnectionEvents {
  /** May take the next request. */
  onFree(connection: Connection, answered: Attempt): void;
  /**
   * Has closed, or is about to. Comes once, before its attempt hears of it.
   *
   * @param attempt  what it was busy with
   * @param failure  why; undefined when it was closed from here
   */
  onGone(connection: Connection, attempt: Attempt | undefined, failure: UpstreamFailure | undefined): void;
}

export interface ConnectionTimes {
  /** Longest wait until it is open, milliseconds. */
  readonly connectMs: number;
  /** Longest silence within a body, milliseconds. */
  readonly stallMs: number;
}

const privateBytes = 64 * 1024;
/** A piece smaller than this is copied, for it would keep all of its buffer alive. */
const copiedBytes = privateBytes / 4;

/**
 * @param shared  where bytes are read to by all connections of a pool; what is taken out of it is copied.
 *   A large body is read into buffers of its own, which are passed on without a copy.
 */
export function openConnection(
  endpoint: Endpoint,
  { connectMs, stallMs }: ConnectionTimes,
  shared: Buffer,
  events: ConnectionEvents,
): Connection {
  let attempt: Attempt | undefined;
  let isOpen = false;
  let isGone = false;
  let isPaused = false;
  let hasHead = false;
  /** Whether the reply lets the connection live on. */
  let isReusable = true;
  let isWithdrawn = false;
  let isLate = false;
  let idleMs: number | undefined;
  let pump: BodyPump | undefined;
  /** Kept from one wait to the next of the same length; one that fires while nothing is waited for means nothing. */
  let timer = setTimeout(expire, connectMs);
  let timerMs = connectMs;
  let isWatching = true;
  let own: Buffer | undefined;

  const reader = createReplyReader({
    onHead(head) {
      hasHead = true;
      if (head.isLast) isReusable = false;
      if (head.keepAliveSeconds !== undefined) idleMs = Math.max(0, head.keepAliveSeconds - 1) * 1000;
      attempt?.onHead(head);
    },
    onChunk(chunk) {
      if (attempt?.onData(taken(chunk)) === false) isPaused = true;
    },
    onEnd: finish,
  });
  const socket = openSocket(endpoint, { nextBuffer, onBytes });
  socket.once(endpoint.isTls ? 'secureConnect' : 'connect', () => {
    isOpen = true;
    stopWatching();
    if (attempt) send(attempt);
  });
  socket.once('error', lose);
  socket.once('end', lose);
  socket.once('close', () => lose());

  const connection: Connection = {
    get attempt() {
      return attempt;
    },
    get idleMs() {
      return idleMs;
    },
    idleSince: 0,
    run(next) {
      attempt = next;
      next.connection = connection;
      if (isOpen) send(next);
    },
    resume() {
      if (!isPaused || isGone) return;
      isPaused = false;
      watch(stallMs);
      socket.resume();
    },
    withdraw() {
      isWithdrawn = true;
      socket.end();
    },
    destroy: () => close(undefined),
  };
  return connection;

  function send(next: Attempt): void {
    const { method, head, body, replyMs } = next;
    hasHead = false;
    isLate = false;
    isReusable = true;
    next.isSent = true;
    reader.expect(method);
    if (body === undefined) {
      socket.write(head, 'latin1');
    } else {
      socket.cork();
      socket.write(head, 'latin1');
      if (Buffer.isBuffer(body.content)) socket.write(body.content);
      else sendStream(body.content, body.length === undefined, replyMs);
      socket.uncork();
    }
    if (pump === undefined) watch(replyMs);
  }

  /** Whoever sends the body is watched elsewhere; here only whether the member takes it. */
  function sendStream(content: Readable, isChunked: boolean, replyMs: number): void {
    pump = pumpBody(content, socket, isChunked, {
      onBlocked: (isBlocked) => (isBlocked ? watch(stallMs) : stopWatching()),
      onSent() {
        pump = undefined;
        isReusable &&= !isChunked;
        if (!hasHead) watch(replyMs);
      },
      onFailure(error) {
        pump = undefined;
        fail(new UpstreamFailure('bodyFailed', error));
      },
    });
  }

  function onBytes(bytes: Buffer): boolean {
    try {
      reader.read(bytes);
    } catch (error) {
      fail(error instanceof UpstreamFailure ? error : new UpstreamFailure('invalidReply', error));
    }
    if (isPaused) stopWatching();
    else if (attempt !== undefined && hasHead) watch(stallMs);
    return !isPaused;
  }

  function finish(rest: Buffer | undefined, hasExcess: boolean): void {
    if (isGone) return;
    stopWatching();
    const answered = attempt!;
    isPaused = false;
    // An answer before the whole request has been sent leaves no one knowing where the next one begins.
    if (isReusable && !isWithdrawn && !hasExcess && pump === undefined) {
      attempt = undefined;
      events.onFree(connection, answered);
    } else {
      close(undefined);
    }
    answered.onEnd(rest);
  }

  function lose(cause?: Error): void {
    fail(new UpstreamFailure(isOpen ? 'hungUp' : 'unreachable', cause));
  }

  function expire(): void {
    if (!isWatching) return;
    if (isOpen && !hasHead && !isLate && attempt?.onLate()) {
      isLate = true;
      watch(stallMs);
      return;
    }
    fail(new UpstreamFailure(isOpen ? 'replyTimeout' : 'connectTimeout'));
  }

  function fail(failure: UpstreamFailure): void {
    const failed = attempt;
    close(failure);
    failed?.onFailure(failure);
  }

  function close(failure: UpstreamFailure | undefined): void {
    if (isGone) return;
    isGone = true;
    const last = attempt;
    attempt = undefined;
    clearTimeout(timer);
    pump?.stop();
    pump = undefined;
    // What comes in all the same concerns nobody any more.
    socket.on('error', () => undefined);
    socket.destroy();
    events.onGone(connection, last, failure);
  }

  function watch(ms: number): void {
    isWatching = true;
    if (ms === timerMs) {
      timer.refresh();
      return;
    }
    clearTimeout(timer);
    timer = setTimeout(expire, ms);
    timerMs = ms;
  }

  function stopWatching(): void {
    isWatching = false;
  }

  function nextBuffer(): Buffer {
    if (!reader.isInLargeBody()) return shared;
    own ??= Buffer.allocUnsafeSlow(privateBytes);
    return own;
  }

  /** A piece that outlives the call. */
  function taken(chunk: Buffer): Buffer {
    if (own === undefined || chunk.buffer !== own.buffer || chunk.length < copiedBytes)
      return Buffer.from(chunk);
    own = undefined;
    return chunk;
  }
}
