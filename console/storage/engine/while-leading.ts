/** What is done once for all consoles that share a store: by the one that leads, as long as it does. */
import { createSerial } from '../../../platform/async/serial.ts';
import { LeadershipLostError, type Storage } from '../storage.ts';

/** No question to the store: whether the lease is held is known here. */
const checkMs = 250;

/**
 * @param begin  gets the store, whose writes it makes as long as this process leads; @returns a function that ends it,
 *   after what is under way
 * @returns a function that ends it for good
 */
export function whileLeading(
  storage: Storage,
  begin: (storage: Storage) => () => Promise<void>,
): () => Promise<void> {
  const { leadership } = storage;
  if (!leadership) return begin(storage);
  // Who leads again waits for the end of what it had begun before.
  const inTurn = createSerial();
  let running: { readonly term: number; readonly end: () => Promise<void> } | undefined;
  const become = (term: number | undefined) =>
    inTurn(async () => {
      if (running?.term === term) return;
      const ending = running?.end();
      running = undefined;
      await ending;
      if (term !== undefined) running = { term, end: begin(leadership.inTerm(term)) };
    });
  const check = () => void become(leadership.term()).catch(() => {}); // what ends it has said why
  const timer = setInterval(check, checkMs).unref();
  check();
  return () => {
    clearInterval(timer);
    return become(undefined);
  };
}

/** Of a duty: that another console does it by now is nothing that somebody has to act on. */
export function dutyLog<L extends DutyLog>(log: L): L {
  const error: DutyLog['error'] = (fields, message) => {
    const isLost = (fields as { readonly err?: unknown }).err instanceof LeadershipLostError;
    if (isLost) log.warn({}, 'another console leads by now: what this one was doing is left to it');
    else log.error(fields, message);
  };
  return Object.assign(Object.create(log), { error }) as L;
}

interface DutyLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
