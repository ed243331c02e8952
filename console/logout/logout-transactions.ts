/** What a sign-out page is about, kept under a random ticket: nothing of it stands in an address. */
import type { Context } from 'koa';
import type { ArtifactStore } from '../storage/storage.ts';

/** The application that asked for the sign-out, and its registered address to go back to. */
export interface Asking {
  readonly clientId?: string | undefined;
  readonly returnTo?: string | undefined;
}

export interface Farewell extends Asking {
  /** Of the session that has ended. */
  readonly uid: string;
  readonly accountId: string;
  readonly frames: readonly Frame[];
  /** Of the logout at the provider with which the session began. */
  readonly outsideId?: string | undefined;
}

/** An address that ends the session of an application in this browser. */
export interface Frame {
  readonly clientId: string;
  readonly src: string;
}

export interface FarewellsDeps {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put'>;
  readonly cookieName: string;
  readonly isSecure: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface Farewells {
  /** A browser that leaves for an outside provider keeps the ticket: who goes back there has lost the address. */
  keep(ctx: Context, ticket: string, farewell: Farewell): Promise<void>;
  /** @returns undefined when it is too long ago, or there never was one */
  read(ticket: string): Promise<Farewell | undefined>;
  /** The ticket in the address, else the one that this browser keeps; empty when there is none. */
  ticketOf(ctx: Context): string;
  /** Makes the browser forget an earlier one. */
  forget(ctx: Context): void;
}

const kind = 'Farewell';
const keptSeconds = 600;

export function createFarewells({ artifacts, cookieName, isSecure, now }: FarewellsDeps): Farewells {
  const cookie = {
    signed: true,
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: isSecure,
  } as const;

  return {
    async keep(ctx, ticket, { accountId, ...payload }) {
      const expiresAt = Math.floor(now() / 1000) + keptSeconds;
      await artifacts.put(kind, ticket, { payload, accountId, expiresAt });
      if (payload.outsideId === undefined) return;
      ctx.cookies.set(cookieName, ticket, { ...cookie, maxAge: keptSeconds * 1000 });
    },
    async read(ticket) {
      const found = ticket === '' ? undefined : await artifacts.get(kind, ticket);
      if (!found) return undefined;
      return { ...(found.payload as unknown as Farewell), accountId: String(found.accountId) };
    },
    ticketOf(ctx) {
      const { ticket } = ctx.query;
      return typeof ticket === 'string' && ticket !== ''
        ? ticket
        : (ctx.cookies.get(cookieName, cookie) ?? '');
    },
    forget: (ctx) => void ctx.cookies.set(cookieName, null, cookie),
  };
}
