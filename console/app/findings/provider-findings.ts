/** Which identity providers sign by a certificate that ends soon: then they sign by another one, which has to be pinned here first. */
import { X509Certificate } from 'node:crypto';
import type { HealthFinding } from '../../admin-api/cluster/health.ts';
import type { Provider } from '../../federation/providers/schema.ts';
import type { Services } from '../services.ts';

const dayMs = 24 * 3600 * 1000;
const soonDays = 30;

/** Disabled ones are left out. */
export function checkProviders({
  providers,
  storage,
  now,
}: Pick<Services, 'providers' | 'storage' | 'now'>): readonly HealthFinding[] {
  return [...storage.registry.all('providers').keys()].flatMap((id) => {
    const provider = providers.find(id);
    const endsAt = provider?.enabled ? lastEndOf(provider) : undefined;
    if (endsAt === undefined || endsAt - now() > soonDays * dayMs) return [];
    return [findingOf(id, Math.floor((endsAt - now()) / dayMs))];
  });
}

function findingOf(id: string, days: number): HealthFinding {
  return {
    check: `identity provider ${id}`,
    state: 'warning',
    reason: reasonFor(days),
    fix: 'Have its new metadata read, from their address or from a file.',
    command: `npx console idp update ${id} --metadata-url URL`,
    operation: 'updateIdentityProvider',
  };
}

function reasonFor(days: number): string {
  if (days < 0)
    return 'Its signing certificate has ended. It counts as long as it is pinned; nobody can sign in once the provider signs with another one.';
  return days === 1
    ? `Its signing certificate ends in ${days} day. Once the provider signs with another one, nobody can sign in until that one is pinned.`
    : `Its signing certificate ends in ${days} days. Once the provider signs with another one, nobody can sign in until that one is pinned.`;
}

/** @returns of the certificates that are pinned, the end of the one that lasts longest, epoch milliseconds; undefined without any */
function lastEndOf(provider: Provider): number | undefined {
  if (provider.kind !== 'saml') return undefined;
  const ends = provider.saml.metadata.certificates.map(endOf).filter((end) => end !== undefined);
  return ends.length === 0 ? undefined : Math.max(...ends);
}

/** @returns undefined of what is damaged: what becomes of its provider is said where it is read */
function endOf(pem: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(pem).validTo);
  } catch {
    return undefined;
  }
}
