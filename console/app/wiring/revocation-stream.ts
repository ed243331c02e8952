/** What a member proxy in a process of its own is told of tokens. */
import { createRevocationStream, type RevocationStream } from '../../admin-api/revocations.ts';
import { revocationEventsScope } from '../../clients/scopes.ts';
import { aliveMs } from '../../tokens/revocation-stream/revocation-event.ts';
import { createRevocationSource } from '../../tokens/revocation-stream/revocation-events.ts';
import type { Shared } from './shared.ts';

/** A change of these may change which tokens count, and what they open. */
const eventCollections = ['users', 'clients', 'providers', 'roles'] as const;

export function composeRevocationStream({
  services,
  apiBearer,
  apiCallers,
  audit,
  about,
}: Shared): RevocationStream {
  const { revocations, clients, users, keys, storage, now } = services;
  const { registry } = storage;
  const source = createRevocationSource({
    revocations,
    clients,
    accounts: users,
    keys,
    customRoles: () => new Map([...registry.all('roles')].map(([name, role]) => [name, role.permissions])),
    versions: () => [
      ...eventCollections.map((collection) => registry.all(collection)),
      clients.origins(),
      keys.published(),
    ],
    onChange: (listener) =>
      registry.onChange((changed) => {
        if (eventCollections.some((collection) => changed.has(collection))) listener();
      }),
  });
  const stream = createRevocationStream({
    ...source,
    scope: revocationEventsScope,
    callers: apiCallers,
    isStillGood: apiBearer.isStillGood,
    audit,
    about,
    now,
    aliveMs,
  });
  return {
    handle: stream.handle,
    close() {
      source.close();
      stream.close();
    },
  };
}
