/** The numbers of `/metrics` in the form of OpenTelemetry: they are counted once. */
import { type HrTime, ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  InstrumentType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';

/** As prom-client has them. */
interface PrometheusMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly values: readonly PrometheusValue[];
}
interface PrometheusValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Of a histogram: the name with `_bucket`, `_sum` or `_count`. */
  readonly metricName?: string;
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

export interface MetricBridgeDeps {
  readonly numbers: () => Promise<readonly object[]>;
  readonly resource: Resource;
  readonly version: string;
  /** Epoch milliseconds: when counting began. */
  readonly startedAt: number;
  readonly now: () => number;
}

export function createMetricBridge({
  numbers,
  resource,
  version,
  startedAt,
  now,
}: MetricBridgeDeps): MetricProducer {
  const startTime = hrTimeOf(startedAt);
  return {
    async collect() {
      const found = (await numbers()) as readonly PrometheusMetric[];
      const times = { startTime, endTime: hrTimeOf(now()) };
      const metrics = found.flatMap((metric) => dataOf(metric, times));
      const scopeMetrics = [{ scope: { name: 'cluster-console', version }, metrics }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
}

function dataOf(metric: PrometheusMetric, times: Times): MetricData[] {
  if (metric.values.length === 0) return [];
  const aggregationTemporality = AggregationTemporality.CUMULATIVE;
  if (metric.type === 'histogram') {
    return [
      {
        descriptor: descriptorOf(metric, InstrumentType.HISTOGRAM),
        aggregationTemporality,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: histogramPoints(metric, times),
      },
    ];
  }
  const dataPoints = metric.values.map(({ value, labels }) => ({
    ...times,
    attributes: { ...labels },
    value,
  }));
  if (metric.type === 'counter') {
    return [
      {
        descriptor: descriptorOf(metric, InstrumentType.COUNTER),
        aggregationTemporality,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints,
      },
    ];
  }
  return [
    {
      descriptor: descriptorOf(metric, InstrumentType.GAUGE),
      aggregationTemporality,
      dataPointType: DataPointType.GAUGE,
      dataPoints,
    },
  ];
}

type HistogramPoint = Extract<MetricData, { dataPointType: DataPointType.HISTOGRAM }>['dataPoints'][number];

function histogramPoints({ name, values }: PrometheusMetric, times: Times): HistogramPoint[] {
  const series = new Map<string, PrometheusValue[]>();
  for (const value of values) {
    const { le: _, ...labels } = value.labels;
    const key = JSON.stringify(labels);
    series.set(key, [...(series.get(key) ?? []), value]);
  }
  return [...series].map(([key, all]) => {
    const buckets = all.filter(({ metricName }) => metricName === `${name}_bucket`);
    const named = (suffix: string) =>
      all.find(({ metricName }) => metricName === `${name}_${suffix}`)?.value ?? 0;
    const bounds = buckets.map(({ labels }) => Number(String(labels.le).replace('+Inf', 'Infinity')));
    return {
      ...times,
      attributes: JSON.parse(key),
      value: {
        buckets: {
          boundaries: bounds.filter(Number.isFinite),
          // There each bucket has the ones below it in its count.
          counts: buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0)),
        },
        count: named('count'),
        sum: named('sum'),
      },
    } satisfies DataPoint<unknown>;
  });
}

/** Seconds and nanoseconds. */
function hrTimeOf(epochMs: number): HrTime {
  return [Math.floor(epochMs / 1000), (epochMs % 1000) * 1e6];
}

function descriptorOf({ name, help }: PrometheusMetric, type: InstrumentType) {
  const unit = name.endsWith('_seconds') ? 's' : name.endsWith('_bytes') ? 'By' : '';
  return { name, description: help, unit, type, valueType: ValueType.DOUBLE };
}
