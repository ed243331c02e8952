/** The one place that turns what is thrown into what is sent: pages for browsers, problem details for others. */
import { randomUUID } from 'node:crypto';
import type { Context, Next } from 'koa';
import { ResponseBodyError } from 'openid-client';
import { ProblemError, problemBody } from '../../platform/errors.ts';
import { problems, SessionOverError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { TokenRejectedError } from '../metrics/cluster.ts';
import { ErrorPage } from '../views/error.tsx';
import { type SendPage, seeOther } from './pages.ts';

export interface ErrorResponsesDeps {
  readonly sendPage: SendPage;
  readonly log: Logger;
}

export function createErrorResponses({ sendPage, log }: ErrorResponsesDeps) {
  return async function answerErrors(ctx: Context, next: Next): Promise<void> {
    const requestId = randomUUID();
    ctx.set('X-Request-Id', requestId);
    ctx.set('X-Content-Type-Options', 'nosniff');
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined)
        throw new ProblemError(problems.notFound, 'There is no page at this address.');
      if (ctx.status === 405 && ctx.body === undefined) {
        throw new ProblemError(problems.methodNotAllowed, `This address takes ${ctx.response.get('Allow')}.`);
      }
    } catch (error) {
      if (error instanceof SessionOverError) return seeOther(ctx, '/');
      answer(ctx, problemErrorOf(error), requestId);
      if (ctx.status >= 500) log.error({ err: error, requestId, path: ctx.path }, 'request failed');
      else
        log.info(
          { requestId, path: ctx.path, status: ctx.status, reason: (error as Error).message },
          'request refused',
        );
    }
  };

  function answer(ctx: Context, problemError: ProblemError, requestId: string): void {
    ctx.set(problemError.headers);
    const { status, title } = problemError.problem;
    if (ctx.accepts('json', 'html') === 'html') {
      const model = { status, title, detail: problemError.message, requestId };
      sendPage(ctx, <ErrorPage {...model} />, { status });
      return;
    }
    ctx.status = status;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = problemBody(problemError, { request_id: requestId }, 'cluster-dashboard');
    ctx.type = 'application/problem+json';
  }
}

function problemErrorOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof TokenRejectedError) {
    const detail = 'The console does not accept the token that it has given.';
    return new ProblemError(problems.invalidToken, detail, { cause: error });
  }
  if (isOutage(error)) {
    const detail = 'The console did not answer. Try again in a moment.';
    const headers = { 'Retry-After': '5' };
    return new ProblemError(problems.consoleUnreachable, detail, { headers, cause: error });
  }
  return new ProblemError(problems.serverError, 'An error of this application; its log has the request id.', {
    cause: error,
  });
}

/** What `fetch`, the key set and the library throw when nobody answers, or a gateway in between does. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ResponseBodyError) return error.status >= 500;
  const { name, cause } = error;
  const isFetchFailure = name === 'TypeError' && error.message === 'fetch failed';
  return isFetchFailure || name === 'TimeoutError' || name === 'KeySetError' || isOutage(cause);
}
