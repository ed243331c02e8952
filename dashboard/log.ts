import { destination, type Logger, pino, stdTimeFunctions } from 'pino';

export type { Logger } from 'pino';

/** One JSON line per event to standard error. Callers pass no token, code, cookie or query (S85). */
export function createLogger(): Logger {
  return pino(
    {
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: describeError },
      formatters: { level: (label) => ({ level: label }) },
    },
    openOutput(),
  );
}

/** Lines that wait for the reader; what comes on top is lost. */
const mostWaitingBytes = 1024 * 1024;
/** What a reader who takes nothing gets at the exit of the process: times 100 ms. */
const lastTries = 3;

/**
 * Never waits for whoever reads the log (S100): lines are written by another thread. Node's own stream makes a pipe
 * non-blocking, so that the thread does not wait either.
 */
function openOutput() {
  let isExiting = false;
  let tries = 0;
  void process.stderr.writable;
  const output = destination({
    fd: 2,
    sync: false,
    maxLength: mostWaitingBytes,
    retryEAGAIN: () => !isExiting || ++tries < lastTries,
  });
  // Nobody reads any more: no request fails for that.
  output.on('error', () => {});
  // Before the library's own listener, which would try for ever.
  process.prependOnceListener('exit', () => {
    isExiting = true;
    try {
      output.flushSync();
    } catch {
      // What waits is lost with the process.
    }
    output.flushSync = () => {};
  });
  return output;
}

/** Name, message and stack of an error and its causes; not its other fields, which may hold an answer. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}
