/** What the process itself may run into: errors that nobody caught, warnings, a closed output. */
import type { Logger } from './log.ts';

export interface ProcessEventsDeps {
  readonly log: Logger;
  /** Counts an error that nobody caught. */
  readonly onUncaught: () => void;
}

/**
 * An error that nobody caught is logged and counted, and the process goes on (S86): what it knows
 * lies in stores that change in whole transactions or not at all, checks that do not end have not
 * passed, and a request that makes a callback throw must not be a switch that turns sign-in off for
 * everybody. Whoever watches `console_uncaught_errors_total` restarts it when he likes.
 *
 * Nobody reading the output any more is no error either.
 */
export function handleProcessEvents({ log, onUncaught }: ProcessEventsDeps): void {
  const uncaught = (message: string) => (error: unknown) => {
    onUncaught();
    log.error({ err: error }, message);
  };
  process.on('uncaughtException', uncaught('uncaught error'));
  process.on('unhandledRejection', uncaught('unhandled rejection'));

  // Node's own listener would put plain text between the lines of the log.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => log.warn({ warning: name }, message));

  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
}

export interface StopSignals {
  /** The first SIGTERM or SIGINT. */
  readonly stopped: Promise<NodeJS.Signals>;
  /** A later one: somebody does not want to wait. Those that follow change nothing. */
  readonly hurried: Promise<void>;
}

/** One Ctrl-C may come twice: from the terminal to all of its processes, and by npm once more. */
const sameSignalMs = 1_000;

export function stopSignals(): StopSignals {
  let onHurried = (): void => {};
  const hurried = new Promise<void>((resolve) => {
    onHurried = resolve;
  });
  let firstAt: number | undefined;
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    const receive = (signal: NodeJS.Signals) => {
      resolve(signal);
      firstAt ??= performance.now();
      if (performance.now() - firstAt >= sameSignalMs) onHurried();
    };
    process.on('SIGTERM', receive);
    process.on('SIGINT', receive);
  });
  return { stopped, hurried };
}
