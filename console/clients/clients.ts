/** Clients: those that settings imply and those that an administrator registered, one view of both. */
import { createHash } from 'node:crypto';
import { clientValidSince } from '../accounts/validity.ts';
import { isInClientList } from '../storage/client-lists.ts';
import type {
  ClientCount,
  ClientFilter,
  Page,
  PageRequest,
  RecordStore,
  UserOrder,
} from '../storage/record-store.ts';
import type { ClientRecord } from '../storage/records.ts';
import { cliClient, cliClientId } from './cli-client.ts';
import { createClientCache } from './client-cache.ts';
import { clientsById } from './clients-by-id.ts';
import { createRedirectOrigins } from './redirect-origins.ts';
import { applicationClientId, identityScopes, roleScopes } from './scopes.ts';

export const dashboardClientId = 'application-dashboard';

/** Clients of settings; no other may be called so, whatever the settings of this moment make of them. */
export const settingsClientIds: readonly string[] = [applicationClientId, dashboardClientId, cliClientId];

/** No id begins so. */
const settingsCursor = ':';

export type ClientsById = ReadonlyMap<string, ClientRecord>;

export type Clients = ReturnType<typeof createClients>;

export interface ClientsDeps {
  readonly records: Pick<
    RecordStore,
    'get' | 'clients' | 'count' | 'countClients' | 'isRedirectOrigin' | 'onChange'
  >;
  /** The clients that settings imply; the same map for as long as the settings are the same. */
  readonly derived: () => ClientsById;
}

export function createClients({ records, derived }: ClientsDeps) {
  const cache = createClientCache({ records });
  const origins = createRedirectOrigins({ records, derived });

  return {
    /** A disabled client is found too: who asks decides. At once for those that were asked for lately. */
    find: (id: string): ClientRecord | undefined | Promise<ClientRecord | undefined> =>
      derived().get(id) ?? cache.find(id),
    /**
     * Whether what was issued to this client at that time still counts: not while it is disabled, not from
     * before it was disabled, and not from another client that had its id earlier.
     *
     * @param issuedAt  epoch seconds
     */
    async isLive(id: string, issuedAt: number): Promise<boolean> {
      const client = await this.find(id);
      const since = client && clientValidSince(client);
      return since !== undefined && issuedAt >= since;
    },
    /** Whether this is a client of settings that they do not imply any more: nothing that it was given counts. */
    isUnset: (id: string): boolean => settingsClientIds.includes(id) && !derived().has(id),
    /** Those of the settings first. A page may be short: only one without `next` is the last. */
    async page({
      after,
      limit,
      mostRead,
      ...filter
    }: PageRequest & ClientFilter): Promise<Page<ClientRecord>> {
      const own = derived();
      const isOfSettings = after === undefined || after.startsWith(settingsCursor);
      const start = after === undefined ? 0 : Number(after.slice(settingsCursor.length));
      const meant = isOfSettings ? [...own.values()].filter((client) => isInClientList(client, filter)) : [];
      const ofSettings = meant.slice(start, start + limit);
      if (ofSettings.length === limit) {
        return { records: ofSettings, next: `${settingsCursor}${start + limit}` };
      }
      const found = await records.clients({
        ...filter,
        mostRead,
        limit: limit - ofSettings.length,
        after: isOfSettings ? undefined : after,
      });
      return { ...found, records: [...ofSettings, ...found.records.filter(({ id }) => !own.has(id))] };
    },
    /** The same by id alone: those of the settings among the others. */
    byId: (request: PageRequest & ClientFilter & UserOrder): Promise<Page<ClientRecord>> =>
      clientsById(request, { records, ofSettings: derived().values() }),
    count: async (): Promise<number> => derived().size + (await records.count('clients')),
    /** How many of a list there are; undefined where {@link RecordStore.countClients} does not know. */
    async countOf(filter: ClientCount): Promise<number | undefined> {
      const counted = await records.countClients(filter);
      const ofSettings = [...derived().values()].filter((client) => isInClientList(client, filter));
      return counted === undefined ? undefined : counted + ofSettings.length;
    },
    isRedirectOrigin: origins.isRedirectOrigin,
    /** Origins of the clients of settings; the same set until they change. */
    originsOfSettings: origins.ofSettings,
    /** The same map until the settings change. */
    ofSettings: derived,
  };
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
      const clients = [...machines, ...(of.addresses.length > 0 ? [dashboardClient(of)] : []), cliClient];
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
    ...(addresses[0] === undefined ? {} : { clientUri: `${addresses[0]}/` }),
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
