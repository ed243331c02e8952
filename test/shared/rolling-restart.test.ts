/**
 * Consoles and separate proxies that are restarted one after the other by SIGTERM alone, behind HAProxy as
 * `packaging/front/` configures it and without a word to it: no request fails (docs/front.md). Without the time
 * before the end, by `ROLLING_SHUTDOWN_DELAY=0`, some do.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fronts } from '../front/fronts.ts';
import { until } from '../helpers/store.ts';
import { requestsThrough } from './front-requests.ts';
import { type SharedInstallation, startSharedInstallation, whyNotShared } from './installation.ts';
import { type Load, startLoad } from './load.ts';

const front = fronts.find(({ name }) => name === 'HAProxy')!;
const missing = whyNotShared(front);
/** Of each client between two requests. */
const pauseMs = 5;
/** That go through beside each mixture. */
const fewest = 50;
/** Of two that have been asked twice whether they are ready. */
const againMs = 4_000;
const shutdownDelay = process.env.ROLLING_SHUTDOWN_DELAY;

interface Place {
  /** As the load balancer calls it. */
  readonly server: string;
  readonly port: number;
}

describe.skipIf(missing)(`a rolling restart behind HAProxy${missing ?? ''}`, () => {
  let set: SharedInstallation;
  beforeAll(async () => {
    const env = shutdownDelay === undefined ? {} : { CONSOLE_SHUTDOWN_DELAY: shutdownDelay };
    set = await startSharedInstallation(front, { env });
    // Those that came after the load balancer were left out at first: of them it says so only once.
    const servers = [1, 2].flatMap((n) => [`consoles/console${n}`, `proxies/proxy${n}`]);
    await until(async () => servers.every(getsRequests), 'requests for all of them', 30_000);
  }, 180_000);
  afterAll(() => set?.stop(), 60_000);

  test('of consoles, and of separate proxies beside them, costs no request', async () => {
    await underLoad(async (load) => {
      for (const n of [0, 1]) {
        const before = set.output().length;
        const places = [
          { server: `consoles/console${n + 1}`, port: set.consoles[n]!.port },
          { server: `proxies/proxy${n + 1}`, port: Number(new URL(set.proxies[n]!.url).port) },
        ];
        await Promise.all([
          set.restartConsole(n),
          set.restartProxy(n),
          ...(shutdownDelay === undefined ? places.map((place) => isLeftOutInTime(place, before)) : []),
        ]);
        await areBack(places, before);
        await more(load);
      }
    });
  }, 240_000);

  async function underLoad(roll: (load: Load) => Promise<void>): Promise<void> {
    const load = startLoad(await requestsThrough(set), { pauseMs });
    const outcome = await more(load)
      .then(() => roll(load))
      .then(load.stop, async (error: unknown) => {
        const { failed } = await load.stop();
        throw new Error(failed.slice(0, 5).join('\n'), { cause: error });
      });
    expect(outcome.failed, `of ${outcome.done}: ${set.output().slice(-5_000)}`).toEqual([]);
    for (const [kind, done] of Object.entries(outcome.byKind)) expect([kind, done > 0]).toEqual([kind, true]);
  }

  /** The load balancer has found out while whoever ends still takes what comes. */
  async function isLeftOutInTime({ server, port }: Place, from: number): Promise<void> {
    await until(async () => isSaid(`Server ${server} is DOWN`, from), `${server} to be left out`, 30_000);
    const { status } = await fetch(`http://127.0.0.1:${port}/live`);
    expect([server, status]).toEqual([server, 200]);
  }

  async function areBack(places: readonly Place[], from: number): Promise<void> {
    // One that is there again at once was never left out, and nothing is said of it.
    if (shutdownDelay !== undefined) return delay(againMs);
    for (const { server } of places)
      await until(async () => isSaid(`Server ${server} is UP`, from), `${server} to get requests`, 30_000);
  }

  function getsRequests(server: string): boolean {
    const said = (state: string) => set.output().lastIndexOf(`Server ${server} is ${state}`);
    return said('UP') >= said('DOWN');
  }

  /** By the load balancer's own log. */
  function isSaid(what: string, from: number): boolean {
    return set.output().includes(what, from);
  }

  async function more(load: Load): Promise<void> {
    const at = load.done();
    await until(async () => load.done() > at + fewest, 'requests beside the new ones', 30_000);
  }
});
