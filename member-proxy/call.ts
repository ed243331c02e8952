/** One call on its way through the proxy. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../access-tokens/verify-token.ts';
import type { ProblemError } from '../platform/errors.ts';
import type { OwnReason } from '../platform/names/reason-codes.ts';
import type { Rule } from './authorization/rule-table.ts';
import type { CallRecord } from './call-record.ts';
import type { DeniedCall } from './denied-call.ts';
import type { Trace } from './forwarding/trace.ts';
import type { Exchange } from './forwarding/upstream-request.ts';
import type { Target } from './request-target.ts';

/** What is not known yet is undefined. */
export interface Call {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly source: string | undefined;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** The member that the caller wants, by UUID or `host:port`. */
  memberTarget: string | undefined;
  /** Whether the end of this request on its connection is beyond doubt. */
  isFramed: boolean;
  /** Whether nothing comes behind its head; Node tells so too late for a denial at once. */
  isBodyless: boolean;
  /** Of the request, and of the reply that is passed on, in bytes; undefined: in chunks, or not known yet. */
  bodyBytes: number | undefined;
  replyBytes: number | undefined;
  trace: Trace | undefined;
  target: Target | undefined;
  isOver: boolean;
  caller: Caller | undefined;
  rule: Rule | undefined;
  /** Whether it goes to every member. */
  isBroadcast: boolean;
  exchange: Exchange | undefined;
  /** When it was found that it may go on to a member; monotonic milliseconds. */
  forwardedAt: number | undefined;
  /** Counts the call out where it was counted in. */
  countOut: (() => void) | undefined;
  denial: { readonly code: string; readonly decisionId: string } | undefined;
  /** Of a call that went to all members. */
  results: CallRecord['results'];
  /** Among the in-flight calls. */
  place: number | undefined;
}

/** What counts of a call that is over, for who keeps account of what is used. */
export type UsedCall = Pick<Call, 'req' | 'caller' | 'rule' | 'target' | 'denial'>;

export function newCall(
  req: IncomingMessage,
  res: ServerResponse,
  { requestId, source, startedAt }: Pick<Call, 'requestId' | 'source' | 'startedAt'>,
): Call {
  // Each by its name: an object that begins with a copy of another is slow for whoever reads it.
  return {
    req,
    res,
    requestId,
    source,
    startedAt,
    memberTarget: undefined,
    isFramed: false,
    isBodyless: false,
    bodyBytes: undefined,
    replyBytes: undefined,
    trace: undefined,
    target: undefined,
    isOver: false,
    caller: undefined,
    rule: undefined,
    isBroadcast: false,
    exchange: undefined,
    forwardedAt: undefined,
    countOut: undefined,
    denial: undefined,
    results: undefined,
    place: undefined,
  };
}

/** @param at  monotonic milliseconds, the end of the call */
export function recordOf(call: Call, at: number): CallRecord {
  const { req, res, caller, rule, exchange, denial, trace } = call;
  return {
    requestId: call.requestId,
    decisionId: denial?.decisionId,
    traceId: trace?.traceId,
    isTraceSampled: trace?.isSampled === true,
    source: call.source,
    method: req.method!,
    path: pathOf(req),
    route: rule?.template,
    permission: rule?.permission,
    structureAction: rule?.structure?.action,
    valueBytes: req.method === 'GET' ? call.replyBytes : call.bodyBytes,
    status: res.headersSent ? res.statusCode : 0,
    decision: denial?.code ?? ('forwarded' satisfies OwnReason),
    subject: caller?.subject,
    clientId: caller?.clientId,
    jti: caller?.jti,
    elevation: caller?.elevation?.id,
    member: exchange?.member?.address,
    results: call.results,
    durationMs: at - call.startedAt,
  };
}

/** @param denial  what the caller is told */
export function deniedCallOf(call: Call, { problem, message }: ProblemError): DeniedCall {
  const { req, caller, rule, exchange, memberTarget } = call;
  return {
    requestId: call.requestId,
    traceId: call.trace?.traceId,
    source: call.source,
    method: req.method!,
    path: pathOf(req),
    rule: rule && {
      methods: rule.methods,
      template: rule.template,
      group: rule.group,
      permission: rule.permission,
    },
    member: exchange?.member?.address ?? memberTarget,
    status: problem.status,
    code: problem.code,
    reason: message,
    caller: caller && {
      subject: caller.subject,
      clientId: caller.clientId,
      jti: caller.jti,
      roles: caller.roles,
      scopes: caller.scopes,
    },
  };
}

/** Longest path that a record keeps; a target may have 8 KiB. */
const longestPath = 512;

/** As sent, without the query: that may hold what is nobody's business. */
export function pathOf({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return path.length > longestPath ? `${path.slice(0, longestPath)}…` : path;
}
