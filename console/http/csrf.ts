/**
 * Forms are bound to the browser that was shown them (S31): a random cookie from before the sign-in,
 * a token in the form that only this server can derive from it, and the fetch metadata of the request.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { ProblemError, problems } from '../../platform/errors.ts';
import { isSameText } from '../../platform/secret.ts';
import { setOwnCookie } from './cookies.ts';
import type { WithForm } from './guards.ts';

export interface Csrf {
  /** The token for a form on the page that is being made; sets the cookie when there is none yet. */
  token(ctx: Context): string;
  /** For a form whose token is somebody else's to check. @throws {ProblemError} `csrf_failed` */
  readonly sameOrigin: Middleware;
  /** Behind `form` in a route line. @throws {ProblemError} `csrf_failed` */
  readonly guard: Middleware<WithForm>;
  /** The same of a token that came in another way. @throws {ProblemError} `csrf_failed` */
  check(ctx: Context, given: string): void;
}

export interface CsrfDeps {
  /** The origin that browsers see. */
  readonly origin: string;
  readonly cookieName: string;
  readonly isSecure: boolean;
  /** Kept over restarts, so that a page survives one. */
  readonly secret: string;
}

export function createCsrf({ origin, cookieName, isSecure, secret }: CsrfDeps): Csrf {
  return {
    token(ctx) {
      let id = readCookie(ctx);
      if (!id) {
        id = randomBytes(18).toString('base64url');
        setOwnCookie(ctx, cookieName, id, isSecure);
      }
      return derive(id);
    },
    sameOrigin(ctx, next) {
      checkOrigin(ctx);
      return next();
    },
    guard(ctx, next) {
      check(ctx, ctx.state.form.get('csrf') ?? '');
      return next();
    },
    check,
  };

  function check(ctx: Context, given: string): void {
    checkOrigin(ctx);
    const id = readCookie(ctx);
    if (id && isSameText(given, derive(id))) return;
    throw denied('The form is too old, or cookies are switched off. Open the page anew and try again.');
  }

  function readCookie(ctx: Context): string | undefined {
    const id = ctx.cookies.get(cookieName, { signed: false });
    return id && /^[\w-]{24}$/.test(id) ? id : undefined;
  }

  function derive(id: string): string {
    return createHmac('sha256', secret).update(`csrf ${id}`).digest('base64url');
  }

  function checkOrigin(ctx: Context): void {
    const sent = ctx.get('Origin');
    if (sent !== '' && sent !== origin)
      throw denied(`Open this console at ${origin} and send the form from there.`);
    const site = ctx.get('Sec-Fetch-Site');
    if (site !== '' && site !== 'same-origin' && site !== 'none')
      throw denied('The form came from another site.');
  }
}

function denied(detail: string): ProblemError {
  return new ProblemError(problems.csrfFailed, detail);
}
