/** The cookie by which the browser that comes back is known to be the one that was sent out (S43). */
import type { Context } from 'koa';
import { authorizationStateSeconds } from './authorization-state.ts';

export type StateCookie = ReturnType<typeof createStateCookie>;

export interface StateCookieDeps {
  readonly cookieName: string;
  readonly isSecure: boolean;
  /** 144 random bits, in 24 characters of base64url. */
  readonly newId: () => string;
}

export function createStateCookie({ cookieName, isSecure, newId }: StateCookieDeps) {
  return {
    read,
    /** Gives the browser one, or more time for the one it has: sign-ins in two tabs are of one browser. */
    ensure(ctx: Context): string {
      const value = read(ctx) ?? newId();
      ctx.cookies.set(cookieName, value, {
        httpOnly: true,
        sameSite: 'lax',
        path: '/',
        secure: isSecure,
        maxAge: authorizationStateSeconds * 1000,
        signed: false,
      });
      return value;
    },
  };

  /** @returns undefined when the browser has none, as in a form that another site posts (SameSite=Lax) */
  function read(ctx: Context): string | undefined {
    const value = ctx.cookies.get(cookieName, { signed: false });
    return value && /^[\w-]{24}$/.test(value) ? value : undefined;
  }
}
