/** An honest caller and a monitor beside all that: what they get, and how long it takes. */
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { quantile } from '../statistics.ts';

export interface Observed {
  readonly reads: number;
  readonly readP99Ms: number;
  /** At the public port, and at the management port: milliseconds. */
  readonly longestProbeMs: number;
  readonly longestManagementProbeMs: number;
  /** What was answered with anything but 2xx, or not at all; each kind once. */
  readonly rejected: readonly string[];
}

const readPauseMs = 10;
const probePauseMs = 50;
const patienceMs = 30_000;

interface ObservedCalls {
  readonly path: string;
  readonly token: string;
  readonly seconds: number;
  /** Address of the management port. */
  readonly management: string;
}

/** Reads a value by one connection that is kept, and asks `/live` and `/ready` of both ports by new ones, over and over. */
export async function observe(
  url: string,
  { path, token, seconds, management }: ObservedCalls,
): Promise<Observed> {
  const until = performance.now() + seconds * 1000;
  const rejected = new Set<string>();
  const reads: number[] = [];
  const probes: number[] = [];
  const managementProbes: number[] = [];
  const keepAliveAgent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { Authorization: `Bearer ${token}` };
  await Promise.all([
    repeat(
      readPauseMs,
      async () => void reads.push(await ask(url + path, { agent: keepAliveAgent, headers })),
    ),
    ...['/live', '/ready'].flatMap((probe) => [
      repeat(probePauseMs, async () => void probes.push(await ask(url + probe, { agent: false }))),
      repeat(probePauseMs, async () => {
        managementProbes.push(await ask(management + probe, { agent: false }));
      }),
    ]),
  ]);
  keepAliveAgent.destroy();
  return {
    reads: reads.length,
    readP99Ms: quantile(Float64Array.from(reads).sort(), 0.99),
    longestProbeMs: Math.max(...probes),
    longestManagementProbeMs: Math.max(...managementProbes),
    rejected: [...rejected],
  };

  async function repeat(pauseMs: number, once: () => Promise<void>): Promise<void> {
    while (performance.now() < until) {
      await once();
      await wait(pauseMs);
    }
  }

  /** @returns milliseconds */
  function ask(target: string, options: object): Promise<number> {
    const at = performance.now();
    return new Promise((resolve) => {
      const done = () => resolve(performance.now() - at);
      const sent = request(target, { timeout: patienceMs, ...options }, (reply) => {
        if (reply.statusCode! > 299) rejected.add(`${target} ${reply.statusCode}`);
        reply.resume().once('end', done);
      });
      sent.once('timeout', () => sent.destroy(new Error('no answer')));
      sent.once('error', (error) => {
        rejected.add(`${target} ${error.message}`);
        done();
      });
      sent.end();
    });
  }
}
