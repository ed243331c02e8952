import type { Logger } from '../platform/log.ts';
import type { Services } from './app/services.ts';

const maintenanceMs = 60_000;
const dayMs = 86_400_000;

/**
 * What need not happen before the first request, and is done once for all: the next keys, expired artifacts, and ways
 * to records that a release before this one did not know.
 *
 * @returns a function that ends it, after the round that is under way
 */
export function startMaintenance({ keys, storage }: Services, log: Logger): () => Promise<void> {
  const stopped = new AbortController();
  let check: Promise<void> | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const beginCheck = () => {
    checkedAt = Date.now();
    check = countDamaged(storage, log, stopped.signal).finally(() => {
      check = undefined;
    });
  };
  const { damaged = 0 } = storage.lastDamageCount() ?? {};
  // What was damaged is said at each start.
  if (damaged > 0 || isDue(storage)) beginCheck();
  const filling = fillIndexes(storage, log, stopped.signal);
  const endRounds = everyMinute(log, async () => {
    if (!check && isLongAgo(checkedAt) && isDue(storage)) beginCheck();
    await keys.maintain(storage.registry);
    storage.leadership?.ran('keys');
    await storage.artifacts.sweep();
    storage.leadership?.ran('expiry');
  });
  return async () => {
    stopped.abort();
    await Promise.all([endRounds(), check, filling]);
  };
}

/** Last uses of clients, which each console writes of itself. @returns as {@link startMaintenance} */
export function startWritingUses({ clientUses }: Pick<Services, 'clientUses'>, log: Logger) {
  return everyMinute(log, clientUses.flush);
}

/** @returns a function that ends it, after the round that is under way */
function everyMinute(log: Pick<Logger, 'error'>, work: () => Promise<void>): () => Promise<void> {
  let round = Promise.resolve();
  const begin = () => {
    round = round.then(work).catch((error) => log.error({ err: error }, 'maintenance failed'));
  };
  const timer = setInterval(begin, maintenanceMs).unref();
  const first = setTimeout(begin, 1000).unref();
  return () => {
    clearInterval(timer);
    clearTimeout(first);
    return round;
  };
}

/** Reading all of a large store takes minutes: once a day, however often the process starts. */
function isDue({ lastDamageCount }: Services['storage']): boolean {
  const { endedAt = Number.NEGATIVE_INFINITY } = lastDamageCount() ?? {};
  return isLongAgo(endedAt);
}

/** Also of a time that a wrong clock has set. */
function isLongAgo(epochMs: number): boolean {
  return Math.abs(Date.now() - epochMs) >= dayMs;
}

async function countDamaged(storage: Services['storage'], log: Logger, signal: AbortSignal): Promise<void> {
  try {
    const records = await storage.countDamaged(signal);
    const advice = 'records of the store are damaged: look at the disk, and consider a backup';
    if (records > 0) log.error({ records, store: 'corrupt' }, advice);
  } catch (error) {
    log.error({ err: error }, 'the store could not be looked through');
  }
}

/** What fails is tried again by the next start: lists are slower until then, and as complete. */
async function fillIndexes(storage: Services['storage'], log: Logger, signal: AbortSignal): Promise<void> {
  try {
    const records = await storage.fillIndexes(signal);
    if (records > 0) log.info({ records }, 'records of an earlier release are in all indexes');
  } catch (error) {
    log.error({ err: error }, 'records of an earlier release could not be added to all indexes');
  }
}
