/** Clients: those that settings imply and those that an administrator registered, one view of both. */
import { createHash } from 'node:crypto';
import { clientValidSince } from '../accounts/validity.ts';
import type { ClientRecord } from '../storage/records.ts';
import type { Registry } from '../storage/storage.ts';
import { applicationClientId, identityScopes, roleScopes } from './scopes.ts';

export const dashboardClientId = 'application-dashboard';

export type ClientsById = ReadonlyMap<string, ClientRecord>;

export type Clients = ReturnType<typeof createClients>;

/** @param derived  the clients that settings imply; the same map for as long as the settings are the same */
export function createClients(registry: Registry, derived: () => ClientsById) {
  let cached: { of: readonly ClientsById[]; origins: ReadonlySet<string> } | undefined;

  return {
    /** A disabled client is found too: who asks decides. */
    find: (id: string): ClientRecord | undefined => derived().get(id) ?? registry.get('clients', id),
    /**
     * Whether what was issued to this client at that time still counts: not while it is disabled, not from
     * before it was disabled, and not from another client that had its id earlier.
     *
     * @param issuedAt  epoch seconds
     */
    isLive(id: string, issuedAt: number): boolean {
      const since = this.validSince(id);
      return since !== undefined && issuedAt >= since;
    },
    /** Epoch seconds from which on it does; undefined while nothing does. */
    validSince(id: string): number | undefined {
      const client = this.find(id);
      return client && clientValidSince(client);
    },
    list(): readonly ClientRecord[] {
      const own = derived();
      return [...own.values(), ...[...registry.all('clients').values()].filter(({ id }) => !own.has(id))];
    },
    /** Origins of every live client's redirect addresses: who may call from a page. */
    origins(): ReadonlySet<string> {
      const of = [derived(), registry.all('clients')];
      if (!of.every((clients, index) => cached?.of[index] === clients)) {
        cached = { of, origins: originsOf(this.list()) };
      }
      return cached!.origins;
    },
  };
}

function originsOf(clients: readonly ClientRecord[]): ReadonlySet<string> {
  const live = clients.filter(({ disabled }) => !disabled);
  const origins = live.flatMap(({ redirectUris }) => redirectUris.map((uri) => new URL(uri).origin));
  return new Set(origins.filter((origin) => origin !== 'null'));
}

export interface DerivedClientsDeps {
  /** CONSOLE_APPLICATION_CLIENT_SECRET. */
  readonly applicationSecret: string | undefined;
  /** Asked on each use, since it changes while the console runs; the same object until it does. */
  readonly application: () => DashboardAddresses;
}

/** @returns the clients that the settings of this moment imply */
export function createDerivedClients({
  applicationSecret,
  application,
}: DerivedClientsDeps): () => ClientsById {
  const machines = applicationSecret === undefined ? [] : [applicationClient(applicationSecret)];
  let made: { readonly of: DashboardAddresses; readonly clients: ClientsById } | undefined;

  return () => {
    const of = application();
    if (made?.of !== of) {
      const clients = [...machines, ...(of.addresses.length > 0 ? [dashboardClient(of)] : [])];
      made = { of, clients: new Map(clients.map((client) => [client.id, client])) };
    }
    return made.clients;
  };
}

/**
 * The machine client of docs/surface.md#machine-tokens; it exists when its secret is set (S6).
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

export interface DashboardAddresses {
  /** `svc.mc.app.addresses`: public addresses of its nodes, without a trailing slash; none: there is no such client. */
  readonly addresses: readonly string[];
  /** Where the console reaches every node that has to hear of an ended session; at least one. */
  readonly noticeAddresses: readonly string[];
}

/** The dashboard application: signed in here without any registration (docs/surface.md#applications). */
export function dashboardClient({ addresses, noticeAddresses }: DashboardAddresses): ClientRecord {
  const [backchannelLogoutUri, ...furtherLogoutUris] = noticeAddresses.map(
    (address) => `${address}/logout/backchannel`,
  );
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
    ...(backchannelLogoutUri === undefined ? {} : { backchannelLogoutUri }),
    ...(furtherLogoutUris.length === 0 ? {} : { furtherLogoutUris }),
    scopes: [...identityScopes, 'offline_access', ...roleScopes.keys()],
    tokenAlg: 'RS256',
    tokenTyp: 'JWT',
    fromSettings: true,
    createdAt: 0,
  };
}

/** Every address that gets a logout token when a session of this client ends; one for each of its nodes. */
export function logoutTargets({ backchannelLogoutUri, furtherLogoutUris }: ClientRecord): readonly string[] {
  return backchannelLogoutUri === undefined ? [] : [backchannelLogoutUri, ...(furtherLogoutUris ?? [])];
}

/** SHA-256, base64url: client secrets are long random strings, for which a slow hash would add nothing. */
export function secretDigest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
