/** Everything that works on the store, built once from its parts: the process and the command line share it. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Logger } from '../../platform/log.ts';
import { createDenialLog } from '../access/denials.ts';
import { createCustomRoles } from '../accounts/custom-roles.ts';
import { createLockedNames } from '../accounts/guessing/locked-names.ts';
import { costliestImportedHash } from '../accounts/password-hashes/imported-hashes.ts';
import { createPasswords } from '../accounts/passwords.ts';
import { createSessions } from '../accounts/sessions.ts';
import { createSignInTimes } from '../accounts/sign-in-times.ts';
import { createInvitations } from '../accounts/users/invitations.ts';
import { createUsers } from '../accounts/users.ts';
import { type AccountRecords, createAccountRecords } from '../accounts/voiding.ts';
import type { AuditEraser } from '../admin-api/audit/audit-operations.ts';
import type { Entry } from '../audit/entry.ts';
import { createAuditReader, remoteReader } from '../audit/reader/audit-reader.ts';
import type { AskAudit, AuditReader } from '../audit/reader/questions.ts';
import { type ClientUseRow, createClientUses } from '../clients/client-last-used.ts';
import { createClientRegistration } from '../clients/client-registration.ts';
import { isPermission, tokenTtlRange } from '../clients/client-rules.ts';
import { createClients, createDerivedClients, logoutTargets } from '../clients/clients.ts';
import { createProviders } from '../federation/providers/providers.ts';
import { createUpstreamSessions } from '../federation/upstream-sessions.ts';
import { createOutbound } from '../http/outbound/outbound.ts';
import { createJobs } from '../jobs/jobs.ts';
import { type Cipher, createCipher } from '../keys/encryption.ts';
import { createKeys } from '../keys/keys.ts';
import { createDeliveries } from '../licence/deliveries.ts';
import { createLicences } from '../licence/licences.ts';
import { createLogoutOutbox } from '../logout/logout-outbox.ts';
import { createMemberServices } from '../members/member-services.ts';
import { type ApplicationAddresses, applicationAddresses } from '../settings/application-addresses.ts';
import type { Settings } from '../settings/settings.ts';
import type { Registry, Storage } from '../storage/storage.ts';
import { idsByTime } from '../storage/time-ordered-id.ts';
import { resourcesOf } from '../tokens/resources.ts';
import { createRevocations } from '../tokens/revocations.ts';
import { createVoids } from '../tokens/voids/voids.ts';
import { createUsage } from '../usage/usage.ts';
import type { UsageRow } from '../usage/usage-row.ts';
import type { Gap } from '../usage/usage-store.ts';

export type Services = ReturnType<typeof createServices>;

export interface ServicesDeps {
  readonly settings: Settings;
  readonly storage: Storage;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The same, going on evenly whatever is done to the clock. */
  readonly steady?: () => number;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Where the dashboard application is now, when that may change; otherwise what `settings` says. */
  readonly application?: () => ApplicationAddresses;
  /** Where several processes answer. */
  readonly others?: OtherProcesses;
  /** Where there is one already. */
  readonly auditReader?: AuditReader;
  /** Of the process that writes it. */
  readonly auditEraser?: AuditEraser;
}

export interface OtherProcesses {
  readonly flushDenials: () => Promise<void>;
  /** Absent in the process that reads it. */
  readonly askAudit?: AskAudit;
  readonly eraseAudit?: (entry: Entry) => Promise<void>;
  /** Absent in the process that writes them. */
  readonly recordClientUses?: (rows: readonly ClientUseRow[]) => Promise<void>;
  /** The same. */
  readonly recordUsage?: (rows: readonly UsageRow[], gaps: readonly Gap[]) => Promise<void>;
  readonly settleUsage: () => Promise<void>;
}

