/** Upstream identity providers in the store of a console, as the command line leaves them there. */
import { encryptProvider } from '../../console/federation/providers/records.ts';
import type { OidcProvider, Provider } from '../../console/federation/providers/schema.ts';
import { parseRoleRule } from '../../console/federation/role-rules.ts';
import { createCipher } from '../../console/keys/encryption.ts';
import { usedDataDir } from './console.ts';
import { withStore } from './store.ts';

/** @returns a data directory of its own in which these are configured before the next start */
export async function storeWithProviders(...providers: readonly Provider[]): Promise<string> {
  const dataDir = await usedDataDir();
  await putProviders(dataDir, ...providers);
  return dataDir;
}

export function putProviders(dataDir: string, ...providers: readonly Provider[]): Promise<void> {
  const records = providers.map((provider) => encryptProvider(provider, createCipher(undefined)));
  return withStore(dataDir, ({ registry }) =>
    registry.update((transaction) => {
      for (const record of records) transaction.put('providers', record);
    }),
  );
}

/** What every kind of provider has; roles by the groups that providers of the tests give. */
export function providerBase(id: string, name: string) {
  const rules = ['groups=cn=admins,dc=example -> Admin', 'groups=ops -> Viewer'].map(parseRoleRule);
  return { id, name, enabled: true, createdAt: 1_700_000_000_000, roleRules: { rules } };
}

export function oidcProvider(
  id: string,
  name: string,
  issuer: string,
  oidc: Partial<OidcProvider['oidc']> = {},
): OidcProvider {
  return {
    ...providerBase(id, name),
    kind: 'oidc',
    oidc: {
      issuer,
      clientId: 'console',
      authentication: { method: 'none' },
      scopes: ['email', 'profile', 'groups'],
      ...oidc,
    },
  };
}
