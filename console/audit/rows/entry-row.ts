/** An entry as a row of the database: what it is asked by, as numbers, beside the line as it was written. */
import { hash } from 'node:crypto';
import { linkCharacters } from '../chain.ts';
import type { Entry } from '../entry.ts';
import { readEntry } from '../erased-entry.ts';
import { groupOf, idsOf } from '../index/filter.ts';
import { lineOf, type StoredEntry } from '../segments/segment-reader.ts';

/** What stands for a text in a row: eight bytes of its SHA-256, as a number with a sign. */
export type Term = string;

/** As the arrays of a statement have it. */
export interface EntryRow {
  readonly seq: number;
  readonly latest: number;
  /** Epoch milliseconds; null: the entry is erased. */
  readonly time: number | null;
  readonly actor: Term | null;
  readonly object: Term | null;
  readonly objectKind: Term | null;
  readonly client: Term | null;
  /** Of a client that acts through another one. */
  readonly otherClient: Term | null;
  readonly member: Term | null;
  readonly event: Term | null;
  readonly eventGroup: Term | null;
  /** null: success. */
  readonly outcome: Term | null;
  /** As PostgreSQL writes an array: an array of arrays would be flattened. */
  readonly ids: string;
  /** What the store's outbox has it under. */
  readonly outbox: string | null;
  readonly isDenial: boolean;
  readonly isChange: boolean;
  readonly stored: Buffer;
}

/** What of a chain goes on with each of its entries. */
export interface ChainEnd {
  readonly seq: number;
  /** The characters before the line of this entry. */
  readonly link: string;
  /** The latest time that it had seen, epoch milliseconds. */
  readonly latest: number;
  /** So far a clock went back at the most, milliseconds. */
  readonly mostBack: number;
}

/** The outcome of nearly all entries: no column says it. */
export const success = 'success';

/** Names of events, clients and members come again and again; ids do not. */
const mostKnown = 5000;

function createTerms(): (text: string) => Term {
  const known = new Map<string, Term>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const term = termOf(text);
    if (known.size >= mostKnown) known.clear();
    known.set(text, term);
    return term;
  };
}

export function termOf(text: string): Term {
  return BigInt.asIntN(64, BigInt(`0x${hash('sha256', text, 'hex').slice(0, 16)}`)).toString();
}

type RowPlace = Pick<EntryRow, 'seq' | 'latest' | 'time' | 'stored'>;

export function createEntryRows() {
  const known = createTerms();
  const orNull = (value: unknown) => (typeof value === 'string' ? known(value) : null);

  return {
    /** @returns the row, and where the chain ends with it */
    rowOf(stored: StoredEntry, before: ChainEnd): { readonly row: EntryRow; readonly end: ChainEnd } {
      const entry = readEntry(lineOf(stored));
      const time = entry ? Date.parse(entry.time) || 0 : null;
      const latest = Math.max(before.latest, time ?? 0);
      const end = {
        seq: stored.seq,
        link: stored.stored.toString('latin1', 0, linkCharacters),
        latest,
        mostBack: Math.max(before.mostBack, time === null ? 0 : latest - time),
      };
      const place = { seq: stored.seq, latest, time, stored: stored.stored };
      return { row: entry ? rowOfEntry(entry, place) : rowOfErased(place), end };
    },
  };

  /** One literal: an object that is spread behind another one takes longer than all the rest here. */
  function rowOfEntry(entry: Entry, { seq, latest, time, stored }: RowPlace): EntryRow {
    const { actor, object, event, outcome } = entry;
    const acting = actor?.kind === 'client' ? actor.id : undefined;
    const client = entry.client ?? acting;
    return {
      seq,
      latest,
      time,
      actor: orNull(actor?.id),
      object: object ? known(objectText(object.kind, object.id)) : null,
      objectKind: orNull(object?.kind),
      client: orNull(client),
      otherClient: acting === client ? null : orNull(acting),
      member: orNull(entry.member),
      event: known(event),
      eventGroup: known(groupOf(event)),
      outcome: outcome === success ? null : known(outcome),
      ids: `{${[...new Set(idsOf(entry))].map(termOf).join(',')}}`,
      outbox: typeof entry.outbox === 'string' ? entry.outbox : null,
      isDenial: outcome === 'denied',
      isChange: entry.change !== undefined,
      stored,
    };
  }
}

function rowOfErased({ seq, latest, time, stored }: RowPlace): EntryRow {
  return {
    seq,
    latest,
    time,
    actor: null,
    object: null,
    objectKind: null,
    client: null,
    otherClient: null,
    member: null,
    event: null,
    eventGroup: null,
    outcome: null,
    ids: '{}',
    outbox: null,
    isDenial: false,
    isChange: false,
    stored,
  };
}

export function objectText(kind: string, id: string): string {
  return `${kind}\0${id}`;
}
