/** One call on its way through the proxy. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallRecord } from './call-record.ts';
import type { Exchange } from './exchange.ts';
import type { Rule } from './rule-table.ts';
import type { Caller } from './verify-token.ts';

/** What is not known yet is undefined. */
export interface Call {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly source: string | undefined;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** The member that the caller wants, by UUID or `host:port`. */
  pin: string | undefined;
  /** Whether the end of this request on its connection is beyond doubt. */
  isFramed: boolean;
  isOver: boolean;
  caller: Caller | undefined;
  rule: Rule | undefined;
  exchange: Exchange | undefined;
  /** Counts the call out where it was counted in. */
  countOut: (() => void) | undefined;
  refusal: { readonly code: string; readonly decisionId: string } | undefined;
}

export function newCall(
  req: IncomingMessage,
  res: ServerResponse,
  known: Pick<Call, 'requestId' | 'source' | 'startedAt'>,
): Call {
  return {
    req,
    res,
    ...known,
    pin: undefined,
    isFramed: false,
    isOver: false,
    caller: undefined,
    rule: undefined,
    exchange: undefined,
    countOut: undefined,
    refusal: undefined,
  };
}

/** @param at  monotonic milliseconds, the end of the call */
export function recordOf(call: Call, at: number): CallRecord {
  const { req, res, caller, rule, exchange, refusal } = call;
  return {
    requestId: call.requestId,
    decisionId: refusal?.decisionId,
    source: call.source,
    method: req.method!,
    route: rule?.template,
    status: res.headersSent ? res.statusCode : 0,
    decision: refusal?.code ?? 'forwarded',
    subject: caller?.subject,
    clientId: caller?.clientId,
    member: exchange?.member?.address,
    durationMs: at - call.startedAt,
  };
}
