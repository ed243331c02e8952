/** Signing in and out: to the console, and back from it. */
import type { Context } from 'koa';
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { ProblemError } from '../../platform/errors.ts';
import { problems } from '../errors.ts';
import type { Cookies } from '../http/cookies.ts';
import type { OwnAddresses } from '../http/own-address.ts';
import { queryOf, type SendPage, seeOther } from '../http/pages.ts';
import type { CheckAccessToken } from '../identity/access-tokens.ts';
import type { AuthorizationStates } from '../identity/authorization-states.ts';
import type { RelyingParty, SignIn } from '../identity/relying-party.ts';
import type { Session, Sessions } from '../identity/sessions.ts';
import { InvalidTokenError } from '../identity/signed-tokens.ts';
import type { Logger } from '../log.ts';
import { periods } from '../metrics/history.ts';
import { createWatched, type InitiallyWatched } from '../metrics/watched.ts';
import { SilentRefreshPage } from '../views/silent-refresh.tsx';
import type { CurrentSession } from './current-session.ts';

export interface SignInDeps {
  readonly relyingParty: RelyingParty;
  readonly states: AuthorizationStates;
  readonly sessions: Sessions;
  readonly checkAccessToken: CheckAccessToken;
  readonly cookies: Cookies;
  readonly addresses: OwnAddresses;
  readonly currentSession: CurrentSession;
  readonly initiallyWatched: InitiallyWatched;
  readonly newId: () => string;
  readonly sendPage: SendPage;
  readonly log: Logger;
}

/** `state` of a sign-out: the way back shows that it is done instead of signing in again. */
export const signedOutState = 'signed-out';

const callbackPath = '/login/callback';
const silentPath = '/silent-refresh.html';

export function createSignIn(deps: SignInDeps) {
  const {
    relyingParty,
    states,
    sessions,
    checkAccessToken,
    cookies,
    addresses,
    currentSession,
    sendPage,
    log,
  } = deps;

  return {
    /** `GET /login` */
    start: (ctx: Context) => toConsole(ctx, callbackPath),
    /** `GET /login/silent`, in a hidden frame: no page is shown there. */
    startSilently: (ctx: Context) => toConsole(ctx, silentPath, 'none'),
    /** `GET /login/callback`. @throws {ProblemError} `sign_in_failed` */
    async finish(ctx: Context): Promise<void> {
      const signIn = await redeem(ctx);
      await open(ctx, signIn);
      seeOther(ctx, '/');
    },
    /** `GET /silent-refresh.html`: the answer to `startSilently`, told to the page around the frame. */
    async finishSilently(ctx: Context): Promise<void> {
      const isAnswer = queryOf(ctx).has('state');
      const outcome = isAnswer ? await renewSilently(ctx) : 'idle';
      sendPage(ctx, <SilentRefreshPage outcome={outcome} />, { isFramed: true });
    },
    /** `POST /logout`: ends the session here, then the one at the console and everything under it. */
    async end(ctx: Context): Promise<void> {
      const { session } = await currentSession.readForm(ctx);
      sessions.end(session.id);
      cookies.forget(ctx, 'session');
      log.info({ subject: session.subject }, 'signed out');
      const returnTo = `${addresses.of(ctx)}/`;
      seeOther(
        ctx,
        await relyingParty.endSession(session.tokens.idToken, { returnTo, state: signedOutState }),
      );
    },
  };

  async function toConsole(ctx: Context, path: string, prompt?: 'none'): Promise<void> {
    const { authorization, url } = await relyingParty.begin(addresses.of(ctx) + path, prompt);
    states.add(browserOf(ctx), authorization);
    seeOther(ctx, url);
  }

  function browserOf(ctx: Context): string {
    const known = cookies.read(ctx, 'browser');
    if (known !== undefined) return known;
    const browser = deps.newId();
    cookies.write(ctx, 'browser', browser);
    return browser;
  }

  async function redeem(ctx: Context): Promise<SignIn> {
    const query = queryOf(ctx);
    const authorization = states.take(cookies.read(ctx, 'browser') ?? '', query.get('state') ?? '');
    if (!authorization)
      throw failed('This sign-in was not started in this browser, or it was used or took too long.');
    if (new URL(authorization.redirectUri).pathname !== ctx.path)
      throw failed('This answer belongs to another address.');
    try {
      return await relyingParty.redeem(authorization, query);
    } catch (error) {
      throw explain(error);
    }
  }

  /** A new id with every sign-in; the old session of this browser ends (S32). */
  async function open(ctx: Context, signIn: SignIn): Promise<void> {
    const caller = await checkAccessToken(signIn.tokens.accessToken).catch((error) => {
      throw error instanceof InvalidTokenError
        ? failed(`The access token is not usable here: ${error.message}.`, error)
        : error;
    });
    const before = currentSession.find(ctx);
    if (before) sessions.end(before.id);
    const { watched, period } = carriedOver(before, signIn) ?? {
      watched: createWatched(deps.initiallyWatched),
      period: periods[0].id,
    };
    const session = sessions.create({ signIn, caller, watched, period });
    cookies.write(ctx, 'session', session.id);
    log.info({ subject: session.subject, roles: caller.roles }, 'signed in');
  }

  async function renewSilently(ctx: Context): Promise<'renewed' | 'refused'> {
    try {
      await open(ctx, await redeem(ctx));
      return 'renewed';
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      log.info({ reason: error.message }, 'not signed in silently');
      return 'refused';
    }
  }
}

/** The same person goes on with the same plots. */
function carriedOver(before: Session | undefined, { subject }: SignIn): Session | undefined {
  return before?.subject === subject ? before : undefined;
}

/** What the console, or the check of its answer, refused; what nobody answered goes on as it is. */
function explain(error: unknown): unknown {
  if (error instanceof AuthorizationResponseError) {
    return failed(`The console answered "${error.error}"${describe(error.error_description)}.`, error);
  }
  if (error instanceof ResponseBodyError && error.status < 500) {
    return failed(
      `The console did not take the code: "${error.error}"${describe(error.error_description)}.`,
      error,
    );
  }
  if (error instanceof ClientError && !isNetwork(error))
    return failed('The answer of the console did not hold.', error);
  return error;
}

function isNetwork(error: Error): boolean {
  return error.cause instanceof TypeError || error.cause instanceof DOMException;
}

function describe(description: string | undefined): string {
  return description ? ` (${description.slice(0, 200)})` : '';
}

function failed(detail: string, cause?: unknown): ProblemError {
  return new ProblemError(problems.signInFailed, detail, { cause });
}
