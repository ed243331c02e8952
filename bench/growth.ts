/**
 * What an installation pays for its size: the same work on stores with few and with many users, clients and sessions.
 *
 * `BENCH_GROWTH_SIZES` names the sizes (10,100000), `BENCH_GROWTH_DIR` a folder in which stores stay for the next run (one of a
 * million takes minutes to make), `BENCH_GROWTH_PLOTS` a folder for plots.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createDataDirs, startConsole } from './console.ts';
import { makeGrowthStore } from './growth/growth-store.ts';
import { plotAsSvg } from './growth/plot.ts';
import { measureChanges, measureWork, type WorkSample, works } from './growth/works.ts';
import type { Benchmark, BenchmarkOptions, Ratio, Table } from './harness.ts';
import { createServers, type ServerProcess, type Servers } from './servers.ts';
import { formatSpread, type Spread, spread } from './statistics.ts';

const sizes = (process.env.BENCH_GROWTH_SIZES ?? '10,100000').split(',').map(Number);
const sizeNames = sizes.map((size) => size.toLocaleString('en'));

/** Processor time within a second that disturbs nothing: the look through a store takes less. */
const idleMicros = 50_000;
const idleWithinMs = 600_000;

/** What is measured of one store, a value for each round. */
interface Growth {
  readonly size: number;
  readonly dataDir: string;
  readonly startMs: number[];
  readonly anonymousMegabytes: number[];
  readonly works: ReadonlyMap<string, WorkSample[]>;
  readonly quietP99Ms: number[];
  readonly slowestMs: number[];
}

export const benchmark: Benchmark = {
  name: 'growth',
  async run(options) {
    using ownDirs = createDataDirs();
    const kept = process.env.BENCH_GROWTH_DIR;
    const all: Growth[] = [];
    for (const size of sizes) {
      const dataDir = kept === undefined ? ownDirs.path(`store-${size}`) : join(kept, `store-${size}`);
      await makeGrowthStore(dataDir, size);
      const samples = new Map(works.map(({ name }) => [name, [] as WorkSample[]]));
      all.push({
        size,
        dataDir,
        startMs: [],
        anonymousMegabytes: [],
        works: samples,
        quietP99Ms: [],
        slowestMs: [],
      });
    }
    await measureStarts(all, options);
    await measureServed(all, options);
    const folder = process.env.BENCH_GROWTH_PLOTS;
    if (folder !== undefined) writePlots(folder, all);
    return tableOf(all);
  },
};

async function measureStarts(all: readonly Growth[], { rounds, nodeBinary }: BenchmarkOptions) {
  for (let round = 0; round <= rounds; round++) {
    for (const growth of all) {
      await using servers = createServers({ nodeBinary });
      const server = await startOn(servers, growth);
      // The first one warms the system's file cache.
      if (round === 0) continue;
      growth.startMs.push(server.startMs);
      growth.anonymousMegabytes.push(anonymousMegabytes(server.pid));
    }
  }
}

/** All stores are served at the same time, and asked in turn, so that a noisy minute touches all of them. */
async function measureServed(all: readonly Growth[], { rounds, nodeBinary }: BenchmarkOptions) {
  await using servers = createServers({ nodeBinary });
  const served: { readonly growth: Growth; readonly server: ServerProcess }[] = [];
  for (const growth of all) served.push({ growth, server: await startOn(servers, growth) });
  for (const { server } of served) await untilIdle(server);
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(`round ${round} of ${rounds}\n`);
    const inTurn = round % 2 === 1 ? served : [...served].reverse();
    for (const work of works) {
      for (const { growth, server } of inTurn) {
        const sample = await measureWork(work, { ...growth, server });
        if (round > 0) growth.works.get(work.name)!.push(sample);
      }
    }
    for (const { growth, server } of inTurn) {
      const { quietP99Ms, slowestMs } = await measureChanges({ ...growth, server });
      if (round === 0) continue;
      growth.quietP99Ms.push(quietP99Ms);
      growth.slowestMs.push(slowestMs);
    }
  }
}

/** After a start the console reads the whole store once, a little at a time: minutes, where there are millions. */
async function untilIdle({ cpuMicros }: ServerProcess): Promise<void> {
  const deadline = performance.now() + idleWithinMs;
  for (;;) {
    const before = cpuMicros();
    await wait(1000);
    if (cpuMicros() - before < idleMicros || performance.now() > deadline) return;
  }
}

function startOn(servers: Servers, { size, dataDir }: Growth): Promise<ServerProcess> {
  return startConsole(servers, {
    name: `console with ${size}`,
    dataDir,
    // One caller makes all the changes, and is not to wait for more than they cost.
    env: { CONSOLE_LOG_LEVEL: 'error', CONSOLE_API_READ_RATE: '0', CONSOLE_API_CHANGE_RATE: '0' },
  });
}

