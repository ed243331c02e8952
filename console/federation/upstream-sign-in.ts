/** From the sign-in page to an upstream provider, and from what it answers to an account here. */
import type { Context } from 'koa';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { SignedIn } from '../accounts/sign-in.ts';
import type { SignInTimes } from '../accounts/sign-in-times.ts';
import type { UpstreamChoice, UpstreamSignIn } from '../accounts/upstream-sign-in.ts';
import type { Users } from '../accounts/users.ts';
import { issueTime } from '../accounts/validity.ts';
import { type Link, notSetUp } from './account-linking.ts';
import type { AuthorizationStates } from './authorization-state.ts';
import { sendBindingMessage } from './binding-message.ts';
import type { AuthorizationSecrets, RedirectConnector, UpstreamIdentity } from './connector.ts';
import { asProblemError } from './errors.ts';
import type { ConfiguredProvider, LiveProvider, Providers } from './providers/providers.ts';
import type { StateCookie } from './state-cookie.ts';

export interface UpstreamSignInDeps {
  readonly providers: Pick<Providers, 'choices' | 'directories' | 'findRedirect' | 'findConfigured' | 'find'>;
  readonly states: AuthorizationStates;
  readonly stateCookie: StateCookie;
  readonly link: Link;
  readonly users: Pick<Users, 'hasAny'>;
  readonly times: SignInTimes;
  /** Where a provider's answer comes to. */
  readonly callbackUrl: (providerId: string) => string;
  readonly isSecure: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Somebody whom a provider has vouched for, and who may come in. */
export interface UpstreamSignedIn extends SignedIn {
  readonly identity: UpstreamIdentity;
}

export interface UpstreamSignIns extends UpstreamSignIn {
  /** @throws {ProblemError} `not_found` */
  findProvider(id: string): LiveProvider<RedirectConnector>;
  /** A disabled one too. @throws {ProblemError} `not_found` */
  findConfigured(id: string): ConfiguredProvider;
  /**
   * Sends the browser of an administrator to the provider, to see what it sends.
   *
   * @throws {ProblemError} `login_failed` when the provider cannot be asked
   */
  beginTest(ctx: Context, provider: ConfiguredProvider, adminId: string): Promise<void>;
  /** Whom the answer proves, and nothing more. @throws {ProblemError} as {@link asProblemError} says */
  identify(
    provider: LiveProvider<RedirectConnector>,
    parameters: ReadonlyMap<string, string>,
    secrets: AuthorizationSecrets,
  ): Promise<UpstreamIdentity>;
  /** Whom the answer proves, as an account here. @throws {ProblemError} as {@link asProblemError} says */
  finish(
    provider: LiveProvider<RedirectConnector>,
    parameters: ReadonlyMap<string, string>,
    secrets: AuthorizationSecrets,
  ): Promise<UpstreamSignedIn>;
}

export function createUpstreamSignIn(deps: UpstreamSignInDeps): UpstreamSignIns {
  const { providers, states, stateCookie, link, users, times, callbackUrl, isSecure, now } = deps;

  return {
    directoryNames: () => (users.hasAny() ? providers.directories().map(({ name }) => name) : []),
    choices: (path) => (users.hasAny() ? providers.choices().map((choice) => choiceAt(path, choice)) : []),
    confirmingChoice(path, { federated }) {
      const provider = federated && providers.find(federated.provider);
      if (!provider || provider.kind === 'ldap') return undefined;
      return choiceAt(path, provider);
    },
    findProvider,
    findConfigured(id) {
      const provider = providers.findConfigured(id);
      if (provider) return provider;
      throw noProvider();
    },
    async begin(ctx, providerId, { interactionUid, reauthenticate }) {
      // An upstream account must not be the first one here: it would close the set-up (S27).
      if (!users.hasAny()) throw asProblemError(notSetUp());
      await sendOut(ctx, findProvider(providerId), { reauthenticate, purpose: interactionUid });
    },
    // As a sign-in asks, so that it shows what a sign-in would get.
    beginTest: (ctx, provider, adminId) =>
      sendOut(ctx, provider, { reauthenticate: false, purpose: testPurpose(adminId) }),
    identify: (provider, parameters, secrets) => rejecting(() => identityOf(provider, parameters, secrets)),
    finish: (provider, parameters, secrets) =>
      rejecting(async () => {
        const identity = await identityOf(provider, parameters, secrets);
        // Asking takes time, in which its rules may have changed, or it has been switched off.
        const account = await link(findProvider(provider.id), identity);
        const at = issueTime(account, now());
        await times.record(account.id, at);
        return { account, at, identity };
      }),
  };

  async function sendOut(
    ctx: Context,
    { id: providerId, name: providerName, connector }: LiveProvider<RedirectConnector>,
    { reauthenticate, purpose }: { readonly reauthenticate: boolean; readonly purpose: string | undefined },
  ): Promise<void> {
    const id = states.newId();
    const { secrets, ...binding } = await rejecting(() =>
      connector.begin({ stateId: id, callbackUrl: callbackUrl(providerId), reauthenticate }),
    );
    const browser = stateCookie.ensure(ctx);
    await states.open({ id, providerId, browser, secrets, purpose });
    sendBindingMessage(ctx, binding, { providerName, purpose: 'sign-in', isSecure });
  }

  function identityOf(
    { id, connector }: LiveProvider<RedirectConnector>,
    parameters: ReadonlyMap<string, string>,
    secrets: AuthorizationSecrets,
  ): Promise<UpstreamIdentity> {
    return connector.finish({ callbackUrl: callbackUrl(id), parameters }, secrets);
  }

  function findProvider(id: string): LiveProvider<RedirectConnector> {
    const provider = providers.findRedirect(id);
    if (provider) return provider;
    throw noProvider();
  }
}

const testPrefix = 'test:';

/** What a sign-in is for when an administrator tests a provider; no id of an interaction has a colon. */
function testPurpose(adminId: string): string {
  return `${testPrefix}${adminId}`;
}

/** @returns who tests the provider; undefined for a sign-in */
export function testedBy(purpose: string | undefined): string | undefined {
  return purpose?.startsWith(testPrefix) ? purpose.slice(testPrefix.length) : undefined;
}

function noProvider(): ProblemError {
  return new ProblemError(
    problems.notFound,
    'There is no identity provider at this address, or it is switched off.',
  );
}

/** @throws {ProblemError} for an error of the provider, or of its answer */
export async function rejecting<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asProblemError(error);
  }
}

function choiceAt(
  path: string,
  { id, name }: { readonly id: string; readonly name: string },
): UpstreamChoice {
  return { name, href: `${path}/start/${id}` };
}
