/** The administration of providers, loaded by its first call: what reads their records takes longer to load than a start may. */
import { randomBytes } from 'node:crypto';
import { once } from '../../../platform/async/once.ts';
import type { Storage } from '../../storage/storage.ts';
import type { ProviderAdministration, ProviderAdministrationDeps } from './administration.ts';

export interface AdministrationOnFirstUseDeps extends Pick<ProviderAdministrationDeps, 'outbound' | 'now'> {
  readonly providerRegistration: () => Promise<ProviderAdministrationDeps['registration']>;
  readonly storage: Pick<Storage, 'artifacts'>;
  /** `CONSOLE_URL`. */
  readonly settings: { readonly url: string };
}

export function createAdministrationOnFirstUse({
  providerRegistration,
  outbound,
  storage,
  settings,
  now,
}: AdministrationOnFirstUseDeps): () => Promise<ProviderAdministration> {
  return once(async () => {
    const [{ createProviderAdministration }, { createProviderUses }, registration] = await Promise.all([
      import('./administration.ts'),
      import('../provider-uses.ts'),
      providerRegistration(),
    ]);
    const { artifacts } = storage;
    return createProviderAdministration({
      registration,
      uses: createProviderUses({ artifacts, now }),
      outbound,
      artifacts,
      url: settings.url,
      randomBytes,
      now,
    });
  });
}
