/** Clients: those that settings imply and those that an administrator registered, one view of both. */
import { createHash } from 'node:crypto';
import type { ClientRecord } from '../storage/records.ts';
import type { Registry } from '../storage/storage.ts';
import { applicationClientId, identityScopes, roleScopes } from './access-token.ts';

export const dashboardClientId = 'application-dashboard';

export interface Clients {
  /** A disabled client is found too: who asks decides. */
  find(id: string): ClientRecord | undefined;
  /**
   * Whether what was issued to this client at that time still counts: not while it is disabled, not from
   * before it was disabled, and not from another client that had its id earlier.
   *
   * @param issuedAt  epoch seconds
   */
  isLive(id: string, issuedAt: number): boolean;
  list(): readonly ClientRecord[];
  /** Origins of every live client's redirect addresses: who may call from a page. */
  origins(): ReadonlySet<string>;
}

export function createClients(registry: Registry, derived: readonly ClientRecord[]): Clients {
  const own = new Map(derived.map((client) => [client.id, client]));
  let cached: { of: ReadonlyMap<string, ClientRecord>; origins: ReadonlySet<string> } | undefined;

  return {
    find: (id) => own.get(id) ?? registry.get('clients', id),
    isLive(id, issuedAt) {
      const client = this.find(id);
      if (!client || client.disabled) return false;
      return issuedAt >= Math.floor((client.tokensValidFrom ?? client.createdAt) / 1000);
    },
    list: () => [...own.values(), ...[...registry.all('clients').values()].filter(({ id }) => !own.has(id))],
    origins() {
      const registered = registry.all('clients');
      if (cached?.of !== registered) cached = { of: registered, origins: originsOf(this.list()) };
      return cached.origins;
    },
  };
}

function originsOf(clients: readonly ClientRecord[]): ReadonlySet<string> {
  const live = clients.filter(({ disabled }) => !disabled);
  const origins = live.flatMap(({ redirectUris }) => redirectUris.map((uri) => new URL(uri).origin));
  return new Set(origins.filter((origin) => origin !== 'null'));
}

/**
 * The machine client of spec 5.3.1; it exists when its secret is set (S6).
 *
 * @param secret  CONSOLE_APPLICATION_CLIENT_SECRET
 */
export function applicationClient(secret: string): ClientRecord {
  return {
    id: applicationClientId,
    isPublic: false,
    isFirstParty: true,
    disabled: false,
    secrets: [{ sha256: secretDigest(secret), createdAt: 0 }],
    grantTypes: ['client_credentials'],
    redirectUris: [],
    postLogoutRedirectUris: [],
    scopes: [...identityScopes, ...roleScopes.keys()],
    tokenAlg: 'RS256',
    tokenTyp: 'JWT',
    fromSettings: true,
    createdAt: 0,
  };
}

/**
 * The dashboard application of spec 5.2.2: signed in here without any registration.
 *
 * @param addresses        `svc.mc.app.addresses`: public addresses of its nodes, without a trailing slash
 * @param internalAddress  `svc.mc.app.internalAddress`: where the console reaches it
 */
export function dashboardClient(addresses: readonly string[], internalAddress: string): ClientRecord {
  return {
    id: dashboardClientId,
    isPublic: true,
    isFirstParty: true,
    disabled: false,
    secrets: [],
    grantTypes: ['authorization_code', 'refresh_token'],
    redirectUris: addresses.flatMap((address) => [
      `${address}/login/callback`,
      `${address}/silent-refresh.html`,
      `${address}/`,
    ]),
    postLogoutRedirectUris: addresses.map((address) => `${address}/`),
    backchannelLogoutUri: `${internalAddress}/logout/backchannel`,
    scopes: [...identityScopes, 'offline_access', ...roleScopes.keys()],
    tokenAlg: 'RS256',
    tokenTyp: 'JWT',
    fromSettings: true,
    createdAt: 0,
  };
}

/** SHA-256, base64url: client secrets are long random strings, for which a slow hash would add nothing. */
export function secretDigest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
