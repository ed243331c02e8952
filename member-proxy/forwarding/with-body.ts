/** Which body a member gets: the caller's as it comes in, one that is filled in for each member, or none. */
import { takesPositionalBody } from '../authorization/authorize-call.ts';
import type { Call } from '../call.ts';
import type { EndWithError } from '../call-errors.ts';
import type { ProxyLimits } from '../limits.ts';
import type { Member } from '../members/members.ts';
import type { RequestHead } from '../request-head.ts';
import type { Target } from '../request-target.ts';
import { readBody, wholeBody } from './body.ts';
import { filledAtEngine, filledFor, thatTakeTheSame } from './configured-credentials.ts';
import type { Forward } from './forward.ts';
import { checkQueueName, offerInBody } from './offers.ts';
import type { MemberCredentials } from './positional-body.ts';

export interface WithBodyDeps {
  readonly limits: ProxyLimits;
  /** For positions that a caller leaves empty, at members that have no credentials of their own. */
  readonly credentials: MemberCredentials;
  /** A body may take minutes to arrive, and what let the call in may have ended meanwhile. */
  readonly checkAllowed: (call: Call) => void;
  readonly forward: Forward;
  readonly end: EndWithError;
}

type ForwardWithBody = (call: Call, head: RequestHead, target: Target, candidates: readonly Member[]) => void;

export function createWithBody(deps: WithBodyDeps): ForwardWithBody {
  const { limits, credentials, checkAllowed, forward, end } = deps;

  return (call, head, target, candidates) => {
    checkQueueName(call.rule!, target, candidates);
    if (head.bodyLength === 0 && !takesPositionalBody(call.rule!, call)) {
      bodyless(call, head, target, candidates);
      return;
    }
    received(call, head, target, candidates).catch((error) => end(call, error));
  };

  async function received(
    call: Call,
    head: RequestHead,
    target: Target,
    candidates: readonly Member[],
  ): Promise<void> {
    const rule = call.rule!;
    const body = await readBody(call.req, head.bodyLength, limits);
    if (offerInBody(rule, target) !== undefined) {
      await wholeBody(body); // members discard it as well
      checkAllowed(call);
      bodyless(call, head, target, candidates);
    } else if (takesPositionalBody(rule, call)) {
      const content = await wholeBody(body);
      checkAllowed(call);
      const { contentType } = head;
      const positional = { content, contentType, positionalFields: rule.positionalFields! };
      forward(call, head, target, thatTakeTheSame(candidates), filledFor(positional, credentials));
    } else {
      checkAllowed(call);
      forward(call, head, target, candidates, () => body);
    }
  }

  /** What has no body of the caller's, and may get one all the same. */
  function bodyless(call: Call, head: RequestHead, target: Target, candidates: readonly Member[]): void {
    const { atEngine } = call.rule!;
    const offer = offerInBody(call.rule!, target);
    if (offer !== undefined) {
      const { item, contentType } = offer;
      const body = { content: item, length: item.length };
      forward(call, { ...head, contentType }, offer.target, candidates, () => body);
    } else if (atEngine?.positionalFields) {
      const bodyFor = filledAtEngine(atEngine.positionalFields, credentials);
      forward(call, head, target, thatTakeTheSame(candidates), bodyFor);
    } else {
      forward(call, head, target, candidates, noBody);
    }
  }
}

function noBody(): undefined {
  return undefined;
}
