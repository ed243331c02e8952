/**
 * What others hold in memory, as a log that all consoles follow: each commit that they have to know of has a number,
 * and none is missing, since whoever takes one has `change_clock` until its commit (decision 0046).
 */
import { createSerial } from '../../../platform/async/serial.ts';
import { type Queries, statement } from './database.ts';

/** By topic, what has changed; whoever is told reads how it is now. */
export interface ChangedNames {
  /** Collection and id. */
  readonly registry?: readonly (readonly [string, string])[];
  readonly records?: readonly (readonly [string, string])[];
  /** Kind and key of artifacts. */
  readonly puts?: readonly (readonly [string, string])[];
}

export interface ChangeLogDeps {
  readonly database: Queries;
  /** The last number that is known to this process. */
  readonly start: number;
  /** Reads what others have changed, and tells of it. */
  readonly deliver: (names: readonly ChangedNames[], queries: Queries) => Promise<void>;
  /** Changes are gone that this process was never told: it has been away for longer than they are kept. */
  readonly onGap: () => void;
}

export interface ChangeLog {
  /** The number of the change that this transaction makes: nobody else makes one until it ends. */
  take(queries: Queries): Promise<number>;
  /** Before the commit. @param emit  what this process is told in its place, in the order of the numbers */
  record(queries: Queries, seq: number, names: ChangedNames, emit: () => void): Promise<void>;
  /** The same for what a statement by itself has done: resolves when this process has been told of it. Never rejects. */
  committed(seq: number, emit: () => void): Promise<void>;
  /** What was recorded under this number has not come about. */
  forget(seq: number): void;
  /** Resolves when this process has been told of all up to this one, or of all there are. */
  advance(upTo?: number, queries?: Queries): Promise<void>;
  /** Whether this process has been told of all up to this one. */
  isKnown(seq: number): boolean;
  /** Deletes what everybody has been told long ago. */
  trim(queries: Queries): Promise<number>;
}

interface ChangeRow {
  readonly seq: number;
  readonly names: ChangedNames;
}

const mostRows = 500;

const takeNumber = statement('take_number', 'update change_clock set last = last + 1 returning last as seq');
const insertChange = statement('insert_change', 'insert into change (seq, names) values ($1, $2)');
const readChanges = statement(
  'read_changes',
  `select seq, names from change where seq > $1 order by seq limit ${mostRows}`,
);
export const lastChange = statement('last_change', 'select last as seq from change_clock');
const trimChanges = statement(
  'trim_changes',
  `delete from change where ctid = any(array(
    select ctid from change where at < now() - interval '1 day' limit 500 for update skip locked))`,
);

export function createChangeLog({ database, start, deliver, onGap }: ChangeLogDeps): ChangeLog {
  const inTurn = createSerial();
  const own = new Map<number, () => void>();
  let position = start;

  function emitOwn(upTo: number): void {
    while (position < upTo) {
      const emit = own.get(position + 1);
      if (!emit) return;
      own.delete(++position);
      emit();
    }
  }

  /** @returns whether there may be more */
  async function readOn(queries: Queries): Promise<boolean> {
    const { rows } = await queries.run<ChangeRow>(readChanges, [position]);
    if (rows.length > 0 && rows[0]!.seq !== position + 1) onGap();
    let others: ChangedNames[] = [];
    for (const { seq, names } of rows) {
      const emit = own.get(seq);
      if (!emit) {
        others.push(names);
        continue;
      }
      if (others.length > 0) await deliver(others, queries);
      others = [];
      own.delete(seq);
      emit();
      position = seq;
    }
    if (others.length > 0) await deliver(others, queries);
    position = rows.at(-1)?.seq ?? position;
    return rows.length === mostRows;
  }

  return {
    async take(queries) {
      const { rows } = await queries.run<{ seq: number }>(takeNumber);
      return rows[0]!.seq;
    },
    async record(queries, seq, names, emit) {
      await queries.run(insertChange, [seq, JSON.stringify(names)]);
      own.set(seq, emit);
    },
    forget: (seq) => void own.delete(seq),
    isKnown: (seq) => seq <= position,
    advance(upTo = Infinity, queries = database) {
      if (upTo <= position) return Promise.resolve();
      return inTurn(async () => {
        if (upTo !== Infinity) emitOwn(upTo);
        if (position >= upTo) return;
        while (await readOn(queries));
      });
    },
    committed: (seq, emit) =>
      inTurn(async () => {
        // Read as others' meanwhile.
        if (position >= seq) return;
        own.set(seq, emit);
        emitOwn(seq);
        if (position >= seq) return;
        try {
          while (await readOn(database));
        } catch {
          // It is durable: what came before it is told when the database can be read again, and this once more.
          own.delete(seq);
          emit();
        }
      }),
    async trim(queries) {
      let removed = 0;
      for (;;) {
        const { rowCount } = await queries.run(trimChanges);
        removed += rowCount;
        if (rowCount === 0) return removed;
      }
    },
  };
}
