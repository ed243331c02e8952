/** Identity providers, and how they are registered. */
import { randomBytes } from 'node:crypto';
import type { AccountRecords } from '../../accounts/voiding.ts';
import { createProviders } from '../../federation/providers/providers.ts';
import type { Outbound } from '../../http/outbound/outbound.ts';
import type { Cipher } from '../../keys/encryption.ts';
import type { ServicesDeps } from './services-deps.ts';

interface ProviderServicesDeps {
  readonly accounts: AccountRecords;
  readonly cipher: Cipher;
  readonly outbound: Outbound;
}

export function createProviderServices(
  { settings, storage, now, log }: Pick<ServicesDeps, 'settings' | 'storage' | 'now' | 'log'>,
  { accounts, cipher, outbound }: ProviderServicesDeps,
) {
  const { registry, artifacts } = storage;
  /** Loaded with whatever needs them: few starts do. */
  async function sweeps() {
    const { createProviderSweeps } = await import('../../federation/providers/account-sweeps.ts');
    return createProviderSweeps({ records: accounts, artifacts });
  }
  return {
    providers: createProviders({
      registry,
      voidAccounts: async (id) => (await sweeps()).voidAccounts(id),
      cipher,
      outbound,
      artifacts,
      url: settings.url,
      randomBytes,
      now,
      log,
    }),
    /** Loaded by whoever changes providers: what reads their records takes longer to load than a start may. */
    async providerRegistration() {
      const { createProviderRegistration } = await import('../../federation/providers/registration.ts');
      return createProviderRegistration({
        registry,
        records: accounts,
        sweeps: await sweeps(),
        cipher,
        checkOutboundUrl: outbound.checkRegistered,
        now,
      });
    },
  };
}
