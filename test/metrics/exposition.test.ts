/** Numbers as text: that of before to whoever does not ask, and OpenMetrics with exemplars. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { createExemplars } from '../../console/metrics/exemplars.ts';
import { expose } from '../../console/metrics/exposition.ts';
import { type ExemplarLabels, type Numbers, numbersOf, sumOfNumbers } from '../../console/metrics/numbers.ts';
import { createSummedNumbers } from '../../console/metrics/summed-numbers.ts';

const openMetrics = 'application/openmetrics-text;version=1.0.0';
const traceId = '0af7651916cd43dd8448eb211c80319c';

function createNumbers(at = 1_795_000_000.5) {
  const registry = new Registry();
  const registers = [registry];
  const form = { name: 'calls_seconds', labelNames: ['route'], buckets: [0.001, 1, 2.5, 10] };
  const histogram = new Histogram({ ...form, help: 'A "quoted" help\nof two lines \\', registers });
  const exemplars = createExemplars({ ...form, now: () => at * 1000 });
  const call = (route: string, value: number, exemplar?: ExemplarLabels) => {
    histogram.observe({ route }, value);
    if (exemplar) exemplars.note({ route }, value, exemplar);
  };
  const count = new Counter({ name: 'things_total', help: 'Things', labelNames: ['kind'], registers });
  const held = new Gauge({ name: 'held', help: 'Held', registers });
  return { registry, call, count, held, read: async () => exemplars.addTo(await numbersOf(registry)) };
}

test('without a wish the text is that of the library, character by character', async () => {
  const { registry, call, count, held, read } = createNumbers();
  call('/a', 0.5, { trace_id: traceId });
  call('with "quotes" \\ and\nlines', 50);
  count.inc({ kind: 'a' }, 3);
  held.set(1.5);
  const { contentType, body } = expose(await read(), undefined);
  expect(body).toBe(await registry.metrics());
  expect(contentType).toBe(registry.contentType);
});

test('OpenMetrics has counters by their family, bounds as fractions, exemplars and an end', async () => {
  const { call, count, held, read } = createNumbers();
  call('/a', 0.7, { trace_id: 'older' });
  call('/a', 0.5, { trace_id: traceId });
  call('/a', 50, { decision_id: 'd-1' });
  call('/a', 60);
  count.inc({ kind: 'a' }, 3);
  held.set(Number.NaN);
  const { contentType, body } = expose(await read(), openMetrics);
  expect(contentType).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  expect(body).toBe(
    [
      '# HELP calls_seconds A \\"quoted\\" help\\nof two lines \\\\',
      '# TYPE calls_seconds histogram',
      'calls_seconds_bucket{le="0.001",route="/a"} 0',
      `calls_seconds_bucket{le="1.0",route="/a"} 2 # {trace_id="${traceId}"} 0.5 1795000000.5`,
      'calls_seconds_bucket{le="2.5",route="/a"} 2',
      'calls_seconds_bucket{le="10.0",route="/a"} 2',
      'calls_seconds_bucket{le="+Inf",route="/a"} 4 # {decision_id="d-1"} 50 1795000000.5',
      'calls_seconds_sum{route="/a"} 111.2',
      'calls_seconds_count{route="/a"} 4',
      '# HELP things Things',
      '# TYPE things counter',
      'things_total{kind="a"} 3',
      '# HELP held Held',
      '# TYPE held gauge',
      'held NaN',
      '# EOF',
      '',
    ].join('\n'),
  );
});

test.each([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/plain', false],
  ['application/*', false],
  ['application/openmetrics-text', true],
  ['application/openmetrics-text; version=1.0.0; charset=utf-8', true],
  ['Application/OpenMetrics-Text; Version="1.0.0"', true],
  ['application/openmetrics-text;version=0.0.1', false],
  ['application/openmetrics-text;version=2.0.0', false],
  ['application/openmetrics-text;version=2.0.0,application/openmetrics-text;version=1.0.0;q=0.1', true],
  ['application/openmetrics-text;q=0', false],
  ['application/openmetrics-text;q=many', false],
  ['application/openmetrics-text;q=0.4,text/plain;q=0.5', false],
  ['application/openmetrics-text;q=0.5,text/plain;q=0.5', true],
  [
    // Prometheus 3.
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    true,
  ],
  ['__proto__;constructor=1,;;=,application/openmetrics-textual', false],
])('whether %j is answered with OpenMetrics: %j', (accept, isAsked) => {
  expect(expose([], accept).contentType.startsWith('application/openmetrics-text')).toBe(isAsked);
});

describe('of several processes', () => {
  /** As they are after they have been sent. */
  async function sent(value: number, exemplar: string, timestamp: number): Promise<Numbers> {
    const { call, count, read } = createNumbers(timestamp);
    call('/a', value, { trace_id: exemplar });
    count.inc({ kind: 'a' }, 1);
    return JSON.parse(JSON.stringify(await read()));
  }
  const exemplarsOf = (numbers: Numbers) =>
    numbers.flatMap(({ values }) => values.flatMap(({ exemplar }) => exemplar?.labelSet.trace_id ?? []));

  test('each bucket has the newest exemplar of them, and numbers are added up', async () => {
    const [old, young, slow] = await Promise.all([
      sent(0.5, 'old', 1),
      sent(0.7, 'young', 2),
      sent(5, 'slow', 1),
    ]);
    const summed = await sumOfNumbers([young, old, slow]);
    expect(exemplarsOf(summed)).toEqual(['young', 'slow']);
    const { body } = expose(summed, openMetrics);
    expect(body).toContain('calls_seconds_count{route="/a"} 3\n');
    expect(body).toContain('things_total{kind="a"} 3\n');
  });

  test('what one has counted that has gone stays, its exemplars too', async () => {
    const running = new Map([
      [1, await sent(0.5, 'of-the-first', 1)],
      [2, await sent(5, 'of-the-second', 1)],
    ]);
    const summed = createSummedNumbers({ read: async () => running, ids: () => [...running.keys()] });
    await summed([]);
    running.delete(1);
    for (let again = 0; again < 2; again++) {
      const numbers = await summed([]);
      expect(exemplarsOf(numbers)).toEqual(['of-the-first', 'of-the-second']);
      expect(expose(numbers, undefined).body).toContain('calls_seconds_count{route="/a"} 2\n');
    }
  });
});
