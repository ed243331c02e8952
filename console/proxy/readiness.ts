import { setTimeout as pause } from 'node:timers/promises';

/** For replies under way when the process has to stop, milliseconds. */
export const drainMs = 24_000;

const pollMs = 50;

/** Says on standard output that calls pass, which may be long after the start. */
export async function sayReady(
  address: string,
  doPass: () => boolean,
  stopped: Promise<unknown>,
): Promise<void> {
  if (await holds(doPass, stopped)) process.stdout.write(`proxy ready at ${address}\n`);
}

/** @returns true once it does, or false when the process has to stop before */
export async function holds(condition: () => boolean, stopped: Promise<unknown>): Promise<boolean> {
  let isStopped = false;
  void stopped.then(() => {
    isStopped = true;
  });
  while (!isStopped && !condition()) await pause(pollMs, undefined, { ref: false });
  return !isStopped;
}
