import type { Context } from 'koa';
import type { Sessions } from '../accounts/sessions.ts';
import { byPassword, byProvider } from '../oidc/sign-in-method.ts';
import type { BrowserSession, BrowserSessions } from './browser-session.ts';

/** Who sits before the browser, for pages of the console's own. */
export interface CurrentSession {
  current(ctx: Context): Promise<BrowserSession | undefined>;
  /**
   * Signs in under a new session id.
   *
   * @param at  epoch seconds of the sign-in
   * @param by  by a password unless told otherwise
   */
  start(ctx: Context, accountId: string, at: number, by?: 'password' | 'provider'): Promise<BrowserSession>;
}

export interface CurrentSessionDeps {
  readonly browserSessions: Pick<BrowserSessions, 'current' | 'start'>;
  readonly sessions: Pick<Sessions, 'record'>;
  readonly addressOf: (req: Context['req']) => string;
}

const methods = { password: byPassword, provider: byProvider } as const;

/** A session of the console's own sign-in is recorded like those of applications, for the list of sessions. */
export function createCurrentSession({
  browserSessions,
  sessions,
  addressOf,
}: CurrentSessionDeps): CurrentSession {
  return {
    current: browserSessions.current,
    async start(ctx, accountId, at, by = 'password') {
      const session = await browserSessions.start(ctx, accountId, at, methods[by]());
      await sessions.record({
        uid: session.uid,
        startedAt: at,
        accountId,
        clientId: 'console',
        clientAddress: addressOf(ctx.req),
        userAgent: ctx.get('User-Agent').slice(0, 256),
      });
      return session;
    },
  };
}
