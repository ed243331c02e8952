import { createProofMemory } from '../../access-tokens/dpop/proof.ts';
import type { Logger } from '../../platform/log.ts';
import type { StopSignals } from '../../platform/process-events.ts';
import { untilToEnd } from '../server/orderly-end.ts';
import type { Settings } from '../settings/settings.ts';
import { type ControlPlaneClient, createControlPlaneClient } from './control-plane-client.ts';
import { drainMs, sayReady, untilWorthListening } from './readiness.ts';
import { createWorkers } from './workers.ts';

export interface RunWorkersDeps {
  readonly settings: Settings;
  readonly log: Logger;
  readonly signals: StopSignals;
}

/** What workers need beyond the time for replies under way. */
const workerEndMs = 3_000;

/** Listens to the console, and lets others answer calls. @throws {WorkerStartError} */
export async function runWorkers({ settings, log, signals }: RunWorkersDeps): Promise<void> {
  let controlPlane: ControlPlaneClient | undefined;
  const workers = createWorkers({
    count: settings.workers,
    // Theirs is no terminal, whatever this one is.
    env: { CONSOLE_LOG_FORMAT: settings.logFormat },
    state: () => controlPlane!.state(),
    fetchKey: (kid) => controlPlane!.fetchKey(kid),
    askOrigin: (origin) => controlPlane!.askOrigin(origin),
    onDenials: (batch) => controlPlane!.report(batch),
    onUse: (rows) => controlPlane!.reportUse(rows),
    onReport: (report) => controlPlane!.reportCounts(report),
    proofMemory: createProofMemory(),
    log,
  });
  controlPlane = createControlPlaneClient({ settings, log, send: workers.send });
  try {
    await untilWorthListening(controlPlane.isCurrent, signals.stopped);
    const address = await workers.start();
    log.info({ address, workers: settings.workers }, 'listening');
    void sayReady(address, workers.doAllPass, signals.stopped);
    const announceEnd = () => workers.send({ type: 'announceEnd' });
    await untilToEnd({ signals, settings, log, announceEnd });
    await workers.stop(drainMs + workerEndMs);
  } finally {
    await controlPlane.close();
  }
}
