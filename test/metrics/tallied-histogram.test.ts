/** The histogram that calls are counted in says the same as the library's own. */
import { Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { expose } from '../../console/metrics/exposition.ts';
import { numbersOf, sumOfNumbers } from '../../console/metrics/numbers.ts';
import { TalliedHistogram } from '../../console/metrics/tallied-histogram.ts';
import { seeded } from '../helpers/seeded.ts';

const form = {
  name: 'calls_seconds',
  help: 'Calls',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.001, 0.0025, 0.5, 60],
};

function createBoth() {
  const [own, library] = [new Registry(), new Registry()];
  const tallied = new TalliedHistogram({ ...form, registers: [own] });
  const histogram = new Histogram({ ...form, registers: [library] });
  return {
    own,
    library,
    observe(method: string, route: string, status: number, seconds: number) {
      histogram.observe({ method, route, status }, seconds);
      return tallied.add(method, route, status, seconds);
    },
  };
}

test('it says the same text, whatever was counted in whatever order, and so does the sum of several processes', async () => {
  const random = seeded(7);
  const of = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]!;
  const processes = [createBoth(), createBoth()];
  for (const { own, library, observe } of processes) {
    for (let call = 0; call < 2_000; call += 1) {
      const seconds = of([...form.buckets, 0, 0.0004, 0.3, 61, 1e6]);
      const method = of(['GET', 'POST']);
      const { labels } = observe(method, of(['/a', '/b/{c}', 'none']), of([0, 200, 404]), seconds);
      expect(labels.method).toBe(method);
    }
    expect(expose(await numbersOf(own), undefined).body).toBe(await library.metrics());
  }
  const summed = (registries: readonly Registry[]) =>
    Promise.all(registries.map(numbersOf)).then(sumOfNumbers);
  const [ofOwn, ofLibrary] = [
    await summed(processes.map(({ own }) => own)),
    await summed(processes.map(({ library }) => library)),
  ];
  expect(expose(ofOwn, undefined).body).toBe(expose(ofLibrary, undefined).body);
});

test('nothing is said of what was never counted', async () => {
  const { own, library } = createBoth();
  expect(expose(await numbersOf(own), undefined).body).toBe(await library.metrics());
});
