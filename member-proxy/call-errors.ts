/** How a call ends that is denied or has failed: the log, the denial log and what the caller is told. */

import { withDpopChallenge } from '../access-tokens/dpop/errors.ts';
import type { Caller } from '../access-tokens/verify-token.ts';
import { ProblemError, problems } from '../platform/errors.ts';
import { type Call, deniedCallOf } from './call.ts';
import type { DeniedCall } from './denied-call.ts';
import type { ProxyLog } from './proxy-log.ts';
import { sendError } from './send-error.ts';

/** Nothing happens to a call that is over. */
export type EndWithError = (call: Call, error: unknown) => void;

/** @param onDenial  hears of it before the caller does, and gives it its decision id */
export function createEndWithError(log: ProxyLog, onDenial: (denied: DeniedCall) => string): EndWithError {
  return (call, error) => {
    if (call.isOver) return;
    const { res, requestId } = call;
    const denial = inSchemeOf(call.caller, problemErrorOf(error, requestId));
    call.denial = { code: denial.problem.code, decisionId: onDenial(deniedCallOf(call, denial)) };
    if (res.headersSent) {
      // Too late to say anything but that the reply is not whole.
      res.destroy();
      return;
    }
    sendError(call, denial, { requestId, decisionId: call.denial.decisionId });
  };

  function problemErrorOf(error: unknown, requestId: string): ProblemError {
    if (error instanceof ProblemError) {
      if (error.problem.status > 500) {
        log.warn({ requestId, reason: error.problem.code, err: error.cause }, 'no member answered the call');
      }
      return error;
    }
    log.error({ requestId, err: error }, 'call failed');
    return new ProblemError(problems.serverError, 'The call could not be handled', { cause: error });
  }
}

/** What a caller lacks who has proven a key is told in the scheme that takes such proofs. */
function inSchemeOf(caller: Caller | undefined, denial: ProblemError): ProblemError {
  return caller?.keyThumbprint === undefined ? denial : withDpopChallenge(denial);
}
