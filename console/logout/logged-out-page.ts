/**
 * Where a browser goes once its session has ended: back to the application that asked, or to a page
 * that says who has heard of it and lets applications know that can only be told in the browser
 * (OpenID Connect Front-Channel Logout 1.0 §2). A session that began at an upstream provider ends there
 * last: the browser goes on to it from the page, and comes back to the page.
 */
import type { Context } from 'koa';
import { type LoggedOutProvider, renderLoggedOut } from '../../views/logged-out.tsx';
import type { LoggedOutApplication } from '../../views/logout-outcomes.tsx';
import type { SignInSession } from '../accounts/sessions.ts';
import type { UpstreamLogout, UpstreamLogouts, UpstreamSessionOrigin } from '../accounts/upstream-logout.ts';
import type { Clients } from '../clients/clients.ts';
import { presentationOf } from '../http/display/presentation.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import type { ArtifactStore } from '../storage/storage.ts';
import { type NoticeOutcome, receiverOf } from './logout-outbox.ts';
import {
  createLogoutTransactions,
  type Frame,
  type LogoutRequester,
  type LogoutTransaction,
} from './logout-transactions.ts';
import type { NoticeOutcomes } from './notice-outcomes.ts';

export interface SignedOutDeps {
  readonly issuer: string;
  readonly isSecure: boolean;
  readonly cookieName: string;
  readonly artifacts: ArtifactStore;
  readonly clients: Pick<Clients, 'find'>;
  readonly notices: NoticeOutcomes;
  readonly upstreamLogouts: Pick<UpstreamLogouts, 'prepare' | 'find' | 'start'>;
  /** At least 128 random bits. */
  readonly newTicket: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export type SignedOut = ReturnType<typeof createSignedOut>;

export interface EndedHere {
  /** Its applications are waited for, a second at most. */
  readonly session: SignInSession;
  readonly upstreamOrigin?: UpstreamSessionOrigin | undefined;
}

const pagePath = '/connect/logout/success';
const providerPath = '/connect/logout/provider';
const mostWaitMs = 1000;
/** For the frames to load before the browser goes back to the application. */
const framesSeconds = 3;

export function createSignedOut(deps: SignedOutDeps) {
  const { issuer, isSecure, clients, notices, upstreamLogouts, newTicket } = deps;
  const transactions = createLogoutTransactions(deps);

  return {
    /** @param ended  what has ended, if anything */
    async leave(ctx: Context, requester: LogoutRequester, ended?: EndedHere) {
      if (!ended) return seeOther(ctx, requester.returnTo ?? pagePath);
      transactions.forget(ctx);
      const { session, upstreamOrigin } = ended;
      const outcomes = await notices.settled(session, mostWaitMs);
      const frames = await framesOf(session);
      const isAllDone = frames.length === 0 && outcomes.every((outcome) => isDoneFor(outcome, requester));
      const isNobodyNotified = outcomes.length + frames.length === 0;
      if (!upstreamOrigin && ((requester.returnTo !== undefined && isAllDone) || isNobodyNotified)) {
        return seeOther(ctx, requester.returnTo ?? pagePath);
      }
      const ticket = newTicket();
      const upstreamLogoutId = upstreamOrigin && (await upstreamLogouts.prepare(upstreamOrigin, ticket));
      const { accountId, uid } = session;
      await transactions.store(ctx, ticket, { ...requester, accountId, uid, frames, upstreamLogoutId });
      seeOther(ctx, pageOf(ticket));
    },
    /** `GET /connect/logout/success`. */
    async show(ctx: Context) {
      const ticket = transactions.ticketOf(ctx);
      const transaction = await transactions.read(ticket);
      ctx.type = 'html';
      if (!transaction) {
        setPageHeaders(ctx, isSecure);
        ctx.body = renderLoggedOut({ loginHref: '/' }, presentationOf(ctx));
        return;
      }
      const notified = await notices.outcomes(transaction);
      showTransaction(
        ctx,
        transaction,
        notified,
        await upstreamLogoutOf(transaction),
        providerPath + queryOf(ticket),
      );
    },
    /** `GET /connect/logout/provider`: on to the upstream provider. */
    async goOn(ctx: Context) {
      const ticket = transactions.ticketOf(ctx);
      const transaction = await transactions.read(ticket);
      if (!transaction) return seeOther(ctx, pagePath);
      const { upstreamLogoutId } = transaction;
      if (upstreamLogoutId !== undefined && (await upstreamLogouts.start(ctx, upstreamLogoutId))) return;
      seeOther(ctx, pageOf(ticket));
    },
    /** Back from the provider. @param ticket  of the page; undefined when there is nothing to tell */
    async resume(ctx: Context, ticket: string | undefined = '') {
      const transaction = await transactions.read(ticket);
      if (!transaction) return seeOther(ctx, pagePath);
      const upstream = await upstreamLogoutOf(transaction);
      const notified = await notices.outcomes(transaction);
      const isAllDone = isOver(upstream) && notified.every((outcome) => isDoneFor(outcome, transaction));
      seeOther(ctx, (isAllDone ? transaction.returnTo : undefined) ?? pageOf(ticket));
    },
  };

  async function upstreamLogoutOf({
    upstreamLogoutId,
  }: LogoutTransaction): Promise<UpstreamLogout | undefined> {
    return upstreamLogoutId === undefined ? undefined : upstreamLogouts.find(upstreamLogoutId);
  }

  async function framesOf({ applications }: SignInSession): Promise<Frame[]> {
    const frames: Frame[] = [];
    for (const { clientId, sid } of applications) {
      const uri = (await clients.find(clientId))?.frontchannelLogoutUri;
      if (uri === undefined) continue;
      const src = new URL(uri);
      src.searchParams.append('iss', issuer);
      if (sid !== undefined) src.searchParams.append('sid', sid);
      frames.push({ clientId, src: src.href });
    }
    return frames;
  }

  function showTransaction(
    ctx: Context,
    { clientId, returnTo, frames }: LogoutTransaction,
    notified: readonly NoticeOutcome[],
    upstream: UpstreamLogout | undefined,
    providerHref: string,
  ): void {
    // Once: whoever comes back has loaded them.
    const shown = upstream && upstream.state !== 'ready' ? [] : frames;
    setPageHeaders(ctx, isSecure, [], [...new Set(shown.map(({ src }) => new URL(src).origin))]);
    const isDone = isOver(upstream) && notified.every((outcome) => isDoneFor(outcome, { clientId }));
    const next = upstream?.state === 'ready' ? providerHref : isDone ? returnTo : undefined;
    // Without script. Whoever has not confirmed is for the person to read, who then goes on by the link.
    if (next !== undefined)
      ctx.set('Refresh', `${shown.length > 0 || !upstream ? framesSeconds : 0}; url=${next}`);
    ctx.body = renderLoggedOut(
      {
        loginHref: '/',
        application: returnTo === undefined ? undefined : { name: clientId ?? '', href: returnTo },
        applications: applicationsOf(notified, frames),
        provider: upstream && providerOf(upstream, providerHref),
        frames: shown.map(({ src }) => src),
        checkAgainHref: notified.some(({ state }) => state === 'waiting') ? ctx.url : undefined,
      },
      presentationOf(ctx),
    );
  }
}

function providerOf({ providerName: name, state }: UpstreamLogout, href: string): LoggedOutProvider {
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
function isOver(upstream: UpstreamLogout | undefined): boolean {
  return upstream === undefined || upstream.state === 'done';
}

/** The application that asked has ended its own session before; it need not hold the way back. */
function isDoneFor({ state, clientId }: NoticeOutcome, requester: LogoutRequester): boolean {
  return state === 'confirmed' || clientId === requester.clientId;
}

function applicationsOf(
  notified: readonly NoticeOutcome[],
  frames: readonly Frame[],
): readonly LoggedOutApplication[] {
  const framed = frames.filter(({ clientId }) => !notified.some((outcome) => outcome.clientId === clientId));
  return [
    ...notified.map((outcome) => ({ name: receiverOf(outcome), state: outcome.state })),
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
