/** Providers for the admin API: bodies checked by a schema, answers without secrets. */

import { ProblemError, problems } from '../../../platform/errors.ts';
import { parseBody } from '../../http/body-schema.ts';
import { createInputDeps, type InputWorld } from './input-deps.ts';
import { changedProvider, newProvider } from './input-schema.ts';
import { readProviderInput } from './reading.ts';
import type { ProviderRegistration } from './registration.ts';
import { viewOfProvider } from './view.ts';

export interface ProviderAdministrationDeps extends InputWorld {
  readonly registration: ProviderRegistration;
}

export function createProviderAdministration({ registration, ...world }: ProviderAdministrationDeps) {
  const deps = createInputDeps(world, (field) => field);
  const view = async (id: string) => viewOfProvider(await registration.find(id), world.url);

  return {
    list: async () => (await registration.list()).map((listed) => viewOfProvider(listed, world.url)),
    show: async (id: string) => view(id),
    async add(body: unknown) {
      const { id, kind, enabled, ...said } = parseBody(newProvider, body);
      const provider = await readProviderInput({ id, kind }, said, deps);
      await registration.add({ ...provider, enabled });
      return { id, view: await view(id) };
    },
    async update(id: string, body: unknown) {
      const said = parseBody(changedProvider, body);
      const { provider: before, problem = '' } = await registration.find(id);
      if (!before) throw new ProblemError(problems.conflict, `The record cannot be read: ${problem}.`);
      const after = await readProviderInput(before, said, deps, before);
      await registration.update(id, () => after);
      return view(id);
    },
    async setEnabled(id: string, isEnabled: boolean) {
      await registration.setEnabled(id, isEnabled);
      return view(id);
    },
    async remove(id: string, withAccounts: boolean) {
      await registration.remove(id, { withAccounts });
    },
  };
}
