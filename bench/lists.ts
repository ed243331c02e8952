/**
 * What a page of a list costs, and whether that depends on how many there are: users, sessions and searches by the admin API
 * of consoles with few and with many. `BENCH_LISTS_SIZES` names the sizes (10000,100000), `BENCH_GROWTH_DIR` a folder in which
 * stores stay for the next run. And what a machine that asks for tokens notices of a caller who lists without pause.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { apiToken, createDataDirs, startConsole } from './console.ts';
import { makeGrowthStore, nameOfUser } from './growth/growth-store.ts';
import type { Benchmark, Ratio, Table } from './harness.ts';
import { tokenP99Ms } from './lists/beside.ts';
import { createServers, type ServerProcess } from './servers.ts';
import { formatSpread, quantile, spread } from './statistics.ts';

const sizes = (process.env.BENCH_LISTS_SIZES ?? '10000,100000').split(',').map(Number);
/** Calls of one kind in a round, one after the other. */
const calls = 40;
/** Between them, for the store to come to rest. */
const betweenMs = 5;

interface Served {
  readonly size: number;
  readonly server: ServerProcess;
  /** Asked for anew each round: it lives for five minutes. */
  token: string;
  readonly get: (path: string) => Promise<{ readonly ms: number; readonly next: string | null }>;
  /** By the name of the list: the 95th percentile of each round. */
  readonly p95Ms: Map<string, number[]>;
  /** Of a machine’s tokens, by the name of the list that runs beside them: their 99th percentile of each round. */
  readonly tokenP99Ms: Map<string, number[]>;
}

interface List {
  readonly name: string;
  /** @param place  differs from call to call */
  readonly path: (size: number) => string;
  /** Goes on from page to page. */
  readonly isPaged?: boolean;
}

const anyone = (size: number) => nameOfUser(Math.floor(Math.random() * size), size);

const lists: readonly List[] = [
  { name: 'users, page after page', path: () => '/users?limit=50', isPaged: true },
  { name: 'users, 500 at once', path: () => '/users?limit=500', isPaged: true },
  { name: 'users by a beginning of the name', path: (size) => `/users?q=${anyone(size).slice(0, -1)}` },
  { name: 'users by a wide beginning', path: () => '/users?q=person-0' },
  { name: 'users by a role', path: () => '/users?role=Viewer', isPaged: true },
  { name: 'users by a rare role', path: () => '/users?role=Admin' },
  { name: 'users, filters that nobody fits', path: () => '/users?role=Viewer&status=active&provider=none' },
  { name: 'users, a search and a role that nobody has', path: () => '/users?q=person&role=MetricsViewer' },
  { name: 'a user', path: (size) => `/users/${anyone(size)}` },
  { name: 'sessions, page after page', path: () => '/sessions?limit=50', isPaged: true },
  { name: 'sessions of a user', path: (size) => `/sessions?user=${anyone(size)}` },
  { name: 'sessions by a client that nobody uses', path: () => '/sessions?client=none', isPaged: true },
];

const alone = 'alone';
/** What tokens are measured beside; the dearest lists. */
const besides: readonly string[] = [
  alone,
  'users, 500 at once',
  'users, filters that nobody fits',
  'sessions, page after page',
  'sessions by a client that nobody uses',
];

