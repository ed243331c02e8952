/** Opens everything in the order in which it is needed; what can wait for a thread or a disk overlaps. */
import { setTimeout as pause } from 'node:timers/promises';
import { createSteadyClock } from '../platform/clocks.ts';
import type { Closing } from '../platform/closing.ts';
import type { Faults } from '../platform/faults.ts';
import { createAudit, type Logger } from '../platform/log.ts';
import { startDuties } from './app/duties.ts';
import { createServices, type Services } from './app/services.ts';
import { openAuditTrail } from './audit/audit-trail.ts';
import { inspectClients } from './clients/client-excess.ts';
import { serveCommands } from './commands/channel/serve.ts';
import { startEmbeddedMember } from './embedded-member.ts';
import { startMetadataRefresh } from './federation/saml/metadata-refresh-rounds.ts';
import { recordDeniedConnections } from './server/denied-connections.ts';
import { type ListenOptions, listen } from './server/listen.ts';
import { onlyManagement } from './server/management-port.ts';
import { createConsoleOverload } from './server/overload.ts';
import { createStartWarnings } from './server/start-warnings.ts';
import type { ApplicationAddresses } from './settings/application-addresses.ts';
import { followSettings } from './settings/follow-settings.ts';
import { settingsFile } from './settings/process-settings.ts';
import type { Settings } from './settings/settings.ts';
import { followFile } from './storage/embedded/follow-file.ts';
import { openStorage } from './storage/embedded/open.ts';
import { revocationEventsPath } from './tokens/revocation-stream/revocation-event.ts';
import { welcome } from './welcome.ts';

export interface StartDeps {
  readonly settings: Settings;
  /** The same sources, read anew. @throws {SettingsError} */
  readonly readSettings: () => Promise<Settings>;
  /** Where `CONSOLE_APPLICATION_CLIENT_SECRET` comes from, when it is a file: the printed call reads it too. */
  readonly secretFile: string | undefined;
  /** Whose `HZ_…` and `SVC_…` variables are put over the embedded member's configuration. */
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** Gets what has been opened, also when the start fails half-way. */
  readonly closing: Closing;
  readonly faults: Faults;
}

export type Started = Awaited<ReturnType<typeof start>>;

const maintenanceMs = 60_000;
/** How long a start waits to tell how the members are, milliseconds; those of a network answer within a few. */
const firstProbeMs = 1_000;

/** Resolves when the console answers and has said so on standard output. */
export async function start({
  settings,
  readSettings,
  secretFile,
  environment,
  log,
  closing,
  faults,
}: StartDeps) {
  const { services, audit, application } = await open({ settings, readSettings, log, closing, faults });
  const { users, denials } = services;
  // Keys and passwords are made on other threads while this one loads the rest.
  const [member, { createConsole }] = await allOf([
    startEmbeddedMember({ settings, environment, log, closing }),
    import('./app/console.ts'),
    services.keys.prepare(),
    services.providers.prepare(),
    createFirstAdministrator(services),
    finishSweeps(services, log),
  ]);
  const members = member ? [member.address] : settings.members;
  const overload = createConsoleOverload(settings, [revocationEventsPath]);
  const { numbers } = overload;
  const console = await createConsole({ services, log, audit, members, faults, overload: numbers });
  closing.add('connections to members', console.close);
  closing.add('notices to applications', startDuties({ services, audit, log }));
  const { server, management } = await openPorts({
    settings,
    handle: console.handle,
    overload,
    onDenial: recordDeniedConnections({ record: denials.record, audit }),
  });
  closing.add('port', () => server.close(0));
  closing.add('management port', async () => management?.close(0));
  closing.add('maintenance', startMaintenance(services, log));
  closing.add('metadata of identity providers', startMetadataRefresh({ ...services, audit, log }));
  const commands = await serveCommands({
    dataDir: settings.dataDir,
    services,
    settings: () => withApplication(settings, application()),
    members: console.members.statuses,
    isReady: console.isReady,
    fetch,
  });
  closing.add('command line', commands);
  if (!member)
    await Promise.race([console.members.firstProbe, pause(firstProbeMs, undefined, { ref: false })]);

  await reportExcess(services, log);
  const { setup } = console;
  const statuses = console.members.statuses();
  process.stdout.write(await welcome({ settings, users, setup, members: statuses, secretFile }));
  return {
    /** Not ready from now on; resolves when every reply under way has been sent, or cut after `timeoutMs`. */
    drain(timeoutMs: number) {
      console.drain();
      return server.close(timeoutMs);
    },
  };
}

interface PortDeps extends Pick<ListenOptions, 'handle' | 'overload' | 'onDenial'> {
  readonly settings: Settings;
}

