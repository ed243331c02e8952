import { setTimeout as pause } from 'node:timers/promises';
import type { ConsoleLink } from './console-link.ts';

/** For replies under way when the process has to stop, milliseconds. */
export const drainMs = 24_000;

const lookMs = 50;

/** Says so on standard output when calls pass, which may be long after the start. */
export async function sayReady(
  address: string,
  { isCurrent }: Pick<ConsoleLink, 'isCurrent'>,
  stopped: Promise<unknown>,
): Promise<void> {
  let isStopped = false;
  void stopped.then(() => {
    isStopped = true;
  });
  while (!isStopped && !isCurrent()) await pause(lookMs, undefined, { ref: false });
  if (!isStopped) process.stdout.write(`proxy ready at ${address}\n`);
}
