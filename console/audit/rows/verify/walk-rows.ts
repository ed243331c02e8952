/** One chain from its first row to its last, or to the first that is not what was written; with what rows are found by. */
import { type KeyObject, verify } from 'node:crypto';
import { type Queries, statement } from '../../../storage/postgres/database.ts';
import { hashText, linkCharacters } from '../../chain.ts';
import type { Checkpoint } from '../../checkpoint.ts';
import { seqReader } from '../../segments/segment-parts.ts';
import type { StoredEntry } from '../../segments/segment-reader.ts';
import { type Finding, type State, startOf } from '../../verify/state.ts';
import { endBeforeAnchor, type Walked, walkedOf } from '../../verify/walk.ts';
import { walkEntry } from '../../verify/walk-segment.ts';
import type { ChainRow } from '../chain-rows.ts';
import { type ChainEnd, createEntryRows, type EntryRow } from '../entry-row.ts';
import { type Retained, retainedText } from '../retained.ts';

/** Rows that lists do not show. */
export interface Hidden {
  /** An entry that lists show tells what has this id. */
  take(outbox: string): void;
  left(): readonly { readonly chain: number; readonly seq: number }[];
}

export interface WalkRowsDeps {
  readonly queries: Queries;
  readonly chain: ChainRow;
  readonly publicKey: KeyObject | undefined;
  /** Of this chain. */
  readonly anchors: readonly Checkpoint[];
  readonly hidden: Hidden;
  /** Gets how many more were read. */
  readonly onWalked: (entries: number) => void;
}

type Found = Omit<EntryRow, 'outbox' | 'isDenial' | 'isChange'> & { readonly repeats: boolean };

const chunk = 2000;
/** Behind an entry that is not what is due, to name what has become of that. */
const lookahead = 256;

const readNext = statement(
  'audit_walk',
  `select seq, latest, time, actor::text, object::text, object_kind::text as "objectKind", client::text,
      other_client::text as "otherClient", member::text, event::text, event_group::text as "eventGroup",
      outcome::text, ids::text, repeats, stored
    from audit_entry where chain = $1 and seq > $2 order by seq limit ${chunk}`,
);

export async function walkRows(deps: WalkRowsDeps): Promise<Walked> {
  const { chain, publicKey, anchors } = deps;
  const { writer, firstSeq, firstC } = chain;
  const recent = new Map<number, Buffer>();
  const storedAt = (seq: number) => recent.get(seq);
  const state = startOf({ writer, publicKey, anchors, storedAt }, { firstSeq, previous: firstC });
  const checks = createRowChecks(deps, state);
  const finding = (await walk(deps, state, recent, checks.check)) ?? checks.atEnd();
  const begins = checks.isBeginningSaid()
    ? { seq: 1, previous: '' }
    : { seq: firstSeq, previous: hashText(firstC) };
  return walkedOf(state, begins, finding);
}

async function walk(
  { queries, chain, onWalked }: WalkRowsDeps,
  state: State,
  recent: Map<number, Buffer>,
  check: (row: Found) => Finding | undefined,
): Promise<Finding | undefined> {
  const seqOf = seqReader(chain.writer);
  const entryFor = ({ stored }: Found): StoredEntry => {
    const bytes = Buffer.from(stored);
    return { writer: chain.writer, segment: 0, offset: 0, seq: seqOf(bytes, 0), stored: bytes };
  };
  let waiting: Found[] = [];
  for (let last = chain.firstSeq - 1, isEnd = false; !isEnd; ) {
    const { rows } = await queries.run<Found>(readNext, [chain.id, last]);
    last = rows.at(-1)?.seq ?? last;
    isEnd = rows.length < chunk;
    onWalked(rows.length);
    waiting = [...waiting, ...rows];
    const count = isEnd ? waiting.length : waiting.length - lookahead;
    const entries = waiting.map(entryFor);
    for (let i = 0; i < count; i++) {
      const found = walkEntry(state, entries[i]!, behind(entries, i)) ?? check(waiting[i]!);
      if (found) return found;
      recent.set(entries[i]!.seq, entries[i]!.stored);
      recent.delete(entries[i]!.seq - lookahead);
    }
    waiting = waiting.slice(count);
  }
  return undefined;
}

function* behind<T>(all: readonly T[], at: number): Generator<T, void> {
  for (let i = at + 1; i < all.length; i++) yield all[i]!;
}

/** Whoever changes by what a row is found hides it from lists, and leaves the chain as it was. */
function createRowChecks({ chain, publicKey, hidden }: WalkRowsDeps, state: State) {
  const rows = createEntryRows();
  const retained = vouchedFor(chain, publicKey);
  let end: ChainEnd | undefined;
  let isSaid = retained?.seq === chain.firstSeq - 1 && retained.c === hashText(chain.firstC);

  return {
    check(found: Found): Finding | undefined {
      const { seq, latest } = found;
      const stored = { writer: chain.writer, segment: 0, offset: 0, seq, stored: found.stored };
      const before = end ?? { seq: seq - 1, link: '', latest: found.time === null ? latest : 0, mostBack: 0 };
      const { row, end: next } = rows.rowOf(stored, before);
      const isLatest = row.time === null || !end ? latest >= row.latest : latest === row.latest;
      end = { ...next, latest };
      if (row.outbox !== null && !found.repeats) hidden.take(row.outbox);
      // Removed in part, up to now.
      if (seq === retained?.seq) isSaid ||= retained.c === hashText(state.chain.head());
      if (isLatest && names.every((name) => row[name] === found[name])) return undefined;
      return { verdict: 'changed', seq, says: 'what lists find it by is not what it says' };
    },
    atEnd(): Finding | undefined {
      const link = end?.link ?? chain.link;
      if (state.seq !== chain.seq || (end && link.slice(0, linkCharacters) !== chain.link))
        return { verdict: 'cut', seq: state.seq + 1, last: chain.seq, says: 'the chain was longer' };
      return endBeforeAnchor(state);
    },
    isBeginningSaid: () => isSaid,
  };
}

function vouchedFor({ writer, retained }: ChainRow, publicKey: KeyObject | undefined): Retained | undefined {
  if (!retained || !publicKey) return retained ?? undefined;
  const text = Buffer.from(retainedText({ writer, ...retained }));
  return verify(null, text, publicKey, Buffer.from(retained.signature, 'base64url')) ? retained : undefined;
}

const names = [
  'time',
  'actor',
  'object',
  'objectKind',
  'client',
  'otherClient',
  'member',
  'event',
  'eventGroup',
  'outcome',
  'ids',
] as const;
