/** The admin API: what administrators' programs call. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createIdentityProviders,
  identityProvidersPath,
  type ProviderAdministration,
} from '../admin-api/identity-providers.ts';
import { ProblemError, problems } from '../errors.ts';
import type { Shared } from './shared.ts';

export function composeAdminApi({ services, bearer, audit, about }: Shared) {
  const identityProviders = createIdentityProviders({
    administration: onFirstUse(services),
    checkToken: bearer.check,
    audit,
    about,
  });

  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const path = (req.url ?? '').split('?')[0]!;
    if (path === identityProvidersPath || path.startsWith(`${identityProvidersPath}/`)) {
      return identityProviders(req, res);
    }
    throw new ProblemError(problems.notFound, 'There is nothing at this address.');
  };
}

/** What reads providers' records takes longer to load than a start may. */
function onFirstUse({
  providerRegistration,
  outbound,
  settings,
  now,
}: Shared['services']): ProviderAdministration {
  let loaded: Promise<ProviderAdministration> | undefined;
  const load = async () => {
    const [{ createProviderAdministration }, registration] = await Promise.all([
      import('../federation/provider-administration.ts'),
      providerRegistration(),
    ]);
    return createProviderAdministration({ registration, outbound, url: settings.url, randomBytes, now });
  };
  const administration = () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined; // to be tried again by the next call
      throw error;
    });
    return loaded;
  };
  return {
    list: async () => (await administration()).list(),
    show: async (id) => (await administration()).show(id),
    add: async (body) => (await administration()).add(body),
    update: async (id, body) => (await administration()).update(id, body),
    setEnabled: async (id, isEnabled) => (await administration()).setEnabled(id, isEnabled),
    remove: async (id, withAccounts) => (await administration()).remove(id, withAccounts),
  };
}
