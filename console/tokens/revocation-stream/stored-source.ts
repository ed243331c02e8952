/** What a member proxy in a process of its own is told of tokens: what the store says of it, as it changes. */
import type { Clients } from '../../clients/clients.ts';
import type { Storage } from '../../storage/storage.ts';
import { aliveMs } from './revocation-event.ts';
import { createRevocationSource, type RevocationSourceDeps } from './revocation-events.ts';

export interface StoredRevocationSourceDeps extends Pick<RevocationSourceDeps, 'revocations' | 'keys'> {
  readonly clients: Pick<Clients, 'isUnset' | 'ofSettings' | 'isRedirectOrigin'>;
  readonly storage: Pick<Storage, 'registry' | 'records'>;
  readonly memberRecords: { drained(): ReadonlySet<string> };
}

export function createStoredRevocationSource(deps: StoredRevocationSourceDeps) {
  const { clients, keys, memberRecords } = deps;
  const { registry, records } = deps.storage;
  const drainedMembers = () => [...memberRecords.drained()].sort();
  const source = createRevocationSource({
    ...deps,
    customRoles: () => new Map([...registry.all('roles')].map(([name, role]) => [name, role.permissions])),
    drainedMembers,
    versions: () => [registry.all('roles'), clients.ofSettings(), keys.published(), drainedMembers().join()],
    onChange: (listener) =>
      registry.onChange((changed) => {
        if (changed.has('roles') || changed.has('settings')) listener();
      }),
    onOriginsChange: (listener) =>
      records.onChange((changes) => {
        if (changes.some(({ collection }) => collection === 'clients')) listener();
      }),
  });
  return { ...source, isRedirectOrigin: clients.isRedirectOrigin, aliveMs };
}
