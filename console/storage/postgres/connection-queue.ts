/** Who waits for a connection: in the order of arrival, and not for ever. */
import { StorageUnavailableError } from '../storage.ts';

interface Waiter {
  readonly admit: () => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * @param most    of those that are admitted at the same time
 * @param waitMs  who has waited for so long is sent away
 */
export function createConnectionQueue(most: number, waitMs: number) {
  const waiting: Waiter[] = [];
  let admitted = 0;

  /** @throws {StorageUnavailableError} */
  function queue(): Promise<void> | undefined {
    if (admitted < most) {
      admitted++;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1);
        reject(new StorageUnavailableError('too many wait for the database'));
      }, waitMs);
      const waiter: Waiter = { admit: resolve, timer };
      waiting.push(waiter);
    });
  }

  return {
    waiting: () => waiting.length,
    async run<T>(work: () => Promise<T>): Promise<T> {
      await queue();
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) {
          clearTimeout(next.timer);
          next.admit();
        } else admitted--;
      }
    },
  };
}
