/** Former values of an entry, as its page keeps them for whoever has replaced them, and gives them back. */
import type { PageContext } from '../../page-tools.ts';
import { isComplete, type StoredValue } from '../values.ts';
import type { EntryMemories, FormerValue, ListedFormerValue } from './entry-memories.ts';

/** What was read before it was replaced or removed. */
export interface Replaced {
  readonly stored: StoredValue;
  readonly version: string;
}

export function createFormerValues(memories: EntryMemories) {
  return {
    /** @param version  of what is there now. @returns its id, where it is kept */
    async store(
      ctx: PageContext,
      former: Replaced | undefined,
      version: string | undefined,
    ): Promise<string | undefined> {
      if (!former || !isComplete(former.stored) || former.version === version) return undefined;
      const { type, value } = former.stored;
      return memories.storeFormer(entryOf(ctx), { type, value });
    },
    async list(ctx: PageContext): Promise<readonly ListedFormerValue[]> {
      return memories.formersOf(entryOf(ctx));
    },
    async read(ctx: PageContext, id: string): Promise<FormerValue | undefined> {
      return memories.formerValue(entryOf(ctx), id);
    },
  };
}

/** As its session has it. */
export function entryOf({ params, state }: PageContext) {
  return { session: state.current.uid, map: String(params.map), key: String(params.key) };
}
