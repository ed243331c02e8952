/** What a description may change: what is its own, and what it was told to take over. */
import { type ConfigurationDocument, objectsOf } from './document.ts';
import type { KindOperations } from './object-kinds.ts';
import type { OwnedObject } from './ownership.ts';
import type { Stage, Step } from './stage-types.ts';

export interface ApplyOptions {
  /** Removes what this source owns and does not describe, of the kinds that it describes. */
  readonly prune: boolean;
  /** So many may be removed; undefined: few. */
  readonly pruneCount?: number | undefined;
  /** Objects of others that it takes over: `clients/billing`, or `all`. */
  readonly takeOver: readonly string[];
}

/** More than these are removed only by their number. */
const mostPruned = 10;
const largestPart = 1 / 5;

/** @returns why it must not be changed; undefined: it may */
export function obstacleTo(
  { key }: KindOperations,
  id: string,
  source: string,
  present: Readonly<Record<string, unknown>>,
  { owner }: OwnedObject,
  { takeOver }: ApplyOptions,
): Pick<Step, 'reason' | 'code'> | undefined {
  const { kind } = (present.owner ?? {}) as { readonly kind?: string };
  if (kind === 'settings' || present.builtIn === true) {
    return { code: 'conflict', reason: 'It follows from the settings or is built in, and stays as it is.' };
  }
  if (owner?.source === source || takeOver.includes(`${key}/${id}`) || takeOver.includes('all'))
    return undefined;
  const whose = owner ? `belongs to the source ${owner.source}` : 'was made by hand';
  return { code: 'owned_by_code', reason: `It ${whose}: --take-over ${key}/${id} makes it this source’s.` };
}

interface Removal {
  readonly kind: KindOperations;
  readonly id: string;
  readonly version: string | undefined;
}

export interface Removals {
  readonly removals: readonly Removal[];
  /** How many objects the source has, of the kinds that were looked through. */
  readonly owned: number;
}

/** What others need goes last. */
export async function removalsOf(
  kinds: readonly KindOperations[],
  document: ConfigurationDocument,
  stage: Pick<Stage, 'run'>,
  pause: () => Promise<void> | undefined,
): Promise<Removals> {
  const removals: Removal[] = [];
  const own = new Set<string>();
  for (const kind of [...kinds].reverse()) {
    const described = objectsOf(document, kind.key);
    if (!described) continue;
    for await (const { id, owner, updatedAt } of listed(kind, stage)) {
      await pause();
      if (owner?.source !== document.source) continue;
      const isKnown = own.has(`${kind.collection} ${id}`);
      own.add(`${kind.collection} ${id}`);
      if (!isKnown && !isDescribed(kind, id)) removals.push({ kind, id, version: updatedAt ?? undefined });
    }
  }
  return { removals, owned: own.size };

  /** A client that signs people in stands at both of their addresses. */
  function isDescribed({ collection }: KindOperations, id: string): boolean {
    const keys = kinds.filter((kind) => kind.collection === collection).map(({ key }) => key);
    return keys.some((key) => Object.hasOwn(objectsOf(document, key) ?? {}, id));
  }
}

interface ListedObject {
  readonly id: string;
  readonly owner?: { readonly source?: string | null };
  readonly updatedAt?: string | null;
}

export async function* listed(
  kind: KindOperations,
  { run }: Pick<Stage, 'run'>,
): AsyncGenerator<ListedObject, void> {
  let cursor: string | undefined;
  do {
    const query = { limit: '500', ...(cursor !== undefined && { cursor }) };
    const { items, next } = (await run(kind.list, { query })).body as {
      readonly items: readonly ListedObject[];
      readonly next: string | null;
    };
    yield* items;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
}

/** @returns what is to be said before so much is removed; undefined: it may be */
export function removalLimit(
  { removals, owned }: Removals,
  { pruneCount }: Pick<ApplyOptions, 'pruneCount'>,
): string | undefined {
  const count = removals.length;
  if (count === 0 || count === pruneCount) return undefined;
  const isFew = count <= mostPruned && count <= Math.max(1, owned * largestPart);
  if (pruneCount === undefined && isFew) return undefined;
  return `This removes ${count} of ${owned} objects: --prune-count ${count} says that so many are meant.`;
}
