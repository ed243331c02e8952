/** Cookies and forms belong to one host: a browser that has come by another name of it is told before it types anything. */
import type { Context, Middleware } from 'koa';
import { isLoopbackHost } from './outbound/loopback.ts';

/**
 * Leads a browser from one loopback name to the one of `CONSOLE_URL`: from 127.0.0.1 to localhost, for example.
 * Only there, and at the same port: behind a proxy that passes another `Host` on, the browser may be at the right
 * address already, and would be led in a circle.
 *
 * @param url  `CONSOLE_URL`
 */
export function leadToOwnHost(url: string): Middleware {
  const own = new URL(url);
  return (ctx, next) => {
    if (
      !isOtherLoopbackName(ctx.get('Host'), own) ||
      ctx.method !== 'GET' ||
      ctx.accepts('json', 'html') !== 'html'
    )
      return next();
    ctx.status = 303;
    ctx.set('Cache-Control', 'no-store');
    // The path of the request, whatever it is, stays a path of this origin.
    ctx.redirect(own.origin + ctx.originalUrl.replace(/^[^/]*/, ''));
    return undefined;
  };
}

function isOtherLoopbackName(host: string, own: URL): boolean {
  if (!isLoopbackHost(own.host) || !isLoopbackHost(host) || host.toLowerCase() === own.host) return false;
  return (/:(\d+)$/.exec(host)?.[1] ?? '') === own.port;
}

function isElsewhere(ctx: Pick<Context, 'get'>, own: URL): boolean {
  const host = ctx.get('Host').toLowerCase();
  return host !== '' && host !== own.host;
}

/**
 * Which host the browser shows is not known here.
 *
 * @param own  `CONSOLE_URL`
 * @returns its origin for a request that names another host; undefined for all others
 */
export function originElsewhere(ctx: Pick<Context, 'get'>, own: URL): string | undefined {
  return isElsewhere(ctx, own) ? own.origin : undefined;
}

/** The same of a page that a link with a token opens. */
export function pageElsewhere(ctx: Pick<Context, 'get'>, own: URL, path: string, token: string) {
  const address = originElsewhere(ctx, own);
  if (address === undefined) return undefined;
  return { address, href: `${address}${path}?token=${encodeURIComponent(token)}` };
}
