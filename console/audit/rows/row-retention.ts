/**
 * Entries whose time has come: up to a check-point, which has the whole hash of what is before it, a few hundred at a time.
 * What says that they went is in the database before the first of them goes.
 */
import { type Database, type Queries, statement } from '../../storage/postgres/database.ts';
import { confirmTerm } from '../../storage/postgres/lease.ts';
import type { HeldTerm } from '../../storage/shared-store.ts';
import { type Chain, createChain, hashText, prefixBytes } from '../chain.ts';
import { checkpointEvent, readCheckpoint } from '../checkpoint.ts';
import { erasedHash } from '../erased-entry.ts';
import type { RetentionLimits } from '../retention.ts';
import { type ChainRow, readChains } from './chain-rows.ts';
import { termOf } from './entry-row.ts';
import type { Retained } from './retained.ts';
import { entryOf } from './row-list.ts';

/** Entries of one chain, up to this one. */
export interface Expired {
  readonly writer: string;
  readonly seq: number;
  /** `c` of it, base64url. */
  readonly c: string;
  readonly entries: number;
}

const dayMs = 24 * 60 * 60 * 1000;
const mostDropped = 500;
/** By size: so many go together, or more where no check-point is nearer. */
const sizeStep = 5000;
const checkpointTerm = termOf(checkpointEvent);

const lastBefore = statement(
  'audit_expired',
  `select seq, stored from audit_entry where event = $1 and chain = $2 and latest < $3
    order by latest desc, chain desc, seq desc limit 1`,
);
const nextCheckpoint = statement(
  'audit_next_checkpoint',
  `select seq, stored from audit_entry where chain = $1 and seq > $2 and event = $3 order by seq limit 1`,
);
const oldestChain = statement(
  'audit_oldest',
  'select chain from audit_entry order by latest, chain, seq limit 1',
);
const readFirst = statement(
  'audit_first_rows',
  `select seq, repeats, stored from audit_entry where chain = $1 and seq >= $2 and seq <= $3
    order by seq limit ${mostDropped}`,
);
/** Whoever comes later finds that the chain does not begin there any more. */
const drop = statement(
  'audit_drop',
  `with moved as (
      update audit_chain set first_seq = $3, first_c = $4, bytes = bytes - $5, retained = $7
        where id = $1 and first_seq = $2 returning id),
    dropped as (
      delete from audit_entry where chain in (select id from moved) and seq < $3 returning 1),
    forgotten as (delete from audit_outbox where id = any($6) and exists (select from moved))
    select (select count(*) from dropped) as n`,
);
/** Few, and found by an index of their own. */
const hiddenRows = statement(
  'audit_hidden_rows',
  'select chain, seq, stored from audit_entry where repeats order by latest, chain, seq',
);
const show = statement(
  'audit_show',
  `with shown as (
      update audit_entry set repeats = false
        where (chain, seq) in (select * from unnest($1::int[], $2::bigint[])) returning 1)
    insert into audit_outbox (id) select * from unnest($3::text[]) on conflict do nothing`,
);
/** Of a console that is gone, and of which nothing is left. */
const dropEnded = statement(
  'audit_drop_ended',
  `delete from audit_chain where first_seq > seq and seen_at < now() - interval '1 hour'`,
);

interface Row {
  readonly seq: number;
  readonly stored: Buffer;
}

interface DroppedRow extends Row {
  readonly repeats: boolean;
}

/** @returns what is to go next; undefined: nothing is too old, or too much. Nothing has been removed yet */
export async function expiredRows(
  database: Queries,
  { days, bytes }: RetentionLimits,
  now: number,
): Promise<Expired | undefined> {
  const chains = await readChains(database);
  const cutoff = days === undefined ? Number.NEGATIVE_INFINITY : now - days * dayMs;
  for (const chain of chains) {
    const expired = days === undefined ? undefined : await olderThan(database, chain, cutoff);
    if (expired) return expired;
  }
  const all = chains.reduce((sum, chain) => sum + chain.bytes, 0);
  if (bytes === undefined || all <= bytes) return undefined;
  const oldest = await runFirst<{ chain: number }>(database, oldestChain, []);
  const chain = chains.find(({ id }) => id === oldest?.chain);
  return chain && beginningOf(database, chain);
}

async function olderThan(database: Queries, chain: ChainRow, cutoff: number): Promise<Expired | undefined> {
  if (chain.isEnded && chain.latest < cutoff) return allOf(database, chain);
  const found = await runFirst(database, lastBefore, [checkpointTerm, chain.id, cutoff]);
  return found && expiredUpTo(chain, found);
}

