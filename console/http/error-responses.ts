/** One place turns what is thrown into what a page or a JSON caller gets (S86). */
import type { Context, Middleware } from 'koa';
import { type Problem, ProblemError, problemBody, problems } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { type FramedError, renderError, type WayBack } from '../../views/error.tsx';
import { asSentence } from '../../views/texts/text.ts';
import { StorageUnavailableError } from '../storage/storage.ts';
import { presentationOf, textFor } from './display/presentation.ts';
import { FormError } from './form.ts';
import { requestIdOf } from './request-id.ts';
import { setPageHeaders } from './security-headers.ts';
import { readAway } from './send.ts';

/** A person's upload is slower than a program's call. */
const uploadMs = 10_000;

export interface ErrorResponsesDeps {
  readonly log: Logger;
  readonly isSecure: boolean;
  /** For who stands at a management page that cannot be had. */
  readonly wayBack: (ctx: Context, problem: Problem) => WayBack | undefined;
}

export interface ErrorResponses {
  /** Catches for everything behind it. */
  readonly middleware: Middleware;
  /** Writes the error: a page for a browser, problem details for everybody else. */
  send(ctx: Context, problemError: ProblemError): void;
  /** From now on, whoever is signed in gets the error as a page with this around it. */
  frameWith(frameOf: FrameOf): void;
}

/** @returns undefined for who may open no other page. @throws {Error} it cannot be had now */
export type FrameOf = (ctx: Context, problem: Problem) => Promise<FramedError | undefined>;

export function createErrorResponses({ log, isSecure, wayBack }: ErrorResponsesDeps): ErrorResponses {
  let frameOf: FrameOf | undefined;
  return {
    async middleware(ctx, next) {
      try {
        await next();
        if (ctx.status === 404 && ctx.body == null)
          throw new ProblemError(problems.notFound, `There is no page ${ctx.path}.`);
        if (ctx.status === 405 && ctx.body == null)
          throw new ProblemError(problems.methodNotAllowed, 'Use another method.');
      } catch (error) {
        const problemError = toProblem(error);
        if (problemError.problem.status === 500)
          log.error({ err: error, requestId: requestIdOf(ctx.req) }, 'request failed');
        // Who is cut off while still sending a body would not read why.
        if (problemError.headers.Connection === 'close') await readAway(ctx.req, uploadMs);
        send(ctx, problemError, await frameFor(ctx, problemError.problem));
      }
    },
    send: (ctx, problemError) => send(ctx, problemError),
    frameWith(given) {
      frameOf = given;
    },
  };

  async function frameFor(ctx: Context, problem: Problem): Promise<FramedError | undefined> {
    if (problem.status === 401 || ctx.accepts('json', 'html') !== 'html') return undefined;
    // What has failed may be what the frame is made of.
    return frameOf?.(ctx, problem).catch(() => undefined);
  }

  function send(ctx: Context, problemError: ProblemError, framed?: FramedError): void {
    const { status, code, title } = problemError.problem;
    const requestId = requestIdOf(ctx.req);
    ctx.status = status;
    ctx.set(problemError.headers);
    ctx.set('Cache-Control', 'no-store');
    if (ctx.accepts('json', 'html') === 'html') {
      if (framed) setPageHeaders(ctx, isSecure, [], [], 'own');
      else setPageHeaders(ctx, isSecure);
      ctx.type = 'html';
      ctx.body = renderError(
        {
          status,
          code,
          title: pageTitles[code] ?? title,
          detail: problemError.message,
          requestId,
          ...wayOut(code, framed !== undefined),
          ...(isUnread(ctx, code) && { hint: textFor(ctx)('error.unread') }),
          ...(framed?.membersHref !== undefined && { hint: textFor(ctx)('error.membersAway') }),
          ...(!isClosed(status) && { back: wayBack(ctx, problemError.problem) }),
          framed,
        },
        presentationOf(ctx),
      );
    } else {
      ctx.body = problemBody(problemError, { request_id: requestId });
      ctx.type = 'application/problem+json';
    }
  }
}

/** What a stack, a library or a form could not say for itself. */
export function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof FormError) {
    const row = error.status === 413 ? problems.contentTooLarge : problems.invalidRequest;
    const headers: Record<string, string> = error.status === 413 ? { Connection: 'close' } : {};
    return new ProblemError(row, saidOf(error), { cause: error, headers });
  }
  if (isOfStorage(error)) {
    return new ProblemError(problems.storageUnavailable, 'Nothing was changed. Try again shortly.', {
      cause: error,
      headers: { 'Retry-After': '5' },
    });
  }
  if (isMissingInteraction(error)) {
    return new ProblemError(
      { ...problems.csrfFailed, title: 'This sign-in is over' },
      'It took too long, was finished in another tab, or was started in another browser. Start it again from the application.',
      { cause: error },
    );
  }
  return new ProblemError(problems.serverError, 'It is logged under the request id below.', { cause: error });
}

function saidOf({ message, field = '' }: FormError): string {
  // Whoever sends a name as long as a page reads it nowhere.
  return /^[\w.:-]{1,64}$/.test(field) ? `The field ${field} is not text in UTF-8.` : asSentence(message);
}

/** The library gets what its storage throws in an error of its own. */
function isOfStorage(error: unknown): boolean {
  return (
    error instanceof StorageUnavailableError ||
    (error instanceof Error && error.cause instanceof StorageUnavailableError)
  );
}

/** The library's way to say that the cookie of a sign-in, or its record, is gone. */
function isMissingInteraction(error: unknown): boolean {
  return error instanceof Error && error.name === 'SessionNotFound';
}

/** Of what has another one for a person than for a program. */
const pageTitles: Readonly<Record<string, string>> = {
  insufficient_scope: 'Your roles do not open this',
};

/** Whoever may not have this page may not have the one above it either. */
const isClosed = (status: number) => status === 401 || status === 403;

/** Of a form that was turned down before anything of it was done. */
function isUnread({ method }: Context, code: string): boolean {
  return method === 'POST' && unread.has(code);
}

const unread: ReadonlySet<string> = new Set([
  problems.invalidRequest.code,
  problems.contentTooLarge.code,
  problems.methodNotAllowed.code,
]);

/** A person reads the page; what is missing stands above it. */
const whoGives = 'An administrator can give you what is missing.';

/** Home is the overview, the account for whom that is closed, or the sign-in for who has no session. */
const wayHome = { actionHref: '/', actionLabel: 'error.home' as const };
const waysHome = new Set(['csrf_failed', 'not_found', 'forbidden', 'conflict']);

function wayOut(code: string, isFramed: boolean) {
  // The frame has the pages that are open.
  if (code === 'insufficient_scope') return { hint: whoGives, ...(!isFramed && wayHome) };
  if (code === 'login_failed') return { actionHref: '/login', actionLabel: 'act.signIn' as const };
  return waysHome.has(code) ? wayHome : {};
}
