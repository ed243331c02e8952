/** Whether somebody goes through the first steps: as long as the browser is open, or until they leave them. */
import type { Context } from 'koa';

const cookieName = 'console_guide';

export function isGuided(ctx: Pick<Context, 'cookies'>): boolean {
  return ctx.cookies.get(cookieName, { signed: false }) === 'open';
}

/** @param isSecure  the console's public address is https */
export function setGuided(ctx: Context, isOpen: boolean, isSecure: boolean): void {
  if (isGuided(ctx) === isOpen) return;
  ctx.cookies.set(cookieName, isOpen ? 'open' : null, {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: isSecure,
    signed: false,
    overwrite: true,
  });
}
