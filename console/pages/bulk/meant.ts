/** What an act on many is about: some things that are named, or all that the filter of their list finds. */
import { pickPrefix } from '../../../views/management/bulk/selection.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { mostFound } from '../../admin-api/bulk-acts/acts.ts';
import { listed } from '../listed-pages.ts';
import { type ListAnswer, queryOf } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import type { BulkList } from './bulk-acts.ts';

/** Selected one by one: all of a page of the list. */
export const mostSelected = 200;
const pageSize = '500';

export interface Meant {
  /** Of the list. */
  readonly query: Readonly<Record<string, string>>;
  readonly ids: readonly string[];
  readonly isAll: boolean;
  readonly count: number;
}

export type Rejection = 'nothing' | 'many' | 'found-many' | 'found-none';

/** What the list is filtered by, without a place in it. */
export function askedIn({ state: { form } }: PageContext, list: BulkList): Meant['query'] {
  const { cursor: _cursor, limit: _limit, ...query } = queryOf(form, listed[list].names);
  return query;
}

/** What the filter leaves out on every page of such things. */
export function fixedOf(list: BulkList): Meant['query'] {
  const page = listed[list];
  return 'fixed' in page ? page.fixed : {};
}

/** Fields of the form, and of the address of the page that asks. */
export function fieldsOf({ query, ids, isAll }: Meant): Readonly<Record<string, string>> {
  if (isAll) return { ...query, all: 'true' };
  return { ...query, ...Object.fromEntries(ids.map((id) => [pickPrefix + id, 'on'])) };
}

export async function meantBy(
  ctx: PageContext,
  tools: PageTools,
  list: BulkList,
): Promise<Meant | Rejection> {
  const { form } = ctx.state;
  const query = askedIn(ctx, list);
  if (form.get('all') === 'true') {
    const shown = Number(form.get('count'));
    const isShown = Number.isInteger(shown) && shown >= 1 && shown <= mostFound;
    const count = isShown && ctx.method === 'POST' ? shown : await countOf(ctx, tools, list);
    if (count > mostFound) return 'found-many';
    return count === 0 ? 'found-none' : { query, ids: [], isAll: true, count };
  }
  const picks = [...form.keys()].filter((name) => name.startsWith(pickPrefix));
  const ids = picks.map((name) => name.slice(pickPrefix.length)).filter((id) => id !== '');
  if (ids.length === 0) return 'nothing';
  if (ids.length > mostSelected || ids.some((id) => id.length > 256)) return 'many';
  return { query, ids, isAll: false, count: ids.length };
}

/** Counted where the list does not say it: no further than may be acted on. */
async function countOf(ctx: PageContext, tools: PageTools, list: BulkList): Promise<number> {
  const query = { ...askedIn(ctx, list), ...fixedOf(list) };
  let found = 0;
  let cursor: string | undefined;
  do {
    const place = { limit: pageSize, ...(cursor !== undefined && { cursor }) };
    const { body } = await tools.run<ListAnswer<object>>(ctx, listed[list].operation, {
      query: { ...query, ...place },
    });
    if (body.count?.isExact) return body.count.value;
    found += body.items.length;
    cursor = body.next ?? undefined;
  } while (cursor !== undefined && found <= mostFound);
  return found;
}

/** On the box of all that the list finds. */
export function allLabel(query: Meant['query'], count: ListAnswer<unknown>['count'], t: Translate): string {
  if (count?.isExact) return t('bulk.allOf', { n: count.value });
  return t(Object.keys(query).length > 0 ? 'bulk.allFound' : 'bulk.all');
}

export function rejectionText(refused: string | undefined, t: Translate): string | undefined {
  if (refused === 'nothing') return t('bulk.nothingSelected');
  if (refused === 'many') return t('bulk.tooManySelected', { most: mostSelected });
  if (refused === 'found-many') return t('bulk.tooManyFound', { most: mostFound });
  return refused === 'found-none' ? t('bulk.noneFound') : undefined;
}
