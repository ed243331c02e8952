import type { Logger } from '../platform/log.ts';
import type { Services } from './app/services.ts';

const maintenanceMs = 60_000;

/**
 * What need not happen before the first request: the next keys, last uses of clients, expired artifacts.
 *
 * @returns a function that ends it, after the round that is under way
 */
export function startMaintenance({ keys, clientUses, storage }: Services, log: Logger): () => Promise<void> {
  const stopped = new AbortController();
  let round = storage
    .countDamaged(stopped.signal)
    .then((records) => {
      const advice = 'records of the store are damaged: look at the disk, and consider a backup';
      if (records > 0) log.error({ records, store: 'corrupt' }, advice);
    })
    .catch((error) => log.error({ err: error }, 'the store could not be looked through'));
  const work = () => {
    round = round
      .then(() => keys.maintain())
      .then(() => clientUses.flush())
      .then(() => storage.artifacts.sweep())
      .then(() => {})
      .catch((error) => log.error({ err: error }, 'maintenance failed'));
  };
  const timer = setInterval(work, maintenanceMs).unref();
  const first = setTimeout(work, 1000).unref();
  return () => {
    stopped.abort();
    clearInterval(timer);
    clearTimeout(first);
    return round;
  };
}
