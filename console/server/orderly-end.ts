/** From the signal to end to the end: a load balancer finds out meanwhile, and nobody's call is refused or cut (S81). */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../platform/log.ts';
import type { StopSignals } from '../../platform/process-events.ts';
import type { Settings } from '../settings/settings.ts';
import type { Listening } from './listen.ts';

export interface ToEndDeps {
  readonly signals: StopSignals;
  readonly settings: Pick<Settings, 'shutdownDelaySeconds'>;
  readonly log: Pick<Logger, 'info'>;
  /** Not ready from now on, and each reply ends its connection. */
  readonly announceEnd: () => void;
}

/** For the answers to polls that would wait for longer than the process has, milliseconds. */
const lastAnswersMs = 2_000;

/** Resolves when the process is to stop taking calls. */
export async function untilToEnd({ signals, settings, log, announceEnd }: ToEndDeps): Promise<void> {
  const signal = await signals.stopped;
  const delayMs = delayAfter(signal, settings);
  log.info({ signal, ...(delayMs > 0 && { delayMs }) }, 'stopping');
  if (delayMs === 0) return;
  announceEnd();
  const isOver = new AbortController();
  await Promise.race([pause(delayMs, undefined, { signal: isOver.signal }), signals.hurried]);
  isOver.abort();
}

/** A process that does not come to its end by then is ended. @param stopMs  from the end of the delay on */
export function endAfter(
  { stopped, hurried }: StopSignals,
  settings: ToEndDeps['settings'],
  stopMs: number,
): void {
  const endIn = (ms: number) => void setTimeout(() => process.exit(1), ms).unref();
  void stopped.then((signal) => endIn(delayAfter(signal, settings) + stopMs));
  void hurried.then(() => endIn(stopMs));
}

/** Closes the port. @param endWaits  answers polls that still wait, before they would be cut */
export async function closeInTime(
  server: Pick<Listening, 'close'>,
  endWaits: () => void,
  timeoutMs: number,
): Promise<void> {
  const timer = setTimeout(endWaits, Math.max(0, timeoutMs - lastAnswersMs));
  await server.close(timeoutMs);
  clearTimeout(timer);
}

/** Who presses Ctrl-C sits before it, and no load balancer does. */
function delayAfter(signal: NodeJS.Signals, { shutdownDelaySeconds }: ToEndDeps['settings']): number {
  return signal === 'SIGINT' ? 0 : shutdownDelaySeconds * 1000;
}
