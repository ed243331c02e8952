/** Spans of what is over: with ids, beginning and end that are known, since calls pass no context from step to step. */
import {
  type Attributes,
  ROOT_CONTEXT,
  type SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';

export interface EndedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  /** Whether the parent is another process's. */
  readonly isParentRemote: boolean;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  readonly events?: readonly {
    readonly name: string;
    readonly at: number;
    readonly attributes: Attributes;
  }[];
  /** Why it failed, by the fault of a server. */
  readonly failure?: string | undefined;
}

export interface SpanSink {
  add(span: EndedSpan): void;
  newSpanId(): string;
  newTraceId(): string;
  close(): Promise<void>;
}

export function createSpanSink(exporter: SpanExporter, resource: Resource, version: string): SpanSink {
  const random = new RandomIdGenerator();
  const ids = createGivenIds(random);
  const provider = new BasicTracerProvider({
    resource,
    idGenerator: ids,
    spanProcessors: [
      new BatchSpanProcessor(exporter, {
        maxQueueSize: 8192,
        maxExportBatchSize: 1024,
        scheduledDelayMillis: 1000,
      }),
    ],
  });
  const tracer = provider.getTracer('cluster-console', version);
  return {
    add: (span) => write(tracer, ids, span),
    newSpanId: random.generateSpanId,
    newTraceId: random.generateTraceId,
    close: () => provider.shutdown(),
  };
}

function write(tracer: Tracer, ids: GivenIds, span: EndedSpan): void {
  const { name, kind, traceId, spanId, parentId, attributes, failure } = span;
  ids.next = { traceId, spanId };
  const parent =
    parentId === undefined
      ? ROOT_CONTEXT
      : trace.setSpanContext(ROOT_CONTEXT, {
          traceId,
          spanId: parentId,
          traceFlags: TraceFlags.SAMPLED,
          isRemote: span.isParentRemote,
        });
  const written = tracer.startSpan(name, { kind, startTime: span.startedAt, attributes }, parent);
  for (const event of span.events ?? []) written.addEvent(event.name, event.attributes, event.at);
  if (failure !== undefined) written.setStatus({ code: SpanStatusCode.ERROR, message: failure });
  written.end(span.endedAt);
}

interface GivenIds extends IdGenerator {
  next: { readonly traceId: string; readonly spanId: string } | undefined;
}

/** The ids of the next span: members were told them already. */
function createGivenIds(random: IdGenerator): GivenIds {
  return {
    next: undefined,
    generateTraceId() {
      return this.next?.traceId ?? random.generateTraceId();
    },
    generateSpanId() {
      return this.next?.spanId ?? random.generateSpanId();
    },
  };
}
