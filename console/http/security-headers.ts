import type { Context } from 'koa';

/**
 * What every page is sent with (S51). Pages need no script; a form may end at a validated redirect
 * address, which browsers count against `form-action` too.
 *
 * @param formOrigins   origins besides our own at which a form of this page may end
 * @param frameOrigins  origins that this page shows in frames
 * @param scripts       `own`: files of ours, for what a page can do without as well; they ask this console alone
 * @param imageOrigins  origins besides our own of which this page shows a picture
 */
export function setPageHeaders(
  ctx: Context,
  isSecure: boolean,
  formOrigins: readonly string[] = [],
  frameOrigins: readonly string[] = [],
  scripts: 'none' | 'own' = 'none',
  imageOrigins: readonly string[] = [],
): void {
  ctx.set({
    'Content-Security-Policy': [
      "default-src 'none'",
      "style-src 'self'",
      `img-src ${["'self'", ...imageOrigins].join(' ')}`,
      `script-src ${scripts === 'own' ? "'self'" : "'none'"}`,
      ...(scripts === 'own' ? ["connect-src 'self'"] : []),
      "object-src 'none'",
      `frame-src ${frameOrigins.length === 0 ? "'none'" : frameOrigins.join(' ')}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
      `form-action ${["'self'", ...formOrigins].join(' ')}`,
    ].join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    ...(isSecure ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  });
}
