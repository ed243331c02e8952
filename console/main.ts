/** The console as a process, or as several: settings, store, keys, member, listen; and a graceful stop. */
import '../platform/no-prototype-access.ts';
import '../http/strict-tls.ts';
import cluster from 'node:cluster';
import { createClosing } from '../platform/closing.ts';
import { createLogger } from '../platform/log.ts';
import { WorkerStartError } from '../platform/process/worker-processes.ts';
import { handleProcessEvents, stopSignals } from '../platform/process-events.ts';
import { answersQuestion } from '../platform/program-questions.ts';
import { holdLibraryNotices, logLibraryNotices } from './library-notices.ts';
import { endAfter, untilToEnd } from './server/orderly-end.ts';
import { explainStartFailure } from './server/start-failures.ts';
import { readProcessSettings } from './settings/process-settings.ts';
import { settingsUsage } from './settings/usage.ts';
import { start } from './start.ts';

/** From the end of the delay to exit (S81): replies under way get most of it, the member and the store the rest. */
const stopMs = 30_000;
const drainMs = 24_000;

try {
  process.exitCode = await (cluster.worker ? runAsWorker(cluster.worker) : runUnlessAnswered());
} catch (error) {
  process.exitCode = report(error);
}
// Everything is closed; a library's timer or socket must not keep the process.
setTimeout(() => process.exit(), 1000).unref();

/** @returns the exit code */
async function runUnlessAnswered(): Promise<number> {
  const isAnswered = answersQuestion(process.argv.slice(2), () =>
    settingsUsage('cluster-console [--<setting> V …] starts the console; the command line is: console help'),
  );
  return isAnswered ? 0 : run();
}

/** @returns the exit code */
async function runAsWorker(worker: NonNullable<typeof cluster.worker>): Promise<number> {
  const { stopped } = stopSignals();
  const onLog = holdLibraryNotices();
  const { runWorker } = await import('./start-worker.ts');
  return runWorker({ worker, stopped, onLog, drainMs });
}

/** @returns the exit code */
async function run(): Promise<number> {
  const signals = stopSignals();
  const isTerminal = process.stderr.isTTY === true;
  const readSettings = () =>
    readProcessSettings({ argv: process.argv.slice(2), env: process.env, isTerminal });
  const settings = await readSettings();
  const faults = { uncaught: 0, lostLines: 0, lostAuditLines: 0 };
  const log = createLogger({
    level: settings.logLevel,
    format: settings.logFormat,
    descriptor: 2,
    isColored: isTerminal && process.env.NO_COLOR === undefined,
    faults,
  });
  handleProcessEvents({ log, onUncaught: () => faults.uncaught++ });
  logLibraryNotices(log);
  for (const warning of settings.warnings) log.warn(warning);

  endAfter(signals, settings, stopMs);
  const closing = createClosing((what, error) => log.error({ err: error, what }, 'could not be closed'));
  try {
    const secretFile = process.env.CONSOLE_APPLICATION_CLIENT_SECRET_FILE;
    const startAll = settings.workers > 1 ? (await import('./start-owner.ts')).startOwner : start;
    const { announceEnd, drain } = await startAll({
      settings,
      readSettings,
      secretFile,
      environment: process.env,
      log,
      closing,
      faults,
    });
    await untilToEnd({ signals, settings, log, announceEnd });
    await drain(drainMs);
  } catch (error) {
    await closing.run();
    throw error;
  }
  const isClean = await closing.run();
  log.info('stopped');
  // What has asked this process to end may have said by which code.
  return isClean ? Number(process.exitCode ?? 0) : 1;
}

/** @returns the exit code */
function report(error: unknown): number {
  if (error instanceof WorkerStartError) return error.exitCode; // it has said why
  const { exitCode, message } = explainStartFailure(error);
  process.stderr.write(`${message}\n`);
  return exitCode;
}
