/**
 * Where a browser goes once its session has ended: back to the application that asked, or to a page
 * that says who has heard of it and lets applications know that can only be told in the browser
 * (OpenID Connect Front-Channel Logout 1.0 §2).
 */
import type { Context } from 'koa';
import { type LoggedOutApplication, renderLoggedOut } from '../../views/logged-out.tsx';
import type { SignInSession } from '../accounts/sessions.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import type { ArtifactStore } from '../storage/storage.ts';
import type { Clients } from './clients.ts';
import type { LogoutNotices } from './logout-notices.ts';
import { type NoticeOutcome, receiverOf } from './logout-outbox.ts';

export interface SignedOutDeps {
  readonly issuer: string;
  readonly isSecure: boolean;
  readonly artifacts: ArtifactStore;
  readonly clients: Pick<Clients, 'find'>;
  readonly notices: Pick<LogoutNotices, 'settled' | 'outcomes'>;
  /** At least 128 random bits. */
  readonly newTicket: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The application that asked for the sign-out, and its registered address to go back to. */
export interface Asking {
  readonly clientId?: string | undefined;
  readonly returnTo?: string | undefined;
}

export interface SignedOut {
  /** @param ended  what has ended, if anything; its applications are waited for, a second at most */
  leave(ctx: Context, asking: Asking, ended?: SignInSession): Promise<void>;
  /** `GET /connect/logout/success`. */
  show(ctx: Context): Promise<void>;
}

/** What the page is about, kept under a random ticket: nothing of it stands in the address. */
interface Farewell extends Asking {
  readonly uid: string;
  readonly frames: readonly Frame[];
}

interface Frame {
  readonly clientId: string;
  readonly src: string;
}

const kind = 'Farewell';
const farewellSeconds = 600;
const mostWaitMs = 1000;
/** For the frames to load before the browser goes back to the application. */
const framesSeconds = 3;

export function createSignedOut(deps: SignedOutDeps): SignedOut {
  const { issuer, isSecure, artifacts, clients, notices, newTicket, now } = deps;

  return {
    async leave(ctx, asking, ended) {
      const outcomes = ended ? await notices.settled(ended, mostWaitMs) : [];
      const frames = ended ? framesOf(ended) : [];
      const isAllDone = frames.length === 0 && outcomes.every((outcome) => isDoneFor(outcome, asking));
      if (!ended || (asking.returnTo !== undefined && isAllDone) || outcomes.length + frames.length === 0) {
        return seeOther(ctx, asking.returnTo ?? '/connect/logout/success');
      }
      const ticket = newTicket();
      const { accountId, uid } = ended;
      const payload = { ...asking, uid, frames };
      const expiresAt = Math.floor(now() / 1000) + farewellSeconds;
      await artifacts.put(kind, ticket, { payload, accountId, expiresAt });
      seeOther(ctx, `/connect/logout/success?${new URLSearchParams({ ticket })}`);
    },
    async show(ctx) {
      const { ticket } = ctx.query;
      const found = typeof ticket === 'string' ? await artifacts.get(kind, ticket) : undefined;
      ctx.type = 'html';
      if (!found) {
        setPageHeaders(ctx, isSecure);
        ctx.body = renderLoggedOut({ loginHref: '/' });
        return;
      }
      const farewell = found.payload as unknown as Farewell;
      const told = await notices.outcomes({ uid: farewell.uid, accountId: String(found.accountId) });
      showFarewell(ctx, farewell, told);
    },
  };

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
  ): void {
    setPageHeaders(ctx, isSecure, [], [...new Set(frames.map(({ src }) => new URL(src).origin))]);
    const isGoingBack = returnTo !== undefined && told.every((outcome) => isDoneFor(outcome, { clientId }));
    // Without script. Whoever has not confirmed is for the person to read, who then goes on by the link.
    if (isGoingBack) ctx.set('Refresh', `${framesSeconds}; url=${returnTo}`);
    ctx.body = renderLoggedOut({
      loginHref: '/',
      application: returnTo === undefined ? undefined : { name: clientId ?? '', href: returnTo },
      applications: applicationsOf(told, frames),
      frames: frames.map(({ src }) => src),
      checkAgainHref: told.some(({ state }) => state === 'waiting') ? ctx.url : undefined,
    });
  }
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

function seeOther(ctx: Context, to: string): void {
  ctx.status = 303;
  ctx.set('Cache-Control', 'no-store');
  ctx.redirect(to);
}
