/** One of several processes that answer: it reads the store, and asks the process that owns it for all else. */
import type { Worker as Process } from 'node:cluster';
import { machineClock } from '../platform/clocks.ts';
import { type Closing, createClosing } from '../platform/closing.ts';
import type { Faults } from '../platform/faults.ts';
import { type Audit, createAudit, createLogger, type Logger } from '../platform/log.ts';
import { handleProcessEvents } from '../platform/process-events.ts';
import { createConsole } from './app/console.ts';
import type { OtherProcesses } from './app/services/services-deps.ts';
import { createServices, type Services } from './app/services.ts';
import { openAuditStore } from './audit/audit-store.ts';
import { isLastingReply } from './lasting-replies.ts';
import { openPorts } from './open-ports.ts';
import { openTelemetry } from './open-telemetry.ts';
import { publicAddress } from './proxy/public-address.ts';
import { recordDeniedConnections } from './server/denied-connections.ts';
import { closeInTime } from './server/orderly-end.ts';
import { createConsoleOverload } from './server/overload.ts';
import type { Settings } from './settings/settings.ts';
import { readSettingsMessage } from './settings/settings-message.ts';
import { openWorkerStorage } from './storage/embedded/worker/worker-storage.ts';
import { createAuditLines } from './workers/audit-lines.ts';
import type { Briefing, FromWorker } from './workers/messages.ts';
import { createOwnerLine, type OwnerLine } from './workers/owner-line.ts';
import { createWorkerMemories } from './workers/worker-memories.ts';

export interface RunWorkerDeps {
  readonly worker: Process;
  /** SIGTERM to this process alone; a terminal's SIGINT reaches all, and the owner sees to it. */
  readonly stopped: Promise<NodeJS.Signals>;
  /** Gets the log of this process, once there is one. */
  readonly onLog: (log: Logger) => void;
  readonly drainMs: number;
}

/** Without the owner: replies in flight get most of it. */
const orphanMs = 5_000;
const orphanDrainMs = 4_000;
const usesMs = 10_000;

/** @returns the exit code @throws {ListenError} */
export async function runWorker({ worker, stopped, onLog, drainMs }: RunWorkerDeps): Promise<number> {
  const line = createOwnerLine({ send, onGap: () => process.exit(1) });
  process.on('message', line.receive);
  const orphaned = new Promise<'orphaned'>((resolve) => {
    worker.once('disconnect', () => {
      if (worker.exitedAfterDisconnect) return;
      // Else Node would end this process at once, with replies in flight.
      worker.exitedAfterDisconnect = true;
      line.end();
      setTimeout(() => process.exit(1), orphanMs).unref();
      resolve('orphaned');
    });
  });
  send({ type: 'loaded' });
  const briefing = await line.briefing;
  const settings = readSettingsMessage(briefing.settings);
  const faults = { uncaught: 0, lostLines: 0, lostAuditLines: 0 };
  const log = openLog(settings, briefing.isColored, faults).child({ worker: worker.id });
  handleProcessEvents({ log, onUncaught: () => faults.uncaught++ });
  onLog(log);
  const closing = createClosing((what, error) => log.error({ err: error, what }, 'could not be closed'));
  const audited = createAuditLines({
    send: (batch) => send({ type: 'entries', batch }),
    written: () => line.owner.auditWritten(),
    synced: () => line.owner.auditSynced(),
    isAvailable: briefing.isAuditAvailable,
  });
  try {
    const audit = createAudit(log, audited);
    const onAuditAvailable = audited.setAvailable;
    const serving = await serve({
      line,
      briefing,
      settings,
      send,
      log,
      audit,
      onAuditAvailable,
      written: audited.written,
      closing,
      faults,
    });
    send({ type: 'listening', address: publicAddress(settings, serving.port) });
    void line.endAnnounced.then(serving.announceEnd);
    const reason = await Promise.race([orphaned, stopOf(line, stopped)]);
    if (reason === 'orphaned') {
      log.error('the process that owns the store has gone: what is in flight ends, and this process');
      const { dataDir } = settings;
      const own = openAuditStore({ dataDir, log, faults, now: Date.now, isBeside: true });
      audited.sendTo(own);
      closing.add('audit', own.close);
    }
    await serving.drain(reason === 'orphaned' ? orphanDrainMs : drainMs);
  } finally {
    await closing.run();
    audited.flush();
  }
  if (worker.isConnected()) worker.disconnect();
  return 0;

  function send(message: FromWorker): void {
    if (process.connected) process.send!(message, () => {});
  }
}

function stopOf({ stopped: asked }: OwnerLine, stopped: Promise<NodeJS.Signals>): Promise<void> {
  return Promise.race([asked, stopped.then((signal) => (signal === 'SIGINT' ? asked : undefined))]);
}

