/** The ways in which an authorized call goes on: to every member, to one that is told to end, as a poll, or to the first that takes it. */
import type { Call } from '../call.ts';
import type { EndWithError } from '../call-errors.ts';
import type { InFlightCalls } from '../in-flight-calls.ts';
import type { ProxyLimits } from '../limits.ts';
import type { Member, Members } from '../members/members.ts';
import { shutDown } from '../members/orderly-shutdown.ts';
import { isPoll, waitMsOf } from '../queue-polls/poll-call.ts';
import type { PollDesk } from '../queue-polls/poll-desk.ts';
import type { RequestHead } from '../request-head.ts';
import type { Target } from '../request-target.ts';
import type { BodyFor } from './configured-credentials.ts';
import { startExchange } from './exchange.ts';
import { broadcast } from './fan-out.ts';
import { createReplyFields } from './headers.ts';
import { relayTo, requestFor } from './relay.ts';
import type { UpstreamRequest } from './upstream-request.ts';

export interface ForwardDeps {
  readonly members: Pick<Members, 'list'>;
  readonly desk: Pick<PollDesk, 'take'>;
  /** Gets the calls that wait for one member. */
  readonly inFlight: Pick<InFlightCalls, 'add'>;
  readonly limits: ProxyLimits;
  /** Hears the answer to a call that was given the credentials of the settings. */
  readonly checkCredentials: NonNullable<UpstreamRequest['onAnswer']>;
  readonly end: EndWithError;
}

export type Forward = (
  call: Call,
  head: RequestHead,
  target: Target,
  candidates: readonly Member[],
  bodyFor: BodyFor,
) => void;

export function createForward(deps: ForwardDeps): Forward {
  const { members, desk, inFlight, limits, checkCredentials, end } = deps;
  const replyFields = createReplyFields();

  return (call, head, target, candidates, bodyFor) => {
    if (call.isOver) return;
    if (call.isBroadcast) {
      const asked = { sent: target.path, path: target.path };
      const requestOf = (member: Member) =>
        requestFor(call, { head, target: asked, body: bodyFor(member) }, checkCredentials, limits);
      broadcast(call, requestOf, members.list()).catch((error) => end(call, error));
      return;
    }
    const [first] = candidates;
    inFlight.add(call);
    const listener = relayTo(call, replyFields, limits, (error) => end(call, error));
    const request = requestFor(
      call,
      { head, target, body: first && bodyFor(first) },
      checkCredentials,
      limits,
    );
    if (call.rule!.endsMember) void shutDown(call, first!, members.list(), { request, listener });
    else if (isPoll(call)) desk.take(call, request, listener, candidates, waitMsOf(call));
    else call.exchange = startExchange(request, listener, candidates);
  };
}
