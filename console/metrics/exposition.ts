/**
 * Numbers as a scraper reads them: Prometheus' text format 0.0.4, and OpenMetrics 1.0.0 for whoever asks for it, which
 * has exemplars. The library's own OpenMetrics names counters wrongly once they have been added up, and does not write
 * bounds of buckets as canonical numbers.
 */
import { preferenceFor } from '../http/accept.ts';
import type { Exemplar, MetricNumbers, Numbers, NumberValue } from './numbers.ts';

export interface Exposition {
  readonly contentType: string;
  readonly body: string;
}

const openMetricsType = 'application/openmetrics-text';

/** @param accept  the field of the request (RFC 9110 §12.5.1) */
export function expose(numbers: Numbers, accept: string | undefined): Exposition {
  if (!isOpenMetricsPreferred(accept)) {
    const body = `${numbers.map(textOf).join('\n\n')}\n`;
    return { contentType: 'text/plain; version=0.0.4; charset=utf-8', body };
  }
  const body = `${numbers.map(openMetricsOf).join('\n')}\n# EOF\n`;
  return { contentType: `${openMetricsType}; version=1.0.0; charset=utf-8`, body };
}

/** Only for whoever names it: to all others `/metrics` is what it has always been. */
function isOpenMetricsPreferred(accept: string | undefined): boolean {
  const wanted = preferenceFor(accept, openMetricsType, ({ version }) =>
    [undefined, '1.0.0'].includes(version),
  );
  return wanted > 0 && wanted >= preferenceFor(accept, 'text/plain');
}

function textOf({ name, help, type, values }: MetricNumbers): string {
  return [
    `# HELP ${name} ${escapedLine(help)}`,
    `# TYPE ${name} ${type}`,
    ...values.map(
      ({ metricName = name, labels, value }) => `${metricName}${labelsOf(labels)} ${numberOf(value)}`,
    ),
  ].join('\n');
}

function openMetricsOf({ name, help, type, values }: MetricNumbers): string {
  const isCounter = type === 'counter';
  const family = isCounter ? name.replace(/_total$/, '') : name;
  return [
    `# HELP ${family} ${escaped(help)}`,
    `# TYPE ${family} ${type}`,
    ...values.map((value) => sampleOf(isCounter ? `${family}_total` : (value.metricName ?? family), value)),
  ].join('\n');
}

function sampleOf(name: string, { labels, value, exemplar }: NumberValue): string {
  const { le } = labels;
  const shown = typeof le === 'number' ? { ...labels, le: boundOf(le) } : labels;
  return `${name}${labelsOf(shown)} ${numberOf(value)}${exemplar ? exemplarOf(exemplar) : ''}`;
}

function exemplarOf({ labelSet, value, timestamp }: Exemplar): string {
  return ` # ${labelsOf(labelSet) || '{}'} ${numberOf(value)} ${timestamp}`;
}

function labelsOf(labels: NumberValue['labels']): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** As a fraction, whatever it is: bounds between a thousandth and a thousand need no exponent. */
function boundOf(bound: number): string {
  return Number.isInteger(bound) ? `${bound}.0` : String(bound);
}

function numberOf(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

function escaped(text: string): string {
  return escapedLine(text).replaceAll('"', '\\"');
}

function escapedLine(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
