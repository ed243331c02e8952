/** What is done once for all consoles that share a store: by the one that leads, as long as it does. */
import { createSerial } from '../../../platform/async/serial.ts';
import type { Storage } from '../storage.ts';

/** No question to the store: whether the lease is held is known here. */
const checkMs = 250;

/**
 * @param begin  @returns a function that ends it, after what is under way
 * @returns a function that ends it for good
 */
export function whileLeading(
  { leads }: Pick<Storage, 'leads'>,
  begin: () => () => Promise<void>,
): () => Promise<void> {
  if (!leads) return begin();
  // Who leads again waits for the end of what it had begun before.
  const inTurn = createSerial();
  let end: (() => Promise<void>) | undefined;
  const become = (isLeading: boolean) =>
    inTurn(async () => {
      if (isLeading) end ??= begin();
      else {
        const ending = end?.();
        end = undefined;
        await ending;
      }
    });
  const check = () => void become(leads()).catch(() => {}); // what ends it has said why
  const timer = setInterval(check, checkMs).unref();
  check();
  return () => {
    clearInterval(timer);
    return become(false);
  };
}
