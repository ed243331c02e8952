/**
 * Pages call the admin API by the session of their browser. A cookie alone opens nothing there: whoever calls proves by
 * `X-CSRF-Token` that it has read a page of ours in the same browser, as forms do (S31, S50).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { ProblemError, problems } from '../../platform/errors.ts';
import { type RolesElevated, rolesNow } from '../accounts/elevations/effective-roles.ts';
import { type CookieNames, dropRepeatedCookies } from '../http/cookies.ts';
import type { Csrf } from '../http/csrf.ts';
import type { UserRecord } from '../storage/records.ts';
import type { BrowserSessions } from './browser-session.ts';
import type { WithSession } from './signed-in.ts';

export interface PageCaller {
  readonly subject: string;
  readonly roles: readonly string[];
  readonly elevation?: RolesElevated;
  /** Epoch seconds. */
  readonly signedInAt: number;
  readonly acr: string | undefined;
  /** The session's id. */
  readonly session: string;
}

/**
 * @returns undefined for a request that does not come from a page: it has no such token, or one for access
 * @throws {ProblemError} `csrf_failed`; `unauthorized` without a session
 */
export type FindPageCaller = (req: IncomingMessage, res: ServerResponse) => Promise<PageCaller | undefined>;

export interface PageCallerDeps {
  readonly createContext: (req: IncomingMessage, res: ServerResponse) => Context;
  readonly names: CookieNames;
  readonly csrf: Pick<Csrf, 'check'>;
  readonly browserSessions: Pick<BrowserSessions, 'current'>;
  readonly findUser: (id: string) => Promise<UserRecord | undefined>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createPageCaller(deps: PageCallerDeps): FindPageCaller {
  const { createContext, names, csrf, browserSessions, findUser, now } = deps;
  return async (req, res) => {
    const token = req.headers['x-csrf-token'];
    if (token === undefined || req.headers.authorization !== undefined) return undefined;
    dropRepeatedCookies(req, names);
    const ctx = createContext(req, res);
    csrf.check(ctx, String(token));
    const current = await browserSessions.current(ctx);
    const account = current && (await findUser(current.accountId));
    if (!account || account.disabled) throw signedOut();
    return pageCallerOf({ current, account }, now());
  };
}

/** Who sits before a page that is made here. @param now  epoch milliseconds */
export function pageCallerOf({ current, account }: WithSession, now: number): PageCaller {
  const { uid, startedAt, acr } = current;
  return { subject: account.id, ...rolesNow(account, now), signedInAt: startedAt, acr, session: uid };
}

function signedOut(): ProblemError {
  return new ProblemError(problems.unauthorized, 'Nobody is signed in with this browser.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}