export function createServices(deps: ServicesDeps) {
  const { settings, storage, now, steady = now, log, others } = deps;
  const { application = constant(applicationAddresses(settings)) } = deps;
  const { registry, records } = storage;
  const accounts = createAccountRecords({
    records,
    endSessionsOf: (accountId) => sessions.endAllOf(accountId),
    now,
  });
  const cipher = createCipher(settings.encryptionKey?.reveal());
  const passwords = createConsolePasswords(settings, registry, log);
  const applicationSecret = settings.applicationClientSecret?.reveal();
  const derived = createDerivedClients({ applicationSecret, application });
  const clients = createClients({ records: storage.records, derived });
  const outbound = createConsoleOutbound(settings, clients, application);
  const { providers, providerRegistration } = createProviderServices(
    { settings, storage, now, log },
    { accounts, cipher, outbound },
  );
  const ofUsers = createUserServices({ settings, storage, now }, { accounts, passwords, providers });
  const { sessions, ...ofSessions } = createSessionServices(
    { settings, storage, now, log },
    { ...ofUsers, clients, cipher },
  );
  return {
    settings,
    auditReader: deps.auditReader ?? readerFor(settings.dataDir, deps),
    auditEraser: deps.auditEraser ?? (others?.eraseAudit ? { erase: others.eraseAudit } : {}),
    resources: resourcesOf(settings),
    application,
    storage,
    now,
    steady,
    cipher,
    accounts,
    passwords,
    ...ofUsers,
    ...createRecordings(deps, clients),
    ...createMemberServices(storage, now),
    clients,
    outbound,
    providers,
    providerRegistration,
    ...ofSessions,
    ...createLicenceServices(storage, application, now),
    registration: createClientRegistration({
      records: storage.records,
      registry,
      checkOutboundUrl: outbound.check,
      isRedirectOrigin: clients.isRedirectOrigin,
      newSecret: () => randomBytes(32).toString('base64url'),
      now,
    }),
    sessions,
    jobs: createJobs({ artifacts: storage.artifacts, now }),
    keys: createSigningKeys(settings, registry, cipher, now),
  };
}

function createConsolePasswords(
  { passwordMinLength }: Settings,
  registry: Registry,
  log: ServicesDeps['log'],
) {
  return createPasswords({
    minCharacters: passwordMinLength,
    concurrency: 2,
    maxWaiting: 64,
    costliestImported: () => costliestImportedHash(registry),
    onDamagedHash: (subject) =>
      log.error({ subject }, 'a stored password hash is damaged: give the account another password'),
  });
}

function createSigningKeys(settings: Settings, registry: Registry, cipher: Cipher, now: () => number) {
  return createKeys({
    registry,
    cipher,
    now,
    rotationDays: settings.keyRotationDays,
    // An ID token is a logout hint for as long as its session can live.
    longestTokenLifeSeconds: Math.max(tokenTtlRange.max, settings.sessionMaxSeconds) + 60,
  });
}

/** Of another process, or a thread that begins with the first question. */
function readerFor(dataDir: string, { log, others }: Pick<ServicesDeps, 'log' | 'others'>): AuditReader {
  return others?.askAudit ? remoteReader(others.askAudit) : createAuditReader({ dataDir, log });
}

/** What is written down of calls as they come. */
function createRecordings(
  {
    settings,
    storage: { artifacts },
    now,
    log,
    others,
  }: Pick<ServicesDeps, 'settings' | 'storage' | 'now' | 'log' | 'others'>,
  clients: Clients,
) {
  return {
    denials: createDenialLog({
      artifacts,
      newStem: () => randomBytes(6).toString('base64url'),
      flushOthers: others?.flushDenials,
      now,
      log,
    }),
    clientUses: createClientUses({ artifacts, clients, report: others?.recordClientUses, now }),
    usage: createUsage({
      artifacts,
      days: settings.usageDays,
      report: others?.recordUsage,
      settleOthers: others?.settleUsage,
      now,
    }),
  };
}

type Clients = ReturnType<typeof createClients>;
type Users = ReturnType<typeof createUsers>;
type Outbound = ReturnType<typeof createOutbound>;

