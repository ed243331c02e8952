/** Who is asking: the session behind the cookie. */
import type { Context } from 'koa';
import { SessionOverError } from '../errors.ts';
import { readForm } from '../http/body.ts';
import type { Cookies } from '../http/cookies.ts';
import { checkForm } from '../http/csrf.ts';
import type { OwnAddresses } from '../http/own-address.ts';
import type { Session, Sessions } from '../identity/sessions.ts';

export interface CurrentSession {
  find(ctx: Context): Session | undefined;
  /** The session and the form, after the check that the one belongs to the other. @throws {SessionOverError} | {ProblemError} */
  readForm(ctx: Context): Promise<{ readonly session: Session; readonly form: ReadonlyMap<string, string> }>;
}

export interface CurrentSessionDeps {
  readonly cookies: Cookies;
  readonly sessions: Pick<Sessions, 'find'>;
  readonly addresses: OwnAddresses;
}

export function createCurrentSession({ cookies, sessions, addresses }: CurrentSessionDeps): CurrentSession {
  const currentSession: CurrentSession = {
    find(ctx) {
      const id = cookies.read(ctx, 'session');
      return id === undefined ? undefined : sessions.find(id);
    },
    async readForm(ctx) {
      const session = currentSession.find(ctx);
      if (!session) throw new SessionOverError('nobody is signed in');
      const form = await readForm(ctx);
      checkForm(ctx, { form, csrf: session.csrf, addresses });
      return { session, form };
    },
  };
  return currentSession;
}
