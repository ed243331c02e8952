import { destination } from 'pino';

/** Lines that wait for the reader; what comes on top is lost. */
const mostWaitingBytes = 1024 * 1024;
/** What a reader who takes nothing gets at the exit of the process: times 100 ms. */
const lastTries = 3;

/**
 * Never waits for whoever reads the log (S100): lines are written by another thread. Node's own stream makes a pipe
 * non-blocking, so that the thread does not wait either.
 */
export function openLogOutput() {
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
