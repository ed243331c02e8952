/** The chains of all consoles as the database has them, and how entries are added to one: each once, or none of a batch. */
import { type Database, type Queries, statement } from '../../storage/postgres/database.ts';
import type { ChainEnd, EntryRow, Term } from './entry-row.ts';
import type { Retained } from './retained.ts';

export interface ChainRow extends ChainEnd {
  readonly id: number;
  readonly writer: string;
  /** Of the first that is there. */
  readonly firstSeq: number;
  /** `c` before it. */
  readonly firstC: Buffer;
  /** Of all its lines. */
  readonly bytes: number;
  /** Entries so far that were denied, and that changed something. */
  readonly denials: number;
  readonly changes: number;
  /** Entries that are erased here and may not be in the files of its console. */
  readonly erased: readonly number[];
  /** Up to where it was removed, since its time had come. */
  readonly retained: Retained | null;
  /** Its console has not been there for an hour. */
  readonly isEnded: boolean;
}

export type ChainHead = Pick<ChainRow, 'writer' | 'seq' | 'link' | 'erased'>;

export interface Addition {
  readonly writer: string;
  /** Where the chain ended before. */
  readonly before: number;
  readonly end: ChainEnd;
  readonly rows: readonly EntryRow[];
}

const chainColumns = `id, writer, seq, link, latest, most_back as "mostBack", first_seq as "firstSeq",
  first_c as "firstC", bytes, denials, changes, erased, retained,
  seen_at < now() - interval '1 hour' as "isEnded"`;

const readAll = statement('audit_chains', `select ${chainColumns} from audit_chain`);
const readOne = statement('audit_chain', `select ${chainColumns} from audit_chain where writer = $1`);

const begin = statement(
  'audit_chain_begin',
  `insert into audit_chain (writer, seq, link, latest, most_back, first_seq, first_c)
    values ($1, $2::bigint - 1, '', 0, 0, $2, $3) on conflict do nothing`,
);

/** In the order of the arrays in {@link valuesOf}; behind them come the lines, all as one. */
const given = [
  ['seq', 'bigint'],
  ['latest', 'bigint'],
  ['time', 'bigint'],
  ['actor', 'bigint'],
  ['object', 'bigint'],
  ['object_kind', 'bigint'],
  ['client', 'bigint'],
  ['other_client', 'bigint'],
  ['member', 'bigint'],
  ['event', 'bigint'],
  ['event_group', 'bigint'],
  ['outcome', 'bigint'],
  ['ids', 'text'],
  ['outbox', 'text'],
  ['begins', 'int'],
  ['length', 'int'],
] as const;
const plain = given.slice(0, 12).map(([name]) => name);
const firstGiven = 10;
const names = given.map(([name]) => name).join(', ');
const arrays = given.map(([, type], n) => `$${firstGiven + n}::${type}[]`).join(', ');
const lines = `$${firstGiven + given.length}::bytea`;

/** So many that have gone on last, for check-points; of those of this console also what is to be erased in its files. */
const mostHeads = 50;
const readHeads = statement(
  'audit_heads',
  `with seen as (update audit_chain set seen_at = now() where writer = any($1) and $2::boolean)
  select writer, seq, link, case when writer = any($1) then erased else '{}' end as erased from audit_chain
    where writer = any($1) or id in (select id from audit_chain order by latest desc limit ${mostHeads})`,
);
const setErased = statement(
  'audit_erased_here',
  'update audit_chain set erased = array_remove(erased, $2) where writer = $1',
);
const foundOfOutbox = statement('audit_outbox_found', 'select id from audit_outbox where id = any($1)');

/** The chain's row is had until the commit: of two that add to one chain, the later finds that it has gone on. */
const add = statement(
  'audit_add',
  `with moved as (
      update audit_chain set seq = $3, link = $4, latest = $5, most_back = $6, bytes = bytes + $7,
        denials = denials + $8, changes = changes + $9
      where writer = $1 and seq = $2 returning id),
    given as (select moved.id as chain, entry.* from moved, unnest(${arrays}) as entry (${names})),
    first as (
      insert into audit_outbox (id) select outbox from given where outbox is not null
        on conflict do nothing returning id),
    added as (
      insert into audit_entry (chain, ${plain.join(', ')}, ids, repeats, stored)
        select chain, ${plain.join(', ')}, ids::bigint[],
          outbox is not null and outbox not in (select id from first), substring(${lines} from begins for length)
        from given returning 1)
    select (select count(*) from added) as added`,
);

