/**
 * Where a browser goes after its sign-in: the page that it was sent away from. No parameter says so, and nothing else
 * than this console writes it (S35); a stranger's requests are no writes of the store.
 */
import { createHmac } from 'node:crypto';
import type { Context } from 'koa';
import { isSameText } from '../../platform/secret.ts';
import { setOwnCookie } from './cookies.ts';

export type ReturnTarget = ReturnType<typeof createReturnTarget>;

export interface ReturnTargetDeps {
  readonly cookieName: string;
  /** `CONSOLE_URL`. */
  readonly url: string;
  /** Kept over restarts. */
  readonly secret: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export const home = '/';
const ttlMs = 600_000;
const longest = 1024;
/** Pages of a sign-in or a sign-out, and what is no page. */
const elsewhere = /^\/(?:login|connect|oauth2|api|static|svc|members|hazelcast|invitation|setup)(?:[/?]|$)/;

export function createReturnTarget({ cookieName, url, secret, now }: ReturnTargetDeps) {
  const { origin, protocol } = new URL(url);
  const isSecure = protocol === 'https:';

  return {
    /** Of a page that was asked for without a session. What a page loads by itself leads nowhere. */
    remember(ctx: Context): void {
      const destination = ctx.get('Sec-Fetch-Dest');
      if (ctx.method !== 'GET' || (destination !== '' && destination !== 'document')) return;
      const target = ownPath(ctx.originalUrl);
      if (target === undefined || (target === home && given(ctx) === '')) return;
      const said = `${now() + ttlMs}.${Buffer.from(target).toString('base64url')}`;
      setOwnCookie(ctx, cookieName, `${said}.${proofOf(said)}`, isSecure, ttlMs);
    },
    /** Once. @returns `/` where there is none that can be believed */
    take(ctx: Context): string {
      const value = given(ctx);
      if (value === '') return home;
      setOwnCookie(ctx, cookieName, '', isSecure, 0);
      const [until = '', path = '', proof = ''] = value.split('.');
      if (!isSameText(proof, proofOf(`${until}.${path}`)) || Number(until) < now()) return home;
      return ownPath(Buffer.from(path, 'base64url').toString()) ?? home;
    },
  };

  function given(ctx: Context): string {
    const value = ctx.cookies.get(cookieName, { signed: false }) ?? '';
    return value.length > 2 * longest ? '' : value;
  }

  function proofOf(said: string): string {
    return createHmac('sha256', secret).update(`return-target ${said}`).digest('base64url');
  }

  /** As a browser reads it, which takes `//` and `/\` for another host. */
  function ownPath(text: string): string | undefined {
    const isPath = /^\/(?![/\\])[\x21-\x7e]*$/.test(text) && !text.includes('\\');
    if (!isPath || text.length > longest || elsewhere.test(text)) return undefined;
    if (!URL.canParse(text, origin)) return undefined;
    const parsed = new URL(text, origin);
    const path = parsed.pathname + parsed.search;
    return parsed.origin === origin && /^\/(?![/\\])/.test(path) && !elsewhere.test(path) ? path : undefined;
  }
}
