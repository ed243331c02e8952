/** Sessions, and what ends with them: tokens, sign-ins at applications, sessions at providers. */
import { createSessions } from '../../accounts/sessions.ts';
import type { Users } from '../../accounts/users.ts';
import { tokenTtlRange } from '../../clients/client-rules.ts';
import { type Clients, logoutTargets } from '../../clients/clients.ts';
import { createUpstreamSessions } from '../../federation/upstream-sessions.ts';
import type { Cipher } from '../../keys/encryption.ts';
import { createLogoutOutbox } from '../../logout/logout-outbox.ts';
import { createRevocations } from '../../tokens/revocations.ts';
import { createVoids } from '../../tokens/voids/voids.ts';
import type { ServicesDeps } from './services-deps.ts';

interface SessionServicesDeps {
  readonly users: Users;
  readonly clients: Clients;
  readonly cipher: Cipher;
}

/** Where a session that ends leaves what applications have to be told, and where whoever sends it finds it. */
export function createNoticesOutbox({
  storage: { artifacts },
  clients,
  now,
}: Pick<ServicesDeps, 'storage' | 'now'> & Pick<SessionServicesDeps, 'clients'>) {
  return createLogoutOutbox({
    artifacts,
    async targetsOf(id) {
      const client = await clients.find(id);
      return client ? logoutTargets(client) : [];
    },
    now,
  });
}

export function createSessionServices(
  { settings, storage, now, log }: Pick<ServicesDeps, 'settings' | 'storage' | 'now' | 'log'>,
  { users, clients, cipher }: SessionServicesDeps,
) {
  const { artifacts, records } = storage;
  const logoutOutbox = createNoticesOutbox({ storage, clients, now });
  const upstreamSessions = createUpstreamSessions({ artifacts, cipher });
  const revocations = createRevocations({
    artifacts,
    voids: createVoids({ artifacts, records, log, now }),
    isClientUnset: clients.isUnset,
    accessTokenSeconds: tokenTtlRange.max,
    now,
  });
  const sessions = createSessions({
    artifacts,
    validSinceOf: users.validSinceOf,
    revokeTokens: revocations.revokeGrant,
    now,
    idleSeconds: settings.sessionIdleSeconds,
    maxSeconds: settings.sessionMaxSeconds,
    async onEnded(session) {
      await logoutOutbox.add(session);
      await upstreamSessions.forget(session.uid);
    },
  });
  return { logoutOutbox, upstreamSessions, revocations, sessions };
}
