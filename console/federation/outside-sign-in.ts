/** From the sign-in page to an outside provider, and from what it answers to an account here. */
import type { OutsideChoice, OutsideSignIn } from '../accounts/outside-sign-in.ts';
import type { SignedIn } from '../accounts/sign-in.ts';
import type { SignInTimes } from '../accounts/sign-in-times.ts';
import type { Users } from '../accounts/users.ts';
import { issueTime } from '../accounts/validity.ts';
import { ProblemError, problems } from '../errors.ts';
import type { Attempts } from './attempts.ts';
import type { BrowserBinding } from './browser-binding.ts';
import type { AttemptSecrets, RedirectConnector, UpstreamIdentity } from './connector.ts';
import { type Link, notSetUp } from './link.ts';
import type { LiveProvider, Providers } from './providers/providers.ts';
import { asRefusal } from './refusals.ts';

export interface OutsideSignInDeps {
  readonly providers: Pick<Providers, 'choices' | 'directories' | 'findRedirect' | 'find'>;
  readonly attempts: Attempts;
  readonly binding: BrowserBinding;
  readonly link: Link;
  readonly users: Pick<Users, 'hasAny'>;
  readonly times: SignInTimes;
  /** Where a provider's answer comes to. */
  readonly callbackUrl: (providerId: string) => string;
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
  /** Whom the answer proves, as an account here. @throws {ProblemError} as {@link asRefusal} says */
  finish(
    provider: LiveProvider<RedirectConnector>,
    parameters: ReadonlyMap<string, string>,
    secrets: AttemptSecrets,
  ): Promise<OutsideSignedIn>;
}

export function createOutsideSignIn(deps: OutsideSignInDeps): OutsideSignIns {
  const { providers, attempts, binding, link, users, times, callbackUrl, now } = deps;

  return {
    directoryNames: () => (users.hasAny() ? providers.directories().map(({ name }) => name) : []),
    choices: (path) => (users.hasAny() ? providers.choices().map((choice) => choiceAt(path, choice)) : []),
    confirmingChoice(path, { federated }) {
      const provider = federated && providers.find(federated.provider);
      if (!provider || provider.kind === 'ldap') return undefined;
      return choiceAt(path, provider);
    },
    findProvider,
    async begin(ctx, providerId, { interactionUid, reauthenticate }) {
      // An outside account must not be the first one here: it would close the set-up (S27).
      if (!users.hasAny()) throw asRefusal(notSetUp());
      const { connector } = findProvider(providerId);
      const id = attempts.newId();
      const { location, secrets } = await refusing(() =>
        connector.begin({ attemptId: id, callbackUrl: callbackUrl(providerId), reauthenticate }),
      );
      const browser = binding.keep(ctx);
      await attempts.open({ id, providerId, browser, secrets, purpose: interactionUid });
      ctx.status = 303;
      ctx.set('Cache-Control', 'no-store');
      ctx.redirect(location);
    },
    finish: (provider, parameters, secrets) =>
      refusing(async () => {
        const reply = { callbackUrl: callbackUrl(provider.id), parameters };
        const identity = await provider.connector.finish(reply, secrets);
        const account = await link(provider, identity);
        const at = issueTime(account, now());
        await times.note(account.id, at);
        return { account, at, identity };
      }),
  };

  function findProvider(id: string): LiveProvider<RedirectConnector> {
    const provider = providers.findRedirect(id);
    if (provider) return provider;
    throw new ProblemError(
      problems.notFound,
      'There is no identity provider at this address, or it is switched off.',
    );
  }
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
