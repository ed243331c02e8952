/** Sends the browser to a provider: by a redirect, or by a page with a form where the provider takes nothing else. */
import type { Context } from 'koa';
import { type HandOverModel, renderHandOver } from '../../views/hand-over.tsx';
import { setPageHeaders } from '../http/security-headers.ts';
import type { Departure } from './connector.ts';

export interface DepartureOptions extends Pick<HandOverModel, 'purpose'> {
  /** As people know it. */
  readonly providerName: string;
  readonly isSecure: boolean;
}

export function sendDeparture(
  ctx: Context,
  departure: Departure,
  { providerName, purpose, isSecure }: DepartureOptions,
): void {
  ctx.set('Cache-Control', 'no-store');
  if (departure.method === 'GET') {
    ctx.status = 303;
    ctx.redirect(departure.location);
    return;
  }
  // What the provider answers with may lead through other hosts of its own.
  setPageHeaders(ctx, isSecure, [new URL(departure.location).origin, 'https:']);
  ctx.type = 'html';
  const { location: action, fields } = departure;
  ctx.body = renderHandOver({ provider: providerName, purpose, action, fields });
}
