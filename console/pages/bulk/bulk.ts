/**
 * Acts on many things of a list: what is selected comes in the address, a page says whom it hits, and its form begins a
 * job that does to each what the operation on one does.
 */

import type { BulkJob, OutcomeModel } from '../../../views/management/bulk/outcome.tsx';
import { pickPrefix, type SelectionModel } from '../../../views/management/bulk/selection.tsx';
import { jobHref } from '../../../views/management/observe/jobs.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { mostFound } from '../../admin-api/bulk-acts/acts.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, ActPlace, Acts } from '../acts.ts';
import { listed } from '../listed-pages.ts';
import { type ListAnswer, queryOf } from '../lists.ts';
import { hrefsOf, type PageContext, type PageTools } from '../page-tools.ts';
import { type BulkAct, type BulkList, bulkActs } from './bulk-acts.ts';
import { bulkWays } from './bulk-ways.ts';
import { ownBulkJob, undoAct, undone } from './undo.ts';

/** Selected one by one: all of a page of the list. */
const mostSelected = 200;
/** Names on the page that asks. */
const mostShown = 20;
const pageSize = '500';
const approvalsHref = '/access/approvals';

/** What a list shows besides its rows. */
export interface BulkState {
  readonly selection: SelectionModel | undefined;
  readonly outcome: OutcomeModel | undefined;
  readonly problem: string | undefined;
}

export interface Bulk {
  /** For the page of the list. @param answer  what it shows */
  state(ctx: PageContext, answer: ListAnswer<{ readonly id: string }>): Promise<BulkState>;
  /** Sends the page that asks. @returns whether the address names an act on many */
  ask(ctx: PageContext): Promise<boolean>;
  /** Takes the form of that page. @returns whether it was one */
  perform(ctx: PageContext): Promise<boolean>;
}

/** What is meant: some that are named, or all that the query finds. */
interface Meant {
  readonly query: Readonly<Record<string, string>>;
  readonly ids: readonly string[];
  readonly isAll: boolean;
  readonly count: number;
}

type Rejection = 'nothing' | 'many' | 'found-many' | 'found-none';

interface Names {
  /** What a thing is called where it is asked about; by default by its id. */
  readonly nameOf?: (ctx: PageContext, id: string) => Promise<string>;
  /** The id of what is the reader's own; by default that of the account. */
  readonly ownOf?: (ctx: PageContext) => Promise<string | undefined>;
}

/**
 * @param title   of the list
 * @param origin  of this console
 */
