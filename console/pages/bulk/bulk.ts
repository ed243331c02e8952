/**
 * Acts on many things of a list: a job does to each what the operation on one does. What can be undone begins at once; of
 * the rest a page says whom it hits, at an address that has what is selected.
 */
import { randomUUID } from 'node:crypto';
import type { BulkJob, OutcomeModel } from '../../../views/management/bulk/outcome.tsx';
import type { SelectionModel } from '../../../views/management/bulk/selection.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, ActPlace, Acts } from '../acts.ts';
import { listed } from '../listed-pages.ts';
import { type ListAnswer, queryOf } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { beginAtOnce, bodyOf, formKeyName } from './begin.ts';
import { type AskedAct, type BulkAct, type BulkList, bulkActs } from './bulk-acts.ts';
import { bulkWays } from './bulk-ways.ts';
import { allLabel, askedIn, fieldsOf, type Meant, meantBy, mostSelected, rejectionText } from './meant.ts';
import { listHrefWith, outcomeOf } from './outcomes.ts';
import { undoAct, undone } from './undo.ts';

/** Names on the page that asks. */
const mostShown = 20;
/** An address may have 16 KiB with all the headers beside it. */
const longestAddress = 6000;

/** What a list shows besides its rows. */
export interface BulkState {
  readonly selection: SelectionModel | undefined;
  readonly outcome: OutcomeModel | undefined;
  readonly problem: string | undefined;
}

export interface Bulk {
  /** For the page of the list. @param answer  what it shows */
  state(ctx: PageContext, answer: ListAnswer<{ readonly id: string }>): Promise<BulkState>;
  /** Sends the page that asks. @returns whether the address names an act on many that is asked about */
  ask(ctx: PageContext): Promise<boolean>;
  /** Takes the form of the list, or of that page. @returns whether it was one */
  perform(ctx: PageContext): Promise<boolean>;
}

interface Names {
  /** What a thing is called where it is asked about; by default by its id. */
  readonly nameOf?: (ctx: PageContext, id: string) => Promise<string>;
  /** The id of what is the reader's own; by default that of the account. */
  readonly ownOf?: (ctx: PageContext) => Promise<string | undefined>;
  /** Asks about the whole list, in the place of its act. */
  readonly wholeHref?: string;
}

/**
 * @param title   of the list
 * @param origin  of this console
 */
export function createBulk(
  { tools, acts, origin }: { readonly tools: PageTools; readonly acts: Acts; readonly origin: string },
  list: BulkList,
  title: (t: Translate) => string,
  { nameOf, ownOf = async (ctx) => ctx.state.account.username, wholeHref }: Names = {},
): Bulk {
  const page = listed[list];
  const all: readonly BulkAct[] = bulkActs[list];
  const hrefWith = (query: Meant['query'], more: Readonly<Record<string, string>>) =>
    listHrefWith(list, query, more);
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
        hidden: {
          csrf: tools.csrf(ctx),
          [formKeyName]: randomUUID(),
          ...query,
          // More by then than the box has said are not meant.
          ...(hasMore && count?.isExact && { count: String(count.value) }),
        },
        acts: open.map((act) => ({
          name: act.name,
          label: t(act.label),
          isDangerous: !act.isAtOnce && (act.isDangerous ?? false),
        })),
        all: hasMore ? allLabel(query, count, t) : undefined,
      };
      return {
        selection: open.length > 0 && items.length <= mostSelected ? selection : undefined,
        outcome: await outcomeOf(ctx, { tools, list }, form.get('job'), query),
        problem: rejectionText(form.get('refused'), t),
      };
    },
    async ask(ctx) {
      const act = actNamed(ctx);
      if (!act || act.isAtOnce) return false;
      if (isWhole(ctx)) return leadToWhole(ctx);
      const meant = await checked(ctx, act);
      if (meant) await acts.ask(ctx, await askedAct(ctx, act, meant), placeOf(ctx, meant), {});
      return true;
    },
    async perform(ctx) {
      if (ctx.state.form.get('do') === undoAct) {
        await undo(ctx);
        return true;
      }
      const act = actNamed(ctx);
      if (!act) return false;
      if (isWhole(ctx)) return leadToWhole(ctx);
      const meant = await checked(ctx, act);
      if (!meant) return true;
      if (act.isAtOnce) {
        const { id } = await beginAtOnce(ctx, tools, act, meant, list);
        tools.goTo(ctx, hrefWith(meant.query, { job: id }));
      }
      // The page that asks makes the key: without it this form comes from the list.
      else if (ctx.state.form.has('idempotencyKey')) await confirmed(ctx, act, meant);
      else await leadToQuestion(ctx, act, meant);
      return true;
    },
  };

  function isWhole(ctx: PageContext): boolean {
    const isAll = ctx.state.form.get('all') === 'true';
    return wholeHref !== undefined && isAll && Object.keys(askedIn(ctx, list)).length === 0;
  }

  function leadToWhole(ctx: PageContext): true {
    tools.goTo(ctx, wholeHref!);
    return true;
  }

  async function undo(ctx: PageContext): Promise<void> {
    const id = ctx.state.form.get('job') ?? '';
    const undoing = await undone(ctx, tools, id);
    tools.goTo(ctx, hrefWith(askedIn(ctx, list), { job: undoing ?? id }));
  }

  function actNamed({ state: { form } }: PageContext): BulkAct | undefined {
    return all.find(({ name }) => name === form.get('do'));
  }

  /** @returns undefined when the list says why nothing is done */
  async function checked(ctx: PageContext, { operation }: BulkAct): Promise<Meant | undefined> {
    await tools.check(ctx, operation);
    const meant = await meantBy(ctx, tools, list);
    if (typeof meant !== 'string') return meant;
    tools.goTo(ctx, hrefWith(askedIn(ctx, list), { refused: meant }));
    return undefined;
  }

  /** At an address of its own, unless that would be too long. */
  async function leadToQuestion(ctx: PageContext, act: AskedAct, meant: Meant): Promise<void> {
    const href = hrefWith({}, { ...fieldsOf(meant), do: act.name });
    if (href.length <= longestAddress) tools.goTo(ctx, href);
    else await acts.ask(ctx, await askedAct(ctx, act, meant), placeOf(ctx, meant), {});
  }

  async function confirmed(ctx: PageContext, act: AskedAct, meant: Meant): Promise<void> {
    const asked = await askedAct(ctx, act, meant);
    const answer = await acts.perform<BulkJob>(ctx, asked, placeOf(ctx, meant), {});
    if (answer) tools.goTo(ctx, hrefWith(meant.query, { job: answer.body.id }));
  }

  async function askedAct(ctx: PageContext, act: AskedAct, meant: Meant): Promise<Act> {
    const t = textFor(ctx);
    const { ids, isAll, count } = meant;
    const body = bodyOf(act, meant, list);
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
      hidden: { ...fieldsOf(meant), ...(isAll && { count: String(count) }) },
      ways: await bulkWays(act, body, origin, t),
      // What is quick is over by the time that the list is shown again.
      requestOf: () => ({ body, waitSeconds: 1 }),
    };
  }

  async function ownEffect(ctx: PageContext, { own }: AskedAct, ids: readonly string[]): Promise<string[]> {
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
}
