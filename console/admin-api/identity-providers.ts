/** `/api/v1/identity-providers`: the same providers, rules and words as `npx console idp`. */
import type { IncomingMessage } from 'node:http';
import { ProblemError, problems } from '../../platform/errors.ts';
import { readJson } from './json-body.ts';
import { type Answer, createResource, type ResourceDeps, type Routes } from './resource.ts';

/** What the API asks of providers; errors are {@link ProblemError}s. */
export interface ProviderAdministration {
  list(): Promise<readonly object[]>;
  show(id: string): Promise<object>;
  /** @param body  as it came; checked by a schema. */
  add(body: unknown): Promise<{ readonly id: string; readonly view: object }>;
  update(id: string, body: unknown): Promise<object>;
  setEnabled(id: string, isEnabled: boolean): Promise<object>;
  remove(id: string, withAccounts: boolean): Promise<void>;
}

export interface IdentityProvidersDeps extends ResourceDeps {
  readonly administration: ProviderAdministration;
}

export const identityProvidersPath = '/api/v1/identity-providers';

export function createIdentityProviders(deps: IdentityProvidersDeps) {
  const routes = createRoutes(deps.administration);
  return createResource({ path: identityProvidersPath, id: /[a-z0-9-]{1,32}/, routes }, deps);
}

function createRoutes(administration: ProviderAdministration): Routes {
  const { list, show, add, update, setEnabled, remove } = administration;
  const ok = (target: string, body: object): Answer => ({ status: 200, body, target });
  return {
    '': {
      GET: { answer: async () => ok('', await list()) },
      POST: {
        event: 'idp.added',
        async answer(_id, req) {
          const { id, view } = await add(await readJson(req));
          return { status: 201, body: view, target: id };
        },
      },
    },
    '/{id}': {
      GET: { answer: async (id) => ok(id, await show(id)) },
      PATCH: {
        event: 'idp.updated',
        answer: async (id, req) => ok(id, await update(id, await readJson(req))),
      },
      DELETE: {
        event: 'idp.removed',
        async answer(id, req) {
          await remove(id, readWithAccounts(req));
          return { status: 204, target: id };
        },
      },
    },
    '/{id}/enable': {
      POST: { event: 'idp.enabled', answer: async (id) => ok(id, await setEnabled(id, true)) },
    },
    '/{id}/disable': {
      POST: { event: 'idp.disabled', answer: async (id) => ok(id, await setEnabled(id, false)) },
    },
  };
}

/** Said in the address, since a DELETE has no body (RFC 9110 §9.3.5). */
function readWithAccounts({ url = '' }: IncomingMessage): boolean {
  const query = url.split('?')[1] ?? '';
  if (query === '' || query === 'withAccounts=false') return false;
  if (query === 'withAccounts=true') return true;
  throw new ProblemError(problems.invalidRequest, 'The only parameter is withAccounts, true or false.');
}
