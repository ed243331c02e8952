/** Start-up: from spawn to `console ready`, and resident memory afterwards. */
import { setTimeout as wait } from 'node:timers/promises';
import { createDataDirs, startConsole } from './console.ts';
import type { Benchmark, Ratio } from './harness.ts';
import { residentMegabytes } from './processor-time.ts';
import { createServers } from './servers.ts';
import { formatSpread, spread } from './statistics.ts';

/** What is loaded right after the ready line belongs to the start too. */
const settleMs = 500;

interface Start {
  readonly startMs: number;
  readonly residentMegabytes: number;
}

export const benchmark: Benchmark = {
  name: 'start',
  async run({ rounds, nodeBinary }) {
    using dataDirs = createDataDirs();
    const fresh: Start[] = [];
    const existing: Start[] = [];
    for (let round = 1; round <= rounds; round++) {
      const dataDir = dataDirs.path(`start-${round}`);
      fresh.push(await startOnce(nodeBinary, dataDir));
      existing.push(await startOnce(nodeBinary, dataDir));
    }
    return {
      title: 'Start',
      columns: ['store', 'ready after, ms', 'resident memory, MB'],
      rows: [row('new', fresh), row('existing', existing)],
      ratios: [
        goal(
          'start with a new store',
          fresh.map(({ startMs }) => startMs / 1000),
          ' s',
          2.5,
        ),
        goal(
          'start with an existing store',
          existing.map(({ startMs }) => startMs / 1000),
          ' s',
          1,
        ),
        goal(
          'resident memory after start',
          [...fresh, ...existing].map((start) => start.residentMegabytes),
          ' MB',
          130,
        ),
      ],
    };
  },
};

async function startOnce(nodeBinary: string, dataDir: string): Promise<Start> {
  await using servers = createServers({ nodeBinary });
  const server = await startConsole(servers, { name: 'console', dataDir });
  await wait(settleMs);
  return { startMs: server.startMs, residentMegabytes: residentMegabytes(server.pid) };
}

function row(store: string, starts: readonly Start[]): string[] {
  return [
    store,
    formatSpread(spread(starts.map(({ startMs }) => startMs)), 0),
    formatSpread(spread(starts.map((start) => start.residentMegabytes)), 0),
  ];
}

function goal(name: string, values: readonly number[], unit: string, atMost: number): Ratio {
  return { name, spread: spread(values), unit, atMost };
}
