/**
 * Measures servers beside their peers, in one interleaved run.
 *
 * Each server is a child process of its own. A **cell** is one kind of load on one server; a
 * **round** runs every cell once, forwards and backwards in turn (A B C, C B A, …), so that a noisy
 * minute, and what ran just before, touch all of them alike. The figure that counts is the server's processor time per request: it does not
 * depend on how much of the machine the load generator or a neighbour takes. Ratios are computed
 * within each round, and medians are shown with the least and the greatest.
 *
 * A benchmark is a file of this folder that exports one:
 *
 * ```ts
 * export const benchmark: Benchmark = {
 *   name: 'proxy',
 *   async run({ rounds, nodeBinary }) {
 *     await using servers = createServers({ nodeBinary });
 *     const member = await servers.start({ name: 'member', args: ['dist/member/main.js'], ready: /ready at (\S+)/ });
 *     const proxy = await servers.start({ name: 'proxy', args: [...], env: {...}, ready: /ready at (\S+)/ });
 *     const request = httpRequest('GET', '/svc/rest/maps/m/k', { authorization: `Bearer ${token}` });
 *     const direct = cell(member, ['direct', '64'], () => load({ url: member.url, request, connections: 64, seconds: 1 }));
 *     const proxied = cell(proxy, ['proxied', '64'], () => load({ url: proxy.url, request, connections: 64, seconds: 1 }));
 *     const samples = await measure([direct, proxied], { rounds });
 *     return {
 *       title: 'Proxy',
 *       columns: ['server', 'connections'],
 *       rows: samplesTable([direct, proxied], samples),
 *       ratios: [ratio('proxied / direct, rate', samples, { of: proxied, to: direct, figure: 'rate', atLeast: 0.85 })],
 *     };
 *   },
 * };
 * ```
 */
import type { LoadResult } from './load.ts';
import type { ServerProcess } from './servers.ts';
import { formatSpread, type Spread, spread } from './statistics.ts';

export interface BenchmarkOptions {
  /** At least 5. */
  readonly rounds: number;
  /** The Node.js that runs the servers; the harness itself may run under another. */
  readonly nodeBinary: string;
  /** Its major version: some goals depend on it. */
  readonly nodeMajor: number;
  /** `--full`: as much as was asked for, where a bench does less by itself. */
  readonly isFull: boolean;
}

export interface Benchmark {
  readonly name: string;
  run(options: BenchmarkOptions): Promise<Table>;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly ratios: readonly Ratio[];
  /** What a reader must know to read the table rightly: what is left out, and why. */
  readonly notes?: readonly string[];
}

/** One kind of load on one server. */
export interface Cell {
  /** The first cells of the table row. */
  readonly labels: readonly string[];
  readonly server: ServerProcess;
  readonly run: () => Promise<LoadResult>;
}

/** What one cell did in one round. */
export interface Sample {
  /** Requests per second of processor time: 1e6 / {@link cpuMicros}. */
  readonly cpuRate: number;
  /** Processor time of the server per request, microseconds, all threads. */
  readonly cpuMicros: number;
  /** Requests per second of time. */
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** p99 / p50. */
  readonly tail: number;
}

export type Samples = ReadonlyMap<Cell, readonly Sample[]>;

export interface Ratio {
  readonly name: string;
  readonly spread: Spread;
  readonly unit?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface RatioOptions {
  readonly of: Cell;
  readonly to: Cell;
  /** `cpuRate` compares processor time per request, the one with less of it being the greater. */
  readonly figure: 'cpuRate' | 'rate';
  readonly atLeast?: number;
  readonly atMost?: number;
}

export function cell(server: ServerProcess, labels: readonly string[], run: Cell['run']): Cell {
  const named = (cause: unknown): never => {
    throw new Error(`${labels.join(', ')} could not be measured`, { cause });
  };
  return { server, labels, run: () => run().catch(named) };
}

/** Runs every cell twice unmeasured, so that its code is compiled, and then in `rounds` measured rounds. */
export async function measure(
  cells: readonly Cell[],
  { rounds }: { readonly rounds: number },
): Promise<Samples> {
  const samples = new Map<Cell, Sample[]>(cells.map((each) => [each, []]));
  for (const each of [...cells, ...cells]) await each.run();
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`round ${round} of ${rounds}\n`);
    const inTurn = round % 2 === 1 ? cells : [...cells].reverse();
    for (const each of inTurn) samples.get(each)?.push(await sample(each));
  }
  return samples;
}

/** Columns that {@link samplesTable} adds to the labels. */
export const sampleColumns = ['CPU µs/request', 'requests/s', 'p50 ms', 'p99 ms'] as const;

export function samplesTable(cells: readonly Cell[], samples: Samples): string[][] {
  return cells.map((each) => {
    const taken = samples.get(each) ?? [];
    const show = (figure: keyof Sample, digits: number) =>
      formatSpread(spread(taken.map((one) => one[figure])), digits);
    return [...each.labels, show('cpuMicros', 0), show('rate', 0), show('p50Ms', 2), show('p99Ms', 2)];
  });
}

/** Compares two cells round by round. */
export function ratio(name: string, samples: Samples, { of, to, figure, ...bounds }: RatioOptions): Ratio {
  const base = samples.get(to) ?? [];
  const perRound = (samples.get(of) ?? []).map(
    (one, round) => one[figure] / (base[round]?.[figure] ?? Number.NaN),
  );
  return { name, spread: spread(perRound), ...bounds };
}

/** How many milliseconds one cell takes longer than another, round by round. */
export function added(
  name: string,
  samples: Samples,
  of: Cell,
  to: Cell,
  figure: 'p50Ms' | 'p99Ms',
  atMost: number,
): Ratio {
  const base = samples.get(to) ?? [];
  const perRound = (samples.get(of) ?? []).map(
    (one, round) => one[figure] - (base[round]?.[figure] ?? Number.NaN),
  );
  return { name, spread: spread(perRound), unit: ' ms', atMost };
}

/** How much worse the slowest hundredth of requests is than the usual one. */
export function tailRatio(name: string, samples: Samples, of: Cell, atMost: number): Ratio {
  return { name, spread: spread((samples.get(of) ?? []).map(({ tail }) => tail)), atMost };
}

async function sample({ server, run }: Cell): Promise<Sample> {
  const before = server.cpuMicros();
  const { requests, seconds, p50Ms, p99Ms } = await run();
  const cpuMicros = (server.cpuMicros() - before) / requests;
  return { cpuMicros, cpuRate: 1e6 / cpuMicros, rate: requests / seconds, p50Ms, p99Ms, tail: p99Ms / p50Ms };
}
