/**
 * What a page of a list costs, and whether that depends on how many there are: users, sessions and searches by the admin API
 * of consoles with few and with many. `BENCH_LISTS_SIZES` names the sizes (10000,100000), `BENCH_GROWTH_DIR` a folder in which
 * stores stay for the next run.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createDataDirs, startConsole } from './console.ts';
import { makeGrowthStore, nameOfUser } from './growth/growth-store.ts';
import type { Benchmark, Ratio, Table } from './harness.ts';
import { clientId, clientSecret } from './peers/common.ts';
import { createServers, type ServerProcess } from './servers.ts';
import { formatSpread, quantile, spread } from './statistics.ts';

const sizes = (process.env.BENCH_LISTS_SIZES ?? '10000,100000').split(',').map(Number);
/** Calls of one kind in a round, one after the other. */
const calls = 40;
/** Below what one caller may ask in a second. */
const betweenMs = 5;

interface Served {
  readonly size: number;
  readonly server: ServerProcess;
  readonly get: (path: string) => Promise<{ readonly ms: number; readonly next: string | null }>;
  /** By the name of the list: the 95th percentile of each round. */
  readonly p95Ms: Map<string, number[]>;
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
        env: { CONSOLE_LOG_LEVEL: 'error' },
      });
      all.push({ size, server, get: await createCaller(server.url), p95Ms: new Map() });
    }
    for (let round = 0; round <= rounds; round++) {
      const inTurn = round % 2 === 1 ? all : [...all].reverse();
      for (const list of lists) {
        for (const served of inTurn) {
          const p95Ms = await measure(list, served);
          if (round > 0) served.p95Ms.set(list.name, [...(served.p95Ms.get(list.name) ?? []), p95Ms]);
        }
      }
    }
    return tableOf(all);
  },
};

/** From the first byte asked to the last one read, in one process after the other: what a program sees. */
async function createCaller(url: string): Promise<Served['get']> {
  const granted = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: `${url}/api` }),
  });
  const { access_token: token } = (await granted.json()) as { readonly access_token: string };
  return async (path) => {
    const start = performance.now();
    const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
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
  return {
    title: 'Lists of the admin API, p95 in ms',
    columns: ['list', ...all.map(({ size }) => `${size.toLocaleString('en')} users and sessions`)],
    rows: lists.map((list) => [
      list.name,
      ...all.map((served) => formatSpread(spread(valuesOf(served, list)), 2)),
    ]),
    ratios,
    notes: [
      'From the request to the last byte of its answer, by a program in Node that asks one thing after the other.',
    ],
  };
}
