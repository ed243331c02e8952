/**
 * What a page of the audit costs a database that several consoles share, by each filter: the database's own time, by its own
 * account, of all statements of a page, for first pages and those behind them. `BENCH_AUDIT_ROWS` names how many entries there
 * are (1000000, which take minutes to make).
 */
import pg from 'pg';
import type { EntryFilter } from '../console/audit/index/filter.ts';
import { listRows } from '../console/audit/rows/row-list.ts';
import type { Statement } from '../console/storage/postgres/database.ts';
import { openPostgresStorage } from '../console/storage/postgres/open.ts';
import { postgresPrograms, startPostgres } from '../test/helpers/postgres.ts';
import { makeRows } from './audit/audit-rows.ts';
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
import type { Benchmark, Table } from './harness.ts';
import { quantile, spread } from './statistics.ts';

const size = Number(process.env.BENCH_AUDIT_ROWS ?? 1_000_000);
/** First pages of a kind in a round, each with the one behind it. */
const pages = 20;
const pageSize = 50;
const hourMs = 60 * 60 * 1000;

const hourAt = (i: number) => ({ since: timeOf(i, size) - hourMs, until: timeOf(i, size) });
const map = (i: number) => ({ objectKind: 'map', objectId: mapOf(i) });

/** @param i  of an entry, any */
const questions: Readonly<Record<string, (i: number) => EntryFilter>> = {
  'the newest': () => ({}),
  'before a time': (i) => ({ until: timeOf(i, size) }),
  'of an hour': hourAt,
  'by actor, a person': (i) => ({ actor: personOf(i) }),
  'by actor, a machine': (i) => ({ actor: clientOf(i) }),
  'by client': (i) => ({ client: clientOf(i) }),
  'by member': (i) => ({ member: memberOf(i) }),
  'by object': map,
  'by kind of object': () => ({ objectKind: 'map' }),
  'by event, of half': () => ({ event: 'token.issued' }),
  'by event, of one in a hundred': () => ({ event: 'client.updated' }),
  'by the beginning of an event': () => ({ event: 'client.*' }),
  denials: () => ({ outcome: 'denied' }),
  'what succeeded': () => ({ outcome: 'success' }),
  'by decision': (i) => ({ decision: decisionOf(deniedAt(i)) }),
  'by trace': (i) => ({ id: traceOf(deniedAt(i)) }),
  'denials by object': (i) => ({ ...map(i), outcome: 'denied' }),
  'denials of a machine': (i) => ({ actor: clientOf(i), outcome: 'denied' }),
  'denials by client': (i) => ({ client: clientOf(i), outcome: 'denied' }),
  'denials by event': () => ({ event: 'member.call', outcome: 'denied' }),
  'denials by event, none': () => ({ event: 'token.issued', outcome: 'denied' }),
  'denials by member, none': (i) => ({ member: memberOf(i), outcome: 'denied' }),
  'all changes': () => ({ isChange: true }),
  'all changes by a machine': (i) => ({ isChange: true, actor: clientOf(i) }),
  'changes by a person': (i) => ({ actor: personOf(i), event: 'client.updated' }),
  'changes by a machine, none': (i) => ({ actor: clientOf(i), event: 'client.updated' }),
  'a machine and a map': (i) => ({ actor: clientOf(i), ...map(i + 7) }),
  'a machine and a member': (i) => ({ actor: clientOf(i + 3), member: memberOf(i) }),
  'a machine in an hour': (i) => ({ ...hourAt(i), actor: clientOf(i) }),
  'denials of an hour': (i) => ({ ...hourAt(i), outcome: 'denied' }),
  'by an actor that there is not': () => ({ actor: 'nobody' }),
};

export const benchmark: Benchmark = {
  name: 'audit-rows',
  async run({ rounds }) {
    if (postgresPrograms === undefined) throw new Error('PostgreSQL is not installed');
    const postgres = await startPostgres();
    try {
      const name = await postgres.createDatabase();
      await (await openPostgresStorage({ url: postgres.url(name) })).close();
      await makeRows(postgres, name, size);
      const client = new pg.Client({
        connectionString: postgres.url(name),
        options: `-c search_path=${name}`,
        types: { getTypeParser: (oid: number) => (oid === int8 ? Number : pg.types.getTypeParser(oid)) },
      });
      await client.connect();
      try {
        return await measured(client, rounds);
      } finally {
        await client.end();
      }
    } finally {
      await postgres.close();
    }
  },
};

const int8 = 20;

interface Cost {
  readonly ms: number;
  readonly blocks: number;
}

async function measured(client: pg.Client, rounds: number): Promise<Table> {
  const p95Ms = new Map<string, number[]>();
  const rows: string[][] = [];
  for (const [name, of] of Object.entries(questions)) {
    const last: Cost[] = [];
    for (let round = 0; round <= rounds; round++) {
      const costs = await costsOf(client, of);
      if (round === 0) continue;
      last.push(...costs);
      p95Ms.set(name, [...(p95Ms.get(name) ?? []), shareOf(costs, 'ms', 0.95)]);
    }
    const figures = [shareOf(last, 'ms', 0.5), shareOf(last, 'ms', 0.95)].map((ms) => ms.toFixed(1));
    rows.push([name, ...figures, `${shareOf(last, 'blocks', 0.95)}`]);
  }
  return {
    title: `A page of an audit of ${size} entries in PostgreSQL`,
    columns: ['question', 'p50 ms', 'p95 ms', 'p95 blocks'],
    rows,
    ratios: [...p95Ms].map(([name, values]) => ({
      name: `${name}, p95`,
      spread: spread(values),
      unit: ' ms',
      atMost: 20,
    })),
    notes: ['The time is that of the database, planning included; blocks of 8 KB are those it looked at.'],
  };
}

function shareOf(costs: readonly Cost[], figure: keyof Cost, share: number): number {
  const sorted = costs.map((cost) => cost[figure]).sort((one, other) => one - other);
  return quantile(sorted, share);
}

async function costsOf(client: pg.Client, of: (i: number) => EntryFilter): Promise<readonly Cost[]> {
  const costs: Cost[] = [];
  for (let n = 0; n < pages; n++) {
    const filter = of((n * 37_987 + 12_345) % size);
    const first = await costOf(client, { filter, limit: pageSize });
    costs.push(first.cost);
    if (!first.next) continue;
    costs.push((await costOf(client, { filter, limit: pageSize, from: first.next })).cost);
  }
  return costs;
}

interface Explained {
  readonly 'Planning Time': number;
  readonly 'Execution Time': number;
  readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number };
}

/** Each statement twice: for what it costs, and for what it gives. */
async function costOf(client: pg.Client, asked: Parameters<typeof listRows>[1]) {
  const cost = { ms: 0, blocks: 0 };
  const run = async <Row>({ text }: Statement, given: readonly unknown[] = []) => {
    const values = [...given];
    const explain = `explain (analyze, buffers, timing off, format json) ${text}`;
    const [row] = (await client.query<{ 'QUERY PLAN': readonly Explained[] }>(explain, values)).rows;
    const { Plan: plan, ...times } = row!['QUERY PLAN'][0]!;
    cost.ms += times['Planning Time'] + times['Execution Time'];
    cost.blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    const { rows, rowCount } = await client.query(text, values);
    return { rows: rows as Row[], rowCount: rowCount ?? 0 };
  };
  const { next } = await listRows({ run }, asked);
  return { cost, next };
}
