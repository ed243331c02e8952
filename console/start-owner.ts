/**
 * Several processes: this one owns the store, does what is to be done once, and starts the workers that answer; it
 * answers nobody itself (decision 0028).
 */
import { machineClock } from '../platform/clocks.ts';
import { createSetup, newSetupToken } from './accounts/setup.ts';
import { createSignInTimes } from './accounts/sign-in-times.ts';
import { startDuties } from './app/duties.ts';
import { createRunLocally } from './app/operations.ts';
import { createParts } from './app/parts.ts';
import type { Services } from './app/services.ts';
import { createOwnMemories } from './app/shared-memories.ts';
import type { AuditStore } from './audit/audit-store.ts';
import { askLocally } from './audit/reader/audit-reader.ts';
import { serveCommands } from './commands/channel/serve.ts';
import { startEmbeddedMember } from './embedded-member.ts';
import { allOf, applyConfiguration, createFirstAdministrator, finishSweeps } from './first-start.ts';
import { createHealthModule } from './health/module.ts';
import { auditSeed } from './keys/audit-key.ts';
import { encryptOutdatedSecrets } from './keys/stored-secret.ts';
import { createMembersModule } from './members/module.ts';
import { type MinuteOfCalls, sumOfMinutes } from './metrics/call-history/minute-of-calls.ts';
import type { CallFilter, CallSums } from './metrics/call-sums.ts';
import type { MainNumbers } from './metrics/main-numbers.ts';
import type { Numbers } from './metrics/numbers.ts';
import type { OpenCall, OthersOpenCalls } from './metrics/open-calls.ts';
import { createSummedNumbers } from './metrics/summed-numbers.ts';
import { sumOfCalls } from './metrics/sums-of-calls.ts';
import { openServices, withApplication } from './open-services.ts';
import { settingsMessage } from './settings/settings-message.ts';
import { type StartDeps, type Started, sayWelcome, untilProbed } from './start.ts';
import { startRounds } from './start-rounds.ts';
import { type SharedStorage, shareStorage } from './storage/embedded/worker/shared-storage.ts';
import type { OwnerCalls, WorkerCalls } from './workers/messages.ts';
import { createWorkerGroup, type WorkerGroup } from './workers/worker-group.ts';

/** What workers need beyond the time for replies in flight. */
const workerEndMs = 3_000;
/** Nobody calls this process. */
const nothingHeld = { connections: 0, requests: 0, waiting: 0, aheadBytes: 0, cut: {} };

/** Resolves when the workers answer, and it has been said on standard output. @throws {WorkerStartError} */
export async function startOwner(deps: StartDeps): Promise<Started> {
  const { settings, environment, log, closing, faults } = deps;
  const { group, shared, services, audit, application, trail } = await openShared(deps);
  const [member] = await allOf([
    startEmbeddedMember({ settings, environment, log, closing }),
    services.keys.prepare(),
    encryptOutdatedSecrets({ ...services, ...services.storage }),
    services.providers.prepare(),
    services.installationId.prepare(),
    createFirstAdministrator(services),
    finishSweeps(services, log),
  ]);
  trail.useKey(await auditSeed({ ...services, ...services.storage }));
  await applyConfiguration(services, { audit, log, closing, env: environment });
  const members = member ? [member.address] : settings.members;
  if (member) services.configuredStructures.useOwn(member.configured);
  const setupToken = newSetupToken();
  const memories = createOwnMemories();
  const parts = await createParts({
    services,
    log,
    audit,
    faults,
    overload: nothingHeld,
    memories,
    setupToken,
  });
  closing.add('revocations', services.revocations.close);
  // For whoever asks how the members are; no call comes this way.
  const watched = createMembersModule(parts, members, settings.workers);
  closing.add('connections to members', watched.close);
  const numbers = createSummedNumbers({ read: () => numbersOfAll(group), ids: group.ids });
  const calls = callsOf({ group, services, memories, parts, numbers, trail });
  closing.add('workers', () => group.stop(0));
  await group.start({
    briefing: () => ({
      settings: settingsMessage(settings),
      isColored: process.stderr.isTTY === true && environment.NO_COLOR === undefined,
      snapshot: shared.snapshot(),
      steadyOffsetMs: services.steady() - machineClock(),
      setupToken,
      members,
      configured: member?.configured,
      application: application(),
      isAuditAvailable: trail.isAvailable(),
    }),
    withoutWrites: shared.files.withoutWrites,
    callsFor: (worker, over) => ({
      ...shared.callsFor(worker),
      ...calls,
      ...runningCallsOf(memories, over),
    }),
    onEntries: trail.addBatch,
    onTokenUsed: memories.tokenUses.record,
    onEnd: shared.files.dropDeadReaders,
  });
  closing.add('notices to applications', startDuties({ services, audit, log, members: watched }));
  const ofAll = { readNumbers: mainNumbersOf(group, parts), readMinute: callMinuteOf(group) };
  const rounds = startRounds({ services, audit, log, closing, ...ofAll, askMember: watched.ask });
  const { statuses } = watched;
  const health = createHealthModule({
    ...services,
    isEquipped: () => group.isComplete() && trail.isAvailable(),
    log,
  });
  closing.add('readiness', health.close);
  const commands = await serveCommands({
    dataDir: settings.dataDir,
    services,
    runOperation: createRunLocally(services, audit, watched),
    settings: () => withApplication(settings, application()),
    isReady: health.isReady,
    audit,
    fetch,
  });
  closing.add('command line', commands);
  if (!member) await untilProbed(watched);
  const setup = createSetup({ ...services, times: createSignInTimes(services.storage), setupToken });
  await sayWelcome(services, { setup, members: statuses(), secretFile: deps.secretFile }, log);
  const drain = (timeoutMs: number) => rounds.settle().then(() => group.stop(timeoutMs + workerEndMs));
  return { announceEnd: group.announceEnd, drain };
}

