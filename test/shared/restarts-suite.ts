/** What it costs behind a load balancer to exchange a console and a separate proxy, and to lose one (docs/front.md). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fronts } from '../front/fronts.ts';
import { until } from '../helpers/store.ts';
import { requestsThrough } from './front-requests.ts';
import {
  type EndSignal,
  type SharedInstallation,
  startSharedInstallation,
  whyNotShared,
} from './installation.ts';
import { type Load, type LoadOutcome, startLoad } from './load.ts';

/** Of each client between two requests. */
const pauseMs = 5;
/** That go through before, and beside the new ones. */
const fewest = 100;

export interface Costs {
  /** Kinds of requests that may fail while a console and a proxy are restarted by SIGTERM. */
  readonly ofRestart: RegExp;
  /** Kinds of which one request may fail then, and not another. */
  readonly onceAtRestart?: RegExp;
  /** The same while both are killed. */
  readonly ofKill: RegExp;
}

/** @param name  of one of {@link fronts} */
export function describeRestarts(name: string, costs: Costs): void {
  const front = fronts.find((one) => one.name === name)!;
  const missing = whyNotShared(front);
  describe.skipIf(missing)(`two consoles and two proxies behind ${name}${missing ?? ''}`, () => {
    let set: SharedInstallation;
    beforeAll(async () => {
      set = await startSharedInstallation(front);
    }, 180_000);
    afterAll(() => set?.stop(), 60_000);

    test.each([
      ['SIGTERM', costs.ofRestart, costs.onceAtRestart],
      ['SIGKILL', costs.ofKill, undefined],
    ] as const)(
      'one of each is restarted by %s',
      async (signal, mayFail, mayFailOnce) => {
        const works = await requestsThrough(set);
        const { failed, byKind } = await whileRestarted(startLoad(works, { pauseMs }), signal);
        const kindOf = (problem: string) => problem.slice(0, problem.indexOf(':'));
        const said = `${failed.join('\n')}\n${set.output().slice(-5_000)}`;
        const others = failed.filter((problem) => !mayFail.test(kindOf(problem)));
        expect(
          others.filter((problem) => !mayFailOnce?.test(kindOf(problem))),
          said,
        ).toEqual([]);
        expect(others.length, said).toBeLessThanOrEqual(1);
        expect(
          failed.filter((problem) => !/ 502\b/.test(problem)),
          said,
        ).toEqual([]);
        // Each client has one request under way, which may be lost with whoever has taken it.
        expect(failed.length, said).toBeLessThanOrEqual(works.length);
        for (const [kind, done] of Object.entries(byKind)) expect([kind, done > 0]).toEqual([kind, true]);
      },
      180_000,
    );

    async function whileRestarted(load: Load, signal: EndSignal): Promise<LoadOutcome> {
      try {
        await more(load);
        await Promise.all([set.restartConsole(0, signal), set.restartProxy(0, signal)]);
        await more(load);
      } catch (error) {
        const { failed } = await load.stop();
        throw new Error(failed.slice(0, 5).join('\n'), { cause: error });
      }
      return load.stop();
    }

    async function more(load: Load): Promise<void> {
      const at = load.done();
      await until(async () => load.done() > at + fewest, 'requests', 30_000);
    }
  });
}
