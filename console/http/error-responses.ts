/** One place turns what is thrown into what a page or a JSON caller gets (S86). */
import type { Context, Middleware } from 'koa';
import { ProblemError, problemBody, problems } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { renderError } from '../../views/error.tsx';
import { StorageUnavailableError } from '../storage/storage.ts';
import { presentationOf } from './display/presentation.ts';
import { FormError } from './form.ts';
import { requestIdOf } from './request-id.ts';
import { setPageHeaders } from './security-headers.ts';
import { readAway } from './send.ts';

/** A person's upload is slower than a program's call. */
const uploadMs = 10_000;

export interface ErrorResponsesDeps {
  readonly log: Logger;
  readonly isSecure: boolean;
}

export interface ErrorResponses {
  /** Catches for everything behind it. */
  readonly middleware: Middleware;
  /** Writes the error: a page for a browser, problem details for everybody else. */
  send(ctx: Context, problemError: ProblemError): void;
}

export function createErrorResponses({ log, isSecure }: ErrorResponsesDeps): ErrorResponses {
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
        send(ctx, problemError);
      }
    },
    send,
  };

  function send(ctx: Context, problemError: ProblemError): void {
    const { status, code, title } = problemError.problem;
    const requestId = requestIdOf(ctx.req);
    ctx.status = status;
    ctx.set(problemError.headers);
    ctx.set('Cache-Control', 'no-store');
    if (ctx.accepts('json', 'html') === 'html') {
      setPageHeaders(ctx, isSecure);
      ctx.type = 'html';
      ctx.body = renderError(
        {
          status,
          code,
          title: pageTitles[code] ?? title,
          detail: problemError.message,
          requestId,
          ...wayOut(code),
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
    return new ProblemError(row, `${error.message}.`, { cause: error, headers });
  }
  if (error instanceof StorageUnavailableError) {
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

/** The library's way to say that the cookie of a sign-in, or its record, is gone. */
function isMissingInteraction(error: unknown): boolean {
  return error instanceof Error && error.name === 'SessionNotFound';
}

/** Of what has another one for a person than for a program. */
const pageTitles: Readonly<Record<string, string>> = {
  insufficient_scope: 'Your roles do not open this',
};

/** A person reads the page; what is missing stands above it. */
const whoGives = 'An administrator can give you what is missing.';

/** Home is the account, or the sign-in for who has none open. */
const waysHome = new Set(['csrf_failed', 'not_found', 'forbidden', 'conflict']);

function wayOut(code: string) {
  if (code === 'insufficient_scope') return { hint: whoGives };
  if (code === 'login_failed') return { actionHref: '/login', actionLabel: 'act.signIn' as const };
  return waysHome.has(code) ? { actionHref: '/', actionLabel: 'error.account' as const } : {};
}