export function createBulk(
  { tools, acts, origin }: { readonly tools: PageTools; readonly acts: Acts; readonly origin: string },
  list: BulkList,
  title: (t: Translate) => string,
  { nameOf, ownOf = async (ctx) => ctx.state.account.username }: Names = {},
): Bulk {
  const page = listed[list];
  const fixed = 'fixed' in page ? page.fixed : {};
  const all: readonly BulkAct[] = bulkActs[list];
  return {
    async state(ctx, { items, next, count }) {
      const { form } = ctx.state;
      const t = textFor(ctx);
      const may = await tools.mayRun(
        ctx,
        all.map(({ operation }) => operation),
      );
      const open = all.filter(({ operation }) => may.has(operation));
      const { cursor, limit: _limit, ...query } = queryOf(form, page.names);
      const hasMore = next !== null || cursor !== undefined;
      const selection = {
        action: page.href,
        query,
        acts: open.map(({ name, label, isDangerous = false }) => ({ name, label: t(label), isDangerous })),
        all: hasMore ? allLabel(query, count, t) : undefined,
        csrf: isLong(items) ? tools.csrf(ctx) : undefined,
      };
      return {
        selection: open.length > 0 && items.length <= mostSelected ? selection : undefined,
        outcome: await outcomeOf(ctx, form.get('job'), query),
        problem: rejectionText(form.get('refused'), t),
      };
    },
    ask,
    async perform(ctx) {
      if (ctx.state.form.get('do') === undoAct) {
        await undo(ctx);
        return true;
      }
      const act = actNamed(ctx);
      if (!act) return false;
      // The page that asks makes the key: this form comes from the list, which is too long for an address.
      if (!ctx.state.form.has('idempotencyKey')) return ask(ctx);
      await tools.check(ctx, act.operation);
      const meant = await meantBy(ctx);
      if (typeof meant === 'string') {
        tools.goTo(ctx, hrefWith(askedIn(ctx), { refused: meant }));
        return true;
      }
      const asked = await askedAct(ctx, act, meant);
      const answer = await acts.perform<BulkJob>(ctx, asked, placeOf(ctx, meant), {});
      if (answer) tools.goTo(ctx, hrefWith(meant.query, { job: answer.body.id }));
      return true;
    },
  };

  async function undo(ctx: PageContext): Promise<void> {
    const id = ctx.state.form.get('job') ?? '';
    const undoing = await undone(ctx, tools, id);
    tools.goTo(ctx, hrefWith(askedIn(ctx), { job: undoing ?? id }));
  }

  async function ask(ctx: PageContext): Promise<boolean> {
    const act = actNamed(ctx);
    if (!act) return false;
    await tools.check(ctx, act.operation);
    const meant = await meantBy(ctx);
    if (typeof meant === 'string') tools.goTo(ctx, hrefWith(askedIn(ctx), { refused: meant }));
    else await acts.ask(ctx, await askedAct(ctx, act, meant), placeOf(ctx, meant));
    return true;
  }

  function actNamed({ state: { form } }: PageContext): BulkAct | undefined {
    return all.find(({ name }) => name === form.get('do'));
  }

  function askedIn({ state: { form } }: PageContext): Readonly<Record<string, string>> {
    const { cursor: _cursor, limit: _limit, ...query } = queryOf(form, page.names);
    return query;
  }

  async function meantBy(ctx: PageContext): Promise<Meant | Rejection> {
    const { form } = ctx.state;
    const query = askedIn(ctx);
    if (form.get('all') === 'true') {
      const confirmed = Number(form.get('count'));
      const isConfirmed = Number.isInteger(confirmed) && confirmed >= 1 && confirmed <= mostFound;
      const count = isConfirmed && ctx.method === 'POST' ? confirmed : await countOf(ctx, query);
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
  async function countOf(ctx: PageContext, query: Readonly<Record<string, string>>): Promise<number> {
    let found = 0;
    let cursor: string | undefined;
    do {
      const place = { limit: pageSize, ...(cursor !== undefined && { cursor }) };
      const { body } = await tools.run<ListAnswer<object>>(ctx, page.operation, {
        query: { ...query, ...fixed, ...place },
      });
      if (body.count?.isExact) return body.count.value;
      found += body.items.length;
      cursor = body.next ?? undefined;
    } while (cursor !== undefined && found <= mostFound);
    return found;
  }

  async function askedAct(ctx: PageContext, act: BulkAct, meant: Meant): Promise<Act> {
    const t = textFor(ctx);
    const { query, ids, isAll, count } = meant;
    const body = isAll
      ? { operation: act.operation, query: { ...query, ...fixed }, most: count }
      : { operation: act.operation, ids };
    return {
      name: act.name,
      operation: 'createBulkAct',
      title: t(act.title, { n: count }),
      effects: [
        await whom(ctx, meant),
        ...act.effects.map((effect) => t(effect)),
        ...(await ownEffect(ctx, act, ids)),
        t('bulk.each'),
      ],
      button: t(act.title, { n: count }),
      isMaking: true,
      isDangerous: act.isDangerous ?? false,
      ...(act.isDangerous && { typedName: t('bulk.typed', { n: String(count) }) }),
      hidden: {
        ...query,
        ...(isAll
          ? { all: 'true', count: String(count) }
          : Object.fromEntries(ids.map((id) => [pickPrefix + id, 'on']))),
      },
      ways: await bulkWays(act, body, origin, t),
      // What is quick is over by the time that the list is shown again.
      requestOf: () => ({ body, waitSeconds: 1 }),
    };
  }

  async function ownEffect(ctx: PageContext, { own }: BulkAct, ids: readonly string[]): Promise<string[]> {
    if (own === undefined) return [];
    const ownId = await ownOf(ctx);
    return ownId !== undefined && ids.includes(ownId) ? [textFor(ctx)(own)] : [];
  }

  async function whom(ctx: PageContext, { query, ids, isAll, count }: Meant): Promise<string> {
    const t = textFor(ctx);
    if (isAll) return t(Object.keys(query).length > 0 ? 'bulk.found' : 'bulk.whole', { n: count });
    const shown = ids.slice(0, mostShown);
    const names = nameOf ? await Promise.all(shown.map((id) => nameOf(ctx, id))) : shown;
    const more = ids.length - shown.length;
    return more === 0
      ? t('bulk.these', { names: names.join(', ') })
      : t('bulk.theseAndMore', { names: names.join(', '), n: more });
  }

  function placeOf(ctx: PageContext, { query }: Meant): ActPlace {
    return {
      path: [{ title: title(textFor(ctx)), href: page.href }],
      href: page.href,
      cancelHref: hrefWith(query, {}),
    };
  }

  function hrefWith(query: Readonly<Record<string, string>>, more: Readonly<Record<string, string>>): string {
    const text = new URLSearchParams({ ...query, ...more }).toString();
    return text === '' ? page.href : `${page.href}?${text}`;
  }

  async function outcomeOf(
    ctx: PageContext,
    id: string | undefined,
    query: Readonly<Record<string, string>>,
  ): Promise<OutcomeModel | undefined> {
    if (id === undefined) return undefined;
    const hrefs = hrefsOf(tools.reader(ctx));
    const job = await ownBulkJob(ctx, tools, id);
    return (
      job && {
        job,
        undo: job.undo
          ? {
              things: job.undo.things,
              action: page.href,
              hidden: { ...query, csrf: tools.csrf(ctx), do: undoAct, job: id },
              undoneHref: job.undo.undoneBy ? hrefWith(query, { job: job.undo.undoneBy }) : undefined,
            }
          : undefined,
        href: hrefWith(query, { job: id }),
        jobHref: hrefs.has('/observe/jobs') ? jobHref(id) : undefined,
        approvalsHref: hrefs.has(approvalsHref) ? approvalsHref : undefined,
        hrefOf: (thing) => `${page.href}/${encodeURIComponent(thing)}`,
      }
    );
  }
}

/** An address may have 16 KiB with all the headers beside it. */
const longestAddress = 6000;

function isLong(items: readonly { readonly id: string }[]): boolean {
  const length = items.reduce((sum, { id }) => sum + encodeURIComponent(`${pickPrefix}${id}`).length + 4, 0);
  return length > longestAddress;
}

function allLabel(
  query: Readonly<Record<string, string>>,
  count: ListAnswer<unknown>['count'],
  t: Translate,
): string {
  if (count?.isExact) return t('bulk.allOf', { n: count.value });
  return t(Object.keys(query).length > 0 ? 'bulk.allFound' : 'bulk.all');
}

function rejectionText(refused: string | undefined, t: Translate): string | undefined {
  if (refused === 'nothing') return t('bulk.nothingSelected');
  if (refused === 'many') return t('bulk.tooManySelected', { most: mostSelected });
  if (refused === 'found-many') return t('bulk.tooManyFound', { most: mostFound });
  return refused === 'found-none' ? t('bulk.noneFound') : undefined;
}
