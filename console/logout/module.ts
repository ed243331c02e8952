/** Sign-out of browsers and of applications: what the feature needs, what it gives to others, and its pages. */
import { randomBytes } from 'node:crypto';
import type Router from '@koa/router';
import type { Audit, Logger } from '../../platform/log.ts';
import type { LoggedOutApplication } from '../../views/logout-outcomes.tsx';
import { openElevation } from '../accounts/elevations/effective-roles.ts';
import type { SignInSession } from '../accounts/sessions.ts';
import type { UpstreamLogouts } from '../accounts/upstream-logout.ts';
import type { Users } from '../accounts/users.ts';
import type { CookieNames } from '../http/cookies.ts';
import type { Csrf } from '../http/csrf.ts';
import { form, query } from '../http/guards.ts';
import type { About } from '../http/request-id.ts';
import type { Storage } from '../storage/storage.ts';
import { createSignedOut, type SignedOut } from './logged-out-page.ts';
import { createLogout, type LogoutDeps } from './logout.ts';
import { createLogoutNotices, type LogoutNoticesDeps } from './logout-notices.ts';
import { type LogoutOutbox, receiverOf } from './logout-outbox.ts';
import { createLogoutToken, type LogoutTokenDeps } from './logout-token.ts';
import { createNoticeOutcomes } from './notice-outcomes.ts';

export interface LogoutNeeds
  extends Pick<LogoutDeps, 'provider' | 'browserSessions' | 'sessions' | 'isSecure'>,
    NoticeNeeds {
  readonly names: Pick<CookieNames, 'signedOut'>;
  readonly storage: Pick<Storage, 'artifacts'>;
  readonly users: Pick<Users, 'find'>;
  readonly upstreamLogouts: UpstreamLogouts;
  readonly csrf: Csrf;
  readonly about: About;
}

/** Of whoever sends the notices, which is one process. */
export interface NoticeNeeds
  extends Pick<LogoutNoticesDeps, 'clients' | 'outbound'>,
    Partial<Pick<LogoutNoticesDeps, 'isLeading'>>,
    Pick<LogoutTokenDeps, 'keys'> {
  /** `CONSOLE_URL`. */
  readonly settings: { readonly url: string };
  readonly logoutOutbox: LogoutOutbox;
  readonly audit: Audit;
  readonly log: Pick<Logger, 'error'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface LogoutModule {
  /** What the applications of an ended session say, as far as they have answered within a second. */
  outcomesOf(ended: SignInSession): Promise<readonly LoggedOutApplication[]>;
  /** The sign-out page goes on. @param ticket  undefined: with nothing to tell */
  readonly resume: SignedOut['resume'];
  addRoutes(router: Router): void;
}

/** What somebody waits for the applications of a session that they have ended. */
const outcomesMs = 1000;

export function createLogoutModule(needs: LogoutNeeds): LogoutModule {
  const { settings, names, storage, users, audit, about, csrf } = needs;
  const notices = createNoticeOutcomes(needs.logoutOutbox);
  const signedOut = createSignedOut({
    ...needs,
    notices,
    issuer: settings.url,
    cookieName: names.signedOut,
    artifacts: storage.artifacts,
    newTicket: () => randomBytes(18).toString('base64url'),
  });
  const logout = createLogout({
    ...needs,
    signedOut,
    findUser: users.find,
    onLogout(ctx, { accountId }, account) {
      const elevation = account && openElevation(account, needs.now())?.id;
      audit('logout', {
        ...about(ctx),
        actor: accountId,
        ...(elevation && { elevation }),
        outcome: 'success',
      });
    },
  });

  return {
    async outcomesOf(ended) {
      const outcomes = await notices.settled(ended, outcomesMs);
      return outcomes.map((outcome) => ({ name: receiverOf(outcome), state: outcome.state }));
    },
    resume: signedOut.resume,
    addRoutes(router) {
      router.get('/connect/logout', query, logout.ask);
      router.post('/connect/logout', form, logout.ask);
      router.post('/connect/logout/confirm', form, csrf.guard, logout.confirm);
      router.get('/connect/logout/success', signedOut.show);
      router.get('/connect/logout/provider', signedOut.goOn);
    },
  };
}

/** They are sent from now on. @returns what breaks it off; the next start takes up what was in flight */
export function startLogoutNotices(needs: NoticeNeeds): { close(): Promise<void> } {
  const { settings, keys, logoutOutbox: outbox, log, now } = needs;
  const notices = createLogoutNotices({
    isLeading: () => true,
    ...needs,
    outbox,
    signLogoutToken: createLogoutToken({ issuer: settings.url, keys, now }),
    onError: (error) => log.error({ err: error }, 'a logout notice failed'),
  });
  notices.start();
  return notices;
}
