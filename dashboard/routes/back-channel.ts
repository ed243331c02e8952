/** `POST /logout/backchannel`: the console says that a sign-in is over (Back-Channel Logout 1.0 §2.5 to §2.8). */
import type { Context } from 'koa';
import { ProblemError } from '../../platform/errors.ts';
import { readForm } from '../http/body.ts';
import type { CheckLogoutToken } from '../identity/logout-tokens.ts';
import type { Sessions } from '../identity/sessions.ts';
import { InvalidTokenError } from '../identity/signed-tokens.ts';
import type { Logger } from '../log.ts';

export interface BackChannelDeps {
  readonly checkLogoutToken: CheckLogoutToken;
  readonly sessions: Pick<Sessions, 'endAll'>;
  readonly log: Logger;
}

export function createBackChannel({ checkLogoutToken, sessions, log }: BackChannelDeps) {
  return async function receiveLogout(ctx: Context): Promise<void> {
    ctx.set('Cache-Control', 'no-store');
    try {
      const token = (await readForm(ctx)).get('logout_token');
      if (!token) throw new InvalidTokenError('it is missing');
      const order = await checkLogoutToken(token);
      const ended = sessions.endAll(order);
      log.info({ subject: order.subject, ended }, 'signed out by the console');
      ctx.status = 200;
      ctx.body = '';
    } catch (error) {
      if (!(error instanceof InvalidTokenError) && !(error instanceof ProblemError)) throw error;
      log.warn({ reason: error.message }, 'logout token refused');
      reject(ctx, error);
    }
  };
}

/** The form of an OAuth error, as Back-Channel Logout 1.0 §2.8 has it. */
function reject(ctx: Context, error: InvalidTokenError | ProblemError): void {
  const isAboutToken = error instanceof InvalidTokenError;
  ctx.status = 400;
  ctx.type = 'application/json';
  ctx.body = JSON.stringify({
    error: 'invalid_request',
    error_description: isAboutToken ? `the logout token is refused: ${error.message}` : error.message,
  });
}
