/** Lists in memory by one of a few values, rising or falling, page by page. */
import { z } from 'zod';
import { type Cursors, defaultItems, type ListedQuery } from './lists.ts';

/** What stands where, by the name that `sort` has for it; null: this one has no such value. */
export type Orders<Item> = Readonly<Record<string, (item: Item) => string | number | null>>;

/** The parameter `sort` of a list: each of these names, with `-` before it for the other way round. */
export function sortParameter<const Name extends string>(names: readonly Name[], meaning: string) {
  const values = names.flatMap((name) => [name, `-${name}`] as const);
  return z
    .enum(values as [Name | `-${Name}`, ...(Name | `-${Name}`)[]])
    .exactOptional()
    .meta({ description: meaning });
}

interface Place {
  readonly value: string | number | null;
  readonly id: string;
}

/**
 * One page, by what `query.sort` names; undefined where it names nothing. What has no such value comes last, both ways; what has the same stands by id. It
 * goes on behind the place of the last one, whatever has come, gone or changed meanwhile.
 *
 * @param list  the operation's id
 * @param all   in any order
 */
export function sortedPageOf<Item extends { readonly id: string }>(
  list: string,
  all: readonly Item[],
  orders: Orders<Item>,
  query: ListedQuery & { readonly sort?: string },
  cursors: Cursors,
) {
  const { limit = defaultItems, sort } = query;
  if (sort === undefined) return undefined;
  const isReversed = sort.startsWith('-');
  const orderedBy = orders[isReversed ? sort.slice(1) : sort]!;
  const text = cursors.read(list, query);
  const after = text === undefined ? undefined : (JSON.parse(text) as Place);
  const placed = all.map((item) => ({ item, place: { value: orderedBy(item), id: item.id } }));
  const rest = after ? placed.filter(({ place }) => compare(place, after, isReversed) > 0) : placed;
  const sorted = rest.sort((one, other) => compare(one.place, other.place, isReversed));
  const page = sorted.slice(0, limit);
  const last = sorted.length > limit ? page.at(-1) : undefined;
  return {
    items: page.map(({ item }) => item),
    next: last ? cursors.write(list, query, JSON.stringify(last.place)) : null,
    count: { value: all.length, isExact: true },
  };
}

function compare(one: Place, other: Place, isReversed: boolean): number {
  if (one.value === null || other.value === null) {
    if (one.value !== other.value) return one.value === null ? 1 : -1;
    return compareValues(one.id, other.id);
  }
  const by = compareValues(one.value, other.value) || compareValues(one.id, other.id);
  return isReversed ? -by : by;
}

function compareValues(one: string | number, other: string | number): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** A name as people look for it: in any case, and letters with marks beside those without. */
export function readName(name: string): string {
  return name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
