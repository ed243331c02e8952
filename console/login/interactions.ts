/** The pages of an authorization request: sign-in and consent, at `/login/<uid>`. */
import type { Context, ParameterizedContext } from 'koa';
import type { Provider } from 'oidc-provider';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { OwnReason } from '../../platform/names/reason-codes.ts';
import type { KnownBrowsers } from '../accounts/guessing/known-browsers.ts';
import type { SignedIn, SignIn } from '../accounts/sign-in.ts';
import type { UpstreamReturn, UpstreamSignIn } from '../accounts/upstream-sign-in.ts';
import type { Clients } from '../clients/clients.ts';
import type { Csrf } from '../http/csrf.ts';
import type { Form } from '../http/form.ts';
import type { Guard, WithForm } from '../http/guards.ts';
import { byPassword } from '../oidc/sign-in-method.ts';
import type { UserRecord } from '../storage/records.ts';
import type { Resources } from '../tokens/resources.ts';
import type { BrowserSessions } from './browser-session.ts';
import { createConsent } from './consent.ts';
import type { Interaction } from './interaction.ts';
import { createLoginPage, type LoginPageDeps, mustProve } from './login-page.ts';
import type { SignInOutcome } from './sign-in-outcome.ts';
import { createUpstreamReturn } from './upstream-return.ts';

export interface InteractionsDeps extends Pick<LoginPageDeps, 'isSetUp' | 'url'> {
  readonly provider: () => Provider;
  readonly signIn: SignIn;
  readonly knownBrowsers: KnownBrowsers;
  readonly csrf: Pick<Csrf, 'token'>;
  readonly clientAddress: (ctx: Context) => string;
  readonly clients: Pick<Clients, 'find'>;
  readonly resources: Resources;
  readonly findUser: (id: string) => Promise<UserRecord | undefined>;
  /** What a role opens, in words. */
  readonly meaningInTokens: (role: string) => string;
  readonly browserSessions: Pick<BrowserSessions, 'current' | 'start'>;
  readonly endSession: (uid: string) => Promise<unknown>;
  readonly upstream: UpstreamSignIn;
  readonly isSecure: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly onSignIn: (ctx: Context, outcome: SignInOutcome) => Promise<void>;
}

interface WithInteraction {
  interaction: Interaction;
}

type InteractionContext = ParameterizedContext<WithInteraction>;
type AnswerContext = ParameterizedContext<WithInteraction & WithForm>;

export const wrongCredentials = 'The user name or the password is not right.';

export function createInteractions(deps: InteractionsDeps) {
  const { provider, signIn, knownBrowsers, clientAddress, browserSessions, upstream, onSignIn } = deps;
  const consent = createConsent(deps);
  const page = createLoginPage(deps);

  /** @throws {ProblemError} when the request is over, or belongs to another browser */
  const interaction: Guard<WithInteraction> = async (ctx, next) => {
    const found = await provider().interactionDetails(ctx.req, ctx.res);
    if (found.uid !== ctx.params.uid) {
      throw new ProblemError(problems.csrfFailed, 'This sign-in was started in another browser or tab.');
    }
    ctx.state.interaction = found;
    await next();
  };

  return {
    interaction,
    /** `GET /login/:uid`. */
    async show(ctx: InteractionContext): Promise<void> {
      const { interaction } = ctx.state;
      if (interaction.prompt.name === 'consent') await consent.show(ctx, interaction);
      else await page.show(ctx, interaction);
    },
    /** `GET /login/:uid/start/:provider`: only this browser knows the address, and it changes nothing by itself. */
    async startUpstream(ctx: InteractionContext): Promise<void> {
      const { interaction } = ctx.state;
      const providerId = String(ctx.params.provider);
      try {
        const reauthenticate = mustProve(interaction);
        await upstream.begin(ctx, providerId, { interactionUid: interaction.uid, reauthenticate });
      } catch (error) {
        if (!(error instanceof ProblemError) || error.problem === problems.notFound) throw error;
        await onSignIn(ctx, { account: undefined, reason: error.problem.code, providerId });
        await page.showUpstreamError(ctx, interaction, error);
      }
    },
    /** `POST /login/:uid`. */
    async submitLogin(ctx: AnswerContext): Promise<void> {
      const { interaction, form } = ctx.state;
      const signedIn = await attempt(ctx, interaction, form);
      if (!signedIn) return;
      const { account, at } = signedIn;
      await leaveOtherAccount(ctx, interaction, account);
      const to = await provider().interactionResult(ctx.req, ctx.res, {
        login: { accountId: account.id, ts: at, ...byPassword(), remember: false },
      });
      seeOther(ctx, to);
    },
    /** Where upstream sign-ins come back to. */
    returned: createUpstreamReturn({ provider, browserSessions, page }) satisfies UpstreamReturn,
    /** `POST /login/:uid/consent`. */
    async submitConsent(ctx: AnswerContext): Promise<void> {
      const { interaction, form } = ctx.state;
      if (interaction.prompt.name !== 'consent')
        throw new ProblemError(problems.invalidRequest, 'No consent is asked for.');
      const result =
        form.get('decision') === 'allow'
          ? { consent: { grantId: await consent.grant(interaction) } }
          : { error: 'access_denied', error_description: 'the user did not consent' };
      seeOther(ctx, await provider().interactionResult(ctx.req, ctx.res, result));
    },
  };

  /** @returns undefined when the page has been shown again with what went wrong */
  async function attempt(ctx: Context, interaction: Interaction, form: Form): Promise<SignedIn | undefined> {
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
      if (signedIn) {
        knownBrowsers.remember(ctx, username);
        return signedIn;
      }
      ctx.status = 401;
      await page.show(ctx, interaction, { username, problem: wrongCredentials });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      await onSignIn(ctx, { account: undefined, reason: error.problem.code });
      await page.showError(ctx, interaction, error, username);
    }
    return undefined;
  }

  /**
   * Somebody else signs in over a live session: that session ends, it is not taken over. The session may
   * have begun in another tab after this page was shown, so the browser's own counts.
   */
  async function leaveOtherAccount(
    ctx: Context,
    interaction: Interaction,
    account: UserRecord,
  ): Promise<void> {
    const live = await browserSessions.current(ctx);
    if (live && live.accountId !== account.id) await deps.endSession(live.uid);
    if (!interaction.session || interaction.session.accountId === account.id) return;
    Object.assign(interaction, { session: undefined });
    await interaction.persist();
  }
}

function seeOther(ctx: Context, to: string): void {
  ctx.status = 303;
  ctx.set('Cache-Control', 'no-store');
  ctx.redirect(to);
}
