/** The administration of providers, loaded by its first call: what reads their records takes longer to load than a start may. */
import { randomBytes } from 'node:crypto';
import { once } from '../../../platform/async/once.ts';
import type { ProviderAdministrationDeps } from './administration.ts';

export interface AdministrationOnFirstUseDeps extends Pick<ProviderAdministrationDeps, 'outbound' | 'now'> {
  readonly providerRegistration: () => Promise<ProviderAdministrationDeps['registration']>;
  /** `CONSOLE_URL`. */
  readonly settings: { readonly url: string };
}

export function createAdministrationOnFirstUse({
  providerRegistration,
  outbound,
  settings,
  now,
}: AdministrationOnFirstUseDeps) {
  const administration = once(async () => {
    const [{ createProviderAdministration }, registration] = await Promise.all([
      import('./administration.ts'),
      providerRegistration(),
    ]);
    return createProviderAdministration({ registration, outbound, url: settings.url, randomBytes, now });
  });
  return {
    list: async () => (await administration()).list(),
    show: async (id: string) => (await administration()).show(id),
    add: async (body: unknown) => (await administration()).add(body),
    update: async (id: string, body: unknown) => (await administration()).update(id, body),
    setEnabled: async (id: string, isEnabled: boolean) => (await administration()).setEnabled(id, isEnabled),
    remove: async (id: string, withAccounts: boolean) => (await administration()).remove(id, withAccounts),
  };
}
