/**
 * What it costs to have the store in PostgreSQL: tokens and refreshes beside a console with its store in files, what two
 * consoles ask of the database while nobody asks them, and how soon one refuses what another has revoked.
 *
 * `BENCH_SHARED_REVOCATIONS` says how often that is tried (200), `BENCH_SHARED_IDLE_SECONDS` how long nobody asks (30).
 */
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../test/helpers/ports.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../test/helpers/postgres.ts';
import { createDataDirs, startConsole } from './console.ts';
import { password } from './growth/growth-store.ts';
import { getTokens, refresh, signIn } from './growth/people.ts';
import {
  type Benchmark,
  type Cell,
  cell,
  measure,
  type Ratio,
  ratio,
  sampleColumns,
  samplesTable,
  type Table,
} from './harness.ts';
import { httpRequest, load, summarize } from './load.ts';
import { clientId, clientSecret } from './peers/common.ts';
import { cpuMicrosOf } from './processor-time.ts';
import { createServers, type ServerProcess } from './servers.ts';
import { quantile, spread } from './statistics.ts';
import { tokenPath, tokenRequest } from './token.ts';

const revocations = Number(process.env.BENCH_SHARED_REVOCATIONS ?? 200);
const idleSeconds = Number(process.env.BENCH_SHARED_IDLE_SECONDS ?? 30);
const connections = 16;
const secondsPerCell = 1;
/** After each: what is done behind an answer (the audit's index, or its copy in the database) counts with it. */
const settlingMs = 2_500;
/** People whose applications refresh at the same time. */
const people = 16;
const username = 'person';

export const benchmark: Benchmark = {
  name: 'shared',
  async run({ rounds, nodeBinary }) {
    if (postgresPrograms === undefined) throw new Error('PostgreSQL is not installed');
    using dataDirs = createDataDirs();
    const postgres = await startPostgres({
      isDurable: true,
      settings: ['shared_preload_libraries=pg_stat_statements'],
    });
    try {
      await using servers = createServers({ nodeBinary });
      const database = postgres.url(await postgres.createDatabase());
      const start = (name: string, env: Readonly<Record<string, string>> = {}) =>
        startConsole(servers, {
          name,
          dataDir: dataDirs.path(name),
          env: {
            CONSOLE_LOG_LEVEL: 'error',
            CONSOLE_ADMIN_USERNAME: username,
            CONSOLE_ADMIN_PASSWORD: password,
            // A call after the other asks whether a revocation has come.
            CONSOLE_PROXY_MANAGEMENT_RATE: '0',
            ...env,
          },
        });
      const files = await start('store in files');
      const one = await start('PostgreSQL', { CONSOLE_DATABASE_URL: database });
      // The same issuer at another port: what one has issued the other takes.
      const port = await freePort();
      await start('PostgreSQL, another', {
        CONSOLE_DATABASE_URL: database,
        CONSOLE_URL: one.url,
        CONSOLE_PORT: `${port}`,
      });
      return await measured({ files, one, otherPort: port, postgres }, rounds);
    } finally {
      await postgres.close();
    }
  },
};

interface Measured {
  readonly files: ServerProcess;
  readonly one: ServerProcess;
  /** Of the other console on the same database. */
  readonly otherPort: number;
  readonly postgres: Postgres;
}

async function measured({ files, one, otherPort, postgres }: Measured, rounds: number): Promise<Table> {
  const cells: readonly Cell[] = [
    tokenCell(files),
    tokenCell(one),
    await refreshCell(files),
    await refreshCell(one),
  ];
  const [tokenFiles, tokenDatabase, refreshFiles, refreshDatabase] = cells as [Cell, Cell, Cell, Cell];
  const samples = await measure(cells, { rounds });
  const compare = (name: string, of: Cell, to: Cell, figure: 'rate' | 'cpuRate', atLeast?: number) =>
    ratio(name, samples, { of, to, figure, ...(atLeast !== undefined && { atLeast }) });
  return {
    title: 'A store that consoles share',
    columns: ['store', 'work', ...sampleColumns],
    rows: samplesTable(cells, samples),
    ratios: [
      compare(
        'machine token: database / files, by processor time',
        tokenDatabase,
        tokenFiles,
        'cpuRate',
        0.97,
      ),
      compare('machine token: database / files, rate', tokenDatabase, tokenFiles, 'rate'),
      compare('refresh: database / files, by processor time', refreshDatabase, refreshFiles, 'cpuRate', 0.8),
      compare('refresh: database / files, rate', refreshDatabase, refreshFiles, 'rate'),
      await databaseTime(refreshDatabase, postgres, rounds),
      await idleStatements(postgres),
      ...(await revocationTimes(one, otherPort)),
    ],
    notes: [
      'Processor time is that of the console, with what it does in the seconds after its answers; what the database takes for a refresh stands below. It writes to the disk before it answers, as LMDB does.',
      `${connections} connections ask for tokens, and as many people refresh, one token after the other. Loopback: no network between console and database.`,
      'The members are embedded.',
    ],
  };
}

