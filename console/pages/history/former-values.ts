/** What a change that the audit has would be if it were taken back: the values from before it, for the same operation. */
import { isDeepStrictEqual } from 'node:util';

type Fields = Readonly<Record<string, unknown>>;

export interface FormerValues {
  /** Of each field that would be another again: for the operation that changes the thing. */
  readonly fields: Fields;
  /** What stands there now, of the same fields. */
  readonly now: Fields;
  /** Fields whose values no change gives back: secrets, what was too large for the audit, what nobody sets. */
  readonly kept: readonly string[];
}

/**
 * @param change   as an entry of the audit has it
 * @param stored   the thing as it is now
 * @param canBeSet  fields that the operation takes
 */
export function formerValues(change: Fields, stored: Fields, canBeSet: ReadonlySet<string>): FormerValues {
  const fields: Record<string, unknown> = {};
  const now: Record<string, unknown> = {};
  const kept: string[] = [];
  for (const [name, said] of Object.entries(change)) {
    const current = stored[name] ?? null;
    const former = canBeSet.has(name) ? formerOf(said, current) : undefined;
    if (former === undefined) kept.push(name);
    else if (!isSame(former, current)) {
      fields[name] = former;
      now[name] = current;
    }
  }
  return { fields, now, kept };
}

/** @returns undefined where the audit does not say it */
function formerOf(said: unknown, current: unknown): unknown {
  if (typeof said !== 'object' || said === null || isDigest(said)) return undefined;
  if ('from' in said) return isDigest(said.from) ? undefined : said.from;
  const { add, remove } = said as { readonly add?: unknown; readonly remove?: unknown };
  if (!Array.isArray(add) || !Array.isArray(remove)) return undefined;
  // What others have put in meanwhile stays.
  const rest = Array.isArray(current) ? current.filter((one) => !has(add, one)) : [];
  return [...rest, ...remove.filter((one) => !has(rest, one))];
}

function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return isDeepStrictEqual(one, other);
  return one.length === other.length && one.every((each) => has(other, each));
}

function has(list: readonly unknown[], one: unknown): boolean {
  return list.some((each) => isDeepStrictEqual(each, one));
}

/** Stands in an entry for what was too large for it. */
function isDigest(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'sha256' in value && 'size' in value;
}
