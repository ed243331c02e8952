/** Where a provider's answer comes to: `/login/callback/<id>` (S43, S47). */
import type { Context, ParameterizedContext } from 'koa';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { UpstreamReturn } from '../accounts/upstream-sign-in.ts';
import { type Form, FormError, readForm } from '../http/form.ts';
import type { Guard, WithForm } from '../http/guards.ts';
import type { UserRecord } from '../storage/records.ts';
import { type AuthorizationStates, unknownState } from './authorization-state.ts';
import { FederationError } from './connector.ts';
import { asProblemError } from './errors.ts';
import type { FormPostRelay } from './form-post-relay.ts';
import type { ConfiguredProvider } from './providers/providers.ts';
import type { StateCookie } from './state-cookie.ts';
import type { TestSignIn } from './test-sign-in.ts';
import type { UpstreamSessions } from './upstream-sessions.ts';
import { checkIsOffered, testedBy, type UpstreamSignedIn, type UpstreamSignIns } from './upstream-sign-in.ts';

export interface CallbackDeps {
  readonly upstream: Pick<UpstreamSignIns, 'findConfigured' | 'finish'>;
  readonly states: Pick<AuthorizationStates, 'take' | 'isOpen'>;
  readonly stateCookie: Pick<StateCookie, 'read'>;
  readonly replies: FormPostRelay;
  readonly upstreamSessions: Pick<UpstreamSessions, 'record'>;
  /** Takes the answers that administrators have asked for. */
  readonly testSignIn: Pick<TestSignIn, 'finish'>;
  /** Where a sign-in goes on: here, or at the application that asked for it. */
  readonly pages: { readonly own: UpstreamReturn; readonly interaction: UpstreamReturn };
  readonly clientAddress: (ctx: Context) => string;
  readonly onOutcome: (ctx: Context, outcome: CallbackOutcome) => Promise<void>;
}

/** For the audit log; of strangers nothing but that there was one. */
export interface CallbackOutcome {
  readonly providerId: string;
  readonly account: UserRecord | undefined;
  readonly rejection?: ProblemError;
}

type Provider = ConfiguredProvider;

interface WithProvider {
  provider: Provider;
}

type CallbackContext = ParameterizedContext<WithProvider & WithForm>;

/** Names a reply that was posted a moment ago; no parameter of a provider's. */
const ticketName = 'posted_reply';
/** Bytes: a SAML message of 256 KiB in base64, in a form. What is too long in it is told by its reader. */
const postedLimit = 393_216;