async function openShared(deps: StartDeps) {
  const group = createWorkerGroup({ count: deps.settings.workers, log: deps.log });
  let shared: SharedStorage | undefined;
  const opened = await openServices(deps, {
    share(storage) {
      shared = shareStorage({ storage, emit: group.emit, received: group.received });
      return shared.storage;
    },
    others: {
      flushDenials: () => flushDenialsOf(group),
      settleUsage: () => flushUsageOf(group),
      recentCalls: { read: recentCallsOf(group), areAll: false },
      openCalls: openCallsOf(group),
    },
    onApplication: (addresses) => group.emit({ type: 'application', addresses }),
    onAuditAvailable: (isAvailable) => group.emit({ type: 'audit', isAvailable }),
  });
  return { group, shared: shared!, ...opened };
}

interface CallsDeps {
  readonly group: WorkerGroup;
  readonly services: Services;
  readonly memories: ReturnType<typeof createOwnMemories>;
  readonly parts: Awaited<ReturnType<typeof createParts>>;
  /** One for all who ask. */
  readonly numbers: ReturnType<typeof createSummedNumbers>;
  readonly trail: Pick<AuditStore, 'versions' | 'written' | 'synced'>;
}

/** What workers ask for that is not in the store. */
function callsOf({ group, services, memories, parts, numbers, trail }: CallsDeps) {
  return {
    auditVersions: trail.versions,
    auditWritten: trail.written,
    auditSynced: trail.synced,
    addProof: (memory, proof, caller) => memories[memory].add(proof, caller),
    async watchToken(jti) {
      memories.tokenUses.watch(jti);
      group.emit({ type: 'watchToken', jti });
      await group.received();
    },
    wasTokenUsed: memories.tokenUses.wasUsed,
    addSecretFailure: memories.secretFailures.add,
    ...memories.entryMemories,
    addCalledKeys: services.calledKeys.add,
    calledKeys: services.calledKeys.of,
    flushDenials: () => flushDenialsOf(group),
    recordClientUses: services.clientUses.add,
    eraseAudit: async (entry) => services.auditEraser.erase?.(entry),
    askAudit: (kind, asked) => askLocally(services.auditReader, kind, asked),
    recordUsage: services.usage.take,
    settleUsage: services.usage.settle,
    allNumbers: async () => numbers(await parts.metrics.numbers()),
    recentCalls: services.recentCalls.read,
    takeReport: services.reports.take,
    openCalls: services.openCalls.list,
    endOpenCall: services.openCalls.end,
  } satisfies Partial<OwnerCalls>;
}

async function numbersOfAll({ askAll }: WorkerGroup): Promise<ReadonlyMap<number, Numbers>> {
  const all = new Map<number, Numbers>();
  await askAll(async (worker, id) => void all.set(id, await worker.numbers()));
  return all;
}

/** Of each process; one that does not answer in time has a hole. */
function mainNumbersOf({ askAll }: WorkerGroup, { metrics }: Pick<CallsDeps['parts'], 'metrics'>) {
  return async () => {
    const all = new Map<number, MainNumbers>([[0, metrics.mainNumbers()]]);
    await askAll(async (worker, id) => void all.set(id, await worker.mainNumbers()));
    return all;
  };
}

/** Of those that answer in time. */
function recentCallsOf({ askAll }: WorkerGroup) {
  return async (filter: CallFilter): Promise<CallSums> => {
    const all: CallSums[] = [];
    await askAll(async (worker) => void all.push(await worker.recentCalls(filter)));
    return sumOfCalls(all);
  };
}

/** The same; one that waits does so in one of them. */
function openCallsOf({ askAll }: WorkerGroup): OthersOpenCalls {
  return {
    async list() {
      const all: OpenCall[] = [];
      await askAll(async (worker) => void all.push(...(await worker.openCalls())));
      return all;
    },
    async end(requestId) {
      let isEnded = false;
      await askAll(async (worker) => {
        if (await worker.endOpenCall(requestId)) isEnded = true;
      });
      return isEnded;
    },
  };
}

/** The same. */
function callMinuteOf({ askAll }: WorkerGroup) {
  return async (minute: number): Promise<MinuteOfCalls> => {
    const all: MinuteOfCalls[] = [];
    await askAll(async (worker) => void all.push(await worker.callMinute(minute)));
    return sumOfMinutes(all);
  };
}

function runningCallsOf(memories: CallsDeps['memories'], over: Promise<void>) {
  const { begin: beginCall, end: endCall } = memories.runningCallsOf(over);
  return { beginCall, endCall } satisfies Partial<OwnerCalls>;
}

async function flushUsageOf({ askAll }: WorkerGroup): Promise<void> {
  await askAll((worker: WorkerCalls) => worker.flushUsage());
}

async function flushDenialsOf({ askAll }: WorkerGroup): Promise<void> {
  await askAll((worker: WorkerCalls) => worker.flushDenials());
}
