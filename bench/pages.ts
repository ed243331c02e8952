/**
 * How long the console takes for each management page, with 10,000 users, 1,000 clients, 1,000 applications, 100,000 sessions and 1,000,000 entries of the
 * audit, before three members under 1,000 calls a second. `BENCH_PAGES_AUDIT` names another number of entries, `BENCH_GROWTH_DIR` a folder in
 * which the store stays for the next run.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { siteMap } from '../console/pages/site-map.ts';
import { createUserAgent, type UserAgent } from '../test/helpers/user-agent.ts';
import { makeAudit } from './audit/audit-store.ts';
import { createDataDirs, startConsole } from './console.ts';
import { idOfClient, makeGrowthStore, nameOfUser, password } from './growth/growth-store.ts';
import type { Benchmark, Ratio, Table } from './harness.ts';
import { callSteadily, startMembers } from './pages/cluster.ts';
import { clientId, clientSecret } from './peers/common.ts';
import { createServers } from './servers.ts';
import { formatSpread, quantile, spread } from './statistics.ts';

const sizes = { users: 10_000, clients: 1_000, applications: 1_000, sessions: 100_000 };
const entries = Number(process.env.BENCH_PAGES_AUDIT ?? 1_000_000);
const callsPerSecond = 1_000;
/** Loads of each page in a round. */
const loads = 20;
const p95Goal = 30;

interface Measured {
  readonly path: string;
  readonly p95Ms: number[];
  bytes: number;
}

export const benchmark: Benchmark = {
  name: 'pages',
  async run({ rounds, nodeBinary }) {
    using ownDirs = createDataDirs();
    const kept = process.env.BENCH_GROWTH_DIR;
    const dataDir = kept === undefined ? ownDirs.path('pages') : join(kept, `pages-${entries}`);
    await makeGrowthStore(dataDir, sizes);
    await makeAudit(dataDir, entries);
    // What making it has left to the disk is no work of the console's, and would come before each of its commits for half a minute.
    execFileSync('sync');
    await using servers = createServers({ nodeBinary });
    const env = {
      CONSOLE_MEMBERS: await startMembers(servers),
      CONSOLE_LOG_LEVEL: 'error',
      CONSOLE_API_READ_RATE: '0',
    };
    const server = await startConsole(servers, { name: 'console', dataDir, env });
    const agent = createUserAgent(server.url);
    await agent.signIn({ username: nameOfUser(0, sizes.users), password });
    const pages = pathsOf().map((path): Measured => ({ path, p95Ms: [], bytes: 0 }));
    let token = await memberToken(server.url);
    const stopCalls = callSteadily(server.url, () => token, callsPerSecond);
    for (let round = 0; round <= rounds; round++) {
      token = await memberToken(server.url);
      for (const page of round % 2 === 1 ? pages : [...pages].reverse()) {
        const p95Ms = await measure(agent, page);
        if (round > 0) page.p95Ms.push(p95Ms);
      }
    }
    return tableOf(pages, stopCalls());
  },
};

/** Every page of the site map, and one of each kind of object. */
function pathsOf(): readonly string[] {
  const lists = siteMap.flatMap(({ href, pages }) => [href, ...pages.map((page) => page.href)]);
  const objects = [
    `/access/users?q=${nameOfUser(4321, sizes.users).slice(0, -1)}`,
    `/access/users/${nameOfUser(4321, sizes.users)}`,
    `/access/clients/${idOfClient(500)}`,
    '/access/clients?do=new',
    '/cluster/maps/orders',
    '/cluster/maps/orders/1',
    '/observe/audit?outcome=denied',
    '/observe/search?q=machine',
    '/account',
  ];
  return [...new Set([...lists, ...objects])];
}

async function memberToken(url: string): Promise<string> {
  const granted = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return ((await granted.json()) as { readonly access_token: string }).access_token;
}

/** @throws {Error} when the page is not there */
async function measure(agent: UserAgent, page: Measured): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < loads; i++) {
    const start = performance.now();
    const reply = await agent.get(page.path);
    times.push(performance.now() - start);
    if (reply.status !== 200) throw new Error(`${page.path} was answered with ${reply.status}`);
    page.bytes = gzipSync(reply.body).length;
  }
  return quantile(Float64Array.from(times).sort(), 0.95);
}

function tableOf(pages: readonly Measured[], rate: number): Table {
  const slowest = pages.toSorted((a, b) => spread(b.p95Ms).median - spread(a.p95Ms).median);
  const ratios: Ratio[] = slowest.slice(0, 5).map(({ path, p95Ms }) => ({
    name: `${path}, p95`,
    spread: spread(p95Ms),
    unit: ' ms',
    atMost: p95Goal,
  }));
  return {
    title: 'Management pages',
    columns: ['page', 'p95 ms', 'KB compressed'],
    rows: slowest.map(({ path, p95Ms, bytes }) => [
      path,
      formatSpread(spread(p95Ms), 1),
      (bytes / 1000).toFixed(1),
    ]),
    ratios,
    notes: [
      `${sizes.users} users, ${sizes.clients} clients, ${sizes.applications} applications, ${sizes.sessions} sessions, ${entries} entries of the audit, three members; ${Math.round(rate)} calls a second meanwhile. The goal is ${p95Goal} ms.`,
    ],
  };
}
