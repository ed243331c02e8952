/** What an address needs of the check of access tokens; the check itself, one for all of them, is handed in. */
import type { IncomingMessage } from 'node:http';
import type { ProblemError } from '../../platform/errors.ts';

export interface CallerCheck<Caller> {
  /**
   * Reads `Authorization` and checks the token in the way that it was presented, a bound one with its proof
   * (RFC 6750 §2.1, RFC 9449 §7.1).
   *
   * @throws {ProblemError} `unauthorized`, `invalid_request`, `invalid_token`, `invalid_dpop_proof`,
   *   `too_many_requests`, `busy`, with the challenge of the scheme that was used
   */
  authenticate(req: IncomingMessage): Promise<Caller>;
  /**
   * The error of a caller whose token holds and opens something else; not thrown.
   *
   * @param caller  from {@link authenticate}: the challenge names the scheme that its token needs
   * @param scope   one that would do, where there is one that a client may ask for
   */
  insufficientScope(caller: Caller, detail: string, scope?: string): ProblemError;
  /** An error whose challenge says `Bearer`, with the challenge of the scheme that the caller's token needs. */
  inSchemeOf(caller: Caller, error: ProblemError): ProblemError;
}
