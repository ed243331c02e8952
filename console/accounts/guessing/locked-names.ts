/**
 * Names at which so many have guessed that a source that has failed is not looked at any more (decision 0016), whether
 * they are names of accounts or not: for administrators to see. Whoever knows the password still gets in.
 */
import { foldedName } from '../../storage/name-keys.ts';
import type { ArtifactStore } from '../../storage/storage.ts';

export type LockedNames = ReturnType<typeof createLockedNames>;

const kind = 'LockedName';
/** As many as are read at once, to know of each name on a page. */
const few = 200;

export function createLockedNames({
  artifacts,
}: {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put' | 'list'>;
}) {
  const has = async (username: string): Promise<boolean> =>
    (await artifacts.get(kind, foldedName(username))) !== undefined;

  return {
    has,
    /** @param until  epoch seconds */
    async add(username: string, until: number): Promise<void> {
      const name = foldedName(username);
      await artifacts.put(kind, name, { payload: { name }, expiresAt: until });
    },
    /** For a page of names, most of which are not locked: one look where few are. */
    async forPage(): Promise<{ readonly has: (username: string) => boolean | Promise<boolean> }> {
      const some = await artifacts.list(kind, few);
      if (some.length === few) return { has };
      const names = new Set(some.map(nameOf));
      return { has: (username) => names.has(foldedName(username)) };
    },
    async hasAny(): Promise<boolean> {
      return (await artifacts.list(kind, 1)).length > 0;
    },
    /** Folded ones, in no order that means anything. @param after  where the page before ended */
    async page(limit: number, after: string | undefined) {
      const found = await artifacts.list(kind, limit, after);
      return { names: found.map(nameOf), next: found.length < limit ? undefined : found.at(-1)?.key };
    },
  };
}

function nameOf({ artifact }: { readonly artifact: { readonly payload: object } }): string {
  return String((artifact.payload as { readonly name?: unknown }).name);
}
