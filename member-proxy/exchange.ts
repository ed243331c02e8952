import { type Dispatcher, errors } from 'undici';
import { ProblemError, problems } from '../console/errors.ts';
import type { OutgoingBody } from './body.ts';
import type { Member } from './members.ts';
import { withPrefix } from './prefix.ts';

/** One request for a member. */
export interface UpstreamRequest {
  readonly method: string;
  /** The target as received, starting with `/svc`; each member gets it with its own first segment. */
  readonly sent: string;
  /** Names and values in turn. */
  readonly fields: string[];
  readonly body: OutgoingBody | undefined;
  /** Longest wait for the reply's head, milliseconds. */
  readonly replyMs: number;
  /** Whether it may be sent again after it may have reached a member: a safe `GET` (S66). */
  readonly isRepeatable: boolean;
}

/** Hears the reply as it comes in. Nothing is called after `onEnd`, `onFailure` or an abort. */
export interface ReplyListener {
  /** @param fields  the member's fields, names and values in turn, with their bytes */
  onHead(status: number, statusText: string, fields: readonly Buffer[]): void;
  /** @returns false to be left alone until `resume` */
  onData(chunk: Buffer): boolean;
  onEnd(): void;
  /** May come after the head, when the reply breaks off. */
  onFailure(error: ProblemError): void;
}

export interface Exchange {
  /** The member that is answering, or was asked last. */
  readonly member: Member | undefined;
  resume(): void;
  /** Breaks the exchange off at once; its connection is not used again (S63, S70). */
  abort(): void;
}

const retryAfterSeconds = 2;

/**
 * Sends one request and relays the reply, asking the candidates in turn as long as no byte was sent.
 *
 * @param connectMs  longest wait for a free connection, milliseconds
 */
export function startExchange(
  request: UpstreamRequest,
  listener: ReplyListener,
  candidates: readonly Member[],
  connectMs: number,
): Exchange {
  let tried = 0;
  let isRepeated = false;
  let isStarted = false;
  let isAnswered = false;
  let isAborted = false;
  let controller: Dispatcher.DispatchController | undefined;
  let current: Member | undefined;
  let isPending = false;
  let waiting: NodeJS.Timeout | undefined;

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      clearTimeout(waiting);
      controller = started;
      isStarted = true;
      if (isAborted) {
        started.abort(abandoned());
      }
    },
    onResponseStart(started, status, _fields, statusText = '') {
      if (status >= 200 && !isAborted) {
        isAnswered = true;
        listener.onHead(status, statusText, started.rawHeaders as Buffer[]);
      }
    },
    onResponseData(started, chunk) {
      if (!isAborted && !listener.onData(chunk)) {
        started.pause();
      }
    },
    onResponseEnd() {
      release();
      if (!isAborted) {
        listener.onEnd();
      }
    },
    onResponseError(_, error) {
      clearTimeout(waiting);
      release();
      if (isAborted) {
        return;
      }
      if (isAnswered) {
        listener.onFailure(problemOf(error, isStarted));
        return;
      }
      if (mayTryAgain(error)) {
        attempt();
        return;
      }
      listener.onFailure(problemOf(error, isStarted));
    },
  };
  const { body } = request;
  const options: Dispatcher.DispatchOptions = {
    method: request.method,
    path: request.sent,
    headers: withLength(request.fields, body),
    body: body?.content ?? null,
    headersTimeout: request.replyMs,
    // The real engine leaves a byte behind a chunked body, which would spoil the next exchange (reference §2).
    ...(body !== undefined && body.length === undefined && { reset: true }),
  };
  attempt();

  return {
    get member() {
      return current;
    },
    resume() {
      controller?.resume();
    },
    abort,
  };

  function abort(): void {
    clearTimeout(waiting);
    isAborted = true;
    release();
    controller?.abort(abandoned());
  }

  function attempt(): void {
    current = candidates[tried];
    if (current === undefined) {
      listener.onFailure(noMember());
      return;
    }
    tried += 1;
    isStarted = false;
    isPending = true;
    current.pending += 1;
    options.path = withPrefix(request.sent, current.prefix);
    const hasRoom = current.pool.dispatch(options, handler);
    if (!hasRoom && !isStarted) {
      waiting = setTimeout(giveUpWaiting, connectMs);
    }
  }

  /** The member's load, by which it is chosen, counts each attempt once. */
  function release(): void {
    if (isPending) {
      isPending = false;
      current!.pending -= 1;
    }
  }

  /** Every connection to the member is taken, perhaps by polls that last for hours. */
  function giveUpWaiting(): void {
    abort();
    listener.onFailure(tooLate());
  }

  /** Only when no byte was sent, or when sending it twice changes nothing (S66). */
  function mayTryAgain(error: Error): boolean {
    if (!isStarted) {
      return tried < candidates.length && !(error instanceof ProblemError);
    }
    if (!request.isRepeatable || isRepeated || error instanceof errors.HeadersTimeoutError) {
      return false;
    }
    isRepeated = true;
    tried %= candidates.length;
    return true;
  }
}

function withLength(fields: string[], body: OutgoingBody | undefined): string[] {
  return body?.length === undefined ? fields : [...fields, 'content-length', String(body.length)];
}

const timeouts = [errors.ConnectTimeoutError, errors.HeadersTimeoutError, errors.BodyTimeoutError];

function problemOf(error: Error, isStarted: boolean): ProblemError {
  if (error instanceof ProblemError) {
    return error;
  }
  if (timeouts.some((type) => error instanceof type)) {
    return tooLate(error);
  }
  if (!isStarted) {
    return noMember(error);
  }
  return new ProblemError(problems.badGateway, 'The member closed the connection without a valid answer', {
    cause: error,
  });
}

function tooLate(cause?: unknown): ProblemError {
  return new ProblemError(problems.upstreamTimeout, 'The member did not answer in time', { cause });
}

function noMember(cause?: unknown): ProblemError {
  return new ProblemError(problems.noMember, 'No member can be reached', {
    headers: { 'Retry-After': String(retryAfterSeconds) },
    cause,
  });
}

function abandoned(): Error {
  return new errors.RequestAbortedError('The caller has gone');
}
