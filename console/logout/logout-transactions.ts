/** What a sign-out page is about, kept under a random ticket: nothing of it stands in an address. */
import type { Context } from 'koa';
import type { ArtifactStore } from '../storage/storage.ts';

/** The application that asked for the sign-out, and its registered address to go back to. */
export interface LogoutRequester {
  readonly clientId?: string | undefined;
  readonly returnTo?: string | undefined;
}

export interface LogoutTransaction extends LogoutRequester {
  /** Of the session that has ended. */
  readonly uid: string;
  readonly accountId: string;
  readonly frames: readonly Frame[];
  /** Of the logout at the provider with which the session began. */
  readonly upstreamLogoutId?: string | undefined;
}

/** An address that ends the session of an application in this browser. */
export interface Frame {
  readonly clientId: string;
  readonly src: string;
}

export interface LogoutTransactionsDeps {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put'>;
  readonly cookieName: string;
  readonly isSecure: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const kind = 'Farewell';
const ttlSeconds = 600;
/** As stores have it from before; another process may still read or write it. */
const storedUpstreamLogout = 'outsideId';

export function createLogoutTransactions({ artifacts, cookieName, isSecure, now }: LogoutTransactionsDeps) {
  const cookie = {
    signed: true,
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: isSecure,
  } as const;

  return {
    /** A browser that leaves for an upstream provider keeps the ticket: who goes back there has lost the address. */
    async store(ctx: Context, ticket: string, { accountId, upstreamLogoutId, ...rest }: LogoutTransaction) {
      const payload = { ...rest, [storedUpstreamLogout]: upstreamLogoutId };
      const expiresAt = Math.floor(now() / 1000) + ttlSeconds;
      await artifacts.put(kind, ticket, { payload, accountId, expiresAt });
      if (upstreamLogoutId === undefined) return;
      ctx.cookies.set(cookieName, ticket, { ...cookie, maxAge: ttlSeconds * 1000 });
    },
    /** @returns undefined when it is too long ago, or there never was one */
    async read(ticket: string): Promise<LogoutTransaction | undefined> {
      const found = ticket === '' ? undefined : await artifacts.get(kind, ticket);
      if (!found) return undefined;
      const { [storedUpstreamLogout]: upstreamLogoutId, ...payload } = found.payload;
      const transaction = payload as unknown as LogoutTransaction;
      return {
        ...transaction,
        accountId: String(found.accountId),
        upstreamLogoutId: upstreamLogoutId as string | undefined,
      };
    },
    /** The ticket in the address, else the one that this browser keeps; empty when there is none. */
    ticketOf(ctx: Context): string {
      const { ticket } = ctx.query;
      return typeof ticket === 'string' && ticket !== ''
        ? ticket
        : (ctx.cookies.get(cookieName, cookie) ?? '');
    },
    /** Makes the browser forget an earlier one. */
    forget: (ctx: Context): void => void ctx.cookies.set(cookieName, null, cookie),
  };
}
