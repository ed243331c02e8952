/**
 * What questions about the audit cost, and whether that depends on how many entries there are: through the API of consoles
 * with few and with many, and through the reader alone. `BENCH_AUDIT_SIZES` names the sizes (1000000,10000000),
 * `BENCH_AUDIT_DIR` a folder in which audits stay for the next run: ten million entries take ten minutes to make, and 3 GB.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createAuditAnswers } from '../console/audit/reader/audit-answers.ts';
import { makeAudit } from './audit/audit-store.ts';
import {
  clientOf,
  decisionOf,
  deniedAt,
  mapOf,
  memberOf,
  personOf,
  timeOf,
  traceOf,
} from './audit/made-entries.ts';
import { apiToken, createDataDirs, startConsole } from './console.ts';
import type { Benchmark, Ratio, Table } from './harness.ts';
import { createServers, type ServerProcess } from './servers.ts';
import { formatSpread, quantile, spread } from './statistics.ts';

const sizes = (process.env.BENCH_AUDIT_SIZES ?? '1000000,10000000').split(',').map(Number);
/** Questions of one kind in a round, one after the other. */
const calls = 40;
/** Between them, for the reader to come to rest. */
const betweenMs = 5;
const hourMs = 60 * 60 * 1000;

interface Question {
  readonly name: string;
  /** @param i  of an entry, any. @returns parameters of the query */
  readonly asks: (i: number, size: number) => Readonly<Record<string, string>>;
}

const questions: readonly Question[] = [
  { name: 'the newest', asks: () => ({}) },
  { name: 'by actor, a person', asks: (i) => ({ actor: personOf(i) }) },
  { name: 'by actor, a machine', asks: (i) => ({ actor: clientOf(i) }) },
  { name: 'by object', asks: (i) => ({ object: `map:${mapOf(i)}` }) },
  { name: 'by client', asks: (i) => ({ client: clientOf(i) }) },
  { name: 'by member', asks: (i) => ({ member: memberOf(i) }) },
  { name: 'by object, denials', asks: (i) => ({ object: `map:${mapOf(i)}`, outcome: 'denied' }) },
  { name: 'changes by a person', asks: (i) => ({ actor: personOf(i), event: 'client.updated' }) },
  { name: 'by decision', asks: (i) => ({ decision: decisionOf(deniedAt(i)) }) },
  { name: 'by trace', asks: (i) => ({ joinedBy: traceOf(deniedAt(i)) }) },
  { name: 'of an hour', asks: (i, size) => hourAt(timeOf(i, size)) },
  {
    name: 'of an hour, by actor',
    asks: (i, size) => ({ ...hourAt(timeOf(i, size)), actor: clientOf(i) }),
  },
  { name: 'by a client that there is not', asks: () => ({ client: 'nobody' }) },
];
const traced = 'what led to a denial';

/** In one place and by one way. */
interface Asked {
  readonly size: number;
  readonly way: 'API' | 'reader';
  readonly ask: (question: Question, i: number) => Promise<void>;
  readonly trace: (id: string) => Promise<void>;
  /** By the name of the question: the 95th percentile of each round. */
  readonly p95Ms: Map<string, number[]>;
}

export const benchmark: Benchmark = {
  name: 'audit-query',
  async run({ rounds, nodeBinary }) {
    using ownDirs = createDataDirs();
    const kept = process.env.BENCH_AUDIT_DIR;
    const dirOf = (size: number) =>
      kept === undefined ? ownDirs.path(`audit-${size}`) : join(kept, `audit-${size}`);
    for (const size of sizes) await makeAudit(dirOf(size), size);
    const ways = [...(await measureReader(dirOf, rounds)), ...(await measureApi(dirOf, rounds, nodeBinary))];
    return tableOf(ways);
  },
};

/** No console runs yet: the index has one reader that also keeps it up. */
async function measureReader(dirOf: (size: number) => string, rounds: number): Promise<Asked[]> {
  const opened = sizes.map((size) => {
    const dataDir = dirOf(size);
    const answers = createAuditAnswers({
      directory: join(dataDir, 'audit'),
      indexDirectory: join(dataDir, 'audit-index'),
      version: 'bench',
    });
    return { size, answers };
  });
  const asked = opened.map(({ size, answers }): Asked => {
    return {
      size,
      way: 'reader',
      async ask({ asks }, i) {
        const { object, joinedBy, since, until, ...same } = asks(i, size);
        const [objectKind, objectId] = object?.split(':') ?? [];
        const times = {
          since: since === undefined ? undefined : Date.parse(since),
          until: until === undefined ? undefined : Date.parse(until),
        };
        const filter = { ...same, ...times, id: joinedBy, objectKind, objectId };
        found(await answers.answer('list', { filter, limit: 50 }));
      },
      async trace(id) {
        found(await answers.answer('trace', { id }));
      },
      p95Ms: new Map(),
    };
  });
  await measure(asked, rounds);
  for (const { answers } of opened) await answers.close();
  return asked;
}

