/** Metadata of SAML providers are fetched again a moment after the start, and then every hour. */
import type { Audit, Logger } from '../../../platform/log.ts';
import type { Registry, Storage } from '../../storage/storage.ts';
import { createProviderUses } from '../provider-uses.ts';
import type { ProviderRegistration } from '../providers/registration.ts';
import type { MetadataRefreshDeps } from './metadata-refresh.ts';

export interface MetadataRefreshNeeds extends Pick<MetadataRefreshDeps, 'outbound' | 'now'> {
  readonly storage: Pick<Storage, 'registry' | 'artifacts' | 'leadership'>;
  readonly providerRegistration: () => Promise<Pick<ProviderRegistration, 'list' | 'update'>>;
  readonly audit: Audit;
  readonly log: Logger;
}

const firstMs = 2_000;
const everyMs = 3_600_000;

/** @returns a function that ends it, after the round that is under way */
export function startMetadataRefresh(needs: MetadataRefreshNeeds): () => Promise<void> {
  const { storage, outbound, providerRegistration, audit, log, now } = needs;
  let round = Promise.resolve();
  const work = () => {
    if (!hasRefreshedMetadata(storage.registry)) return;
    round = round
      .then(refresh)
      .catch((error) => log.error({ err: error }, 'metadata of identity providers cannot be fetched again'));
  };
  const first = setTimeout(work, firstMs).unref();
  const timer = setInterval(work, everyMs).unref();
  return () => {
    clearTimeout(first);
    clearInterval(timer);
    return round;
  };

  /** Loading the protocol takes longer than a start may. */
  async function refresh(): Promise<void> {
    const { refreshMetadata } = await import('./metadata-refresh.ts');
    const registration = await providerRegistration();
    const uses = createProviderUses({ artifacts: storage.artifacts, now });
    await refreshMetadata({ registration, outbound, uses, now, log, onRefreshed });
    storage.leadership?.ran('provider_metadata');
  }

  function onRefreshed(provider: string, changed: readonly string[]): void {
    audit('idp.refreshed', { outcome: 'success', source: 'metadata', provider, changed });
  }
}

/** Whether any provider's metadata are to be fetched again; read from the records, without loading their protocol. */
function hasRefreshedMetadata(registry: Pick<Registry, 'all'>): boolean {
  return [...registry.all('providers').values()].some(
    ({ enabled, saml }) =>
      enabled === true &&
      (saml as { readonly metadataCertificate?: unknown } | undefined)?.metadataCertificate !== undefined,
  );
}
