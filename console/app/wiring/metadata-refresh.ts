/** Metadata of SAML providers are fetched again a moment after the start, and then every hour. */

import type { Audit, Logger } from '../../../platform/log.ts';
import { hasRefreshedMetadata } from '../../federation/saml/metadata-refresh-due.ts';
import type { Services } from '../services.ts';

export interface MetadataRefreshOptions {
  readonly services: Services;
  readonly audit: Audit;
  readonly log: Logger;
}

const firstMs = 2_000;
const everyMs = 3_600_000;

/** @returns a function that ends it, after the round that is under way */
export function startMetadataRefresh({ services, audit, log }: MetadataRefreshOptions): () => Promise<void> {
  const { storage, outbound, now } = services;
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
    const { refreshMetadata } = await import('../../federation/saml/metadata-refresh.ts');
    const registration = await services.providerRegistration();
    await refreshMetadata({ registration, outbound, now, log, onRefreshed });
  }

  function onRefreshed(provider: string, changed: readonly string[]): void {
    audit('idp.refreshed', { outcome: 'success', source: 'metadata', provider, changed });
  }
}
