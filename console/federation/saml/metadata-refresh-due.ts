import type { Registry } from '../../storage/storage.ts';

/** Whether any provider's metadata are to be fetched again; read from the records, without loading their protocol. */
export function hasRefreshedMetadata(registry: Pick<Registry, 'all'>): boolean {
  return [...registry.all('providers').values()].some(
    ({ enabled, saml }) =>
      enabled === true &&
      (saml as { readonly metadataCertificate?: unknown } | undefined)?.metadataCertificate !== undefined,
  );
}
