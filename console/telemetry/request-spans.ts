/** Requests to the console itself as spans; what the audit trail says of one is an event of its span. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SpanKind } from '@opentelemetry/api';
import { continueTrace } from '../../member-proxy/forwarding/trace.ts';
import { type Audit, type AuditFields, writingOf } from '../../platform/log.ts';
import { attributesOf } from './attributes.ts';
import type { EndedSpan, SpanSink } from './spans.ts';

type SpanEvent = NonNullable<EndedSpan['events']>[number];

export interface RequestSpans {
  /** Records the request when it is over, if its trace is recorded. */
  begin(req: IncomingMessage, res: ServerResponse, requestId: string): void;
  /** The same audit, whose entries also stand in the spans of their requests. */
  audited(audit: Audit): Audit;
}

export interface RequestSpansDeps {
  readonly sink: SpanSink;
  readonly samples: () => boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Of an entry, what joins it with others; no names beside the actor's. */
const eventFields = ['outcome', 'reason', 'actor', 'clientId', 'grantType', 'jti', 'provider', 'decisionId'];

export function createRequestSpans({ sink, samples, now }: RequestSpansDeps): RequestSpans {
  const open = new Map<string, SpanEvent[]>();

  return {
    begin(req, res, requestId) {
      const trace = continueTrace(oneOf(req.headers.traceparent), undefined, samples);
      if (!trace.isSampled) return;
      const events: SpanEvent[] = [];
      const startedAt = now();
      open.set(requestId, events);
      res.once('close', () => {
        open.delete(requestId);
        const { method = '' } = req;
        const status = res.headersSent ? res.statusCode : 0;
        sink.add({
          name: `${method} ${routeOf(req.url ?? '')}`,
          kind: SpanKind.SERVER,
          traceId: trace.traceId,
          spanId: sink.newSpanId(),
          parentId: trace.parentId,
          isParentRemote: true,
          startedAt,
          endedAt: now(),
          events,
          failure: status >= 500 || status === 0 ? 'failed' : undefined,
          attributes: attributesOf({
            'http.request.method': method,
            'http.route': routeOf(req.url ?? ''),
            'http.response.status_code': status,
            'console.request_id': requestId,
          }),
        });
      });
    },
    audited: (audit) =>
      Object.assign((event: string, fields: AuditFields) => {
        audit(event, fields);
        if (fields.requestId === undefined) return;
        open
          .get(fields.requestId)
          ?.push({ name: event, at: now(), attributes: attributesOf(joining(fields)) });
      }, writingOf(audit)),
  };
}

function joining(fields: AuditFields): Record<string, string | undefined> {
  return Object.fromEntries(
    eventFields.map((name) => {
      const value = fields[name];
      return [`console.${name}`, typeof value === 'string' ? value : undefined];
    }),
  );
}

function oneOf(field: string | string[] | undefined): string | undefined {
  return typeof field === 'string' ? field : undefined;
}

const known = /^\/(?:oauth2\/[a-z_]{1,30}|userinfo|live|ready|metrics|\.well-known\/[a-z-]{1,40})$/;

/** As much of a path as is no value: behind it stand names, and in pages tokens. */
function routeOf(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (known.test(path)) return path;
  const [, first] = /^(\/api\/v1\/[a-z-]{1,30}|\/[a-z-]{1,30})(?:\/|$)/.exec(path) ?? [];
  return first ?? '/';
}
