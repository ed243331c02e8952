/**
 * Two cookies of our own names: a host has one jar for every port, and the console may live there too, or
 * another node of this dashboard. So the port, where there is one, is part of the name.
 */
import type { Context } from 'koa';
import { isSecure, type OwnAddresses } from './own-address.ts';

export type CookieName = 'session' | 'browser';

export type Cookies = ReturnType<typeof createCookies>;

export function createCookies(addresses: OwnAddresses) {
  return {
    /** @returns undefined as well when it is there twice: somebody planted one (S33) */
    read(ctx: Context, name: CookieName): string | undefined {
      const full = fullName(ctx, name);
      const pairs = ctx
        .get('Cookie')
        .split(';')
        .map((pair) => pair.trim());
      const values = pairs
        .filter((pair) => pair.startsWith(`${full}=`))
        .map((pair) => pair.slice(full.length + 1));
      return values.length === 1 && /^[\w-]{20,100}$/.test(values[0]!) ? values[0] : undefined;
    },
    write(ctx: Context, name: CookieName, value: string) {
      ctx.append('Set-Cookie', `${fullName(ctx, name)}=${value}; ${attributes(ctx)}`);
    },
    forget(ctx: Context, name: CookieName) {
      ctx.append('Set-Cookie', `${fullName(ctx, name)}=; Max-Age=0; ${attributes(ctx)}`);
    },
  };

  function fullName(ctx: Context, name: CookieName): string {
    const address = addresses.of(ctx);
    const { port } = new URL(address);
    return `${isSecure(address) ? '__Host-' : ''}dashboard_${name}${port === '' ? '' : `_${port}`}`;
  }

  /** Lax: the way back from the console is a navigation from another site. */
  function attributes(ctx: Context): string {
    return `Path=/; HttpOnly; SameSite=Lax${isSecure(addresses.of(ctx)) ? '; Secure' : ''}`;
  }
}
