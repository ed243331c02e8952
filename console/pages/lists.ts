/** What a list takes from its address, and how the address goes on. */

import type { FiltersModel, Option } from '../../views/management/filters.tsx';
import type { ColumnSort, ListModel } from '../../views/management/list.tsx';
import type { Translate } from '../../views/texts/text.ts';
import type { Form } from '../http/form.ts';
import { formatsOf, type ListedPage } from './listed-pages.ts';

export interface ListAnswer<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly count: { readonly value: number; readonly isExact: boolean } | null;
}

export interface AskedFilter {
  /** Parameter of the operation and of the address. */
  readonly name: string;
  readonly label: string;
  readonly options: readonly Option[];
}

/** Of the parameters of an address, those that the operation of the list knows and that say something. */
export function queryOf(form: Form, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    [...names, 'limit', 'cursor'].flatMap((name) => {
      const value = form.get(name)?.trim();
      return value ? [[name, value]] : [];
    }),
  );
}

/** The same with its order, where nothing is filtered: one that finds things has an order of its own. */
export function sortedQueryOf(
  form: Form,
  { names, sorts }: Pick<ListedPage, 'names' | 'sorts'>,
): Record<string, string> {
  const asked = queryOf(form, names);
  const sort = form.get('sort') ?? '';
  return sorts?.includes(sort) && !names.some((name) => name in asked) ? { ...asked, sort } : asked;
}

/** Of the head of the column by which a list is sorted: it leads to the other order. */
export function columnSortOf(
  { href, names, sorts }: ListedPage,
  asked: Readonly<Record<string, string>>,
): ColumnSort | undefined {
  if (!sorts || names.some((name) => name in asked)) return undefined;
  const [usual, reversed] = sorts;
  const isReversed = asked.sort === reversed;
  return {
    direction: isReversed ? 'descending' : 'ascending',
    href: addressOf(href, { sort: isReversed ? usual : reversed }),
  };
}

/** The filter above a list, as the address says it. */
export function filtersOf(
  action: string,
  asked: Readonly<Record<string, string>>,
  searchLabel: string | undefined,
  filters: readonly AskedFilter[],
  t: Translate,
): FiltersModel {
  const { cursor: _cursor, limit: _limit, sort: _sort, ...filter } = asked;
  return {
    action,
    asked: filter,
    search: searchLabel === undefined ? undefined : { label: searchLabel, value: asked.q ?? '' },
    selects: filters.map(({ name, label, options }) => ({
      name,
      label,
      options: [{ value: '', label: t('frame.any') }, ...options],
      value: asked[name] ?? '',
    })),
  };
}

/**
 * Of the first page of a list: behind which item one is new.
 *
 * @param newest  id of the newest item of the page; undefined: it has none
 */
export function liveOf(
  action: string,
  { cursor, ...filter }: Readonly<Record<string, string>>,
  newest: string | undefined,
): Pick<ListModel, 'live'> {
  if (cursor !== undefined) return {};
  return { live: { newest: newest ?? '', href: addressOf(action, filter) } };
}

/** Where the list goes on, and where it begins. */
export function placesOf(
  action: string,
  { cursor, ...filter }: Readonly<Record<string, string>>,
  { next, count }: ListAnswer<unknown>,
): Pick<ListModel, 'nextHref' | 'firstHref' | 'count' | 'files'> {
  const { limit: _limit, ...query } = filter;
  return {
    count: count ?? undefined,
    nextHref: next === null ? undefined : addressOf(action, { ...filter, cursor: next }),
    firstHref: cursor === undefined ? undefined : addressOf(action, filter),
    files: formatsOf(action).map((format) => ({ format, href: addressOf(`${action}.${format}`, query) })),
  };
}

function addressOf(path: string, parameters: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(parameters).toString();
  return text === '' ? path : `${path}?${text}`;
}
