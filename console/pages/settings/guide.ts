/** Whether somebody goes through the first steps: as long as the browser is open, or until they leave them. */
import type { Context } from 'koa';
import { ownCookie, setOwnCookie } from '../../http/cookies.ts';

const cookieName = 'console_guide';

export function isGuided(ctx: Pick<Context, 'cookies'>): boolean {
  return ownCookie(ctx, cookieName) === 'open';
}

/** @param isSecure  the console's public address is https */
export function setGuided(ctx: Context, isOpen: boolean, isSecure: boolean): void {
  if (isGuided(ctx) === isOpen) return;
  setOwnCookie(ctx, cookieName, isOpen ? 'open' : null, isSecure);
}
