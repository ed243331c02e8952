/** What a member proxy in a process of its own is told of tokens: what the store says of it, as it changes. */
import type { Storage } from '../../storage/storage.ts';
import { aliveMs } from './revocation-event.ts';
import { createRevocationSource, type RevocationSourceDeps } from './revocation-events.ts';

export interface StoredRevocationSourceDeps
  extends Pick<RevocationSourceDeps, 'revocations' | 'clients' | 'keys'> {
  readonly tokenValidity: RevocationSourceDeps['accounts'];
  readonly storage: Pick<Storage, 'registry'>;
}

/** A change of these may change which tokens count, and what they open. */
const emitting = ['users', 'clients', 'providers', 'roles'] as const;

export function createStoredRevocationSource(deps: StoredRevocationSourceDeps) {
  const { clients, tokenValidity, keys } = deps;
  const { registry } = deps.storage;
  const source = createRevocationSource({
    ...deps,
    accounts: tokenValidity,
    customRoles: () => new Map([...registry.all('roles')].map(([name, role]) => [name, role.permissions])),
    versions: () => [
      ...emitting.map((collection) => registry.all(collection)),
      clients.origins(),
      keys.published(),
    ],
    onChange: (listener) =>
      registry.onChange((changed) => {
        if (emitting.some((collection) => changed.has(collection))) listener();
      }),
  });
  return { ...source, aliveMs };
}
