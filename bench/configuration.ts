/**
 * What it costs to plan, apply, export and remove thousands of clients that a description has, and what a machine that asks for
 * tokens notices meanwhile. `BENCH_OBJECTS` says how many (10000).
 */
import { Agent, request } from 'node:http';
import { apiToken, createDataDirs, startConsole } from './console.ts';
import type { Benchmark, Ratio, Table } from './harness.ts';
import { takeTokensWhile } from './lists/beside.ts';
import { createServers } from './servers.ts';
import { formatSpread, quantile, spread } from './statistics.ts';

const objects = Number(process.env.BENCH_OBJECTS ?? 10_000);
const quietSeconds = 3;

/** What one step did in one round. */
interface Taken {
  readonly ms: number;
  /** Of tokens that were taken meanwhile. */
  readonly p99Ms: number;
  readonly worstMs: number;
}

type Figures = Map<string, Taken[]>;
type Call = (method: string, path: string, body?: string) => Promise<Buffer>;

/** The goals are of this many. */
const goalsMs: Readonly<Record<string, number>> =
  objects === 10_000 ? { 'plan, all new': 2000, 'plan, all the same': 2000, 'apply, all new': 5000 } : {};

export const benchmark: Benchmark = {
  name: 'configuration',
  async run({ rounds, nodeBinary }) {
    using dirs = createDataDirs();
    await using servers = createServers({ nodeBinary });
    const { url } = await startConsole(servers, {
      name: 'console',
      dataDir: dirs.path('store'),
      env: { CONSOLE_LOG_LEVEL: 'error', CONSOLE_API_READ_RATE: '0', CONSOLE_API_CHANGE_RATE: '0' },
    });
    const figures: Figures = new Map();
    for (let round = 0; round <= rounds; round++) {
      const taken = await runRound(url, await createCaller(url));
      if (round === 0) continue;
      for (const [name, one] of taken) figures.set(name, [...(figures.get(name) ?? []), one]);
    }
    return tableOf(figures);
  },
};

/** From an empty store to an empty one. */
async function runRound(url: string, call: Call): Promise<ReadonlyMap<string, Taken>> {
  const taken = new Map<string, Taken>();
  const beside = async (name: string, work: () => Promise<Buffer | undefined>) => {
    let isDone = false;
    const start = performance.now();
    const working = work().finally(() => {
      isDone = true;
    });
    const tokens = takeTokensWhile(url, () => !isDone);
    const answer = await working;
    const ms = performance.now() - start;
    const latencies = (await tokens).sort((a, b) => a - b);
    taken.set(name, { ms, p99Ms: quantile(latencies, 0.99), worstMs: latencies.at(-1)! });
    return answer;
  };
  await beside('nothing', () => new Promise((resolve) => setTimeout(resolve, quietSeconds * 1000)));
  const planned = async (name: string, document: string): Promise<string> => {
    const answer = await beside(name, () => call('POST', '/configuration/plans', document));
    return (JSON.parse(answer!.toString()) as { readonly id: string }).id;
  };
  const applied = (name: string, id: string) =>
    beside(name, () => call('POST', `/configuration/plans/${id}/apply`));
  const once = documentOf('once');
  await applied('apply, all new', await planned('plan, all new', once));
  await planned('plan, all the same', once);
  await applied('apply, all otherwise', await planned('plan, all otherwise', documentOf('twice')));
  await beside('export', () => call('GET', '/configuration'));
  await applied('apply, all removed', await planned('plan, all removed', nothingLeft));
  return taken;
}

const nothingLeft = JSON.stringify({
  document: { version: 1, source: 'bench', clients: {} },
  prune: true,
  pruneCount: objects,
});

function documentOf(name: string): string {
  const clients = Array.from({ length: objects }, (_, i) => [
    `machine-${`${i}`.padStart(6, '0')}`,
    { displayName: `${name} ${i}`, scopes: [`svc:map:map-${i % 100}:read`] },
  ]);
  return JSON.stringify({
    document: { version: 1, source: 'bench', clients: Object.fromEntries(clients) },
  });
}

/** Answers are bytes: to read them here would hold up the tokens that are timed here. */
async function createCaller(url: string): Promise<Call> {
  const token = await apiToken(url);
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      };
      const agent = new Agent({ keepAlive: false });
      const sent = request(`${url}/api/v1${path}`, { method, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const answer = Buffer.concat(chunks);
          if (response.statusCode! < 300) return resolve(answer);
          reject(
            new Error(
              `${method} ${path} was answered with ${response.statusCode}: ${answer.subarray(0, 500)}`,
            ),
          );
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
}

function tableOf(figures: Figures): Table {
  const names = [...figures.keys()].filter((name) => name !== 'nothing');
  const of = (name: string, figure: keyof Taken) => figures.get(name)!.map((taken) => taken[figure]);
  const quiet = of('nothing', 'p99Ms');
  const times = names
    .filter((name) => goalsMs[name] !== undefined)
    .map((name): Ratio => ({ name, spread: spread(of(name, 'ms')), unit: ' ms', atMost: goalsMs[name]! }));
  const later = names.map((name): Ratio => {
    const ms = of(name, 'p99Ms').map((p99Ms, round) => p99Ms - quiet[round]!);
    return { name: `tokens later beside ${name}, p99`, spread: spread(ms), unit: ' ms', atMost: 5 };
  });
  return {
    title: `Files of configuration: ${objects.toLocaleString('en')} clients in one description`,
    columns: ['step', 'ms', 'token p99 ms', 'slowest token ms'],
    rows: [...figures.keys()].map((name) => [
      name,
      formatSpread(spread(of(name, 'ms')), 0),
      formatSpread(spread(of(name, 'p99Ms')), 2),
      formatSpread(spread(of(name, 'worstMs')), 1),
    ]),
    ratios: [...times, ...later],
    notes: [
      'From the request to the last byte of its answer, while one machine takes tokens one after the other; each apply is one transaction.',
    ],
  };
}