/** @throws {ListenError} */
async function openPorts({ settings, handle, overload, onDenial }: PortDeps) {
  const { host, tls, port, managementPort, httpHeadSeconds } = settings;
  const shared = { host, tls, headMs: httpHeadSeconds * 1000, onDenial };
  const server = await listen({ ...shared, port, handle, overload });
  if (managementPort === undefined) return { server, management: undefined };
  try {
    const management = await listen({
      ...shared,
      port: managementPort,
      portSetting: 'CONSOLE_MANAGEMENT_PORT',
      handle: onlyManagement(handle),
      overload: createConsoleOverload(settings),
    });
    return { server, management };
  } catch (error) {
    await server.close(0);
    throw error;
  }
}

/** The store, the audit trail and what works on them. */
async function open({
  settings,
  readSettings,
  log,
  closing,
  faults,
}: Pick<StartDeps, 'settings' | 'readSettings' | 'log' | 'closing' | 'faults'>) {
  const steady = createSteadyClock();
  const warnings = createStartWarnings(log, settings.strict);
  const storage = await openStorage({ dataDir: settings.dataDir, role: 'console', steady, log: warnings });
  closing.add('store', storage.close);
  warnings.check();
  const trail = openAuditTrail({ dataDir: settings.dataDir, log, faults, now: Date.now });
  closing.add('audit trail', trail.close);
  const audit = createAudit(log, trail);
  const followed = followSettings({
    started: settings,
    file: settingsFile(settings.dataDir),
    read: readSettings,
    follow: followFile,
    log,
    audit,
  });
  closing.add('settings', followed.close);
  const { application } = followed;
  const services = createServices({ settings, storage, now: Date.now, steady, log, application });
  closing.add('last uses of clients', services.clientUses.flush);
  closing.add('keys', services.keys.close);
  closing.add('identity providers', services.providers.close);
  return { services, audit, application };
}

/** As they are now: where the application is may change while the console runs. */
function withApplication(settings: Settings, { addresses, internalAddress }: ApplicationAddresses): Settings {
  return { ...settings, applicationAddresses: addresses, applicationInternalAddress: internalAddress };
}

/** All of them to their end, so that nothing goes on behind a start that has failed. */
async function allOf<T extends readonly unknown[] | []>(work: T) {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** With more clients a start does not look at them: the doctor does. */
const mostInspected = 1_000;
const inspectionMs = 200;

/** No warning: whether it is needed, the administrator knows. */
async function reportExcess({ clients, settings, now }: Services, log: Logger): Promise<void> {
  if ((await clients.count()) > mostInspected) return;
  const isDashboardDefault = settings.origins.applicationAddresses === 'default';
  const { uninspectedClients: _none, ...excess } = await inspectClients(clients, {
    now: now(),
    isDashboardDefault,
    mostMs: inspectionMs,
  });
  if (Object.values(excess).flat().length === 0) return;
  log.info({ ...excess }, 'clients have more than they may need: npx console doctor says what to change');
}

/**
 * Of providers that were switched or removed while a process ended: tokens of their accounts may still count, so this
 * comes before the first call.
 */
async function finishSweeps({ storage, providerRegistration }: Services, log: Logger): Promise<void> {
  const isOpen = [...storage.registry.all('providers').values()].some(({ sweep }) => sweep !== undefined);
  if (!isOpen) return;
  const { finish } = await providerRegistration();
  await finish().catch((error: unknown) =>
    log.error({ err: error }, 'accounts of an identity provider could not be shut out'),
  );
}

async function createFirstAdministrator({ settings, users }: Services): Promise<void> {
  const { adminUsername: username, adminPassword } = settings;
  if (username === undefined || adminPassword === undefined || (await users.hasAny())) return;
  await users.add({ username, password: adminPassword.reveal(), roles: ['Admin'] }, { isFirst: true });
}

/**
 * What need not happen before the first request: the next keys, last uses of clients, expired artifacts.
 *
 * @returns a function that ends it, after the round that is under way
 */
function startMaintenance({ keys, clientUses, storage }: Services, log: Logger): () => Promise<void> {
  const stopped = new AbortController();
  let round = storage
    .countDamaged(stopped.signal)
    .then((records) => {
      const advice = 'records of the store are damaged: look at the disk, and consider a backup';
      if (records > 0) log.error({ records, store: 'corrupt' }, advice);
    })
    .catch((error) => log.error({ err: error }, 'the store could not be looked through'));
  const work = () => {
    round = round
      .then(() => keys.maintain())
      .then(() => clientUses.flush())
      .then(() => storage.artifacts.sweep())
      .then(() => {})
      .catch((error) => log.error({ err: error }, 'maintenance failed'));
  };
  const timer = setInterval(work, maintenanceMs).unref();
  const first = setTimeout(work, 1000).unref();
  return () => {
    stopped.abort();
    clearInterval(timer);
    clearTimeout(first);
    return round;
  };
}
