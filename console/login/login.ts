/** The console's own sign-in, without an application that asks for it: `/login`. */
import type { Context } from 'koa';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { OwnReason } from '../../platform/names/reason-codes.ts';
import { renderLogin } from '../../views/login.tsx';
import { renderNotSetUp } from '../../views/not-set-up.tsx';
import type { KnownBrowsers } from '../accounts/guessing/known-browsers.ts';
import type { SignIn } from '../accounts/sign-in.ts';
import type { UpstreamReturn, UpstreamSignIn } from '../accounts/upstream-sign-in.ts';
import type { Csrf } from '../http/csrf.ts';
import { presentationOf } from '../http/display/presentation.ts';
import type { FormContext } from '../http/guards.ts';
import { originElsewhere } from '../http/own-host.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { ReturnTarget } from '../http/return-target.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import type { CurrentSession } from './current-session.ts';
import type { SignInOutcome } from './sign-in-outcome.ts';

export interface LoginDeps {
  readonly signIn: SignIn;
  readonly knownBrowsers: KnownBrowsers;
  readonly currentSession: CurrentSession;
  readonly upstream: UpstreamSignIn;
  readonly returnTarget: Pick<ReturnTarget, 'take'>;
  readonly csrf: Pick<Csrf, 'token'>;
  readonly clientAddress: (ctx: Context) => string;
  /** Whether there is anybody who could sign in. */
  readonly isSetUp: () => Promise<boolean>;
  /** `CONSOLE_URL`. */
  readonly url: string;
  readonly isSecure: boolean;
  /** What is told to somebody with wrong credentials. */
  readonly wrongCredentials: string;
  readonly onSignIn: (ctx: Context, outcome: SignInOutcome) => Promise<void>;
}

export function createLogin(deps: LoginDeps) {
  const { signIn, knownBrowsers, currentSession, upstream, csrf, clientAddress, isSetUp, isSecure } = deps;
  const { wrongCredentials, onSignIn, returnTarget } = deps;
  const own = new URL(deps.url);
  const returned: UpstreamReturn = {
    async complete(ctx, { account, at }) {
      const current = await currentSession.start(ctx, account.id, at, 'provider');
      goOn(ctx);
      return current;
    },
    async showError(ctx, problemError) {
      await denyUpstream(ctx, problemError);
      return true;
    },
  };

  return {
    async show(ctx: Context): Promise<void> {
      if (await currentSession.current(ctx)) return goOn(ctx);
      await showForm(ctx, {});
    },
    /**
     * `GET /login/start/:provider`: a link, because a form may not lead to addresses that its page does not
     * know yet. Following it from another site takes nobody's session away.
     */
    async startUpstream(ctx: Context): Promise<void> {
      if (await currentSession.current(ctx)) return goOn(ctx);
      const providerId = String(ctx.params.provider);
      try {
        await upstream.begin(ctx, providerId, { reauthenticate: false });
      } catch (error) {
        if (!(error instanceof ProblemError) || error.problem === problems.notFound) throw error;
        await onSignIn(ctx, { account: undefined, reason: error.problem.code, providerId });
        await denyUpstream(ctx, error);
      }
    },
    /** Where upstream sign-ins come back to. */
    returned,
    async submit(ctx: FormContext): Promise<void> {
      const { form } = ctx.state;
      const username = form.get('username') ?? '';
      try {
        const signedIn = await signIn({
          username,
          password: form.get('password') ?? '',
          source: clientAddress(ctx),
          browser: knownBrowsers.find(ctx, username),
        });
        await onSignIn(
          ctx,
          signedIn ?? { account: undefined, reason: 'wrong_credentials' satisfies OwnReason },
        );
        if (!signedIn) return await showError(ctx, 401, { username, problem: wrongCredentials });
        knownBrowsers.remember(ctx, username);
        await currentSession.start(ctx, signedIn.account.id, signedIn.at);
        goOn(ctx);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        await onSignIn(ctx, { account: undefined, reason: error.problem.code });
        ctx.set(error.headers);
        const seconds = error.headers['Retry-After'];
        const wait = seconds === undefined ? {} : { retryAfterSeconds: Number(seconds) };
        await showError(ctx, error.problem.status, { username, problem: error.message, ...wait });
      }
    },
  };

  /** To the page that the browser was sent away from (S35). */
  function goOn(ctx: Context): void {
    ctx.status = 303;
    ctx.redirect(returnTarget.take(ctx));
  }

  function showError(ctx: Context, status: number, shown: ShownLogin): Promise<void> {
    ctx.status = status;
    return showForm(ctx, shown);
  }

  function denyUpstream(ctx: Context, { message, problem: { code, status } }: ProblemError): Promise<void> {
    return showError(ctx, status, { problem: message, reference: { code, requestId: requestIdOf(ctx.req) } });
  }

  async function showForm(ctx: Context, shown: ShownLogin): Promise<void> {
    setPageHeaders(ctx, isSecure);
    ctx.type = 'html';
    if (!(await isSetUp())) {
      ctx.body = renderNotSetUp(presentationOf(ctx));
      return;
    }
    const ownAddress = originElsewhere(ctx, own);
    const providers = await upstream.choices('/login');
    const directories = await upstream.directoryNames();
    ctx.body = renderLogin(
      {
        action: '/login',
        csrf: csrf.token(ctx),
        providers,
        directories,
        ownAddress,
        ...shown,
      },
      presentationOf(ctx),
    );
  }
}

interface ShownLogin {
  readonly username?: string;
  readonly problem?: string;
  readonly retryAfterSeconds?: number;
  readonly reference?: { readonly code: string; readonly requestId: string };
}