/** Without the pages of mapped files, which the system takes back as it likes (docs/operations.md). */
function anonymousMegabytes(pid: number): number {
  const kibibytes = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kibibytes) * 1024) / 1e6;
}

function tableOf(all: readonly Growth[]): Table {
  const show = (values: readonly number[], digits: number) => formatSpread(spread(values), digits);
  const rows = works.flatMap(({ name, time, processor }) => [
    [`${name}, p50 ms`, ...all.map((one) => show(samplesOf(one, name, 'p50Ms'), 2)), `${time ?? '–'}`],
    [
      `${name}, processor time µs`,
      ...all.map((one) => show(samplesOf(one, name, 'cpuMicros'), 0)),
      `${processor ?? '–'}`,
    ],
  ]);
  return {
    title: 'Growth',
    columns: ['users, clients and sessions', ...sizeNames, 'goal: times the smallest'],
    rows: [
      ...rows,
      ['token while nothing changes, p99 ms', ...all.map((one) => show(one.quietP99Ms, 2)), '–'],
      ['slowest token while records change, ms', ...all.map((one) => show(one.slowestMs, 2)), '–'],
      ['start to ready, ms', ...all.map((one) => show(one.startMs, 0)), '–'],
      ['anonymous memory after it, MB', ...all.map((one) => show(one.anonymousMegabytes, 0)), '–'],
    ],
    ratios: ratiosOf(all),
    notes: [
      'Processor time is the console’s; of a sign-in that of its main thread, since hashing is on others.',
      'What a console does while it is asked nothing is taken off.',
    ],
  };
}

function ratiosOf(all: readonly Growth[]): Ratio[] {
  const [few, many] = [all[0]!, all.at(-1)!];
  const between = `${sizeNames.at(-1)} / ${sizeNames[0]}`;
  const ofWorks = works.flatMap(({ name, time, processor, atMostMs }) => [
    goal(
      `${name}: ${between}, p50`,
      perRound(samplesOf(many, name, 'p50Ms'), samplesOf(few, name, 'p50Ms')),
      time,
    ),
    goal(
      `${name}: ${between}, processor time`,
      perRound(samplesOf(many, name, 'cpuMicros'), samplesOf(few, name, 'cpuMicros')),
      processor,
    ),
    ...(atMostMs === undefined
      ? []
      : [{ ...goal(`${name}, p50`, spread(samplesOf(many, name, 'p50Ms')), atMostMs), unit: ' ms' }]),
  ]);
  const over = many.slowestMs.map((slowest, round) => slowest - many.quietP99Ms[round]!);
  const longer = many.startMs.map((ms, round) => (ms - few.startMs[round]!) / 1000);
  return [
    ...ofWorks,
    {
      name: 'slowest token while records change, over the quiet p99',
      spread: spread(over),
      unit: ' ms',
      atMost: 20,
    },
    { name: `start: ${between}, longer`, spread: spread(longer), unit: ' s', atMost: 0.2 },
    {
      name: 'start at the smallest',
      spread: spread(few.startMs.map((ms) => ms / 1000)),
      unit: ' s',
      atMost: 0.5,
    },
    {
      name: 'anonymous memory after the start',
      spread: spread(many.anonymousMegabytes),
      unit: ' MB',
      atMost: 250,
    },
  ];
}

function goal(name: string, values: Spread, atMost: number | undefined): Ratio {
  return { name, spread: values, ...(atMost !== undefined && { atMost }) };
}

function perRound(of: readonly number[], to: readonly number[]): Spread {
  return spread(of.map((value, round) => value / to[round]!));
}

function samplesOf({ works: samples }: Growth, name: string, figure: keyof WorkSample): number[] {
  return samples.get(name)!.map((sample) => sample[figure]);
}

function writePlots(folder: string, all: readonly Growth[]): void {
  mkdirSync(folder, { recursive: true });
  const linesOf = (figure: keyof WorkSample, factor: number) =>
    works.map(({ name }) => ({
      label: name,
      values: all.map((one) => spread(samplesOf(one, name, figure)).median * factor),
    }));
  const common = { unit: 'ms', sizes };
  const plots = {
    'growth-time': {
      ...common,
      title: 'Time by users, clients and sessions (median)',
      lines: linesOf('p50Ms', 1),
    },
    'growth-processor': {
      ...common,
      title: 'Processor time by users, clients and sessions (median)',
      lines: linesOf('cpuMicros', 1e-3),
    },
  };
  for (const [name, plot] of Object.entries(plots))
    writeFileSync(join(folder, `${name}.svg`), plotAsSvg(plot));
}
