/**
 * Where a browser goes once its session has ended: back to the application that asked, or to a page
 * that says who has heard of it and lets applications know that can only be told in the browser
 * (OpenID Connect Front-Channel Logout 1.0 §2). A session that began at an outside provider ends there
 * last: the browser goes on to it from the page, and comes back to the page.
 */
import type { Context } from 'koa';
import { type LoggedOutProvider, renderLoggedOut } from '../../views/logged-out.tsx';
import type { LoggedOutApplication } from '../../views/logout-outcomes.tsx';
import type { SignInSession } from '../accounts/sessions.ts';
import type { BegunOutside, OutsideLogout, OutsideLogouts } from '../accounts/upstream-logout.ts';
import type { Clients } from '../clients/clients.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import type { ArtifactStore } from '../storage/storage.ts';
import type { LogoutNotices } from './logout-notices.ts';
import { type NoticeOutcome, receiverOf } from './logout-outbox.ts';
import { type Asking, createFarewells, type Farewell, type Frame } from './logout-transactions.ts';

export interface SignedOutDeps {
  readonly issuer: string;
  readonly isSecure: boolean;
  readonly cookieName: string;
  readonly artifacts: ArtifactStore;
  readonly clients: Pick<Clients, 'find'>;
  readonly notices: Pick<LogoutNotices, 'settled' | 'outcomes'>;
  readonly outsideLogouts: Pick<OutsideLogouts, 'prepare' | 'find' | 'depart'>;
  /** At least 128 random bits. */
  readonly newTicket: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface SignedOut {
  /** @param ended  what has ended, if anything */
  leave(ctx: Context, asking: Asking, ended?: EndedHere): Promise<void>;
  /** `GET /connect/logout/success`. */
  show(ctx: Context): Promise<void>;
  /** `GET /connect/logout/provider`: on to the outside provider. */
  goOn(ctx: Context): Promise<void>;
  /** Back from the provider. @param ticket  of the page; undefined when there is nothing to tell */
  resume(ctx: Context, ticket: string | undefined): Promise<void>;
}

export interface EndedHere {
  /** Its applications are waited for, a second at most. */
  readonly session: SignInSession;
  readonly begunOutside?: BegunOutside | undefined;
}

const pagePath = '/connect/logout/success';
const providerPath = '/connect/logout/provider';
const mostWaitMs = 1000;
/** For the frames to load before the browser goes back to the application. */
const framesSeconds = 3;

export function createSignedOut(deps: SignedOutDeps): SignedOut {
  const { issuer, isSecure, clients, notices, outsideLogouts, newTicket } = deps;
  const farewells = createFarewells(deps);

  return {
    async leave(ctx, asking, ended) {
      if (!ended) return seeOther(ctx, asking.returnTo ?? pagePath);
      farewells.forget(ctx);
      const { session, begunOutside } = ended;
      const outcomes = await notices.settled(session, mostWaitMs);
      const frames = framesOf(session);
      const isAllDone = frames.length === 0 && outcomes.every((outcome) => isDoneFor(outcome, asking));
      const isNothingToTell = outcomes.length + frames.length === 0;
      if (!begunOutside && ((asking.returnTo !== undefined && isAllDone) || isNothingToTell)) {
        return seeOther(ctx, asking.returnTo ?? pagePath);
      }
      const ticket = newTicket();
      const outsideId = begunOutside && (await outsideLogouts.prepare(begunOutside, ticket));
      const { accountId, uid } = session;
      await farewells.keep(ctx, ticket, { ...asking, accountId, uid, frames, outsideId });
      seeOther(ctx, pageOf(ticket));
    },
    async show(ctx) {
      const ticket = farewells.ticketOf(ctx);
      const farewell = await farewells.read(ticket);
      ctx.type = 'html';
      if (!farewell) {
        setPageHeaders(ctx, isSecure);
        ctx.body = renderLoggedOut({ loginHref: '/' });
        return;
      }
      const told = await notices.outcomes(farewell);
      showFarewell(ctx, farewell, told, await outsideOf(farewell), providerPath + queryOf(ticket));
    },
    async goOn(ctx) {
      const ticket = farewells.ticketOf(ctx);
      const farewell = await farewells.read(ticket);
      if (!farewell) return seeOther(ctx, pagePath);
      const { outsideId } = farewell;
      if (outsideId !== undefined && (await outsideLogouts.depart(ctx, outsideId))) return;
      seeOther(ctx, pageOf(ticket));
    },
    async resume(ctx, ticket = '') {
      const farewell = await farewells.read(ticket);
      if (!farewell) return seeOther(ctx, pagePath);
      const outside = await outsideOf(farewell);
      const told = await notices.outcomes(farewell);
      const isAllDone = isOver(outside) && told.every((outcome) => isDoneFor(outcome, farewell));
      seeOther(ctx, (isAllDone ? farewell.returnTo : undefined) ?? pageOf(ticket));
    },
  };

  async function outsideOf({ outsideId }: Farewell): Promise<OutsideLogout | undefined> {
    return outsideId === undefined ? undefined : outsideLogouts.find(outsideId);
  }

  function framesOf({ applications }: SignInSession): Frame[] {
    return applications.flatMap(({ clientId, sid }) => {
      const uri = clients.find(clientId)?.frontchannelLogoutUri;
      if (uri === undefined) return [];
      const src = new URL(uri);
      src.searchParams.append('iss', issuer);
      if (sid !== undefined) src.searchParams.append('sid', sid);
      return [{ clientId, src: src.href }];
    });
  }

  function showFarewell(
    ctx: Context,
    { clientId, returnTo, frames }: Farewell,
    told: readonly NoticeOutcome[],
    outside: OutsideLogout | undefined,
    providerHref: string,
  ): void {
    // Once: whoever comes back has loaded them.
    const shown = outside && outside.state !== 'ready' ? [] : frames;
    setPageHeaders(ctx, isSecure, [], [...new Set(shown.map(({ src }) => new URL(src).origin))]);
    const isDone = isOver(outside) && told.every((outcome) => isDoneFor(outcome, { clientId }));
    const next = outside?.state === 'ready' ? providerHref : isDone ? returnTo : undefined;
    // Without script. Whoever has not confirmed is for the person to read, who then goes on by the link.
    if (next !== undefined)
      ctx.set('Refresh', `${shown.length > 0 || !outside ? framesSeconds : 0}; url=${next}`);
    ctx.body = renderLoggedOut({
      loginHref: '/',
      application: returnTo === undefined ? undefined : { name: clientId ?? '', href: returnTo },
      applications: applicationsOf(told, frames),
      provider: outside && providerOf(outside, providerHref),
      frames: shown.map(({ src }) => src),
      checkAgainHref: told.some(({ state }) => state === 'waiting') ? ctx.url : undefined,
    });
  }
}

function providerOf({ providerName: name, state }: OutsideLogout, href: string): LoggedOutProvider {
  switch (state) {
    case 'ready':
      return { name, state: 'next', href };
    case 'away':
      return { name, state: 'open', href };
    case 'refused':
      return { name, state: 'open' };
    case 'done':
      return { name, state: 'done' };
  }
}

/** A session that began here has nowhere else to end. */
function isOver(outside: OutsideLogout | undefined): boolean {
  return outside === undefined || outside.state === 'done';
}

/** The application that asked has ended its own session before; it need not hold the way back. */
function isDoneFor({ state, clientId }: NoticeOutcome, asking: Asking): boolean {
  return state === 'confirmed' || clientId === asking.clientId;
}

function applicationsOf(
  told: readonly NoticeOutcome[],
  frames: readonly Frame[],
): readonly LoggedOutApplication[] {
  const framed = frames.filter(({ clientId }) => !told.some((outcome) => outcome.clientId === clientId));
  return [
    ...told.map((outcome) => ({ name: receiverOf(outcome), state: outcome.state })),
    ...framed.map(({ clientId }) => ({ name: clientId, state: 'asked' as const })),
  ];
}

function pageOf(ticket: string): string {
  return pagePath + queryOf(ticket);
}

function queryOf(ticket: string): string {
  return `?${new URLSearchParams({ ticket })}`;
}

function seeOther(ctx: Context, to: string): void {
  ctx.status = 303;
  ctx.set('Cache-Control', 'no-store');
  ctx.redirect(to);
}
