/**
 * Lists: by pages that go on where the last one ended, never by counting off. A page may be short, or empty; only
 * `next: null` is the end.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';

export const mostItems = 500;
/** Promised to stay: a smaller one would cut off what scripts read. */
export const defaultItems = 50;

/** What every list takes; a list adds filters of its own: `listQuery({ status: … })`. */
export function listQuery<Shape extends z.core.$ZodLooseShape>(filters: Shape) {
  return z.strictObject({
    limit: z.coerce.number().int().min(1).max(mostItems).exactOptional(),
    cursor: z.string().max(2048).exactOptional(),
    ...filters,
  });
}

/** The answer of a list. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item),
    next: z.string().nullable(),
    count: z.strictObject({ value: z.number().int(), isExact: z.boolean() }).nullable().meta({
      description: 'How many there are in all; null where that is not known at the cost of one look.',
    }),
  });
}

/**
 * Of a list that fits on its first page, counted as it is shown.
 *
 * @param after  where the page begins
 * @returns undefined for a page of a longer list
 */
export function countOfWhole(
  items: readonly unknown[],
  { after, next }: { readonly after: string | undefined; readonly next?: string | undefined },
): { readonly value: number; readonly isExact: true } | undefined {
  return after === undefined && next === undefined ? { value: items.length, isExact: true } : undefined;
}

/** @param answer  of an operation. @returns the form of one item, of a list that goes on from page to page */
export function itemOf(answer: z.ZodType | undefined): z.ZodType | undefined {
  if (!(answer instanceof z.ZodObject) || !answer.shape.next) return undefined;
  const { items } = answer.shape;
  return items instanceof z.ZodArray ? (items.element as z.ZodType) : undefined;
}

export interface Listed {
  readonly items: readonly object[];
  /** Where the next page begins, in the words of the list; undefined: there is none. */
  readonly next?: string | undefined;
  readonly count?: { readonly value: number; readonly isExact: boolean } | undefined;
}

/**
 * One page of what is in memory, which is not much.
 *
 * @param list  the operation's id
 * @param all   by id, in the order of their code units
 */
export function pageOf<Item extends { readonly id: string }>(
  list: string,
  all: readonly Item[],
  query: ListedQuery,
  cursors: Cursors,
) {
  const { limit = defaultItems } = query;
  const after = cursors.read(list, query);
  const rest = after === undefined ? all : all.filter(({ id }) => id > after);
  const items = rest.slice(0, limit);
  const last = rest.length > limit ? items.at(-1) : undefined;
  const next = last ? cursors.write(list, query, last.id) : null;
  return { items, next, count: { value: all.length, isExact: true } };
}

export interface Cursors {
  /** @param list  the operation's id */
  write(list: string, query: ListedQuery, place: string): string;
  /** @returns undefined without a cursor. @throws {ProblemError} `invalid_cursor` for one of another list or filter */
  read(list: string, query: ListedQuery): string | undefined;
}

export interface ListedQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly [filter: string]: unknown;
}

const form = 'v1';

/** @param key  a secret of this store: a cursor of somebody's own making is none */
export function createCursors(key: Buffer): Cursors {
  const sign = (text: string) => createHmac('sha256', key).update(text).digest().subarray(0, 16);
  return {
    write(list, query, place) {
      const text = JSON.stringify([form, list, digestOf(query), place]);
      return Buffer.concat([sign(text), Buffer.from(text)]).toString('base64url');
    },
    read(list, query) {
      if (query.cursor === undefined) return undefined;
      const bytes = Buffer.from(query.cursor, 'base64url');
      const [sum, text] = [bytes.subarray(0, 16), bytes.subarray(16).toString()];
      if (sum.length < 16 || !timingSafeEqual(sum, sign(text))) throw invalidCursor();
      const [version, of, filters, place] = JSON.parse(text) as string[];
      if (version !== form || of !== list || filters !== digestOf(query)) throw invalidCursor();
      return place;
    },
  };
}

/** Of what is asked for, without where. */
function digestOf({ limit: _limit, cursor: _cursor, ...filters }: ListedQuery): string {
  const sorted = Object.entries(filters).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('base64url').slice(0, 12);
}

function invalidCursor(): ProblemError {
  return new ProblemError(
    problems.invalidCursor,
    'This cursor is none that an answer here has given for this list and these filters.',
  );
}
