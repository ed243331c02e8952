/** Whether what is described is what is there, as far as that can be told without doing it. */
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';

type Fields = Readonly<Record<string, unknown>>;

/** What is shown below `settings` is said beside the rest. */
export function flattened(object: Fields): Fields {
  if (!Object.hasOwn(object, 'settings')) return object;
  const { settings, ...shown } = object;
  return { ...shown, ...(settings as Fields | undefined) };
}

/** Fields that the object takes, with what each is where nothing is said; null: nothing. */
export function fieldsOf(body: z.ZodType | undefined): ReadonlyMap<string, unknown> {
  const shape = body && 'shape' in body ? (body.shape as Readonly<Record<string, z.ZodType>>) : {};
  return new Map(Object.entries(shape).map(([name, schema]) => [name, defaultOf(schema) ?? null]));
}

/** What may be left out is wrapped, and has none of what is said of the schema in it. */
function defaultOf(schema: z.ZodType): unknown {
  const { innerType } = schema.def as { readonly innerType?: z.ZodType };
  return schema.meta()?.default ?? (innerType && defaultOf(innerType));
}

/** Those that are a secret. */
export function secretFieldsOf(body: z.ZodType | undefined): ReadonlySet<string> {
  const shape = body && 'shape' in body ? (body.shape as Readonly<Record<string, z.ZodType>>) : {};
  return new Set(Object.keys(shape).filter((name) => isWriteOnly(shape[name]!)));
}

function isWriteOnly(schema: z.ZodType): boolean {
  const { innerType } = schema.def as { readonly innerType?: z.ZodType };
  return schema.meta()?.writeOnly === true || (innerType !== undefined && isWriteOnly(innerType));
}

/** A set is in the order of what is there, when it holds the same: its order means nothing. */
export function inOrderOf(described: Fields, present: Fields): Fields {
  return Object.fromEntries(
    Object.entries(described).map(([name, value]) => {
      const there = present[name];
      return [name, isSameSet(value, there) ? there : value];
    }),
  );
}

/**
 * @param implied  what follows from other fields where nothing is said
 * @returns false where it has to be tried
 */
export function isSurelySame(
  described: Fields,
  present: Fields,
  known: ReadonlyMap<string, unknown>,
  implied?: (described: Fields) => Fields,
): boolean {
  if (Object.keys(described).some((name) => !known.has(name))) return false;
  const following = implied?.(described);
  for (const [name, usual] of known) {
    const wanted = described[name] ?? following?.[name] ?? usual;
    const there = present[name] ?? null;
    if (wanted !== there && !isDeepStrictEqual(wanted, there)) return false;
  }
  return true;
}

/** What an export says: no more than differs from what is usual. */
export function unusualFields(present: Fields, known: ReadonlyMap<string, unknown>): Fields {
  const said = [...known].filter(
    ([name, usual]) => present[name] !== undefined && !isDeepStrictEqual(present[name], usual),
  );
  return Object.fromEntries(said.map(([name]) => [name, present[name]]));
}

function isSameSet(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return false;
  const [first, second] = [one, other].map((list) => new Set(list.map((item) => JSON.stringify(item))));
  return first!.size === second!.size && [...first!].every((item) => second!.has(item));
}
