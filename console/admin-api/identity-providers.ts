/** `/api/v1/identity-providers`: the same providers, rules and words as `npx console idp`. */
import type { IncomingMessage } from 'node:http';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Answer, ApiCall, BodyCall } from './router.ts';

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

export function createIdentityProviders(administration: ProviderAdministration) {
  const { list, show, add, update, setEnabled, remove } = administration;
  const ok = (target: string, body: object): Answer => ({ status: 200, body, target });
  return {
    list: async () => ok('', await list()),
    show: async ({ id }: ApiCall) => ok(id, await show(id)),
    async add({ body }: BodyCall): Promise<Answer> {
      const { id, view } = await add(body);
      return { status: 201, body: view, target: id };
    },
    update: async ({ id, body }: BodyCall) => ok(id, await update(id, body)),
    async remove({ id, req }: ApiCall): Promise<Answer> {
      await remove(id, readWithAccounts(req));
      return { status: 204, target: id };
    },
    enable: async ({ id }: ApiCall) => ok(id, await setEnabled(id, true)),
    disable: async ({ id }: ApiCall) => ok(id, await setEnabled(id, false)),
  };
}

/** Said in the address, since a DELETE has no body (RFC 9110 §9.3.5). */
function readWithAccounts({ url = '' }: IncomingMessage): boolean {
  const query = url.split('?')[1] ?? '';
  if (query === '' || query === 'withAccounts=false') return false;
  if (query === 'withAccounts=true') return true;
  throw new ProblemError(problems.invalidRequest, 'The only parameter is withAccounts, true or false.');
}