function found(answer: object | undefined): void {
  if (!answer) throw new Error('the index is not there');
}

async function measureApi(
  dirOf: (size: number) => string,
  rounds: number,
  nodeBinary: string,
): Promise<Asked[]> {
  await using servers = createServers({ nodeBinary });
  const asked: Asked[] = [];
  for (const size of sizes) {
    const server = await startConsole(servers, {
      name: `console with ${size}`,
      dataDir: dirOf(size),
      env: { CONSOLE_LOG_LEVEL: 'error', CONSOLE_API_READ_RATE: '0' },
    });
    asked.push(await throughApi(server, size));
  }
  await measure(asked, rounds);
  return asked;
}

async function throughApi({ url }: ServerProcess, size: number): Promise<Asked> {
  let token = await apiToken(url);
  let since = performance.now();
  const get = async (path: string) => {
    // It lives for five minutes.
    if (performance.now() - since > 200_000) {
      token = await apiToken(url);
      since = performance.now();
    }
    const response = await fetch(`${url}/api/v1/audit${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await response.text();
    // The number of a check-point is that of no denial.
    if (response.status !== 200 && response.status !== 404)
      throw new Error(`${path} was answered with ${response.status}: ${text}`);
  };
  return {
    size,
    way: 'API',
    ask: ({ asks }, i) => get(`?${new URLSearchParams(asks(i, size))}`),
    trace: (id) => get(`/trace/${encodeURIComponent(id)}`),
    p95Ms: new Map(),
  };
}

/** One question after the other, of each size in turn. */
async function measure(asked: readonly Asked[], rounds: number): Promise<void> {
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(`round ${round} of ${rounds}, ${asked[0]?.way}\n`);
    const inTurn = round % 2 === 1 ? asked : [...asked].reverse();
    for (const question of [...questions, undefined]) {
      for (const one of inTurn) {
        const p95Ms = await p95Of(one, question);
        const name = question?.name ?? traced;
        if (round > 0) one.p95Ms.set(name, [...(one.p95Ms.get(name) ?? []), p95Ms]);
      }
    }
  }
}

async function p95Of({ size, ask, trace }: Asked, question: Question | undefined): Promise<number> {
  const latencies: number[] = [];
  for (let call = 0; call < calls; call++) {
    const i = Math.floor(Math.random() * size);
    const start = performance.now();
    if (question) await ask(question, i);
    else await trace(decisionOf(deniedAt(i)));
    latencies.push(performance.now() - start);
    await wait(betweenMs);
  }
  return quantile(
    latencies.sort((a, b) => a - b),
    0.95,
  );
}

function hourAt(time: number) {
  return { since: new Date(time).toISOString(), until: new Date(time + hourMs).toISOString() };
}

function tableOf(asked: readonly Asked[]): Table {
  const names = [...questions.map(({ name }) => name), traced];
  const ways = (['API', 'reader'] as const).map((way) => asked.filter((one) => one.way === way));
  const valuesOf = (one: Asked, name: string) => one.p95Ms.get(name) ?? [];
  const ratios = names.flatMap((name) =>
    ways.flatMap((own): Ratio[] => {
      const [smallest, largest] = [own[0]!, own.at(-1)!];
      const perRound = valuesOf(largest, name).map((ms, round) => ms / valuesOf(smallest, name)[round]!);
      return [
        {
          name: `${name}, ${own[0]!.way}, p95`,
          spread: spread(valuesOf(largest, name)),
          unit: ' ms',
          atMost: 30,
        },
        {
          name: `${name}, ${own[0]!.way}, ${largest.size} to ${smallest.size}`,
          spread: spread(perRound),
          atMost: 1.2,
        },
      ];
    }),
  );
  return {
    title: 'Questions about the audit, p95 in ms',
    columns: ['question', ...asked.map(({ way, size }) => `${way}, ${size.toLocaleString('en')} entries`)],
    rows: names.map((name) => [name, ...asked.map((one) => formatSpread(spread(valuesOf(one, name)), 2))]),
    ratios,
    notes: [
      'Fifty entries a page. Of a decision the id is of an entry anywhere in the audit; other names are those of many entries.',
      'API: from the request to the last byte of its answer; reader: in its process, without HTTP.',
    ],
  };
}
