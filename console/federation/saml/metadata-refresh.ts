/**
 * Metadata of SAML providers, fetched again under the trust that an administrator pinned: a provider that
 * changes its signing key announces it there, and nobody has to be awake for it. Without a certificate for the
 * metadata nothing is fetched: an address alone proves nobody.
 */
import { ProblemError } from '../../../platform/errors.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Outbound } from '../../http/outbound/outbound.ts';
import { FederationError } from '../connector.ts';
import type { ProviderUses } from '../provider-uses.ts';
import { fetchMetadata } from '../providers/input-deps.ts';
import type { ProviderRegistration } from '../providers/registration.ts';
import type { SamlProvider, SamlSettings } from '../providers/schema.ts';
import { readProviderMetadata } from './metadata.ts';

export interface MetadataRefreshDeps {
  readonly registration: Pick<ProviderRegistration, 'list' | 'update'>;
  readonly outbound: Pick<Outbound, 'send'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly uses: Pick<ProviderUses, 'read' | 'metadataFailed'>;
  /** What has changed is in force already. */
  readonly onRefreshed: (providerId: string, changed: readonly string[]) => void;
  readonly log: Pick<Logger, 'warn'>;
}

/** One round over all providers; what cannot be had, or proves nothing, leaves what is pinned in force. */
export async function refreshMetadata(deps: MetadataRefreshDeps): Promise<void> {
  for (const { provider } of await deps.registration.list()) {
    if (provider?.kind !== 'saml' || !provider.enabled) continue;
    await refresh(provider, deps).catch(async (error: unknown) => {
      if (!(error instanceof FederationError || error instanceof ProblemError)) throw error;
      const fields = { provider: provider.id, reason: error.message };
      deps.log.warn(fields, 'metadata of an identity provider stay as they were');
      await deps.uses.metadataFailed(provider.id, error);
    });
  }
}

/** @throws {FederationError}, {@link ProblemError} */
async function refresh(provider: SamlProvider, deps: MetadataRefreshDeps): Promise<void> {
  const { metadata: pinned, metadataUrl, metadataCertificate } = provider.saml;
  if (metadataUrl === undefined || metadataCertificate === undefined) return;
  const text = await fetchMetadata(deps.outbound, metadataUrl);
  const today = await readProviderMetadata(text, deps.now(), metadataCertificate);
  if (today.entityId !== pinned.entityId) {
    throw new FederationError(400, 'The metadata describe another identity provider');
  }
  const changed = changesOf(pinned, today);
  if (changed.length === 0) return deps.uses.read(provider.id, 'metadata');
  const after = await deps.registration.update(provider.id, (current) => {
    // Changed by an administrator in the meantime: theirs goes before.
    if (current.kind !== 'saml' || current.saml.metadataCertificate !== metadataCertificate) return current;
    return { ...current, saml: { ...current.saml, metadata: today } };
  });
  if (after.kind !== 'saml' || after.saml.metadata !== today) return;
  await deps.uses.read(provider.id, 'metadata');
  deps.onRefreshed(provider.id, changed);
}

type Metadata = SamlSettings['metadata'];

function changesOf(before: Metadata, after: Metadata): readonly string[] {
  const names = ['signOnUrl', 'signOnBinding', 'logout', 'certificates', 'nameIdFormats'] as const;
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}
