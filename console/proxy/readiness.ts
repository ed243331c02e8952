import { setTimeout as pause } from 'node:timers/promises';

/** For replies under way when the process has to stop, milliseconds. */
export const drainMs = 24_000;

const pollMs = 50;

/** How long a proxy that has not heard the console keeps its port shut, milliseconds. */
const longestSilenceMs = 5_000;

/**
 * Resolves when calls would pass, and while they would not, after a while: a load balancer that asks nobody whether they are
 * ready sends calls as soon as there is a port, and one that opens before the console is heard would answer them 503.
 */
export async function untilWorthListening(doPass: () => boolean, stopped: Promise<unknown>): Promise<void> {
  const latest = performance.now() + longestSilenceMs;
  // Nothing but this keeps the process yet.
  await holds(() => doPass() || performance.now() >= latest, stopped, { isOnlyWork: true });
}

/** Says on standard output that calls pass, which may be long after the start. */
export async function sayReady(
  address: string,
  doPass: () => boolean,
  stopped: Promise<unknown>,
): Promise<void> {
  if (await holds(doPass, stopped)) process.stdout.write(`proxy ready at ${address}\n`);
}

/**
 * @param isOnlyWork  nothing else holds the process while it waits
 * @returns true once it does, or false when the process has to stop before
 */
export async function holds(
  condition: () => boolean,
  stopped: Promise<unknown>,
  { isOnlyWork = false } = {},
): Promise<boolean> {
  let isStopped = false;
  void stopped.then(() => {
    isStopped = true;
  });
  while (!isStopped && !condition()) await pause(pollMs, undefined, { ref: isOnlyWork });
  return !isStopped;
}
