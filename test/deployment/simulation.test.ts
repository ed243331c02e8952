/** `npm run simulate`: its stations wait as queues do, and the command says where the first limit is. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../bench/fuzz/random.ts';
import { createAgenda } from '../../bench/simulation/agenda.ts';
import { createDisk, createPlaces, createStation } from '../../bench/simulation/stations.ts';
import { root } from '../commands/support.ts';

const run = promisify(execFile);
const simulate = (...args: readonly string[]) =>
  run(process.execPath, ['--import', 'tsx', 'bench/simulation/main.ts', ...args], { cwd: join(root) });

describe('what work waits for', () => {
  test('one place with random arrivals and even work: as long as the formula for such a queue says', () => {
    const agenda = createAgenda();
    const random = createRandom(1);
    const station = createStation(agenda, 1);
    const [work, load] = [1_000, 0.8];
    let waited = 0;
    let count = 0;
    const arrive = () => {
      const at = agenda.now();
      station.serve(work, () => {
        waited += agenda.now() - at - work;
        count += 1;
      });
      agenda.after((-Math.log(1 - random.below(2 ** 31) / 2 ** 31) * work) / load, arrive);
    };
    arrive();
    agenda.runUntil(200_000_000);
    // Pollaczek and Khinchine, for work that always takes as long.
    const expected = (load * work) / (2 * (1 - load));
    expect(waited / count / expected).toBeGreaterThan(0.95);
    expect(waited / count / expected).toBeLessThan(1.05);
    expect(station.busy()).toBeCloseTo(load, 2);
  });

  test('a disk takes all that waits in one write, and places are given back in order', () => {
    const agenda = createAgenda();
    const disk = createDisk(agenda, 100);
    const written: number[] = [];
    for (let n = 0; n < 5; n++) disk.flush(() => written.push(agenda.now()));
    agenda.runUntil(1_000);
    expect(written).toEqual([100, 200, 200, 200, 200]);

    const places = createPlaces(1);
    const order: string[] = [];
    for (const name of ['first', 'second']) {
      places.take((giveBack) => {
        order.push(`${name} at ${agenda.now()}`);
        agenda.after(10, giveBack);
      });
    }
    agenda.runUntil(2_000);
    expect(order).toEqual(['first at 1000', 'second at 1010']);
  });
});

test('the same figures find the same first limit, and a weaker database an earlier one', async () => {
  const limitOf = (text: string) => /^first limit at ([\d,]+) sessions: (.+)$/m.exec(text)?.slice(1);
  const weak = ['--seconds', '0.5', '--load', '0.5', '--set', 'databaseProcessors=2'];
  const [one, again] = [(await simulate(...weak)).stdout, (await simulate(...weak)).stdout];
  expect(limitOf(one)).toEqual([expect.any(String), expect.stringMatching(/^database, processors: /)]);
  expect(limitOf(again)).toEqual(limitOf(one));
  // Ten and four more of each of a hundred consoles.
  expect(one).toMatch(/connections to the database\D+1,?400\b/);
  const strong = (await simulate(...weak.slice(0, 4), '--most', '2')).stdout;
  expect(strong).toContain('no limit up to 1,000,000 sessions');
}, 120_000);

test('a figure that it does not know is refused', async () => {
  await expect(simulate('--set', 'imagined=1')).rejects.toMatchObject({
    stderr: expect.stringContaining('figures.json has no imagined'),
  });
});
