/** What the console tells a collector of OpenTelemetry (OTLP over HTTP): traces, and the numbers of `/metrics`. */
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { CallTracing } from '../../member-proxy/proxy.ts';
import { version } from '../../platform/installation.ts';
import type { Logger } from '../../platform/log.ts';
import { recordCall } from './call-spans.ts';
import { createMetricBridge } from './metric-bridge.ts';
import { createRequestSpans, type RequestSpans } from './request-spans.ts';
import { createSpanSink } from './spans.ts';

export interface TelemetrySettings {
  /** Base address of the collector. */
  readonly otlpEndpoint: string;
  readonly otlpHeaders: Readonly<Record<string, string>>;
  /** Of 100 traces that begin here, so many are recorded. */
  readonly otlpTracesPercent: number;
  readonly otlpMetricsSeconds: number;
}

export interface TelemetryDeps {
  readonly settings: TelemetrySettings;
  /** Of this process among those of one console. */
  readonly instance: string;
  readonly log: Pick<Logger, 'warn'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface Telemetry extends RequestSpans {
  readonly calls: CallTracing;
  /** Sends these from now on, again and again. @param numbers  as prom-client has them */
  sendNumbers(numbers: () => Promise<readonly object[]>): void;
  /** Sends what is left, within seconds. */
  close(): Promise<void>;
}

const exportMs = 5_000;
/** The same trouble is said once in so long. */
const quietMs = 300_000;

export function createTelemetry({ settings, instance, log, now }: TelemetryDeps): Telemetry {
  sayTrouble(log, now);
  const resource = resourceFromAttributes({
    'service.name': 'cluster-console',
    'service.version': version(),
    'service.instance.id': instance,
  });
  const addressOf = (signal: string) => `${settings.otlpEndpoint.replace(/\/+$/, '')}/v1/${signal}`;
  const sent = { headers: { ...settings.otlpHeaders }, timeoutMillis: exportMs };
  const sink = createSpanSink(
    new OTLPTraceExporter({ ...sent, url: addressOf('traces') }),
    resource,
    version(),
  );
  const samples = () => Math.random() * 100 < settings.otlpTracesPercent;
  const startedAt = now();
  let meters: MeterProvider | undefined;

  return {
    ...createRequestSpans({ sink, samples, now }),
    calls: {
      samples,
      record: (call, trace, checkMs) => recordCall(sink, call, { trace, checkMs, endedAt: now() }),
    },
    sendNumbers(numbers) {
      meters = new MeterProvider({
        resource,
        readers: [
          new PeriodicExportingMetricReader({
            exporter: new OTLPMetricExporter({ ...sent, url: addressOf('metrics') }),
            exportIntervalMillis: settings.otlpMetricsSeconds * 1000,
            exportTimeoutMillis: Math.min(exportMs, settings.otlpMetricsSeconds * 1000),
            metricProducers: [createMetricBridge({ numbers, resource, version: version(), startedAt, now })],
          }),
        ],
      });
    },
    async close() {
      const all = [sink.close(), meters?.shutdown()];
      // A collector that does not answer holds up no end.
      await Promise.race([
        Promise.allSettled(all),
        new Promise((resolve) => setTimeout(resolve, 2_000).unref()),
      ]);
    },
  };
}

/** The libraries say it through one place for the process. */
function sayTrouble(log: Pick<Logger, 'warn'>, now: () => number): void {
  let saidAt = Number.NEGATIVE_INFINITY;
  const say = (message: string) => {
    if (now() - saidAt < quietMs) return;
    saidAt = now();
    log.warn({ reason: reasonOf(message) }, 'the collector of telemetry does not take what it is sent');
  };
  const silent = () => {};
  diag.setLogger({ error: say, warn: say, info: silent, debug: silent, verbose: silent }, DiagLogLevel.WARN);
}

/** What the libraries say is an error as JSON, with its stack: of that, what it is. */
function reasonOf(message: string): string {
  try {
    const { message: text, code, name } = JSON.parse(message) as Record<string, string>;
    return [code, text || name].filter(Boolean).join(': ').slice(0, 300);
  } catch {
    return message.slice(0, 300);
  }
}
