/** The browser's sign-in session, for pages of this console: the same one that applications share. */
import type { Context } from 'koa';
import type { Provider } from 'oidc-provider';
import type { Sessions } from '../accounts/sessions.ts';
import { type Lifetimes, sessionSeconds } from '../oidc/provider.ts';
import { byPassword, type SignInMethod } from '../oidc/sign-in-method.ts';

export interface BrowserSession {
  readonly uid: string;
  readonly accountId: string;
  /** How the person signed in. */
  readonly acr?: string | undefined;
  /** Epoch seconds. */
  readonly startedAt: number;
  /** Epoch seconds after which it ends even when it is in use. */
  readonly endsAt: number;
}

export interface BrowserSessions {
  /** The live session of this browser, prolonged by this use of it. */
  current(ctx: Context): Promise<BrowserSession | undefined>;
  /** The same, for what goes on by itself: it is not prolonged. */
  peek(ctx: Context): Promise<BrowserSession | undefined>;
  /**
   * Starts a session under a new id; whatever session the browser presented before ends (S32).
   *
   * @param at      epoch seconds of the sign-in
   * @param method  how it was done: by a password unless told otherwise
   */
  start(ctx: Context, accountId: string, at: number, method?: SignInMethod): Promise<BrowserSession>;
  /**
   * The same session, with its applications, after its person has proved once more who they are; under a new id (S32).
   *
   * @param at  epoch seconds of the proof
   * @returns undefined when the browser has no live session of this account any more
   */
  renew(ctx: Context, accountId: string, at: number): Promise<BrowserSession | undefined>;
  /** Makes the browser forget its session cookie. */
  forget(ctx: Context): void;
}

export interface BrowserSessionsDeps {
  /** The provider of this moment. */
  readonly provider: () => Provider;
  readonly sessions: Pick<Sessions, 'touch' | 'end'>;
  readonly lifetimes: Lifetimes;
  readonly isSecure: boolean;
}

type Session = InstanceType<Provider['Session']>;

export function createBrowserSessions(deps: BrowserSessionsDeps): BrowserSessions {
  const { provider, sessions, lifetimes, isSecure } = deps;
  const cookie = { signed: true, httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure } as const;

  return {
    async current(ctx) {
      const session = await read(ctx);
      if (!session?.accountId) return undefined;
      await sessions.touch(session.uid);
      return describe(session);
    },
    async peek(ctx) {
      const session = await read(ctx);
      return session?.accountId ? describe(session) : undefined;
    },
    async start(ctx, accountId, at, method = byPassword()) {
      const earlier = await read(ctx);
      if (earlier) await sessions.end(earlier.uid);
      const session = new (provider().Session)() as Session;
      session.loginAccount({
        accountId,
        loginTs: at,
        ...method,
        transient: true,
      });
      await session.save(sessionSeconds(session, lifetimes));
      ctx.cookies.set(provider().cookieName('session'), session.jti, cookie);
      return describe(session);
    },
    async renew(ctx, accountId, at) {
      const session = await read(ctx);
      if (session?.accountId !== accountId) return undefined;
      session.loginAccount({ accountId, loginTs: at, ...byPassword(), transient: true });
      session.resetIdentifier();
      await session.save(sessionSeconds(session, lifetimes));
      ctx.cookies.set(provider().cookieName('session'), session.jti, cookie);
      return describe(session);
    },
    forget(ctx) {
      ctx.cookies.set(provider().cookieName('session'), null, cookie);
    },
  };

  async function read(ctx: Context): Promise<Session | undefined> {
    const id = ctx.cookies.get(provider().cookieName('session'), cookie);
    return id ? ((await provider().Session.find(id)) as Session | undefined) : undefined;
  }

  function describe({ uid, accountId, acr, loginTs = 0 }: Session): BrowserSession {
    return { uid, accountId: accountId!, acr, startedAt: loginTs, endsAt: loginTs + lifetimes.sessionMax };
  }
}
