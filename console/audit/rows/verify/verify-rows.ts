/** Says of the chain of each console whether its rows are what was written: by the database alone, without a console. */
import type { KeyObject } from 'node:crypto';
import { addressOf } from '../../../storage/postgres/address.ts';
import { createDatabase, type Queries, statement } from '../../../storage/postgres/database.ts';
import type { Checkpoint } from '../../checkpoint.ts';
import { checkAnchors, reportOfAll, type VerifyReport } from '../../verify/verify.ts';
import type { Walked } from '../../verify/walk.ts';
import { type ChainRow, readChains } from '../chain-rows.ts';
import { termOf } from '../entry-row.ts';
import { entryOf } from '../row-list.ts';
import { type Hidden, walkRows } from './walk-rows.ts';

export interface VerifyRowsDeps {
  readonly databaseUrl: string;
  /** Of the key that signs check-points; without it signatures are not checked. */
  readonly publicKey: KeyObject | undefined;
  /** Kept elsewhere. */
  readonly anchors: readonly Checkpoint[];
  /** Gets how many entries were looked at, of how many. */
  readonly onProgress?: (done: number, total: number) => void;
}

const snapshot = statement('audit_snapshot', 'begin transaction isolation level repeatable read read only');
const over = statement('audit_snapshot_end', 'commit');
const anyRetention = statement('audit_retentions', 'select 1 from audit_entry where event = $1 limit 1');
const hidden = statement('audit_hidden', 'select chain, seq, stored from audit_entry where repeats');

/**
 * Of one moment, whatever consoles write meanwhile.
 *
 * @throws {ForgedAnchorError}
 * @throws {StorageUnavailableError} when the database cannot be reached
 */
export async function verifyRows(deps: VerifyRowsDeps): Promise<VerifyReport> {
  const { databaseUrl } = deps;
  checkAnchors(deps);
  const database = createDatabase({ address: addressOf(databaseUrl), onConnectionLost() {}, connections: 1 });
  const client = await database.connectAlone().catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const queries = database.queriesAlone(client);
  try {
    await queries.run(snapshot);
    const report = await verifyIn(queries, deps);
    await queries.run(over);
    return report;
  } finally {
    await client.end();
    await database.close();
  }
}

async function verifyIn(
  queries: Queries,
  { publicKey, anchors, onProgress = () => {} }: VerifyRowsDeps,
): Promise<VerifyReport> {
  const chains = await readChains(queries);
  const total = chains.reduce((sum, { firstSeq, seq }) => sum + seq - firstSeq + 1, 0);
  let done = 0;
  const onWalked = (entries: number) => {
    done += entries;
    onProgress(done, total);
  };
  const hiddenRows = await hiddenIn(queries);
  const all: Walked[] = [];
  for (const chain of chains.toSorted((one, other) => (one.writer < other.writer ? -1 : 1))) {
    const own = anchors.filter(({ writer }) => writer === chain.writer);
    all.push(await walkRows({ queries, chain, publicKey, anchors: own, hidden: hiddenRows, onWalked }));
  }
  const { rowCount } = await queries.run(anyRetention, [termOf('audit.retention')]);
  // Where chains go that are too old, what check-points have seen is no proof of one that should be there.
  const heads = rowCount > 0 ? [] : all.flatMap(({ headsSeen }) => [...headsSeen]);
  const missing = missingIn([...heads, ...anchors.map(headOf)], new Set(chains.map(({ writer }) => writer)));
  return reportOfAll([...withHidden(all, chains, hiddenRows), ...missing], anchors);
}

function headOf({ writer, seq }: Checkpoint): Heads {
  return { [writer]: { seq } };
}

/** What lists do not show, since another entry tells it: by the id that both have. */
async function hiddenIn(queries: Queries): Promise<Hidden> {
  const { rows } = await queries.run<{ chain: number; seq: number; stored: Buffer }>(hidden);
  const untold = new Map(
    rows.map(({ chain, seq, stored }) => [entryOf(stored)?.outbox ?? `${chain} ${seq}`, { chain, seq }]),
  );
  return { take: (outbox) => void untold.delete(outbox), left: () => [...untold.values()] };
}

function withHidden(all: readonly Walked[], chains: readonly ChainRow[], rows: Hidden): readonly Walked[] {
  return all.map((walked) => {
    const { id } = chains.find(({ writer }) => writer === walked.writer)!;
    const found = rows.left().find(({ chain }) => chain === id);
    if (!found || walked.finding) return walked;
    const says = 'lists do not show it, and no other entry tells the same';
    return { ...walked, finding: { verdict: 'changed', seq: found.seq, says } };
  });
}

type Heads = Readonly<Record<string, { readonly seq: number }>>;

/** Chains that check-points have seen, and that are gone. */
function missingIn(heads: readonly Heads[], known: ReadonlySet<string>): readonly Walked[] {
  const most = new Map<string, number>();
  for (const [writer, { seq }] of heads.flatMap((head) => Object.entries(head)))
    if (!known.has(writer)) most.set(writer, Math.max(most.get(writer) ?? 0, seq));
  return [...most].map(([writer, last]) => ({
    writer,
    finding: {
      verdict: 'removed',
      seq: 1,
      last,
      says: 'a check-point has seen these, and the chain is gone',
    },
    entries: 0,
    lastSeq: last,
    begins: { seq: 1, previous: '' },
    gaps: { count: 0, first: 0 },
    unsigned: 0,
    erased: [],
    erasures: new Set(),
    retained: new Set(),
    lastCheckpointAt: '',
    headsSeen: [],
  }));
}
