/** From the sign-in page to an upstream provider, and from what it answers to an account here. */
import type { Context } from 'koa';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { SignedIn } from '../accounts/sign-in.ts';
import type { SignInTimes } from '../accounts/sign-in-times.ts';
import type { UpstreamChoice, UpstreamSignIn } from '../accounts/upstream-sign-in.ts';
import type { Users } from '../accounts/users.ts';
import { type Link, notSetUp } from './account-linking.ts';
import type { AuthorizationStates } from './authorization-state.ts';
import { sendBindingMessage } from './binding-message.ts';
import type { AuthorizationSecrets, UpstreamIdentity } from './connector.ts';
import { asProblemError } from './errors.ts';
import type { ProviderUses } from './provider-uses.ts';
import type { ConfiguredProvider, Providers } from './providers/providers.ts';
import type { StateCookie } from './state-cookie.ts';

export interface UpstreamSignInDeps {
  readonly providers: Pick<Providers, 'choices' | 'directories' | 'findConfigured' | 'find'>;
  readonly states: AuthorizationStates;
  readonly stateCookie: StateCookie;
  readonly link: Link;
  readonly users: Pick<Users, 'hasAny' | 'issueTime'>;
  readonly times: SignInTimes;
  readonly uses: Pick<ProviderUses, 'signedIn' | 'failed'>;
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

export type UpstreamSignIns = ReturnType<typeof createUpstreamSignIn>;

export function createUpstreamSignIn(deps: UpstreamSignInDeps) {
  const { providers, states, stateCookie, link, users, times, uses, callbackUrl, isSecure, now } = deps;

  const ofPages: UpstreamSignIn = {
    directoryNames: async () =>
      (await users.hasAny()) ? providers.directories().map(({ name }) => name) : [],
    choices: async (path) =>
      (await users.hasAny()) ? providers.choices().map((choice) => choiceAt(path, choice)) : [],
    confirmingChoice(path, { federated }) {
      const provider = federated && providers.find(federated.provider);
      return provider && provider.kind !== 'ldap' ? choiceAt(path, provider) : undefined;
    },
    async begin(ctx, providerId, { interactionUid, reauthenticate }) {
      // An upstream account must not be the first one here: it would close the set-up (S27).
      if (!(await users.hasAny())) throw asProblemError(notSetUp());
      await sendOut(ctx, findProvider(providerId), { reauthenticate, purpose: interactionUid });
    },
  };
  return {
    ...ofPages,
    findConfigured,
    /**
     * Sends the browser of an administrator to the provider, as a sign-in does, to see what it sends.
     *
     * @throws {ProblemError} `login_failed` when the provider cannot be asked
     */
    beginTest: (ctx: Context, provider: ConfiguredProvider, adminId: string) =>
      sendOut(ctx, provider, { reauthenticate: false, purpose: testPurpose(adminId) }),
    identify,
    /** Whom the answer proves, as an account here. @throws {FederationError}, {@link ProblemError} */
    async finish(
      provider: ConfiguredProvider,
      parameters: ReadonlyMap<string, string>,
      secrets: AuthorizationSecrets,
    ): Promise<UpstreamSignedIn> {
      try {
        const identity = await identify(provider, parameters, secrets);
        // Asking takes time, in which its rules may have changed, or it has been switched off.
        const account = await link(findProvider(provider.id), identity);
        const at = users.issueTime(account, now());
        await Promise.all([times.record(account.id, at), uses.signedIn(provider.id)]);
        return { account, at, identity };
      } catch (error) {
        await uses.failed(provider.id, error);
        throw error;
      }
    },
  };

  /** @throws {ProblemError} `not_found` */
  function findProvider(id: string): ConfiguredProvider {
    const provider = findConfigured(id);
    checkIsOffered(provider);
    return provider;
  }

  /** A disabled one too. @throws {ProblemError} `not_found` */
  function findConfigured(id: string): ConfiguredProvider {
    const provider = providers.findConfigured(id);
    if (provider) return provider;
    throw noProvider();
  }

  async function sendOut(
    ctx: Context,
    { id: providerId, name: providerName, connector }: ConfiguredProvider,
    { reauthenticate, purpose }: { readonly reauthenticate: boolean; readonly purpose: string | undefined },
  ): Promise<void> {
    const id = states.newId();
    const { secrets, ...binding } = await connector
      .begin({ stateId: id, callbackUrl: callbackUrl(providerId), reauthenticate })
      .catch(async (error: unknown) => {
        await uses.failed(providerId, error);
        throw asProblemError(error);
      });
    const browser = stateCookie.ensure(ctx);
    await states.open({ id, providerId, browser, secrets, purpose });
    sendBindingMessage(ctx, binding, { providerName, purpose: 'sign-in', isSecure });
  }

  /** Whom the answer proves, and nothing more. @throws {FederationError} */
  function identify(
    { id, connector }: ConfiguredProvider,
    parameters: ReadonlyMap<string, string>,
    secrets: AuthorizationSecrets,
  ): Promise<UpstreamIdentity> {
    return connector.finish({ callbackUrl: callbackUrl(id), parameters }, secrets);
  }
}

/** A disabled one is there for tests alone. @throws {ProblemError} `not_found` */
export function checkIsOffered({ isEnabled }: ConfiguredProvider): void {
  if (!isEnabled) throw noProvider();
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

function choiceAt(
  path: string,
  { id, name }: { readonly id: string; readonly name: string },
): UpstreamChoice {
  return { name, href: `${path}/start/${id}` };
}
