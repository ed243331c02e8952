/** What a list takes from its address, and how the address goes on. */

import type { FiltersModel, Option } from '../../views/management/filters.tsx';
import type { ListModel } from '../../views/management/list.tsx';
import type { SortingModel } from '../../views/management/lists/sorting.tsx';
import type { Translate } from '../../views/texts/text.ts';
import type { Form } from '../http/form.ts';
import { auditHref, formatsOf, type ListedPage } from './listed-pages.ts';

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

/** The same with the order that the address asks for, where it is one that the list has. */
export function sortedQueryOf(
  form: Form,
  page: Pick<ListedPage, 'names' | 'sorts' | 'ordering'>,
): Record<string, string> {
  const asked = queryOf(form, page.names);
  const sort = form.get('sort') ?? '';
  return hasSorts(page, asked) && Object.hasOwn(page.sorts!, sort.replace(/^-/, ''))
    ? { ...asked, sort }
    : asked;
}

/** What a page asks the operation of its list. @param asked  what the address asks for */
export function operationQueryOf(
  page: Pick<ListedPage, 'fixed' | 'sorts' | 'ordering' | 'usual' | 'isUsualAsked'>,
  asked: Readonly<Record<string, string>>,
): Record<string, string> {
  const { usual, isUsualAsked = false, fixed } = page;
  const sort = isUsualAsked && usual !== undefined && hasSorts(page, asked) ? { sort: usual } : {};
  return { ...fixed, ...sort, ...asked };
}

/** In which order the list stands, and in which others it can be had; undefined where it has one. */
export function sortingOf(
  page: ListedPage,
  { cursor: _cursor, limit: _limit, sort, ...asked }: Readonly<Record<string, string>>,
): SortingModel | undefined {
  const { href, sorts, usual } = page;
  if (!sorts || !hasSorts(page, asked)) return undefined;
  return { action: href, asked, by: sorts, sort: sort ?? usual, hasOwnOrder: usual === undefined };
}

/** What finds things by a beginning has them in an order of its own. */
function hasSorts(
  { sorts, ordering = [] }: Pick<ListedPage, 'sorts' | 'ordering'>,
  asked: Readonly<Record<string, string>>,
): boolean {
  return sorts !== undefined && !ordering.some((name) => name in asked);
}

/** The filter above a list, as the address says it. */
export function filtersOf(
  action: string,
  asked: Readonly<Record<string, string>>,
  searchLabel: string | undefined,
  filters: readonly AskedFilter[],
  t: Translate,
): FiltersModel {
  const { cursor: _cursor, limit: _limit, sort, ...filter } = asked;
  return {
    action,
    asked: filter,
    ...(sort !== undefined && { hidden: { sort } }),
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
  const { limit: _limit, ...asked } = filter;
  const { sort: _sort, ...unsorted } = asked;
  const query = action === auditHref ? unsorted : asked;
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
