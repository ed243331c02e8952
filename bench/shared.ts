/**
 * What it costs to have the store in PostgreSQL: tokens and refreshes beside a console with its store in files, and what two
 * consoles ask of the database while nobody asks them. And what holds with several: `bench/shared/faults.ts`.
 *
 * `BENCH_SHARED_PARTS` names those that are wanted, with commas between; sizes: `bench/shared/sizes.ts`.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../test/helpers/ports.ts';
import { type Postgres, startPostgres } from '../test/helpers/postgres.ts';
import { whyNotTogether } from '../test/shared/support.ts';
import { createDataDirs, startConsole } from './console.ts';
import { password } from './growth/growth-store.ts';
import { getTokens, refresh, signIn } from './growth/people.ts';
import {
  type Benchmark,
  type BenchmarkOptions,
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
import { cpuMicrosOf } from './processor-time.ts';
import { createServers, type ServerProcess } from './servers.ts';
import { faultParts, type Part } from './shared/faults.ts';
import { type Sizes, sizesOf } from './shared/sizes.ts';
import { spread } from './statistics.ts';
import { tokenPath, tokenRequest } from './token.ts';

const connections = 16;
const secondsPerCell = 1;
/** After each: what is done behind an answer (the audit's index, or its copy in the database) counts with it. */
const settlingMs = 2_500;
/** People whose applications refresh at the same time. */
const people = 16;
const username = 'person';

export const benchmark: Benchmark = {
  name: 'shared',
  async run({ rounds, nodeBinary, isFull }) {
    if (whyNotTogether !== undefined) throw new Error(`not everything is installed${whyNotTogether}`);
    const sizes = sizesOf(isFull);
    const wanted = process.env.BENCH_SHARED_PARTS?.split(',');
    const isWanted = (name: string) => wanted === undefined || wanted.includes(name);
    let table = empty;
    const parts: readonly Part[] = [
      {
        name: 'costs',
        async measure() {
          table = await costs({ rounds, nodeBinary, ...sizes });
          return table.ratios;
        },
      },
      ...faultParts(sizes),
    ];
    const ratios: Ratio[] = [];
    const notes: string[] = [];
    for (const { name, whyNot, measure: measurePart } of parts.filter((part) => isWanted(part.name))) {
      if (whyNot !== undefined) {
        notes.push(`Not measured: ${name}${whyNot}.`);
        continue;
      }
      process.stderr.write(`${name}\n`);
      try {
        ratios.push(...(await measurePart()));
      } catch (error) {
        // The others count all the same.
        ratios.push({ name: `${name}: not measured`, spread: spread([Number.NaN]), atMost: 0 });
        notes.push(`${name}: ${error}`);
      }
    }
    notes.unshift(...(table.notes ?? []));
    return { ...table, ratios, notes };
  },
};

const title = 'A store that consoles share';
const empty: Table = { title, columns: ['store', 'work', ...sampleColumns], rows: [], ratios: [] };

async function costs({
  rounds,
  nodeBinary,
  idleSeconds,
}: Pick<BenchmarkOptions, 'rounds' | 'nodeBinary'> & Pick<Sizes, 'idleSeconds'>): Promise<Table> {
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
    return await measured({ files, one, postgres, idleSeconds }, rounds);
  } finally {
    await postgres.close();
  }
}

interface Measured {
  readonly files: ServerProcess;
  readonly one: ServerProcess;
  readonly postgres: Postgres;
  readonly idleSeconds: number;
}

async function measured({ files, one, postgres, idleSeconds }: Measured, rounds: number): Promise<Table> {
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
    title,
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
      await idleStatements(postgres, idleSeconds),
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
async function idleStatements(postgres: Postgres, idleSeconds: number): Promise<Ratio> {
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