export function createCallback(deps: CallbackDeps) {
  const { upstream, states, stateCookie, replies, upstreamSessions, testSignIn } = deps;
  const { pages, clientAddress, onOutcome } = deps;

  /** @throws {ProblemError} `not_found` */
  const provider: Guard<WithProvider> = (ctx, next) => {
    ctx.state.provider = upstream.findConfigured(String(ctx.params.provider));
    return next();
  };

  return {
    provider,
    /** `GET /login/callback/:provider`. */
    async receive(ctx: CallbackContext): Promise<void> {
      const { provider, form } = ctx.state;
      await finish(ctx, provider, () => replyOf(provider, form));
    },
    /** `POST /login/callback/:provider`: a form of the provider's page, so without a token of ours. */
    async receivePosted(ctx: CallbackContext): Promise<void> {
      const { provider, form } = ctx.state;
      if (stateCookie.read(ctx)) return finish(ctx, provider, async () => form);
      try {
        await comeBack(ctx, provider, form);
      } catch (error) {
        checkIsOffered(provider);
        // On an error page: the sign-in page would give a new form cookie to who may have one.
        await reportOutcome(ctx, provider, asProblemError(error));
        throw asProblemError(error);
      }
    },
  };

  async function finish(ctx: Context, provider: Provider, read: () => Promise<Form>): Promise<void> {
    let purpose: string | undefined;
    try {
      const reply = await read();
      const id = stateOf(provider, reply);
      const state = await states.take({ id, providerId: provider.id, browser: stateCookie.read(ctx) });
      purpose = state.purpose;
      const adminId = testedBy(purpose);
      const { secrets } = state;
      if (adminId !== undefined) return await testSignIn.finish(ctx, provider, reply, { adminId, secrets });
      checkIsOffered(provider);
      await goOn(ctx, provider, await upstream.finish(provider, reply, state.secrets), purpose);
    } catch (error) {
      if (testedBy(purpose) !== undefined) throw asProblemError(error);
      checkIsOffered(provider);
      await showError(ctx, provider, asProblemError(error), purpose);
    }
  }

  async function goOn(
    ctx: Context,
    { id: providerId }: Provider,
    { account, at, identity }: UpstreamSignedIn,
    purpose: string | undefined,
  ): Promise<void> {
    const page = purpose === undefined ? pages.own : pages.interaction;
    const { uid, endsAt } = await page.complete(ctx, { account, at }, purpose);
    const { subject, session = {} } = identity;
    await upstreamSessions.record({ uid, accountId: account.id, providerId, subject, session }, endsAt);
    await onOutcome(ctx, { providerId, account });
  }

  /** Back on the page that the sign-in began at, which says what went wrong. */
  async function showError(
    ctx: Context,
    provider: Provider,
    rejection: unknown,
    purpose: string | undefined,
  ): Promise<void> {
    await reportOutcome(ctx, provider, rejection);
    if (!(rejection instanceof ProblemError) || ctx.accepts('json', 'html') !== 'html') throw rejection;
    const isShown = purpose !== undefined && (await pages.interaction.showError(ctx, rejection, purpose));
    if (!isShown) await pages.own.showError(ctx, rejection);
  }

  async function reportOutcome(
    ctx: Context,
    { id: providerId }: Provider,
    rejection: unknown,
  ): Promise<void> {
    if (rejection instanceof ProblemError)
      await onOutcome(ctx, { providerId, account: undefined, rejection });
  }

  /** @throws {FederationError} */
  async function replyOf(provider: Provider, query: Form): Promise<Form> {
    const ticket = query.get(ticketName);
    if (ticket === undefined) {
      if (provider.connector.kind === 'saml') throw notPosted(provider);
      return query;
    }
    const reply = await replies.take(ticket, provider.id);
    if (!reply) throw unknownState();
    return reply;
  }

  /**
   * The browser does not send its cookies with the form of another site (SameSite=Lax), but it does with
   * the navigation that follows. Only an answer to a sign-in that began here is kept until then.
   */
  async function comeBack(ctx: Context, provider: Provider, parameters: Form): Promise<void> {
    const id = stateOf(provider, parameters);
    if (!(await states.isOpen({ id, providerId: provider.id }))) throw unknownState();
    const ticket = await replies.store({ providerId: provider.id, parameters }, clientAddress(ctx));
    if (ticket === undefined) {
      throw new ProblemError(problems.tooManyRequests, 'Too many sign-ins from your network at once.', {
        headers: { 'Retry-After': '60' },
      });
    }
    ctx.status = 303;
    ctx.set('Cache-Control', 'no-store');
    ctx.redirect(`${ctx.path}?${new URLSearchParams({ [ticketName]: ticket })}`);
  }
}

/** @throws {FormError} 400; a body that is too long is nothing that a provider sends (S48) */
export const replyForm: Guard<WithForm> = async (ctx, next) => {
  ctx.state.form = await readForm(ctx.req, postedLimit).catch((error: unknown) => {
    if (!(error instanceof FormError) || error.status !== 413) throw error;
    throw new ProblemError(problems.invalidRequest, 'The answer of the identity provider is too long.', {
      cause: error,
      headers: { Connection: 'close' },
    });
  });
  await next();
};

/** @throws {FederationError} 403 for an answer that nobody here has asked for (S47) */
function stateOf({ name, connector }: Provider, reply: Form): string | undefined {
  if (connector.kind === 'oidc') return reply.get('state');
  const relayState = reply.get('RelayState');
  if (relayState) return relayState;
  throw new FederationError(
    403,
    `${name} sent a sign-in that nobody here has asked for. Sign-ins begin at this console: choose ${name} on this page.`,
  );
}

function notPosted({ name }: Provider): FederationError {
  return new FederationError(
    400,
    `${name} has to send its answer by HTTP-POST. Please begin the sign-in on this page.`,
  );
}
