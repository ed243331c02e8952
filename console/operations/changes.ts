/** What a change has changed, for the audit trail: of a value old and new, of a set what came and what went. */
import { isDeepStrictEqual } from 'node:util';
import type { Changes } from './operation.ts';

type Said = Readonly<Record<string, unknown>>;

/**
 * Give what may be shown of both: no secret, and no digest of one.
 *
 * @param before  undefined for what has been added
 * @param after   undefined for what has been removed
 * @returns undefined when nothing has changed
 */
export function changesBetween(before: Said | undefined, after: Said | undefined): Changes | undefined {
  const changes: (readonly [string, object])[] = [];
  for (const name of new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])) {
    const change = changeOf(before?.[name], after?.[name]);
    if (change) changes.push([name, change]);
  }
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

function changeOf(from: unknown, to: unknown): object | undefined {
  // Where nothing is said of a set, that may mean all: it is not the empty one.
  const isSaid = from !== null && to !== null;
  if (isSaid && Array.isArray(from ?? to) && Array.isArray(to ?? from))
    return changeOfSet(from ?? [], to ?? []);
  const [old, next] = [from ?? null, to ?? null];
  return old === next || isDeepStrictEqual(old, next) ? undefined : { from: old, to: next };
}

/** The order means nothing, and one that comes twice is there once. */
function changeOfSet(from: unknown, to: unknown): object | undefined {
  const [old, next] = [from as readonly unknown[], to as readonly unknown[]];
  const [add, remove] = [without(next, old), without(old, next)];
  return add.length + remove.length === 0 ? undefined : { add, remove };
}

function without(these: readonly unknown[], those: readonly unknown[]): readonly unknown[] {
  if (these.length === 0) return [];
  if (those.length === 0 && these.length === 1) return these;
  const known = new Set(those.map(keyOf));
  return [...new Map(these.map((one) => [keyOf(one), one])).entries()].flatMap(([key, one]) =>
    known.has(key) ? [] : [one],
  );
}

function keyOf(value: unknown): string {
  return JSON.stringify(value);
}
