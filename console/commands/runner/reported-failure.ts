import type { Failure } from './failure.ts';

/** What the console says of a command that it refused, word by word. */
export class ReportedFailure extends Error {
  override readonly name = 'ReportedFailure';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}
