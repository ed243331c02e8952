/** Answers what is asked of the audit from the rows of all consoles, what this one has written being among them first, while the database takes it. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Database, statement } from '../../storage/postgres/database.ts';
import type { Entry } from '../entry.ts';
import { idsOf, isMatch } from '../index/filter.ts';
import { type TraceStep, traceSteps } from '../index/trace.ts';
import type { Asks, Gets, QuestionKind, Reached } from '../reader/questions.ts';
import { type ChainRow, readChains } from './chain-rows.ts';
import { termOf } from './entry-row.ts';
import { exportRows } from './row-export.ts';
import { entryOf, listRows } from './row-list.ts';
import type { Shipper } from './shipper.ts';

export interface RowAnswersDeps {
  readonly database: Pick<Database, 'run'>;
  /** Copies what was written here. */
  readonly shipper: Pick<Shipper, 'ship' | 'shipIfTaken'>;
  /** Of the console. */
  readonly version: string;
  readonly isClosed: () => boolean;
}

/** What follows looks for news of others so often; nobody looks while nobody follows. */
const pollMs = 300;
/** Of followed entries in one answer. */
const mostFollowed = 500;
const mostChecked = 5000;
/** Of one id: an entry that only looks as if it had it is passed over. */
const mostFirst = 5;

const readOne = statement(
  'audit_entry',
  'select stored from audit_entry where chain = (select id from audit_chain where writer = $1) and seq = $2',
);
/** Sorted afterwards: else the planner might look for them along all times. */
const firstOf = statement(
  'audit_first_of',
  `with found as materialized (select * from audit_entry where ids @> array[$1::bigint])
    select stored from found where not repeats order by latest, chain, seq limit ${mostFirst}`,
);
const readAfter = statement(
  'audit_after',
  `select seq, repeats, stored from audit_entry where chain = $1 and seq > $2 order by seq limit ${mostFollowed}`,
);

export function createRowAnswers({ database, shipper, version, isClosed }: RowAnswersDeps) {
  const { ship, shipIfTaken } = shipper;
  const answers: { [K in QuestionKind]: (asked: Asks<K>) => Promise<Gets<K>> } = {
    async list(asked) {
      const [page, chains] = await Promise.all([listRows(database, asked), readChains(database)]);
      return { ...page, total: totalOf(chains) };
    },
    async entry({ writer, seq }) {
      const stored = await readRow(database, writer, seq);
      return { entry: stored && entryOf(stored) };
    },
    trace,
    export: (asked) => exportRows(asked, { database, version }),
    // The index is of the rows, and forgets with them.
    forget: async () => ({ terms: 0 }),
    follow,
  };

  return {
    /** @throws {StorageUnavailableError} */
    async answer<K extends QuestionKind>(kind: K, asked: Asks<K>): Promise<Gets<K>> {
      // What is kept elsewhere is whole.
      await (kind === 'export' ? ship() : shipIfTaken());
      return answers[kind](asked);
    },
  };

  async function trace({ id }: Asks<'trace'>): Promise<Gets<'trace'>> {
    const steps = traceSteps(id);
    for (let step = steps.next(); ; ) {
      if (step.done) return { entries: step.value };
      step = steps.next(await stepTaken(step.value));
    }
  }

  async function stepTaken(asked: TraceStep): Promise<readonly Entry[]> {
    if ('filter' in asked) return (await listRows(database, asked)).entries;
    const { rows } = await database.run<{ stored: Buffer }>(firstOf, [termOf(asked.firstOf)]);
    const found = rows.flatMap(({ stored }) => entryOf(stored) ?? []);
    return found.filter((entry) => idsOf(entry).includes(asked.firstOf)).slice(0, 1);
  }

  async function follow({ filter, after, waitMs }: Asks<'follow'>): Promise<Gets<'follow'>> {
    if (!after) return { entries: [], after: endsOf(await readChains(database)) };
    const until = performance.now() + waitMs;
    let place = after;
    for (;;) {
      const found = await entriesAfter(place, filter);
      place = found.after;
      const isOver = isClosed() || performance.now() >= until;
      if (found.entries.length > 0 || (isOver && !found.isCut))
        return { entries: found.entries, after: place };
      if (!found.isCut) await delay(pollMs);
      await shipIfTaken();
    }
  }

  async function entriesAfter(after: Reached, filter: Asks<'follow'>['filter']) {
    const entries: Entry[] = [];
    const reached: Record<string, number> = { ...after };
    let checked = 0;
    for (const { id, writer, seq } of await readChains(database)) {
      while ((reached[writer] ?? 0) < seq) {
        if (entries.length >= mostFollowed || checked >= mostChecked)
          return { entries, after: reached, isCut: true };
        const { rows } = await database.run<{ seq: number; repeats: boolean; stored: Buffer }>(readAfter, [
          id,
          reached[writer] ?? 0,
        ]);
        for (const row of rows) {
          const entry = row.repeats ? undefined : entryOf(row.stored);
          if (entry && isMatch(entry, filter)) entries.push(entry);
        }
        checked += rows.length;
        reached[writer] = rows.at(-1)?.seq ?? seq;
      }
    }
    return { entries, after: reached, isCut: false };
  }
}

/** @returns with its link; undefined: it is not there */
export async function readRow(
  database: Pick<Database, 'run'>,
  writer: string,
  seq: number,
): Promise<Buffer | undefined> {
  return (await database.run<{ stored: Buffer }>(readOne, [writer, seq])).rows[0]?.stored;
}

function totalOf(chains: readonly ChainRow[]): number {
  return chains.reduce((total, { firstSeq, seq }) => total + seq - firstSeq + 1, 0);
}

function endsOf(chains: readonly ChainRow[]): Reached {
  return Object.fromEntries(chains.map(({ writer, seq }) => [writer, seq]));
}
