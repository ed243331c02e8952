import type { Context } from 'koa';
import type { Sessions } from '../accounts/sessions.ts';
import { byPassword, byProvider } from '../oidc/sign-in-method.ts';
import type { BrowserSession, BrowserSessions } from './browser-session.ts';

/** Who sits before the browser, for pages of the console's own. */
export type CurrentSession = ReturnType<typeof createCurrentSession>;

export interface CurrentSessionDeps {
  readonly browserSessions: Pick<BrowserSessions, 'current' | 'peek' | 'start'>;
  readonly sessions: Pick<Sessions, 'record'>;
  readonly addressOf: (req: Context['req']) => string;
}

const methods = { password: byPassword, provider: byProvider } as const;

/** A session of the console's own sign-in is recorded like those of applications, for the list of sessions. */
export function createCurrentSession({ browserSessions, sessions, addressOf }: CurrentSessionDeps) {
  return {
    current: browserSessions.current,
    peek: browserSessions.peek,
    /**
     * Signs in under a new session id.
     *
     * @param at  epoch seconds of the sign-in
     * @param by  by a password unless told otherwise
     */
    async start(
      ctx: Context,
      accountId: string,
      at: number,
      by: 'password' | 'provider' = 'password',
    ): Promise<BrowserSession> {
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
