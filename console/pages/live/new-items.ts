/**
 * How many items of a list have come since a page of it was made: each page says what was its newest, and what is the newest
 * now is found once for all who have the list open with one filter, when something may have changed.
 */
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { PageContext } from '../page-tools.ts';
import type { NewFrames } from './topics.ts';

/** Another value when there may be something new in the list; asking for it is no look at the store. */
type Version = () => unknown;

export interface ListVersions {
  readonly audit: Version;
  readonly jobs: Version;
  readonly approvals: Version;
}

export interface Newest {
  /** The newest first. */
  readonly items: readonly NewestItem[];
  /** There are no others. */
  readonly isAll: boolean;
}

export interface NewestItem {
  readonly id: string;
  /** It is in the list, and nobody is told that it has come. */
  readonly isQuiet?: boolean;
}

export interface LiveList {
  /** Without which there is no such page. */
  readonly operation: string;
  readonly version: Version;
  /** One more than {@link mostNew} at least, where there are so many. @throws what the page throws */
  readonly read: (ctx: PageContext) => Promise<Newest>;
  /** Ids are in the order in which items have come; otherwise the list is. */
  readonly isInOrderOfIds: boolean;
}

/** What is said of more is that there are more. */
export const mostNew = 100;
/** Parameter of the address of the stream: the newest item of the page, empty for a page without any. */
export const newestName = 'newest';

export interface NewCount {
  readonly count: number;
  /** False: there are more, or may be. */
  readonly isExact: boolean;
}

export function newFramesOf({ version, read, isInOrderOfIds }: LiveList): NewFrames {
  return () => {
    let known: { readonly version: unknown } | undefined;
    let newest: Newest | undefined;
    const sent = new WeakMap<PageContext, string>();

    return async (ctx, newId) => {
      // Before it is read: what comes meanwhile is found the next time.
      const before = await version();
      if (known && known.version === before) return undefined;
      const next = await readUnlessBusy(ctx);
      if (!next) return undefined;
      known = { version: before };
      if (newest && isSame(newest, next)) return undefined;
      newest = next;
      const id = newId();
      return {
        id,
        textFor(reader) {
          const ofPage = reader.ctx.state.form.get(newestName) ?? '';
          const count = JSON.stringify(newSince(next, ofPage, isInOrderOfIds));
          if (!reader.hasMissed && sent.get(reader.ctx) === count) return undefined;
          sent.set(reader.ctx, count);
          return Buffer.from(`id: ${id}\nevent: new\ndata: ${count}\n\n`);
        },
      };
    };
  };

  async function readUnlessBusy(ctx: PageContext): Promise<Newest | undefined> {
    try {
      return await read(ctx);
    } catch (error) {
      if (error instanceof ProblemError && error.problem === problems.busy) return undefined;
      throw error;
    }
  }
}

function isSame(one: Newest, other: Newest): boolean {
  const { items, isAll } = other;
  return (
    one.isAll === isAll &&
    one.items.length === items.length &&
    one.items.every(({ id }, at) => items[at]!.id === id)
  );
}

/** @param ofPage  id of the newest item of the page */
function newSince({ items, isAll }: Newest, ofPage: string, isInOrderOfIds: boolean): NewCount {
  const found = isInOrderOfIds
    ? items.findIndex(({ id }) => id <= ofPage)
    : items.findIndex(({ id }) => id === ofPage);
  const newer = (found < 0 ? items : items.slice(0, found)).filter(({ isQuiet = false }) => !isQuiet);
  const isExact = (found >= 0 || isAll) && newer.length <= mostNew;
  return { count: Math.min(newer.length, mostNew), isExact };
}
