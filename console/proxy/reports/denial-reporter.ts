/**
 * Reports to the console what was denied here, one batch at a time. While the console does not answer, so many batches
 * are held and then the oldest are discarded; they are in this process's log anyway.
 */
import type { DenialBatch } from '../../access/denial-buffer.ts';
import { createDelivery, type DeliveryDeps } from './delivery.ts';

/** Batches that wait; each has up to 100 denials. */
const mostWaiting = 32;

export function createDenialReporter(deps: Pick<DeliveryDeps<DenialBatch>, 'send' | 'onResult'>) {
  /** By place: a newer state of a batch replaces an older one. */
  const waiting = new Map<string, DenialBatch>();
  const delivery = createDelivery<DenialBatch>({
    ...deps,
    next: () => waiting.values().next().value,
    onTaken(batch) {
      // Unless there is more of it by now.
      if (waiting.get(placeOf(batch)) === batch) waiting.delete(placeOf(batch));
    },
  });

  return {
    add(batch: DenialBatch): void {
      waiting.delete(placeOf(batch));
      if (waiting.size >= mostWaiting) waiting.delete(waiting.keys().next().value!);
      waiting.set(placeOf(batch), batch);
      delivery.start();
    },
    /** Sends what is left, for so many milliseconds at most. */
    async close(timeoutMs: number): Promise<void> {
      await delivery.close(timeoutMs);
      waiting.clear();
    },
  };
}

function placeOf({ stem, number }: DenialBatch): string {
  return `${stem}.${number}`;
}
