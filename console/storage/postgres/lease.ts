/**
 * Who of all consoles does what is to be done once. By the database's clock: whoever has stopped, or cannot reach it,
 * has lost it when it ends, and counts by the time at which it asked.
 */
import { type Queries, statement } from './database.ts';

export interface Lease {
  /** Whether this process does it. */
  isHeld(): boolean;
  /** Gives it back. */
  close(): Promise<void>;
}

export interface LeaseDeps {
  readonly database: Queries;
  /** Of this process. */
  readonly holder: string;
}

const leaseMs = 6_000;
const renewalMs = 2_000;
const duty = 'rounds';

const take = statement(
  'lease_take',
  `insert into lease (duty, holder, term, held_until) values ($1, $2, 1, now() + ${leaseMs} * interval '1 ms')
    on conflict (duty) do update set holder = excluded.holder, held_until = excluded.held_until,
      term = lease.term + case when lease.holder = excluded.holder then 0 else 1 end
    where lease.holder = excluded.holder or lease.held_until < now()`,
);
const release = statement(
  'lease_release',
  'update lease set held_until = now() where duty = $1 and holder = $2',
);

/** Resolves when it is known who has it. */
export async function openLease({ database, holder }: LeaseDeps): Promise<Lease> {
  let heldUntil = Number.NEGATIVE_INFINITY;
  let round = Promise.resolve();

  async function renew(): Promise<void> {
    const asked = performance.now();
    const { rowCount } = await database.run(take, [duty, holder]);
    heldUntil = rowCount === 1 ? asked + leaseMs : Number.NEGATIVE_INFINITY;
  }

  await renew();
  const timer = setInterval(() => {
    // What fails is tried again; meanwhile it runs out.
    round = round.then(renew).catch(() => {});
  }, renewalMs).unref();

  return {
    isHeld: () => performance.now() < heldUntil,
    async close() {
      clearInterval(timer);
      await round;
      heldUntil = Number.NEGATIVE_INFINITY;
      await database.run(release, [duty, holder]).catch(() => {});
    },
  };
}
