/** An honest caller and a monitor beside all that: what they get, and how long it takes. */
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { quantile } from '../statistics.ts';

export interface Observed {
  readonly reads: number;
  readonly readP99Ms: number;
  readonly longestProbeMs: number;
  /** What was answered with anything but 2xx, or not at all; each kind once. */
  readonly rejected: readonly string[];
}

const readPauseMs = 10;
const probePauseMs = 50;
const patienceMs = 30_000;

/** Reads a value by one connection that is kept, and asks `/live` and `/ready` by new ones, over and over. */
export async function observe(
  url: string,
  { path, token, seconds }: { readonly path: string; readonly token: string; readonly seconds: number },
): Promise<Observed> {
  const until = performance.now() + seconds * 1000;
  const rejected = new Set<string>();
  const reads: number[] = [];
  const probes: number[] = [];
  const keepAliveAgent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { Authorization: `Bearer ${token}` };
  await Promise.all([
    repeat(readPauseMs, async () => void reads.push(await ask(path, { agent: keepAliveAgent, headers }))),
    repeat(probePauseMs, async () => void probes.push(await ask('/live', { agent: false }))),
    repeat(probePauseMs, async () => void probes.push(await ask('/ready', { agent: false }))),
  ]);
  keepAliveAgent.destroy();
  return {
    reads: reads.length,
    readP99Ms: quantile(Float64Array.from(reads).sort(), 0.99),
    longestProbeMs: Math.max(...probes),
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
      const sent = request(`${url}${target}`, { timeout: patienceMs, ...options }, (reply) => {
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
