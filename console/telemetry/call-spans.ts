/** A call to a member as spans: the call, the check of who calls and what that opens, and the member's part. */
import { SpanKind } from '@opentelemetry/api';
import type { CallRecord } from '../../member-proxy/call-record.ts';
import { spanIdOf, type Trace } from '../../member-proxy/forwarding/trace.ts';
import { attributesOf } from './attributes.ts';
import type { SpanSink } from './spans.ts';

export interface CallEnd {
  readonly trace: Trace;
  /** Until it was known that it may go on, milliseconds; undefined: it was denied. */
  readonly checkMs: number | undefined;
  /** Epoch milliseconds. */
  readonly endedAt: number;
}

export function recordCall(sink: SpanSink, call: CallRecord, { trace, checkMs, endedAt }: CallEnd): void {
  const { traceId, parentId } = trace;
  const startedAt = endedAt - call.durationMs;
  const spanId = sink.newSpanId();
  const failure = call.status >= 500 || call.status === 0 ? call.decision : undefined;
  sink.add({
    name: call.route === undefined ? call.method : `${call.method} ${call.route}`,
    kind: SpanKind.SERVER,
    traceId,
    spanId,
    parentId,
    isParentRemote: true,
    startedAt,
    endedAt,
    failure,
    attributes: attributesOfCall(call),
  });
  const within = { traceId, parentId: spanId, isParentRemote: false } as const;
  const checkedAt = checkMs === undefined ? endedAt : startedAt + checkMs;
  const check = { name: 'check', kind: SpanKind.INTERNAL, spanId: sink.newSpanId(), attributes: {} };
  sink.add({ ...within, ...check, startedAt, endedAt: checkedAt });
  if (checkMs === undefined) return;
  sink.add({
    ...within,
    name: call.method,
    kind: SpanKind.CLIENT,
    // The member was told this one: its own spans stand below.
    spanId: spanIdOf(trace),
    startedAt: checkedAt,
    endedAt,
    failure,
    attributes: attributesAtMember(call),
  });
}

function attributesOfCall(call: CallRecord) {
  return attributesOf({
    'http.request.method': call.method,
    'http.route': call.route,
    'http.response.status_code': call.status,
    'client.address': call.source,
    'user.id': call.subject,
    'console.client_id': call.clientId,
    'console.token_id': call.jti,
    'console.request_id': call.requestId,
    'console.permission': call.permission,
    'console.decision': call.decision,
    'console.decision_id': call.decisionId,
  });
}

function attributesAtMember({ method, status, member }: CallRecord) {
  const address = member === undefined ? undefined : new URL(member);
  return attributesOf({
    'http.request.method': method,
    'http.response.status_code': status,
    'server.address': address?.hostname,
    'server.port': address && Number(address.port),
  });
}