/** For the sake of size. */
async function beginningOf(database: Queries, chain: ChainRow): Promise<Expired | undefined> {
  const from = chain.firstSeq + sizeStep;
  const next = await runFirst(database, nextCheckpoint, [chain.id, from, checkpointTerm]);
  const expired = next && expiredUpTo(chain, next);
  return expired ?? (chain.isEnded ? allOf(database, chain) : undefined);
}

/** Of a console that writes no more, what is behind its last check-point too. */
async function allOf(database: Queries, chain: ChainRow): Promise<Expired | undefined> {
  const { id, writer, firstSeq, seq } = chain;
  if (firstSeq > seq) return undefined;
  const c = createChain(chain.firstC);
  for (let from = firstSeq; from <= seq; ) {
    const { rows } = await database.run<Row>(readFirst, [id, from, seq]);
    if (rows.length === 0) return undefined;
    addTo(c, rows);
    from = rows.at(-1)!.seq + 1;
  }
  return { writer, seq, c: hashText(c.head()), entries: seq - firstSeq + 1 };
}

function addTo(chain: Chain, rows: readonly Row[]): void {
  for (const { stored } of rows) {
    const e = erasedHash(stored);
    if (e) chain.addHash(e);
    else chain.add(Buffer.from(stored), prefixBytes, stored.length);
  }
}

/** What stands before a check-point. */
function expiredUpTo({ writer, firstSeq }: ChainRow, { seq, stored }: Row): Expired | undefined {
  const checkpoint = readCheckpoint(stored.toString('utf8', prefixBytes));
  if (!checkpoint || seq <= firstSeq) return undefined;
  return { writer, seq: seq - 1, c: hashText(checkpoint.c), entries: seq - firstSeq };
}

/** What is to go, of whom. */
export interface Dropped extends Pick<Expired, 'writer' | 'seq' | 'c'> {
  /** Of who answers for it. */
  readonly signature: string;
}

/**
 * Removes some of them.
 *
 * @param held  in which it is done
 * @returns whether all are gone
 * @throws {LeadershipLostError} and nothing has changed
 */
export async function dropRows(
  database: Pick<Database, 'run' | 'transaction'>,
  { writer, seq, c: said, signature }: Dropped,
  held: HeldTerm,
): Promise<boolean> {
  const chain = (await readChains(database)).find((one) => one.writer === writer);
  if (!chain || chain.firstSeq > seq) return true;
  const { rows } = await database.run<DroppedRow>(readFirst, [chain.id, chain.firstSeq, seq]);
  const last = rows.at(-1);
  if (!last) return true;
  const c = createChain(chain.firstC);
  addTo(c, rows);
  const bytes = rows.reduce((sum, { stored }) => sum + stored.length, 0);
  // Of one that is not shown another tells.
  const outbox = rows.flatMap(({ stored, repeats }) => (repeats ? [] : (entryOf(stored)?.outbox ?? [])));
  const retained: Retained = { seq, c: said, signature };
  const values = [chain.id, chain.firstSeq, last.seq + 1, c.head(), bytes, outbox, JSON.stringify(retained)];
  await inTerm(database, held, async (queries) => {
    await queries.run(drop, values);
    if (outbox.length > 0) await showHidden(queries, outbox);
  });
  return last.seq >= seq;
}

/** @throws {LeadershipLostError} and nothing has changed */
export async function dropEndedChains(
  database: Pick<Database, 'transaction'>,
  held: HeldTerm,
): Promise<void> {
  await inTerm(database, held, async (queries) => {
    await queries.run(dropEnded);
  });
}

/** Whoever had decided it and was stopped removes nothing while another one leads. */
async function inTerm(
  database: Pick<Database, 'transaction'>,
  held: HeldTerm,
  remove: (queries: Queries) => Promise<void>,
): Promise<void> {
  await database.transaction(async (queries) => {
    await remove(queries);
    await confirmTerm(queries, held);
  });
}

/** Entries that lists do not show, since one tells the same that goes now: they tell it from now on. */
async function showHidden(queries: Queries, outbox: readonly string[]): Promise<void> {
  const gone = new Set(outbox);
  const { rows } = await queries.run<Row & { readonly chain: number }>(hiddenRows);
  const shown = rows.filter(({ stored }) => gone.delete(entryOf(stored)?.outbox ?? ''));
  if (shown.length === 0) return;
  const ids = shown.map(({ stored }) => entryOf(stored)!.outbox);
  await queries.run(show, [shown.map(({ chain }) => chain), shown.map(({ seq }) => seq), ids]);
}

async function runFirst<Found = Row>(
  database: Queries,
  asked: typeof lastBefore,
  values: readonly unknown[],
): Promise<Found | undefined> {
  return (await database.run<Found>(asked, values)).rows[0];
}
