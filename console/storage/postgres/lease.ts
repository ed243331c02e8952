/**
 * Who of all consoles does what is to be done once. By the database's clock: whoever has stopped, or cannot reach it,
 * has lost it when it ends, and counts by the time at which it asked.
 */
import type { HeldTerm } from '../shared-store.ts';
import { LeadershipLostError } from '../storage.ts';
import { type Database, type Queries, statement } from './database.ts';
import type { DatabaseClock } from './database-clock.ts';
import { type Form, servesFromValue } from './schema/meta.ts';

export interface Lease {
  /** Which time of holding it is, among all processes; undefined: this process does not have it. */
  term(): number | undefined;
  /** Somebody may have given it back. */
  ask(): void;
  /** Gives it back. */
  close(): Promise<void>;
}

export interface LeaseDeps {
  readonly database: Queries;
  /** Of this process. */
  readonly holder: string;
  /** Gets what is asked for with it, which costs no statement of its own: the number of the last change, and the form of the tables. */
  readonly onState: (last: number, form: Form) => void;
  /** The same, of its clock, epoch milliseconds. */
  readonly clock: Pick<DatabaseClock, 'answered'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** It is free: whoever waits for it is told by whatever tells of changes. */
  readonly onReleased: () => Promise<void>;
}

const leaseMs = 6_000;
const renewalMs = 2_000;
/** A start asks so often: one statement that takes too long is no reason not to serve. */
const mostFirstAttempts = 3;
/** Whoever waits asks this long after its end. */
const afterEndMs = 20;
const duty = 'rounds';

/** Epoch milliseconds. */
export const clockValue = 'extract(epoch from clock_timestamp())::float8 * 1000';

const take = statement(
  'lease_take',
  `with taken as (
    insert into lease (duty, holder, term, held_until) values ($1, $2, 1, now() + ${leaseMs} * interval '1 ms')
      on conflict (duty) do update set holder = excluded.holder, held_until = excluded.held_until,
        term = lease.term + case when lease.holder = excluded.holder then 0 else 1 end
      where lease.holder = excluded.holder or lease.held_until < now()
      returning term)
  select term, null as "leftMs", last, version, ${servesFromValue} as "servesFrom", ${clockValue} as clock
    from taken, change_clock, cluster_console
  union all select null, extract(epoch from lease.held_until - now())::float8 * 1000, last, version, ${servesFromValue},
      ${clockValue} from lease, change_clock, cluster_console where duty = $1 and not exists (select from taken)`,
);
const release = statement(
  'lease_release',
  'update lease set held_until = now() where duty = $1 and holder = $2 and held_until > now()',
);
/** Whoever takes it over waits until the transaction that has asked this is over. */
const holds = statement(
  'lease_holds',
  `select from lease where duty = $1 and holder = $2 and term = $3 and held_until > clock_timestamp() for share`,
);

interface LeaseRow extends Form {
  readonly term: number | null;
  /** Until another one has it no longer. */
  readonly leftMs: number | null;
  readonly last: number;
  readonly clock: number;
}

/**
 * Resolves when it is known who has it.
 *
 * @throws {StorageUnavailableError} when the database has not said so, asked three times
 */
export async function openLease(deps: LeaseDeps): Promise<Lease> {
  const { database, holder, onState, onReleased, clock, now } = deps;
  let held: { readonly term: number; readonly until: number } | undefined;
  let round: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const term = () => (held && performance.now() < held.until ? held.term : undefined);

  /** @returns milliseconds until it is to be asked for again */
  async function renew(): Promise<number> {
    const asked = performance.now();
    const askedAt = now();
    const { rows } = await database.run<LeaseRow>(take, [duty, holder]);
    const { term = null, leftMs = null } = rows[0] ?? {};
    if (rows[0]) {
      clock.answered(askedAt, rows[0].clock);
      onState(rows[0].last, rows[0]);
    }
    held = term === null ? undefined : { term, until: asked + leaseMs };
    return Math.max(0, Math.min(renewalMs, (leftMs ?? renewalMs) + afterEndMs));
  }

  /** What fails is tried again; meanwhile it runs out. */
  function ask(): void {
    if (round || isClosed) return;
    clearTimeout(timer);
    round = renew()
      .catch(() => renewalMs)
      .then((ms) => {
        round = undefined;
        if (!isClosed) timer = setTimeout(ask, ms).unref();
      });
  }

  async function renewFirst(): Promise<number> {
    for (let attempt = 1; attempt < mostFirstAttempts; attempt++) {
      try {
        return await renew();
      } catch {}
    }
    return renew();
  }

  timer = setTimeout(ask, await renewFirst()).unref();

  return {
    term,
    ask,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await round;
      held = undefined;
      const { rowCount } = await database.run(release, [duty, holder]).catch(() => ({ rowCount: 0 }));
      if (rowCount === 1) await onReleased().catch(() => {});
    },
  };
}

export interface FenceDeps extends HeldTerm {
  readonly lease: Pick<Lease, 'term'>;
}

/**
 * Last of all in a transaction: its commit is made in this term, or not at all.
 *
 * @throws {LeadershipLostError}
 */
export async function confirmTerm(queries: Queries, { holder, term }: HeldTerm): Promise<void> {
  const { rowCount } = await queries.run(holds, [duty, holder, term]);
  if (rowCount !== 1) throw new LeadershipLostError();
}

/**
 * Connections whose writes are made in this term alone: each one asks for the term before its commit, in its
 * transaction, so that nobody takes over in between. Reads are as they are.
 *
 * @returns throws {@link LeadershipLostError}
 */
export function inTermOf(
  database: Database,
  { lease, holder, term }: FenceDeps,
): Pick<Database, 'run' | 'transaction'> {
  const check = () => {
    // Whoever stopped for longer has no need to ask.
    if (lease.term() !== term) throw new LeadershipLostError();
  };
  const transaction: Database['transaction'] = async (work) => {
    check();
    return database.transaction(async (queries) => {
      const result = await work(queries);
      check();
      await confirmTerm(queries, { holder, term });
      return result;
    });
  };
  return {
    transaction,
    run: (asked, values) =>
      asked.text.startsWith('select')
        ? database.run(asked, values)
        : transaction((queries) => queries.run(asked, values)),
  };
}
