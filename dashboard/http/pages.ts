/** Sends pages with the headers that every page has (S51). */
import type { Context } from 'koa';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { isSecure, type OwnAddresses } from './own-address.ts';

export interface PageOptions {
  readonly status?: number;
  /** Our own pages may frame this one: it renews a sign-in unseen. */
  readonly isFramed?: boolean;
}

export type SendPage = (ctx: Context, page: VNode, options?: PageOptions) => void;

/** @param issuer  where the hidden frame and the sign-out form lead */
export function createSendPage({ issuer, addresses }: { issuer: string; addresses: OwnAddresses }): SendPage {
  const console = new URL(issuer).origin;

  return (ctx, page, { status = 200, isFramed = false } = {}) => {
    ctx.status = status;
    ctx.set({
      'Content-Security-Policy': [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        `frame-src 'self' ${console}`,
        `form-action 'self' ${console}`,
        `frame-ancestors ${isFramed ? "'self'" : "'none'"}`,
        "base-uri 'none'",
        "object-src 'none'",
      ].join('; '),
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cache-Control': 'no-store',
      ...(isSecure(addresses.of(ctx)) ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
    });
    ctx.type = 'html';
    ctx.body = `<!doctype html>${renderToString(page)}`;
  };
}

/** Koa's own reading depends on the Host field. */
export function queryOf(ctx: Context): URLSearchParams {
  return new URLSearchParams(ctx.querystring);
}

/** After a POST, and on every way that depends on a session. */
export function seeOther(ctx: Context, address: string | URL): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.redirect(String(address));
  ctx.status = 303;
  ctx.body = '';
}
