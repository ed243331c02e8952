/** Everything that works on the store, built once from its parts: the process and the command line share it. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createAccountRecords } from '../accounts/voiding.ts';
import { createCallRate } from '../admin-api/http/call-rate.ts';
import { createLatestEntries } from '../audit/reader/latest-entries.ts';
import { createNewestEntries } from '../audit/reader/newest-entries.ts';
import { createClientRegistration } from '../clients/client-registration.ts';
import { tokenTtlRange } from '../clients/client-rules.ts';
import { type Clients, createClients, createDerivedClients } from '../clients/clients.ts';
import { createOutbound, type Outbound } from '../http/outbound/outbound.ts';
import { createBranding } from '../installation/branding.ts';
import { createInstallationId } from '../installation/installation-id.ts';
import { createBulkChanges } from '../jobs/bulk-changes.ts';
import { createItemFiles } from '../jobs/item-files.ts';
import { createJobs } from '../jobs/jobs.ts';
import { createReadRows } from '../jobs/read-rows.ts';
import { createSharedFiles } from '../jobs/shared-files.ts';
import { createSharedItemFiles } from '../jobs/shared-item-files.ts';
import { createUploads } from '../jobs/uploads.ts';
import { type Cipher, createCipher } from '../keys/encryption.ts';
import { createKeys } from '../keys/keys.ts';
import { createDeliveries } from '../licence/deliveries.ts';
import { createLicences } from '../licence/licences.ts';
import { createMemberServices } from '../members/member-services.ts';
import { shareOf } from '../server/share-of.ts';
import { type ApplicationAddresses, applicationAddresses } from '../settings/application-addresses.ts';
import type { Settings } from '../settings/settings.ts';
import type { Registry, Storage } from '../storage/storage.ts';
import { resourcesOf } from '../tokens/resources.ts';
import { createAccountServices, createConsolePasswords } from './services/account-services.ts';
import { createAuditVerification } from './services/audit-verification.ts';
import { createProviderServices } from './services/provider-services.ts';
import { createRecordings, readerFor } from './services/recordings.ts';
import type { ServicesDeps } from './services/services-deps.ts';
import { createSessionServices } from './services/session-services.ts';
import { createSharedConsoles } from './services/shared-consoles.ts';

export type Services = ReturnType<typeof createServices>;

export function createServices(deps: ServicesDeps) {
  const { settings, storage, now, steady = now, others } = deps;
  const { application = constant(applicationAddresses(settings)) } = deps;
  const { registry, records } = storage;
  const accounts = createAccountRecords({
    records,
    endSessionsOf: (accountId) => sessions.endAllOf(accountId),
    now,
  });
  const cipher = createCipher(settings.encryptionKey?.reveal(), settings.encryptionKeyFallback?.reveal());
  const passwords = createConsolePasswords(deps);
  const applicationSecret = settings.applicationClientSecret?.reveal();
  const derived = createDerivedClients({ applicationSecret, application });
  const clients = createClients({ records: storage.records, derived });
  const outbound = createConsoleOutbound(settings, clients, application);
  const { providers, providerRegistration } = createProviderServices(deps, { accounts, cipher, outbound });
  const ofUsers = createAccountServices(deps, { accounts, passwords, providers });
  const { sessions, ...ofSessions } = createSessionServices(deps, { ...ofUsers, clients, cipher });
  const recordings = createRecordings(deps, clients, ofUsers.users);
  return {
    settings,
    ...createAuditServices(deps),
    resources: resourcesOf(settings),
    application,
    storage,
    now,
    steady,
    cipher,
    accounts,
    passwords,
    ...ofUsers,
    ...recordings,
    consoles: createSharedConsoles({ ...recordings, settings, storage, cipher }),
    ...createMemberServices(storage, cipher, now, {
      minutes: settings.callKeysMinutes,
      elsewhere: others?.calledKeys,
    }),
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
    branding: createBranding({ registry: storage.registry, now }),
    installationId: createInstallationId(storage),
    jobs: createJobs({ artifacts: storage.artifacts, now }),
    ...createJobFiles(deps, cipher),
    keys: createSigningKeys(settings, registry, cipher, storage.clock ?? now),
    callRate: createConsoleCallRate(settings, steady),
  };
}

function createAuditServices(deps: ServicesDeps) {
  const { auditReader = readerFor(deps), auditVersions, now, others } = deps;
  return {
    auditReader,
    latestEntries: createLatestEntries(auditReader, auditVersions, now),
    newestEntries: createNewestEntries(auditReader, auditVersions ?? others?.audit, now),
    auditVerification: createAuditVerification(deps),
    auditEraser: deps.auditEraser ?? (others?.eraseAudit ? { erase: others.eraseAudit } : {}),
  };
}

/** One for all ways by which this process is asked, and for what jobs ask for a caller. */
function createConsoleCallRate({ apiReadRate, apiChangeRate, workers }: Settings, steady: () => number) {
  const rates = { reads: shareOf(apiReadRate, workers), changes: shareOf(apiChangeRate, workers) };
  return createCallRate(rates, steady);
}

/** On the disk, or in the store where other consoles have it too. */
function createJobFiles(
  { settings: { dataDir, databaseUrl }, storage: { artifacts }, now, ...deps }: ServicesDeps,
  cipher: Cipher,
) {
  const isShared = databaseUrl !== undefined;
  const uploads = deps.uploads ?? createUploads(dataDir);
  return {
    uploads,
    itemFiles: isShared
      ? createSharedItemFiles({ artifacts, cipher, now })
      : createItemFiles({ dataDir, cipher, now }),
    bulkChanges: createBulkChanges({ artifacts }),
    readRows: createReadRows({ artifacts, cipher, now }),
    sharedFiles: isShared ? createSharedFiles({ artifacts, uploads, dataDir, now }) : undefined,
  };
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
