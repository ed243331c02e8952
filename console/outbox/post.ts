/** One try to tell somebody something, and why it was in vain. */
import { ProblemError } from '../../platform/errors.ts';
import { type OwnReason, statusReason } from '../../platform/names/reason-codes.ts';
import type { Outbound, OutboundRequest } from '../http/outbound/outbound.ts';
import { OutboundError, type OutboundResponse } from '../http/outbound/outbound-exchange.ts';

/**
 * @param isConfirmed  whether the answer says that it has arrived
 * @returns why it is not confirmed, in one word: `status_<n>` for an answer of another status, `unexpected_answer`
 *   for one that says something else, a code of the network or `invalid_url`; nothing when it is confirmed
 */
export async function post(
  outbound: Pick<Outbound, 'send'>,
  request: Omit<OutboundRequest, 'method'>,
  isConfirmed: (answer: OutboundResponse) => boolean,
): Promise<string | undefined> {
  try {
    const answer = await outbound.send({ ...request, method: 'POST' });
    if (isConfirmed(answer)) return undefined;
    return answer.status === 200 ? ('unexpected_answer' satisfies OwnReason) : statusReason(answer.status);
  } catch (error) {
    if (error instanceof OutboundError) return error.reason;
    if (error instanceof ProblemError) return error.problem.code;
    throw error;
  }
}