function openLog({ logLevel, logFormat }: Settings, isColored: boolean, faults: Faults): Logger {
  return createLogger({ level: logLevel, format: logFormat, descriptor: 2, isColored, faults });
}

interface ServeDeps {
  readonly line: OwnerLine;
  readonly briefing: Briefing;
  readonly settings: Settings;
  readonly send: (message: FromWorker) => void;
  readonly log: Logger;
  readonly audit: Audit;
  readonly onAuditAvailable: (isAvailable: boolean) => void;
  /** Resolves when what was recorded here can be read. */
  readonly written: () => Promise<void>;
  readonly closing: Closing;
  readonly faults: Faults;
}

function othersOf(owner: OwnerLine['owner'], written: () => Promise<void>): OtherProcesses {
  return {
    flushDenials: () => owner.flushDenials().catch(() => {}),
    recordClientUses: owner.recordClientUses,
    askAudit: owner.askAudit,
    eraseAudit: owner.eraseAudit,
    audit: { versions: owner.auditVersions, written },
    recordUsage: owner.recordUsage,
    settleUsage: owner.settleUsage,
    recentCalls: { read: owner.recentCalls, areAll: true },
    takeReport: owner.takeReport,
    calledKeys: { add: owner.addCalledKeys, of: owner.calledKeys },
    openCalls: { list: owner.openCalls, end: owner.endOpenCall },
  };
}

async function serve(deps: ServeDeps) {
  const { line, briefing, settings, send, log, audit, closing, faults } = deps;
  const { owner } = line;
  let { application, isComplete } = briefing;
  const { storage, calls, receive } = openWorkerStorage({
    dataDir: settings.dataDir,
    snapshot: briefing.snapshot,
    owner,
    now: Date.now,
    steady: () => briefing.steadyOffsetMs + machineClock(),
    log,
  });
  closing.add('store', storage.close);
  const memories = createWorkerMemories(line, (jti) => send({ type: 'tokenUsed', jti }));
  line.follow((event) => {
    if (event.type === 'application') application = event.addresses;
    else if (event.type === 'watchToken') memories.watchToken(event.jti);
    else if (event.type === 'complete') isComplete = true;
    else if (event.type === 'audit') deps.onAuditAvailable(event.isAvailable);
    else receive(event);
  });
  send({ type: 'opened' });
  const services = createServices({
    settings,
    storage,
    now: Date.now,
    steady: () => briefing.steadyOffsetMs + machineClock(),
    log,
    application: () => application,
    others: othersOf(owner, deps.written),
  });
  if (briefing.configured) services.configuredStructures.useOwn(briefing.configured);
  await prepare(services, closing);
  const overload = createConsoleOverload(settings, isLastingReply);
  const { denials } = services;
  const telemetry = await openTelemetry(settings, log, closing);
  const console = await createConsole({
    services,
    telemetry,
    log,
    audit,
    members: briefing.members,
    faults,
    overload: overload.numbers,
    memories,
    setupToken: briefing.setupToken,
    isComplete: () => isComplete,
    allNumbers: owner.allNumbers,
  });
  closing.add('connections to members', console.close);
  line.serve({
    ...calls,
    flushDenials: denials.flush,
    flushUsage: services.usage.flush,
    numbers: console.numbers,
    mainNumbers: async () => console.mainNumbers(),
    callMinute: async (minute) => console.callMinute(minute),
    recentCalls: services.recentCalls.readOwn,
    openCalls: async () => services.openCalls.listOwn(),
    endOpenCall: async (requestId) => services.openCalls.endOwn(requestId),
  });
  const { server, management } = await openPorts({
    settings,
    handle: console.handle,
    overload,
    onDenial: recordDeniedConnections({ record: denials.record, audit }),
  });
  closing.add('port', () => server.close(0));
  closing.add('management port', async () => management?.close(0));
  return {
    port: server.port,
    announceEnd() {
      console.announceEnd();
      server.announceEnd();
    },
    drain(timeoutMs: number) {
      console.drain();
      return closeInTime(server, console.endWaits, timeoutMs);
    },
  };
}

async function prepare({ keys, providers, clientUses, usage }: Services, closing: Closing): Promise<void> {
  keys.load();
  closing.add('keys', keys.close);
  closing.add('identity providers', providers.close);
  await providers.prepare();
  // What could not be handed on is kept for the next time.
  closing.add(
    'account of use',
    usage.start(() => {}),
  );
  const timer = setInterval(() => void clientUses.flush().catch(() => {}), usesMs).unref();
  closing.add('last uses of clients', () => {
    clearInterval(timer);
    return clientUses.flush();
  });
}
