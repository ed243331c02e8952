/** A change whose answer never came. */
import { CommandError } from '../runner/command.ts';
import type { ApiRequest } from './api-caller.ts';

/** Nobody knows whether it was done: with its key it can be asked for again. */
export class LostAnswerError extends CommandError {
  /** What has happened, without what to do: for a command of several calls, whose keys are not that of the command. */
  readonly what: string;

  /** @param who  did not answer */
  constructor(who: string, { idempotencyKey }: ApiRequest, options?: ErrorOptions) {
    const what = `${who} ended before it had answered`;
    const next =
      idempotencyKey === undefined
        ? 'look whether the change was made.'
        : 'whether it was done is not known. Type the same command once more with this, and it is done once: ' +
          `--idempotency-key ${idempotencyKey}`;
    super('no_console', `${what}: ${next}`, options);
    this.what = `${what}.`;
  }
}