export type ChainRows = ReturnType<typeof createChainRows>;

export function createChainRows(database: Pick<Database, 'run'>) {
  return {
    /** @returns undefined: nothing of it is here */
    async find(writer: string): Promise<ChainRow | undefined> {
      const { rows } = await database.run<StoredChain>(readOne, [writer]);
      return rows.map(chainOf)[0];
    },
    /**
     * @param own     writers whose files are here
     * @param isSeen  whether to say that their console is there
     */
    async heads(own: readonly string[], isSeen: boolean): Promise<readonly ChainHead[]> {
      const { rows } = await database.run<Omit<ChainHead, 'erased'> & Pick<StoredChain, 'erased'>>(
        readHeads,
        [own, isSeen],
      );
      return rows.map((row) => ({ ...row, erased: row.erased.map(Number) }));
    },
    /** The files of its console do not have it any more. */
    async erasedInFiles(writer: string, seq: number): Promise<void> {
      await database.run(setErased, [writer, seq]);
    },
    /** @returns those of which an entry is here */
    async foundOfOutbox(ids: readonly string[]): Promise<readonly string[]> {
      const { rows } = await database.run<{ id: string }>(foundOfOutbox, [ids]);
      return rows.map(({ id }) => id);
    },
    /** @param firstSeq  of the first entry that there is. @param previous  `c` before it */
    async begin(writer: string, firstSeq: number, previous: Buffer): Promise<void> {
      await database.run(begin, [writer, firstSeq, previous]);
    },
    /** @returns false when the chain does not end there any more: nothing was added */
    async add(addition: Addition): Promise<boolean> {
      const { rows } = await database.run<{ added: number }>(add, valuesOf(addition));
      return rows[0]!.added === addition.rows.length;
    },
  };
}

/** Of all consoles. */
export async function readChains(queries: Queries): Promise<readonly ChainRow[]> {
  return (await queries.run<StoredChain>(readAll)).rows.map(chainOf);
}

/** The driver has no numbers of eight bytes in arrays. */
type StoredChain = Omit<ChainRow, 'erased'> & { readonly erased: readonly (number | string)[] };

function chainOf(row: StoredChain): ChainRow {
  return { ...row, erased: row.erased.map(Number) };
}

function valuesOf({ writer, before, end, rows }: Addition): readonly unknown[] {
  const lengths = rows.map(({ stored }) => stored.length);
  const begins: number[] = [];
  let bytes = 0;
  for (const length of lengths) {
    begins.push(bytes + 1);
    bytes += length;
  }
  const denials = rows.filter(({ isDenial }) => isDenial).length;
  const changes = rows.filter(({ isChange }) => isChange).length;
  const numbers = (of: (row: EntryRow) => number | Term | null) =>
    arrayText(rows.map((row) => of(row) ?? 'NULL'));
  return [
    ...[writer, before, end.seq, end.link, end.latest, end.mostBack, bytes, denials, changes],
    ...[numbers(({ seq }) => seq), numbers(({ latest }) => latest), numbers(({ time }) => time)],
    ...[numbers(({ actor }) => actor), numbers(({ object }) => object)],
    ...[numbers(({ objectKind }) => objectKind), numbers(({ client }) => client)],
    ...[numbers(({ otherClient }) => otherClient), numbers(({ member }) => member)],
    ...[numbers(({ event }) => event), numbers(({ eventGroup }) => eventGroup)],
    ...[numbers(({ outcome }) => outcome), arrayText(rows.map(({ ids }) => `"${ids}"`))],
    rows.map(({ outbox }) => outbox),
    ...[arrayText(begins), arrayText(lengths), Buffer.concat(rows.map(({ stored }) => stored))],
  ];
}

/** As PostgreSQL writes an array of what needs no quotes, or has them: the driver would look at each character of it. */
function arrayText(elements: readonly (string | number)[]): string {
  return `{${elements.join(',')}}`;
}
