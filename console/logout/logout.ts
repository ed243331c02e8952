/**
 * RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0). Our own handler rather than the
 * library's: the session ends first and everyone hears of it afterwards (S39), a valid hint needs no
 * second question, and there is no page that depends on script.
 */
import type { Context } from 'koa';
import type { Client, Provider } from 'oidc-provider';
import { ProblemError, problems } from '../../platform/errors.ts';
import { jsonObject } from '../../platform/json.ts';
import { renderLogout } from '../../views/logout.tsx';
import type { Sessions } from '../accounts/sessions.ts';
import type { UpstreamLogouts } from '../accounts/upstream-logout.ts';
import type { Csrf } from '../http/csrf.ts';
import { presentationOf } from '../http/display/presentation.ts';
import { type Form, parseForm } from '../http/form.ts';
import type { FormContext } from '../http/guards.ts';
import { repeatAsGet } from '../http/repeat-as-get.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import type { BrowserSession, BrowserSessions } from '../login/browser-session.ts';
import type { UserRecord } from '../storage/records.ts';
import type { EndedHere, SignedOut } from './logged-out-page.ts';

export interface LogoutDeps {
  readonly provider: () => Provider;
  readonly browserSessions: BrowserSessions;
  readonly sessions: Sessions;
  readonly upstreamLogouts: Pick<UpstreamLogouts, 'of'>;
  readonly signedOut: Pick<SignedOut, 'leave'>;
  readonly csrf: Pick<Csrf, 'token'>;
  readonly findUser: (id: string) => Promise<UserRecord | undefined>;
  readonly isSecure: boolean;
  readonly onLogout: (ctx: Context, session: BrowserSession, account: UserRecord | undefined) => void;
}

interface LogoutRequest {
  readonly client: Client | undefined;
  /** What a valid hint says. */
  readonly hint: Hint | undefined;
  readonly returnTo: string | undefined;
}

/** Claims of an ID token: whom and which sign-in it was about. */
interface Hint {
  readonly sub: string;
  readonly aud: string;
  /** Epoch seconds. */
  readonly authTime: number | undefined;
}

export function createLogout(deps: LogoutDeps) {
  const { provider, browserSessions, sessions, upstreamLogouts, signedOut } = deps;
  const { csrf, findUser, isSecure, onLogout } = deps;

  return {
    /** `GET` or `POST /connect/logout`, so behind `query` or `form`. */
    async ask(ctx: FormContext): Promise<void> {
      const { form: parameters } = ctx.state;
      const request = await readRequest(parameters);
      const session = await browserSessions.current(ctx);
      if (!session) return ctx.method === 'POST' ? repeatAsGet(ctx, parameters) : leave(ctx, request);
      if (isAbout(session, request.hint)) return end(ctx, session, request);
      await showQuestion(ctx, session, request, parameters);
    },
    /** `POST /connect/logout/confirm`: the answer to the question above. */
    async confirm(ctx: Context): Promise<void> {
      const request = await readRequest(parseForm(ctx.querystring));
      const session = await browserSessions.current(ctx);
      if (!session) return leave(ctx, request);
      await end(ctx, session, request);
    },
  };

  /** @throws {ProblemError} `invalid_request` (S36, S38) */
  async function readRequest(parameters: Form): Promise<LogoutRequest> {
    const idToken = parameters.get('id_token_hint');
    const hint = idToken === undefined ? undefined : readUnverified(idToken);
    const clientId = hint?.aud ?? parameters.get('client_id');
    if (hint && parameters.has('client_id') && parameters.get('client_id') !== hint.aud) {
      throw invalid('The client_id is not the one that the ID token was issued to.');
    }
    const client = clientId === undefined ? undefined : await provider().Client.find(clientId);
    if (clientId !== undefined && !client)
      throw invalid('The application that asks for the sign-out is not known here.');
    if (idToken !== undefined) await verifyHint(idToken, client!);
    const asked = parameters.get('post_logout_redirect_uri');
    if (client && asked !== undefined && !client.postLogoutRedirectUris?.includes(asked)) {
      throw invalid('The post_logout_redirect_uri is not registered for this application.');
    }
    return {
      client,
      hint,
      returnTo: client && asked !== undefined ? withState(asked, parameters.get('state')) : undefined,
    };
  }

  /** An expired hint is fine, a forged one is not (RP-Initiated Logout §2). */
  async function verifyHint(idToken: string, client: Client): Promise<void> {
    try {
      await provider().IdToken.validate(idToken, client);
    } catch (cause) {
      throw new ProblemError(problems.invalidRequest, 'The id_token_hint is not valid.', { cause });
    }
  }

  async function showQuestion(
    ctx: Context,
    session: BrowserSession,
    request: LogoutRequest,
    parameters: Form,
  ): Promise<void> {
    const query = new URLSearchParams();
    if (request.client) query.set('client_id', request.client.clientId);
    for (const name of ['post_logout_redirect_uri', 'state']) {
      const value = parameters.get(name);
      if (request.returnTo !== undefined && value !== undefined) query.set(name, value);
    }
    const origin = request.returnTo === undefined ? [] : [new URL(request.returnTo).origin];
    setPageHeaders(ctx, isSecure, origin);
    ctx.type = 'html';
    ctx.body = renderLogout(
      {
        action: `/connect/logout/confirm${query.size > 0 ? `?${query}` : ''}`,
        csrf: csrf.token(ctx),
        username: (await findUser(session.accountId))?.username,
        ...(request.client
          ? { application: { name: request.client.clientName ?? request.client.clientId } }
          : {}),
        cancelHref: '/',
      },
      presentationOf(ctx),
    );
  }

  async function end(ctx: Context, session: BrowserSession, request: LogoutRequest): Promise<void> {
    const upstreamOrigin = await upstreamLogouts.of(session.uid);
    const ended = await sessions.end(session.uid);
    browserSessions.forget(ctx);
    onLogout(ctx, session, await findUser(session.accountId));
    await leave(ctx, request, ended && { session: ended, upstreamOrigin });
  }

  function leave(ctx: Context, { client, returnTo }: LogoutRequest, ended?: EndedHere): Promise<void> {
    return signedOut.leave(ctx, { clientId: client?.clientId, returnTo }, ended);
  }
}

/**
 * The ID token must be from this very sign-in: one from another browser of the same person, or from an
 * earlier session, gets the question (S37).
 */
function isAbout({ accountId, startedAt }: BrowserSession, hint: Hint | undefined): boolean {
  return hint !== undefined && hint.sub === accountId && hint.authTime === startedAt;
}

function withState(uri: string, state: string | undefined): string {
  if (state === undefined) return uri;
  return `${uri}${uri.includes('?') ? '&' : '?'}state=${encodeURIComponent(state)}`;
}

/** Only to find out whose key and audience to verify with. */
function readUnverified(idToken: string): Hint {
  const payload = jsonObject(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString());
  const { aud, sub, auth_time: authTime } = payload ?? {};
  if (typeof aud === 'string' && typeof sub === 'string') {
    return { aud, sub, authTime: typeof authTime === 'number' ? authTime : undefined };
  }
  throw invalid('The id_token_hint is not an ID token.');
}

function invalid(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail);
}
