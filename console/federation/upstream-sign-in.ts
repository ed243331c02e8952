/** From the sign-in page to an outside provider, and from what it answers to an account here. */
import type { Context } from 'koa';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { SignedIn } from '../accounts/sign-in.ts';
import type { SignInTimes } from '../accounts/sign-in-times.ts';
import type { OutsideChoice, OutsideSignIn } from '../accounts/upstream-sign-in.ts';
import type { Users } from '../accounts/users.ts';
import { issueTime } from '../accounts/validity.ts';
import { type Link, notSetUp } from './account-linking.ts';
import type { Attempts } from './authorization-state.ts';
import type { AttemptSecrets, RedirectConnector, UpstreamIdentity } from './connector.ts';
import { sendDeparture } from './departures.ts';
import { asRefusal } from './errors.ts';
import type { ConfiguredProvider, LiveProvider, Providers } from './providers/providers.ts';
import type { BrowserBinding } from './state-cookie.ts';

export interface OutsideSignInDeps {
  readonly providers: Pick<Providers, 'choices' | 'directories' | 'findRedirect' | 'findConfigured' | 'find'>;
  readonly attempts: Attempts;
  readonly binding: BrowserBinding;
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
export interface OutsideSignedIn extends SignedIn {
  readonly identity: UpstreamIdentity;
}

export interface OutsideSignIns extends OutsideSignIn {
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
  /** Whom the answer proves, and nothing more. @throws {ProblemError} as {@link asRefusal} says */
  identify(
    provider: LiveProvider<RedirectConnector>,
    parameters: ReadonlyMap<string, string>,
    secrets: AttemptSecrets,
  ): Promise<UpstreamIdentity>;
  /** Whom the answer proves, as an account here. @throws {ProblemError} as {@link asRefusal} says */
  finish(
    provider: LiveProvider<RedirectConnector>,
    parameters: ReadonlyMap<string, string>,
    secrets: AttemptSecrets,
  ): Promise<OutsideSignedIn>;
}

export function createOutsideSignIn(deps: OutsideSignInDeps): OutsideSignIns {
  const { providers, attempts, binding, link, users, times, callbackUrl, isSecure, now } = deps;

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
      // An outside account must not be the first one here: it would close the set-up (S27).
      if (!users.hasAny()) throw asRefusal(notSetUp());
      await sendOut(ctx, findProvider(providerId), { reauthenticate, purpose: interactionUid });
    },
    // As a sign-in asks, so that it shows what a sign-in would get.
    beginTest: (ctx, provider, adminId) =>
      sendOut(ctx, provider, { reauthenticate: false, purpose: testPurpose(adminId) }),
    identify: (provider, parameters, secrets) => refusing(() => identityOf(provider, parameters, secrets)),
    finish: (provider, parameters, secrets) =>
      refusing(async () => {
        const identity = await identityOf(provider, parameters, secrets);
        const account = await link(provider, identity);
        const at = issueTime(account, now());
        await times.note(account.id, at);
        return { account, at, identity };
      }),
  };

  async function sendOut(
    ctx: Context,
    { id: providerId, name: providerName, connector }: LiveProvider<RedirectConnector>,
    { reauthenticate, purpose }: { readonly reauthenticate: boolean; readonly purpose: string | undefined },
  ): Promise<void> {
    const id = attempts.newId();
    const { secrets, ...departure } = await refusing(() =>
      connector.begin({ attemptId: id, callbackUrl: callbackUrl(providerId), reauthenticate }),
    );
    const browser = binding.keep(ctx);
    await attempts.open({ id, providerId, browser, secrets, purpose });
    sendDeparture(ctx, departure, { providerName, purpose: 'sign-in', isSecure });
  }

  function identityOf(
    { id, connector }: LiveProvider<RedirectConnector>,
    parameters: ReadonlyMap<string, string>,
    secrets: AttemptSecrets,
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

/** What an attempt is for when an administrator tests a provider; no id of an interaction has a colon. */
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

/** @throws {ProblemError} for a refusal of the provider, or of its answer */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asRefusal(error);
  }
}

function choiceAt(path: string, { id, name }: { readonly id: string; readonly name: string }): OutsideChoice {
  return { name, href: `${path}/start/${id}` };
}