/** Calls to addresses of others; those of registered applications may be on this machine. */
function createConsoleOutbound(
  { outboundAllow }: Settings,
  clients: Clients,
  application: () => ApplicationAddresses,
): Outbound {
  return createOutbound({
    allow: outboundAllow,
    isKnownLoopback: (origin) =>
      clients.originsOfSettings().has(origin) || origin === originOf(application().internalAddress),
    isRegisteredLoopback: clients.isRedirectOrigin,
  });
}

interface UserServicesDeps {
  readonly accounts: AccountRecords;
  readonly passwords: ReturnType<typeof createPasswords>;
  readonly providers: ReturnType<typeof createProviders>;
}

function createUserServices(
  {
    settings: { url },
    storage: { registry, artifacts },
    now,
  }: Pick<ServicesDeps, 'settings' | 'storage' | 'now'>,
  { accounts: records, passwords, providers }: UserServicesDeps,
) {
  const accountsValidFrom = (id: string) => providers.accountsValidFrom(id);
  const newId = idsByTime(now);
  return {
    users: createUsers({ records, registry, passwords, newId, now, accountsValidFrom }),
    roles: createCustomRoles({ registry, records, isPermission, now }),
    invitations: createInvitations({
      records,
      artifacts,
      passwords,
      newToken: () => randomBytes(32).toString('base64url'),
      url,
      now,
    }),
    times: createSignInTimes({ artifacts }),
    lockedNames: createLockedNames({ artifacts }),
  };
}

interface ProviderServicesDeps {
  readonly accounts: AccountRecords;
  readonly cipher: Cipher;
  readonly outbound: Outbound;
}

/** Identity providers, and how they are registered. */
function createProviderServices(
  { settings, storage, now, log }: Pick<ServicesDeps, 'settings' | 'storage' | 'now' | 'log'>,
  { accounts, cipher, outbound }: ProviderServicesDeps,
) {
  const { registry, artifacts } = storage;
  /** Loaded with whatever needs them: few starts do. */
  async function sweeps() {
    const { createProviderSweeps } = await import('../federation/providers/account-sweeps.ts');
    return createProviderSweeps({ records: accounts, artifacts });
  }
  return {
    providers: createProviders({
      registry,
      voidAccounts: async (id) => (await sweeps()).voidAccounts(id),
      cipher,
      outbound,
      artifacts,
      url: settings.url,
      randomBytes,
      now,
      log,
    }),
    /** Loaded by whoever changes providers: what reads their records takes longer to load than a start may. */
    async providerRegistration() {
      const { createProviderRegistration } = await import('../federation/providers/registration.ts');
      return createProviderRegistration({
        registry,
        records: accounts,
        sweeps: await sweeps(),
        cipher,
        checkOutboundUrl: outbound.checkRegistered,
        now,
      });
    },
  };
}

interface SessionServicesDeps {
  readonly users: Users;
  readonly clients: Clients;
  readonly cipher: Cipher;
}

/** Sessions, and what ends with them: tokens, sign-ins at applications, sessions at providers. */
function createSessionServices(
  { settings, storage, now, log }: Pick<ServicesDeps, 'settings' | 'storage' | 'now' | 'log'>,
  { users, clients, cipher }: SessionServicesDeps,
) {
  const { artifacts, records } = storage;
  const logoutOutbox = createLogoutOutbox({
    artifacts,
    async targetsOf(id) {
      const client = await clients.find(id);
      return client ? logoutTargets(client) : [];
    },
    now,
  });
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
    isStillValid: users.isStillValid,
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

/** The dashboard's licences, and their way to it. */
function createLicenceServices(
  { registry, artifacts }: Storage,
  application: () => ApplicationAddresses,
  now: () => number,
) {
  const licences = createLicences({ registry, newId: randomUUID, now });
  const address = () => application().internalAddress;
  return { licences, licenceDeliveries: createDeliveries({ artifacts, licences, address, now }) };
}

function originOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : new URL(address).origin;
}

function constant<T>(value: T): () => T {
  return () => value;
}
