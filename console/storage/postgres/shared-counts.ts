/**
 * What all consoles decide as one on calls of which most leave nothing else in the database: whether something was seen
 * before, and who has failed how often. By the database's clock, and without waiting for its disk: with a crash of the
 * database its last moments are lost, and nothing else is.
 */
import { artifactKey } from '../digest.ts';
import type { Pace, SharedCounts } from '../shared-store.ts';
import { type Queries, statement } from './database.ts';

/** For this transaction, which is the statement: it is committed, and on the disk within a second. */
const soon = `soon as materialized (select set_config('synchronous_commit', 'off', true) as said)`;

/** `$1`: keys; `$2`: the seconds for which each is remembered. In their order: two that insert the same ones wait, and do not meet. */
const once = statement(
  'replay_once',
  `with ${soon} insert into replay (key, ends_at)
    select key, now() + seconds * interval '1 s' from unnest($1::text[], $2::float8[]) as given (key, seconds), soon
      order by key
    on conflict (key) do update set ends_at = excluded.ends_at where replay.ends_at <= now() returning key`,
);

const forget = statement('replay_forget', 'delete from replay where key = $1');

const counted = `(greatest(0, pace.n - extract(epoch from now() - pace.counted_at) * 1000 / $2::float8) + 1)`;
const over = `(${counted} - $3::float8)`;
const delay = `least($6::float8, $4::float8 * power($5::float8, least(${over}, 64) - 1))`;
/** Times at which those that wait may be told, and the one behind them. */
const waiting = `array(select at from unnest(pace.told_at) as told (at) where at > now())`;
const isHeld = `(${over} > 0 and cardinality(${waiting}) < $7::int)`;
const next = `((select greatest(max(at), now()) from unnest(pace.told_at) as told (at)) + ${delay} * interval '1 ms')`;

/** `$1`: key; then as {@link Pace} has them. */
const hold = statement(
  'pace_hold',
  `with ${soon} insert into pace (key, n, counted_at, told_at, hold_ms)
    select $1, 1, now(), '{}', 0 from soon
    on conflict (key) do update set n = ${counted}, counted_at = now(),
      told_at = case when ${isHeld} then ${waiting} || ${next} else ${waiting} end,
      hold_ms = case when ${over} <= 0 then 0 when ${isHeld} then extract(epoch from ${next} - now()) * 1000 end
    returning hold_ms as "holdMs"`,
);

/** At most 500, none that somebody works on. */
const expiry = (table: string, isOver: string) =>
  statement(
    `${table}_sweep`,
    `delete from ${table} where ctid = any(array(
      select ctid from ${table} where ${isOver} limit 500 for update skip locked))`,
  );
const sweeps = [
  expiry('replay', 'ends_at <= now()'),
  // No pace forgives that slowly.
  expiry('pace', `counted_at <= now() - interval '1 hour'`),
];

/** Of keys in one statement. */
const mostAtOnce = 500;

interface Asked {
  readonly key: string;
  readonly seconds: number;
  readonly settle: (answer: Promise<boolean>) => void;
}

export function createSharedCounts(database: Queries): SharedCounts {
  let waiting: Asked[] = [];
  let isAsking = false;

  /** One statement at a time; what comes meanwhile is the next one, so that many calls cost few statements. */
  async function askAll(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    while (waiting.length > 0) {
      const asked = waiting.slice(0, mostAtOnce);
      waiting = waiting.slice(mostAtOnce);
      await ask(asked);
    }
    isAsking = false;
  }

  /** Two that ask for the same key at once: the first one has it. */
  async function ask(asked: readonly Asked[]): Promise<void> {
    const byKey = new Map<string, Asked>();
    for (const one of asked) {
      if (byKey.has(one.key)) one.settle(Promise.resolve(false));
      else byKey.set(one.key, one);
    }
    const all = [...byKey.values()];
    try {
      const values = [all.map(({ key }) => key), all.map(({ seconds }) => seconds)];
      const { rows } = await database.run<{ key: string }>(once, values);
      const first = new Set(rows.map(({ key }) => key));
      for (const { key, settle } of all) settle(Promise.resolve(first.has(key)));
    } catch (error) {
      for (const { settle } of all) settle(Promise.reject(error));
    }
  }

  return {
    once: (kind, id, seconds) =>
      new Promise((resolve) => {
        waiting.push({ key: keyOf(kind, id), seconds, settle: resolve });
        void askAll();
      }),
    async forget(kind, id) {
      await database.run(forget, [keyOf(kind, id)]);
    },
    async hold(kind, id, pace) {
      const { rows } = await database.run<{ holdMs: number | null }>(hold, [
        keyOf(kind, id),
        ...valuesOf(pace),
      ]);
      return rows[0]!.holdMs ?? undefined;
    },
  };
}

/** @param database  whose writes may be bound to a term */
export async function sweepSharedCounts(database: Queries): Promise<number> {
  let removed = 0;
  for (const sweep of sweeps) {
    for (;;) {
      const { rowCount } = await database.run(sweep);
      removed += rowCount;
      if (rowCount === 0) break;
    }
  }
  return removed;
}

function keyOf(kind: string, id: string): string {
  return artifactKey(`${kind} ${id}`);
}

function valuesOf({ forgivenMs, free, firstMs, growth, longestMs, mostHeld }: Pace): readonly number[] {
  return [forgivenMs, free, firstMs, growth, longestMs, mostHeld];
}
