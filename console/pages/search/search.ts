/** `/observe/search`: everything that the person may see, by name, id, or what is to be done with it. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import { type FoundKind, renderSearch } from '../../../views/management/observe/search.tsx';
import { saidIn, type Translate, type WordKey } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { actOn, actOperations, actsNamed, loneActs, pagesNamed } from './acts.ts';
import { type Found, findKind, type Kind, type KindFound, mostOfKind } from './found.ts';
import { kinds } from './kinds.ts';
import { entryNamed, storyOf, storyOperations } from './stories.ts';

/** No name is longer, and none of the operations looks for more. */
const longest = 256;
const asked = [
  ...kinds.map(({ operation }) => operation),
  ...actOperations,
  ...storyOperations,
  'readMapEntry',
];

/** What one part of a search has found, or why it could not look. */
interface Part {
  readonly shown: readonly FoundKind[];
  readonly found: readonly Found[];
  readonly problem?: string;
}

export function createSearchPage(tools: PageTools) {
  return async (ctx: PageContext): Promise<void> => {
    const t = textFor(ctx);
    const frame = await tools.frame(ctx);
    if (frame.groups.length === 0) {
      throw new ProblemError(problems.forbidden, t('search.nothingOpen'));
    }
    const { form } = ctx.state;
    const query = (form.get('q') ?? '').trim();
    if (query.length > longest) {
      const long = [t('search.tooLong', { n: longest })];
      return tools.send(ctx, renderSearch({ frame, query: '', kinds: [], problems: long }), 400);
    }
    const open = new Set(frame.groups.flatMap(({ pages }) => pages.map(({ href }) => href)));
    const parts = query === '' ? [] : await search(ctx, query, open);
    const best = form.get('go') === 'best' ? bestOf(parts) : undefined;
    if (best) return tools.goTo(ctx, best.href);
    const problemsSaid = [...new Set(parts.flatMap(({ problem }) => problem ?? []))];
    const html = renderSearch({
      frame,
      query,
      kinds: parts.flatMap(({ shown }) => shown),
      problems: problemsSaid,
    });
    tools.send(ctx, html);
  };

  async function search(
    ctx: PageContext,
    query: string,
    open: ReadonlySet<string>,
  ): Promise<readonly Part[]> {
    const t = textFor(ctx);
    const may = await tools.mayRun(ctx, asked);
    const searched = kinds.filter(
      ({ operation, page }) => may.has(operation) && (page === undefined || open.has(page)),
    );
    return Promise.all([
      part(partsOfPage.ids, t, async () => [
        ...(await storyOf(tools, ctx, query, may)),
        ...entryNamed(query, may, t),
      ]),
      part(partsOfPage.acts, t, async () => [...(await actsOf(ctx, query, may)), ...loneActs(query, may, t)]),
      part(partsOfPage.pages, t, async () => pagesNamed(query, open, t)),
      ...searched.map((kind) => kindPart(kind, t, () => findKind(tools, ctx, kind, query), query)),
    ]);
  }

  async function actsOf(
    ctx: PageContext,
    query: string,
    may: ReadonlySet<string>,
  ): Promise<readonly Found[]> {
    const t = textFor(ctx);
    const { acts, rest } = actsNamed(query, t);
    const open = acts.filter(({ operation, kind }) => may.has(operation) && may.has(kind.operation));
    const found = await Promise.all(
      open.map(async (act) => {
        const { things } = await findKind(tools, ctx, act.kind, rest);
        return things.map((thing) => actOn(act, thing, t));
      }),
    );
    return found.flat();
  }
}

/** Of the page, beside those of kinds of things. */
const partsOfPage = {
  ids: { id: 'found-by-id', title: 'search.foundById' },
  acts: { id: 'acts', title: 'search.acts' },
  pages: { id: 'pages', title: 'common.pages' },
} as const;

interface PartHead {
  readonly id: string;
  readonly title: WordKey;
}

function part(
  { id, title: key }: PartHead,
  t: Translate,
  find: () => Promise<readonly Found[]>,
): Promise<Part> {
  const title = t(key);
  return whatFails(title, t, async () => {
    const found = (await find()).slice(0, mostOfKind);
    return { found, shown: found.length === 0 ? [] : [{ id, title, things: found }] };
  });
}

function kindPart(
  { id, title: key, allHref }: Kind,
  t: Translate,
  find: () => Promise<KindFound>,
  query: string,
): Promise<Part> {
  const title = t(key);
  return whatFails(title, t, async () => {
    const { things, hasMore } = await find();
    const all = hasMore ? allHref?.(query) : undefined;
    return { found: things, shown: things.length === 0 ? [] : [{ id, title, things, allHref: all }] };
  });
}

/** A part that cannot look leaves the others as they are. */
async function whatFails(title: string, t: Translate, find: () => Promise<Part>): Promise<Part> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const message = saidIn(t.language, error.message) ?? error.message;
    return { found: [], shown: [], problem: t('search.couldNot', { title, message }) };
  }
}

/** The only one that is called just so, or the only one at all. */
function bestOf(parts: readonly Part[]): Found | undefined {
  const found = parts.flatMap((one) => one.found);
  const meant = found.filter(({ isMeant }) => isMeant);
  const few = meant.length > 0 ? meant : found;
  return few.length === 1 ? few[0] : undefined;
}