export const benchmark: Benchmark = {
  name: 'lists',
  async run({ rounds, nodeBinary }) {
    using ownDirs = createDataDirs();
    const kept = process.env.BENCH_GROWTH_DIR;
    const dirOf = (size: number) =>
      kept === undefined ? ownDirs.path(`store-${size}`) : join(kept, `store-${size}`);
    for (const size of sizes) await makeGrowthStore(dirOf(size), size);
    await using servers = createServers({ nodeBinary });
    const all: Served[] = [];
    for (const size of sizes) {
      const server = await startConsole(servers, {
        name: `console with ${size}`,
        dataDir: dirOf(size),
        // Without a bound on one caller: a load that lists is one.
        env: { CONSOLE_LOG_LEVEL: 'error', CONSOLE_API_READ_RATE: '0' },
      });
      const served = { size, server, token: '', p95Ms: new Map(), tokenP99Ms: new Map() };
      all.push(Object.assign(served, { get: createCaller(server.url, () => served.token) }));
    }
    for (let round = 0; round <= rounds; round++) {
      for (const served of all) served.token = await apiToken(served.server.url);
      const inTurn = round % 2 === 1 ? all : [...all].reverse();
      for (const list of lists) {
        for (const served of inTurn) {
          const p95Ms = await measure(list, served);
          if (round > 0) add(served.p95Ms, list.name, p95Ms);
        }
      }
      for (const name of besides) {
        for (const { size, server, tokenP99Ms: figures, ...served } of inTurn) {
          const path = lists.find((list) => list.name === name)?.path(size);
          const p99Ms = await tokenP99Ms(server.url, served.token, path);
          if (round > 0) add(figures, name, p99Ms);
        }
      }
    }
    return tableOf(all);
  },
};

function add(figures: Map<string, number[]>, name: string, value: number): void {
  figures.set(name, [...(figures.get(name) ?? []), value]);
}

/** From the first byte asked to the last one read, in one process after the other: what a program sees. */
function createCaller(url: string, token: () => string): Served['get'] {
  return async (path) => {
    const start = performance.now();
    const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token()}` } });
    const body = (await response.json()) as { readonly next?: string | null };
    const ms = performance.now() - start;
    if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}`);
    return { ms, next: body.next ?? null };
  };
}

async function measure({ path, isPaged = false }: List, { size, get }: Served): Promise<number> {
  const latencies: number[] = [];
  let cursor: string | null = null;
  for (let i = 0; i < calls; i++) {
    const at = path(size);
    const { ms, next } = await get(cursor === null ? at : `${at}&cursor=${cursor}`);
    latencies.push(ms);
    cursor = isPaged ? next : null;
    await wait(betweenMs);
  }
  return quantile(
    latencies.sort((a, b) => a - b),
    0.95,
  );
}

function tableOf(all: readonly Served[]): Table {
  const valuesOf = (served: Served, { name }: List) => served.p95Ms.get(name) ?? [];
  const [smallest, largest] = [all[0]!, all.at(-1)!];
  const ratios = lists.flatMap((list): Ratio[] => [
    { name: `${list.name}, p95`, spread: spread(valuesOf(largest, list)), unit: ' ms', atMost: 30 },
    {
      name: `${list.name}, ${largest.size} to ${smallest.size}`,
      spread: spread(valuesOf(largest, list).map((ms, round) => ms / valuesOf(smallest, list)[round]!)),
      atMost: 1.2,
    },
  ]);
  const tokensOf = (served: Served, name: string) => served.tokenP99Ms.get(name) ?? [];
  const later = besides
    .filter((name) => name !== alone)
    .map((name): Ratio => {
      const quiet = tokensOf(largest, alone);
      const ms = tokensOf(largest, name).map((p99Ms, round) => p99Ms - quiet[round]!);
      return { name: `tokens later beside ${name}, p99`, spread: spread(ms), unit: ' ms', atMost: 5 };
    });
  return {
    title: 'Lists of the admin API, p95 in ms',
    columns: ['list', ...all.map(({ size }) => `${size.toLocaleString('en')} users and sessions`)],
    rows: [
      ...lists.map((list) => [
        list.name,
        ...all.map((served) => formatSpread(spread(valuesOf(served, list)), 2)),
      ]),
      ...besides.map((name) => [
        name === alone ? 'machine token alone, p99' : `machine token beside ${name}, p99`,
        ...all.map((served) => formatSpread(spread(tokensOf(served, name)), 2)),
      ]),
    ],
    ratios: [...ratios, ...later],
    notes: [
      'From the request to the last byte of its answer, by a program in Node that asks one thing after the other.',
    ],
  };
}
