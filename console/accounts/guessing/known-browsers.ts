/**
 * Browsers that have signed in to an account before (OWASP device cookies): the cookie names none, and proves
 * itself only together with the name that is typed. It opens nothing.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { isSameText } from '../../../platform/secret.ts';
import { foldedName } from '../../storage/name-keys.ts';

export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>;

export interface KnownBrowsersDeps {
  readonly cookieName: string;
  readonly isSecure: boolean;
  /** Kept over restarts. */
  readonly secret: string;
}

/** Accounts of one browser; the one that signed in last comes first. */
const mostAccounts = 5;
const ttlMs = 400 * 86_400_000;
const entryPattern = /^([\w-]{16})([\w-]{43})$/;

export function createKnownBrowsers({ cookieName, isSecure, secret }: KnownBrowsersDeps) {
  return {
    /** @returns what names this browser at this account; undefined when it has not signed in to it */
    find: (ctx: Context, username: string): string | undefined => find(read(ctx), username)?.id,
    /** It has signed in. */
    remember(ctx: Context, username: string) {
      const entries = read(ctx);
      const known = find(entries, username);
      const own = known?.entry ?? newEntry(username);
      const stored = [own, ...entries.filter((entry) => entry !== own)].slice(0, mostAccounts);
      ctx.cookies.set(cookieName, stored.join('.'), {
        httpOnly: true,
        sameSite: 'lax',
        path: '/',
        secure: isSecure,
        signed: false,
        maxAge: ttlMs,
      });
    },
  };

  function read(ctx: Context): readonly string[] {
    const given = ctx.cookies.get(cookieName, { signed: false }) ?? '';
    return given
      .slice(0, 1024)
      .split('.')
      .filter((entry) => entryPattern.test(entry))
      .slice(0, mostAccounts);
  }

  function find(entries: readonly string[], username: string) {
    for (const entry of entries) {
      const [, id = '', proof = ''] = entryPattern.exec(entry) ?? [];
      if (id !== '' && isSameText(proof, proofOf(id, username))) return { entry, id };
    }
    return undefined;
  }

  function newEntry(username: string): string {
    const id = randomBytes(12).toString('base64url');
    return id + proofOf(id, username);
  }

  function proofOf(id: string, username: string): string {
    return createHmac('sha256', secret)
      .update(JSON.stringify([id, foldedName(username)]))
      .digest('base64url');
  }
}
