/** A change whose answer never came. */
import { CommandError } from '../runner/command.ts';
import type { ApiRequest } from './api-caller.ts';

/** Nobody knows whether it was done: with its key it can be asked for again. @param who  did not answer */
export function lostAnswer(
  who: string,
  { idempotencyKey }: ApiRequest,
  options?: ErrorOptions,
): CommandError {
  const next =
    idempotencyKey === undefined
      ? 'look whether the change was made.'
      : 'whether it was done is not known. Type the same command once more with this, and it is done once: ' +
        `--idempotency-key ${idempotencyKey}`;
  return new CommandError('no_console', `${who} ended before it had answered: ${next}`, options);
}
