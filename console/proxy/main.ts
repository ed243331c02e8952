/**
 * The member proxy as a process of its own (`npm run proxy`), or as several that share its port: one of them
 * listens to the console and tells the others what it hears.
 */
import '../../platform/no-prototype-access.ts';
import '../../http/strict-tls.ts';
import cluster from 'node:cluster';
import type { Faults } from '../../platform/faults.ts';
import { createLogger, type Logger } from '../../platform/log.ts';
import { WorkerStartError } from '../../platform/process/worker-processes.ts';
import { handleProcessEvents, stopSignals } from '../../platform/process-events.ts';
import { answersQuestion } from '../../platform/program-questions.ts';
import { endAfter } from '../server/orderly-end.ts';
import { explainStartFailure } from '../server/start-failures.ts';
import { readProcessSettings } from '../settings/process-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { settingsUsage } from '../settings/usage.ts';
import { runAlone } from './run-alone.ts';
import { runWorker } from './run-worker.ts';
import { runWorkers } from './run-workers.ts';

/** From the end of the delay to exit (S81); replies under way get most of it. */
const stopMs = 30_000;

try {
  const isAnswered = answersQuestion(process.argv.slice(2), () =>
    settingsUsage('cluster-console-proxy [--<setting> V …] answers calls to members in a process of its own'),
  );
  if (!isAnswered) await run();
  process.exitCode = 0;
} catch (error) {
  process.exitCode = report(error);
}
// Everything is closed; a library's timer or socket must not keep the process.
setTimeout(() => process.exit(), 1000).unref();

async function run(): Promise<void> {
  const signals = stopSignals();
  const isTerminal = process.stderr.isTTY === true;
  const settings = await readProcessSettings({
    argv: process.argv.slice(2),
    env: process.env,
    isTerminal,
    process: 'proxy',
  });
  const faults = { uncaught: 0, lostLines: 0, lostAuditLines: 0 };
  const log = openLog(settings, isTerminal, faults);
  handleProcessEvents({ log, onUncaught: () => faults.uncaught++ });
  const { stopped } = signals;
  if (cluster.worker) return runWorker({ settings, log, faults, worker: cluster.worker, stopped });
  for (const warning of settings.warnings) log.warn(warning);
  endAfter(signals, settings, stopMs);
  if (settings.workers > 1) await runWorkers({ settings, log, signals });
  else await runAlone({ settings, log, faults, signals });
  log.info('stopped');
}

function openLog({ logLevel, logFormat }: Settings, isTerminal: boolean, faults: Faults): Logger {
  const log = createLogger({
    level: logLevel,
    format: logFormat,
    descriptor: 2,
    isColored: isTerminal && process.env.NO_COLOR === undefined,
    faults,
  });
  return cluster.worker ? log.child({ worker: cluster.worker.id }) : log;
}

/** @returns the exit code */
function report(error: unknown): number {
  if (error instanceof WorkerStartError) return error.exitCode;
  const { exitCode, message } = explainStartFailure(error, 'proxy');
  process.stderr.write(`${message}\n`);
  return exitCode;
}
