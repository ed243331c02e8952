import type { Call } from '../call.ts';
import type { ReplyListener, UpstreamRequest } from '../exchange.ts';
import type { Member } from '../members.ts';
import type { MemberPoll } from './member-poll.ts';

/** One call that polls, from its start until it has a reply, or its caller has gone. */
export interface PollingCaller {
  readonly call: Call;
  readonly request: UpstreamRequest;
  readonly candidates: readonly Member[];
  readonly listener: ReplyListener;
  /** Monotonic milliseconds: when its seconds are over. */
  readonly deadline: number;
  /** The poll at a member that asks for it, or whose reply it is given. */
  poll: MemberPoll | undefined;
  /** Ends its wait, where the member's own answer will not come in time. */
  timer: NodeJS.Timeout | undefined;
  /** Whether it still waits for a reply to begin. */
  isWaiting: boolean;
}
