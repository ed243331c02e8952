/** The admin API: what administrators' programs call. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MemberProxy } from '../../../member-proxy/proxy.ts';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { createAccessQuestions } from '../../access/questions.ts';
import { accessPath, createAccess } from '../../admin-api/access-questions.ts';
import { type ClientAnswers, clientsPath, createClients } from '../../admin-api/clients.ts';
import {
  createIdentityProviders,
  identityProvidersPath,
  type ProviderAdministration,
} from '../../admin-api/identity-providers.ts';
import { createRoles, rolesPath } from '../../admin-api/roles.ts';
import { viewOf } from '../../clients/client-view.ts';
import type { Shared } from './shared.ts';

/** @param proxy  knows the members as they are now */
export function composeAdminApi(
  { services, apiCallers: callers, audit, about }: Shared,
  proxy: Pick<MemberProxy, 'statuses'>,
) {
  const deps = { callers, audit, about };
  const questions = createAccessQuestions(services);
  const resources = [
    [clientsPath, createClients({ answers: clientAnswers(services), ...deps })],
    [identityProvidersPath, createIdentityProviders({ administration: onFirstUse(services), ...deps })],
    [rolesPath, createRoles({ roles: services.roles, ...deps })],
    [
      accessPath,
      createAccess({
        answers: { ...questions, matrix: (asked) => questions.matrix(asked, proxy.statuses()) },
        ...deps,
      }),
    ],
  ] as const;

  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const path = (req.url ?? '').split('?')[0]!;
    const found = resources.find(([own]) => path === own || path.startsWith(`${own}/`));
    if (!found) throw new ProblemError(problems.notFound, 'There is nothing at this address.');
    await found[1](req, res);
  };
}

function clientAnswers({ clients, clientUses, registration }: Shared['services']): ClientAnswers {
  return {
    async list() {
      const useOf = await clientUses.read();
      return clients.list().map((client) => viewOf(client, useOf(client)));
    },
    async show(id) {
      const client = clients.find(id);
      return client && viewOf(client, (await clientUses.read())(client));
    },
    update: async (id, change) => viewOf(await registration.update(id, change)),
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
      import('../../federation/providers/administration.ts'),
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
