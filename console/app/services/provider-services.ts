/** Identity providers, and how they are registered. */
import { randomBytes } from 'node:crypto';
import type { AccountRecords } from '../../accounts/voiding.ts';
import { createProviderUses } from '../../federation/provider-uses.ts';
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
  const uses = createProviderUses({ artifacts, now });
  return {
    providers: createProviders({
      registry,
      /** Loaded with whatever needs it: few starts do. */
      async voidAccounts(id) {
        const { createProviderSweeps } = await import('../../federation/providers/account-sweeps.ts');
        await createProviderSweeps({ records: accounts, artifacts }).voidAccounts(id);
      },
      cipher,
      outbound,
      artifacts,
      url: settings.url,
      randomBytes,
      now,
      log,
      onRead: (id, what) => void uses.read(id, what),
    }),
    providerRegistration: createRegistrationOf({ storage, now }, { accounts, cipher, outbound }),
  };
}

/** Loaded by whoever changes providers: what reads their records takes longer to load than a start may. */
export function createRegistrationOf(
  { storage: { registry, artifacts }, now }: Pick<ServicesDeps, 'storage' | 'now'>,
  { accounts, cipher, outbound }: ProviderServicesDeps,
) {
  return async () => {
    const [{ createProviderRegistration }, { createProviderSweeps }] = await Promise.all([
      import('../../federation/providers/registration.ts'),
      import('../../federation/providers/account-sweeps.ts'),
    ]);
    return createProviderRegistration({
      registry,
      records: accounts,
      sweeps: createProviderSweeps({ records: accounts, artifacts }),
      cipher,
      checkOutboundUrl: outbound.checkRegistered,
      now,
    });
  };
}
