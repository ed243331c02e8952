/** The store, and what works on it: of the process that owns it. */
import { readFileSync } from 'node:fs';
import { createSteadyClock } from '../platform/clocks.ts';
import type { Closing } from '../platform/closing.ts';
import type { Faults } from '../platform/faults.ts';
import { createAudit, type Logger } from '../platform/log.ts';
import { startOutboxDrain } from './app/audit-outbox-drain.ts';
import type { OtherProcesses } from './app/services/services-deps.ts';
import { startSharedDrain } from './app/services/shared-outbox-drain.ts';
import { createServices } from './app/services.ts';
import { createAuditEraser } from './audit/audit-eraser.ts';
import { openAuditStore } from './audit/audit-store.ts';
import { createAuditReader } from './audit/reader/audit-reader.ts';
import { openSharedAudit, type SharedAuditDeps } from './audit/rows/open-shared-audit.ts';
import { startRetentionRounds } from './audit/rows/retention-rounds.ts';
import { formerVoids } from './former-voids.ts';
import { createStartWarnings } from './server/start-warnings.ts';
import type { ApplicationAddresses } from './settings/application-addresses.ts';
import { forwardingOf } from './settings/audit-forwarding.ts';
import { followSettings } from './settings/follow-settings.ts';
import { settingsFile } from './settings/process-settings.ts';
import { type Settings, SettingsError } from './settings/settings.ts';
import { followFile } from './storage/embedded/follow-file.ts';
import { openStorage } from './storage/embedded/open.ts';
import { createTakeOverReport } from './storage/embedded/takeover/take-over-progress.ts';
import type { OwnedStorage } from './storage/embedded/worker/shared-storage.ts';
import type { StorageLog } from './storage/engine/storage-log.ts';
import { whileLeading } from './storage/engine/while-leading.ts';
import type { Storage } from './storage/storage.ts';

/** Its index is brought up when the start is over. */
const readerAfterMs = 10_000;

export interface OpenDeps {
  readonly settings: Settings;
  /** The same sources, read anew. @throws {SettingsError} */
  readonly readSettings: () => Promise<Settings>;
  readonly log: Logger;
  /** Gets what has been opened, also when the start fails half-way. */
  readonly closing: Closing;
  readonly faults: Faults;
}

/** Where others answer: how they are told of what changes. */
export interface Sharing {
  readonly share: (storage: OwnedStorage) => Storage;
  readonly others: OtherProcesses;
  readonly onApplication: (addresses: ApplicationAddresses) => void;
  readonly onAuditAvailable: (isAvailable: boolean) => void;
}

export async function openServices(
  { settings, readSettings, log, closing, faults }: OpenDeps,
  sharing?: Sharing,
) {
  await checkApprovals(settings);
  const steady = createSteadyClock();
  const warnings = createStartWarnings(log, settings.strict);
  const owned =
    settings.databaseUrl === undefined ? await openOwned(settings, steady, warnings, log) : undefined;
  const storage = owned ?? (await openShared(settings, steady, warnings));
  closing.add('store', storage.close);
  warnings.check();
  const { trail, audit, reader, eraser, versions } = await openAudit(
    { settings, log, faults, closing, storage },
    sharing,
  );
  const followed = followSettings({
    started: settings,
    file: settingsFile(settings.dataDir),
    read: readSettings,
    follow: followFile,
    onApplication: sharing?.onApplication,
    log,
    audit,
  });
  closing.add('settings', followed.close);
  const { application } = followed;
  const services = createServices({
    auditReader: reader,
    auditEraser: eraser,
    ...(!sharing && { auditVersions: versions }),
    settings,
    storage: (owned && sharing?.share(owned)) ?? storage,
    now: Date.now,
    steady,
    log,
    application,
    ...(sharing && { others: sharing.others }),
  });
  closing.add('last uses of clients', services.clientUses.flush);
  const onUnwritten = (err: unknown) => log.warn({ err }, 'what was used could not be written down yet');
  closing.add('account of use', services.usage.start(onUnwritten));
  closing.add('keys', services.keys.close);
  closing.add('identity providers', services.providers.close);
  return { services, audit, application, trail };
}

async function openOwned(
  { dataDir }: Settings,
  steady: () => number,
  warnings: StorageLog,
  log: Logger,
): Promise<OwnedStorage> {
  return openStorage({
    dataDir,
    role: 'console',
    steady,
    log: warnings,
    artifactsOf: formerVoids(Date.now()),
    onTakeOver: createTakeOverReport({
      say: (fields, message) => log.info(fields, message),
      terminal: process.stderr,
    }),
  });
}