function tokenCell(server: ServerProcess): Cell {
  const { headers, body } = tokenRequest('RS256');
  const request = httpRequest('POST', tokenPath, { host: new URL(server.url).host, ...headers }, body);
  return cell(server, [server.name, 'machine token'], () =>
    settled(load({ url: server.url, request, connections, seconds: secondsPerCell })),
  );
}

async function refreshCell(server: ServerProcess): Promise<Cell> {
  const { url } = server;
  const tokens: string[] = [];
  for (let i = 0; i < people; i++) tokens.push(await getTokens(url, await signIn(url, username)));
  return cell(server, [server.name, 'refresh'], async () => {
    const latencies: number[] = [];
    const began = performance.now();
    const refreshes = async (i: number) => {
      while (performance.now() - began < secondsPerCell * 1000) {
        const at = performance.now();
        tokens[i] = await refresh(url, tokens[i]!);
        latencies.push(performance.now() - at);
      }
    };
    await Promise.all(tokens.map((_, i) => refreshes(i)));
    return settled(Promise.resolve(summarize(latencies, (performance.now() - began) / 1000)));
  });
}

async function settled<T>(work: Promise<T>): Promise<T> {
  const done = await work;
  await wait(settlingMs);
  return done;
}

/** All its processes together, for each refresh. */
async function databaseTime({ run }: Cell, postgres: Postgres, rounds: number): Promise<Ratio> {
  const micros: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = cpuMicrosOf(postgres.pid());
    const { requests } = await run();
    micros.push((cpuMicrosOf(postgres.pid()) - before) / requests);
  }
  return { name: 'processor time of the database for a refresh', spread: spread(micros), unit: ' µs' };
}

/** Of two consoles. What the database does by itself, such as its clean-up after the refreshes, does not count. */
async function idleStatements(postgres: Postgres): Promise<Ratio> {
  const ask = (text: string) => postgres.query<{ n: string }>('public', text);
  await ask('create extension pg_stat_statements');
  // What the refreshes have left is done: a second, and the first round of maintenance.
  await wait(3_000);
  await ask('select pg_stat_statements_reset()');
  await wait(idleSeconds * 1000);
  const [row] = await ask(
    `select sum(calls) as n from pg_stat_statements where query not like '%pg_stat_statements_reset%'`,
  );
  const each = Number(row!.n) / idleSeconds / 2;
  return { name: 'statements of a console that nobody asks', spread: spread([each]), unit: '/s', atMost: 3 };
}

async function revocationTimes({ url }: ServerProcess, otherPort: number): Promise<readonly Ratio[]> {
  const { host } = new URL(url);
  const times: number[] = [];
  for (let n = 0; n < revocations; n++) {
    const token = await machineToken(url);
    const call = () => statusAt(otherPort, { host, authorization: `Bearer ${token}` });
    const first = await call();
    if (first !== 200) throw new Error(`the other console answered the token with ${first}`);
    const revoked = await fetch(`${url}/oauth2/revoke`, {
      method: 'POST',
      headers: basic,
      body: new URLSearchParams({ token }),
    });
    await revoked.arrayBuffer();
    if (!revoked.ok) throw new Error(`a revocation was answered with ${revoked.status}`);
    const at = performance.now();
    for (let status = 200; status !== 401; ) {
      status = await call();
      if (status !== 200 && status !== 401)
        throw new Error(`the other console answered the token with ${status}`);
    }
    times.push(performance.now() - at);
  }
  const sorted = times.sort((a, b) => a - b);
  return [
    { share: 0.5, atMost: 50 },
    { share: 0.99, atMost: 1000 },
  ].map(({ share, atMost }) => ({
    name: `revoked at one, refused by the proxy of another: p${share * 100} of ${revocations}`,
    spread: spread([quantile(sorted, share)]),
    unit: ' ms',
    atMost,
  }));
}

const basic = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };

async function machineToken(url: string): Promise<string> {
  const answer = await fetch(url + tokenPath, {
    method: 'POST',
    headers: basic,
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return ((await answer.json()) as { readonly access_token: string }).access_token;
}

/** Of a call to a member, at a console that is addressed as the other one. */
function statusAt(port: number, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path: '/svc/rest/cluster', headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode!));
    });
    asked.once('error', reject).end();
  });
}
