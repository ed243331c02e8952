import type { Failure } from '../runner/failure.ts';

/** What the console says of a command that it refused, word by word. */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}
