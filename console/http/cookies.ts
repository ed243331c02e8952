import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';

/** Cookie names of this console: `__Host-` where the browser can hold us to it (S33). */
export interface CookieNames {
  readonly session: string;
  readonly interaction: string;
  readonly resume: string;
  readonly csrf: string;
  /** Of a browser that has signed in before. */
  readonly browser: string;
  /** Of a browser that is on its way to an upstream provider and back. */
  readonly upstream: string;
  /** Of a browser that has signed out and is on its way to an upstream provider. */
  readonly signedOut: string;
  /** Of a browser that was sent from a page to the sign-in. */
  readonly returnTarget: string;
}

/**
 * The interaction's two cookies are limited to one path, so that parallel tabs do not overwrite each
 * other; a path rules out `__Host-`, and `__Secure-` takes its place.
 *
 * @param isSecure  the console's public address is https
 */
export function cookieNames(isSecure: boolean): CookieNames {
  const host = isSecure ? '__Host-' : '';
  const secure = isSecure ? '__Secure-' : '';
  return {
    session: `${host}console_session`,
    csrf: `${host}console_csrf`,
    browser: `${host}console_browser`,
    upstream: `${host}console_outside`,
    signedOut: `${host}console_signed_out`,
    returnTarget: `${host}console_return`,
    interaction: `${secure}console_interaction`,
    resume: `${secure}console_resume`,
  };
}

/** A cookie that is there twice was planted by somebody: neither value counts (S33). */
export function dropRepeatedCookies(req: IncomingMessage, names: CookieNames): void {
  const header = req.headers.cookie;
  if (header === undefined) return;
  const own = new Set(Object.values(names).flatMap((name) => [name, `${name}.sig`]));
  const pairs = header.split(';').map((pair) => pair.trim());
  const nameOf = (pair: string) => pair.slice(0, pair.indexOf('='));
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const name of pairs.map(nameOf)) {
    if (seen.has(name) && own.has(name)) repeated.add(name);
    seen.add(name);
  }
  if (repeated.size > 0) req.headers.cookie = pairs.filter((pair) => !repeated.has(nameOf(pair))).join('; ');
}

const longest = 256;
export const yearMs = 365 * 86_400_000;

/** Of this browser, unsigned: whoever makes up a value misleads themselves alone. @returns at most 256 characters; empty when there is none */
export function ownCookie(ctx: Pick<Context, 'cookies'>, name: string): string {
  return (ctx.cookies.get(name, { signed: false }) ?? '').slice(0, longest);
}

/**
 * With the attributes that all cookies have (S33).
 *
 * @param value     null takes it away
 * @param isSecure  the console's public address is https
 * @param maxAgeMs  absent: as long as the browser is open
 */
export function setOwnCookie(
  ctx: Pick<Context, 'cookies'>,
  name: string,
  value: string | null,
  isSecure: boolean,
  maxAgeMs?: number,
): void {
  ctx.cookies.set(name, value, {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: isSecure,
    signed: false,
    ...(maxAgeMs !== undefined && { maxAge: maxAgeMs }),
    overwrite: true,
  });
}
