/** How operations answer a search: what fails alone is said, and leaves the others as they are. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { FoundThing } from '../../../views/management/observe/search.tsx';
import type { Translate, WordKey } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import { folded, saysWord, wordsOf } from '../../http/display/words.ts';
import type { ListAnswer } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

/** Of each kind, so many are shown. */
export const mostOfKind = 8;

export interface Found extends FoundThing {
  /** It is called just so: whoever goes to what is meant goes there. */
  readonly isMeant: boolean;
}

/** What a search has to know of a kind of things. */
export interface Kind {
  /** Of its part of the page. */
  readonly id: string;
  readonly title: WordKey;
  /** That finds them. */
  readonly operation: string;
  /** @returns what the operation is asked; undefined where nothing can be found by this text */
  readonly queryOf: (text: string) => Readonly<Record<string, string>> | undefined;
  /** The page that they are on, where a console may be without it. */
  readonly page?: string;
  /** Where the operation gives all of them: what is looked at for each word. */
  readonly isMatchedHere?: boolean;
  /** The page of all that match. */
  readonly allHref?: (text: string) => string;
  readonly show: (item: unknown, t: Translate) => ShownKindItem;
}

export interface ShownKindItem extends FoundThing {
  /** By which it is called. */
  readonly id: string;
  /** What is said of it elsewhere, and not on the page: it is found by these words too. */
  readonly also?: string | undefined;
}

export interface KindFound {
  readonly kind: Kind;
  readonly things: readonly Found[];
  readonly hasMore: boolean;
}

/** Asks the operation of a kind as the person before the page. @throws {ProblemError} */
export async function findKind(
  tools: PageTools,
  ctx: PageContext,
  kind: Kind,
  text: string,
): Promise<KindFound> {
  const nothing = { kind, things: [], hasMore: false };
  const query = kind.queryOf(text);
  if (query === undefined) return nothing;
  const items = await answered(async () => {
    const { body } = await tools.run<ListAnswer<unknown>>(ctx, kind.operation, {
      query,
      isBrief: true,
    });
    return body.items;
  });
  if (!items) return nothing;
  const t = textFor(ctx);
  const shown = items
    .map((item) => kind.show(item, t))
    .filter((item) => !kind.isMatchedHere || hasWords(item, text, t));
  const ranked = shown.map((item) => ({ item, rank: rankOf(item, text) }));
  ranked.sort((one, other) => one.rank - other.rank);
  const things = ranked
    .slice(0, mostOfKind)
    .map(({ item: { name, about, href }, rank }) => ({ name, about, href, isMeant: rank === 0 }));
  return { kind, things, hasMore: ranked.length > mostOfKind };
}

/** What is called just so comes first, and then what begins like this. */
function rankOf({ id, name }: ShownKindItem, text: string): number {
  const [typed, said] = [text.toLowerCase(), [id.toLowerCase(), name.toLowerCase()]];
  if (said.includes(typed)) return 0;
  return said.some((one) => one.startsWith(typed)) ? 1 : 2;
}

/** @returns undefined where nothing has this name, or nothing can. @throws {ProblemError} */
export async function answered<Value>(ask: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await ask();
  } catch (error) {
    const isNothing =
      error instanceof ProblemError &&
      (error.problem === problems.notFound || error.problem === problems.invalidRequest);
    if (isNothing) return undefined;
    throw error;
  }
}

/** Names by any part; of what is said of it, words by how they begin, and not by two letters. */
function hasWords(
  { id, name, about = '', also = '' }: ShownKindItem,
  text: string,
  { language }: Translate,
): boolean {
  const names = folded(`${id} ${name}`);
  return wordsOf(text).every(
    (word) => names.includes(word) || saysWord(about, word, language) || saysWord(also, word, language),
  );
}
