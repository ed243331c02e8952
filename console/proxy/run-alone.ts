import { createProofMemory } from '../../access-tokens/dpop/proof.ts';
import type { Faults } from '../../platform/faults.ts';
import type { Logger } from '../../platform/log.ts';
import type { StopSignals } from '../../platform/process-events.ts';
import { untilToEnd } from '../server/orderly-end.ts';
import type { Settings } from '../settings/settings.ts';
import { createControlPlaneClient } from './control-plane-client.ts';
import type { FromWorker } from './messages.ts';
import { drainMs, sayReady, untilWorthListening } from './readiness.ts';
import { createWorker } from './worker.ts';

export interface RunAloneDeps {
  readonly settings: Settings;
  readonly log: Logger;
  readonly faults: Faults;
  /** That the process has to stop. */
  readonly signals: StopSignals;
}

/** One process that listens to the console and answers calls. @throws {ListenError} */
export async function runAlone({ settings, log, faults, signals }: RunAloneDeps): Promise<void> {
  const worker = createWorker({
    settings,
    log,
    faults,
    send: receive,
    proofMemory: createProofMemory(),
    isOneOfMany: false,
  });
  const controlPlane = createControlPlaneClient({ settings, log, send: worker.receive });
  try {
    await untilWorthListening(worker.isCurrent, signals.stopped);
    const serving = await worker.start();
    log.info({ address: serving.address }, 'listening');
    void sayReady(serving.address, worker.isCurrent, signals.stopped);
    await untilToEnd({ signals, settings, log, announceEnd: serving.announceEnd });
    await serving.close(drainMs);
  } finally {
    await controlPlane.close();
  }

  function receive(message: FromWorker): void {
    if (message.type === 'denials') controlPlane.report(message.batch);
    if (message.type === 'usage') controlPlane.reportUse(message.rows);
    if (message.type === 'report') controlPlane.reportCounts(message.report);
    if (message.type === 'origin') {
      const { origin } = message;
      void controlPlane
        .askOrigin(origin)
        .then((isKnown) => worker.receive({ type: 'origin', origin, isKnown }));
    }
    if (message.type !== 'unknownKey') return;
    const { kid } = message;
    void controlPlane.fetchKey(kid).then(() => worker.receive({ type: 'keyFetched', kid }));
  }
}