/** Loaded where it is asked for: it brings a driver. */
async function openShared(
  { dataDir, databaseUrl, databaseListenUrl }: Settings,
  steady: () => number,
  log: StorageLog,
): Promise<Storage> {
  const { openSharedStore } = await import('./open-shared-store.ts');
  return openSharedStore({
    dataDir,
    databaseUrl: databaseUrl!,
    databaseListenUrl,
    role: 'console',
    steady,
    log,
  });
}

/** What a kill has held back of it comes first. */
async function openAudit(given: OpenAuditDeps, sharing: Sharing | undefined) {
  const { settings, log, faults, closing, storage } = given;
  const sayAudit = createAudit(log);
  const forward = forwardingOf(settings, (path) => readFileSync(path, 'utf8'));
  const deps = {
    dataDir: settings.dataDir,
    log,
    faults,
    now: Date.now,
    retention: retentionOf(settings),
    onCheckpoint: (line: string) => sayAudit('audit.checkpoint', { outcome: 'success', checkpoint: line }),
    ...(sharing && { onAvailable: sharing.onAuditAvailable }),
  };
  if (settings.databaseUrl !== undefined)
    return openAuditOfMany({ ...deps, forward, databaseUrl: settings.databaseUrl }, given);
  const trail = openAuditStore(deps);
  closing.add('audit', trail.close);
  const audit = createAudit(log, trail);
  await startOutboxDrain({ dataDir: settings.dataDir, artifacts: storage.artifacts, trail, log });
  const reader = createAuditReader({ dataDir: settings.dataDir, forward, log });
  closing.add('reader of the audit', reader.close);
  reader.startIn(forward ? 0 : readerAfterMs);
  return { trail, audit, reader, eraser: createAuditEraser(trail, reader), versions: trail };
}

type OpenAuditDeps = Omit<OpenDeps, 'readSettings'> & { readonly storage: Storage };

/** It ends before its reader, which copies what was written last. */
async function openAuditOfMany(deps: SharedAuditDeps, { settings, log, closing, storage }: OpenAuditDeps) {
  const { trail, reader, eraser, versions } = await openSharedAudit(deps);
  closing.add('reader of the audit', reader.close);
  closing.add('audit', trail.close);
  const audit = createAudit(log, trail);
  const drain = await startSharedDrain({
    dataDir: settings.dataDir,
    artifacts: storage.artifacts,
    storage,
    trail,
    reader,
    log,
  });
  closing.add('entries of consoles that are gone', drain);
  if (deps.retention) {
    const { retention } = deps;
    const { sign } = trail;
    const rounds = { reader, audit, limits: retention, sign, now: storage.clock ?? Date.now, log };
    const begin = ({ leadership }: Storage) => {
      const { holder, term, ran } = leadership!;
      // Of one that is over already nothing is removed.
      const onRound = () => ran('audit_retention');
      return startRetentionRounds({ ...rounds, onRound, held: { holder, term: term() ?? 0 } });
    };
    closing.add('retention of the audit', whileLeading(storage, begin));
  }
  return { trail, audit, reader, eraser, versions };
}

/**
 * A misspelt name would protect nothing. What knows the names is loaded only where there are some.
 *
 * @throws {SettingsError}
 */
async function checkApprovals({ approvalsRequire }: Settings): Promise<void> {
  if (approvalsRequire.length === 0) return;
  const [{ operations }, { unknownNames }] = await Promise.all([
    import('./admin-api/table.ts'),
    import('./approvals/required.ts'),
  ]);
  if (unknownNames(approvalsRequire, operations).length === 0) return;
  throw new SettingsError([
    'CONSOLE_APPROVALS_REQUIRE names what is no operation that changes anything, and no object (docs/least-privilege.md#approvals).',
  ]);
}

function retentionOf({ auditDays: days, auditBytes: bytes }: Settings) {
  return days === undefined && bytes === undefined ? undefined : { days, bytes };
}

/** As they are now: where the application is may change while the console runs. */
export function withApplication(
  settings: Settings,
  { addresses, internalAddress }: ApplicationAddresses,
): Settings {
  return { ...settings, applicationAddresses: addresses, applicationInternalAddress: internalAddress };
}
