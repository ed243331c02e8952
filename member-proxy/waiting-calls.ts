/** Calls that wait for a member's answer, for whoever administers: which they are, and the end of one. */
import { ProblemError, problems } from '../platform/errors.ts';
import { type Call, pathOf } from './call.ts';
import type { EndWithError } from './call-errors.ts';
import type { InFlightCalls } from './in-flight-calls.ts';

export interface WaitingCall {
  readonly requestId: string;
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly route: string;
  readonly clientId: string | undefined;
  readonly subject: string | undefined;
  /** Base address; undefined while none has been asked. */
  readonly member: string | undefined;
  readonly waitedMs: number;
}

export interface WaitingCalls {
  /** Those that have waited so long, the longest first; those to all members are none of them. */
  list(leastMs: number): readonly WaitingCall[];
  /**
   * Ends one with an error; an item for which a poll waited goes to the next poll, or stays in its queue.
   *
   * @returns false: it does not wait, or not any more
   */
  end(requestId: string): boolean;
}

export function createWaitingCalls(deps: {
  readonly inFlight: Pick<InFlightCalls, 'list'>;
  readonly end: EndWithError;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}): WaitingCalls {
  const waiting = () => deps.inFlight.list().filter(isWaiting);
  return {
    list(leastMs) {
      const at = deps.now();
      return waiting()
        .filter(({ startedAt }) => at - startedAt >= leastMs)
        .sort((one, other) => one.startedAt - other.startedAt)
        .map((call) => shown(call, at));
    },
    end(requestId) {
      const call = waiting().find((one) => one.requestId === requestId);
      if (!call) return false;
      call.exchange?.abort();
      deps.end(call, ended(call));
      return true;
    },
  };
}

/** One that ends a member goes on there whatever becomes of its caller. */
function isWaiting({ res, rule, isOver }: Call): boolean {
  return !isOver && !res.headersSent && rule?.endsMember !== true;
}

function shown({ req, rule, caller, exchange, requestId, startedAt }: Call, at: number): WaitingCall {
  return {
    requestId,
    method: req.method!,
    path: pathOf(req),
    route: rule!.template,
    clientId: caller?.clientId,
    subject: caller?.subject,
    member: exchange?.member?.address,
    waitedMs: at - startedAt,
  };
}

function ended({ rule }: Call): ProblemError {
  const isHarmless = rule!.permission.endsWith(':read') || rule!.structure?.action === 'poll';
  return new ProblemError(
    problems.callEnded,
    isHarmless
      ? 'An administrator has ended this call while it waited for the member'
      : 'An administrator has ended this call while it waited for the member, which may have carried it out',
  );
}
