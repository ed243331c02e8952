import type { Context } from 'koa';
import type { Guard, WithAccount } from '../http/guards.ts';
import type { ReturnTarget } from '../http/return-target.ts';
import type { UserRecord } from '../storage/records.ts';
import type { BrowserSession } from './browser-session.ts';
import type { CurrentSession } from './current-session.ts';

export interface WithSession extends WithAccount {
  current: BrowserSession;
}

export interface SignedInDeps {
  readonly currentSession: Pick<CurrentSession, 'current' | 'peek'>;
  readonly findUser: (id: string) => Promise<UserRecord | undefined>;
  readonly returnTarget: Pick<ReturnTarget, 'remember'>;
}

/**
 * Lets a browser through that has a session, and sends any other to the sign-in. A live page is told instead,
 * in its stream: it goes there by itself.
 */
export function createSignedIn({ currentSession, findUser, returnTarget }: SignedInDeps): Guard<WithSession> {
  return async (ctx, next) => {
    // What a page asks for by itself is no use of it by anybody.
    const isByItself = ctx.query.live === '1';
    const current = await (isByItself ? currentSession.peek(ctx) : currentSession.current(ctx));
    const account = current && (await findUser(current.accountId));
    if (!account) {
      if (isByItself && ctx.get('Accept').includes('text/event-stream')) return endStream(ctx);
      if (!isByItself) returnTarget.remember(ctx);
      return sendToLogin(ctx);
    }
    Object.assign(ctx.state, { current, account });
    await next();
  };
}

export function sendToLogin(ctx: Pick<Context, 'status' | 'set' | 'redirect'>): void {
  ctx.status = 303;
  ctx.set('Cache-Control', 'no-store');
  ctx.redirect('/login');
}

function endStream(ctx: Context): void {
  ctx.type = 'text/event-stream';
  ctx.set('Cache-Control', 'no-store');
  ctx.body = 'event: bye\ndata: {"reason":"session-ended"}\n\n';
}
