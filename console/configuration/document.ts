/** A description of objects, as files of configuration give it: whole, with secrets that its reader has found. */
import { z } from 'zod';
import { createPauses } from '../../platform/async/pauses.ts';
import { checkInput, invalidInput } from '../operations/input-check.ts';
import { withoutSecrets } from './described-secrets.ts';
import { objectKinds } from './object-kinds.ts';

/** Of one description. */
export const mostObjects = 20_000;

const described = z.record(z.string().min(1).max(256), z.record(z.string(), z.unknown()));

export const configurationDocument = z
  .strictObject({
    version: z.literal(1),
    source: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9._-]{0,63}$/,
        'it has 1 to 64 small letters from a to z, digits and the characters . _ -, and starts with a letter or a digit',
      )
      .meta({ description: 'The owner of what stands here.', example: 'platform-team' }),
    ...Object.fromEntries(objectKinds.map(({ key }) => [key, described.exactOptional()])),
  })
  .meta({ id: 'Configuration' });

export interface ConfigurationDocument {
  readonly version: 1;
  readonly source: string;
  /** By kind and id. */
  readonly [kind: string]: unknown;
}

export type DescribedObjects = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Objects that are checked in one go. */
const checkedAtOnce = 50;

/**
 * What `schema` says of a body with a description in it, object by object: to check thousands at once would hold up
 * everybody else.
 *
 * @throws {ProblemError} `invalid_request`
 */
export async function checkDescribing<T extends { readonly document: unknown }>(
  schema: z.ZodType<T>,
  body: unknown,
): Promise<T> {
  const { document } = (body ?? {}) as { readonly document?: unknown };
  if (typeof document !== 'object' || document === null) return checkInput(schema, body, '#');
  const parts = objectKinds.flatMap(({ key }) => {
    const objects = (document as ConfigurationDocument)[key];
    return isPlainObject(objects) ? [{ key, all: Object.entries(objects) }] : [];
  });
  const without = { ...document, ...Object.fromEntries(parts.map(({ key }) => [key, {}])) };
  const { document: head, ...rest } = checkInput(schema, { ...(body as object), document: without }, '#');
  const pause = createPauses(0.5);
  const kinds: Record<string, DescribedObjects> = {};
  for (const { key, all } of parts) {
    const objects: [string, DescribedObjects[string]][] = [];
    for (let start = 0; start < all.length; start += checkedAtOnce) {
      const some = Object.fromEntries(all.slice(start, start + checkedAtOnce));
      objects.push(...Object.entries(checkInput(described, some, '#', ['document', key])));
      await pause();
    }
    kinds[key] = Object.fromEntries(objects);
  }
  return { ...rest, document: { ...(head as object), ...kinds } } as T;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns undefined where the description says nothing of this kind */
export function objectsOf(document: ConfigurationDocument, kind: string): DescribedObjects | undefined {
  return document[kind] as DescribedObjects | undefined;
}

/** As it is kept once it has been applied: secrets of clients are nowhere else in the store but as digests (S54). */
export function documentWithoutSecrets(document: ConfigurationDocument): ConfigurationDocument {
  const kinds = objectKinds.flatMap(({ key }) => {
    const objects = objectsOf(document, key);
    if (!objects) return [];
    const kept = Object.entries(objects).map(([id, object]) => [
      id,
      withoutSecrets(object as Readonly<Record<string, unknown>>),
    ]);
    return [[key, Object.fromEntries(kept)] as const];
  });
  return { ...document, ...Object.fromEntries(kinds) };
}

/** @throws {ProblemError} `invalid_request` */
export function checkSize(document: ConfigurationDocument): void {
  const count = objectKinds.reduce(
    (sum, { key }) => sum + Object.keys(objectsOf(document, key) ?? {}).length,
    0,
  );
  if (count <= mostObjects) return;
  throw invalidInput([
    { pointer: '#', code: 'too_big', detail: `describes more than ${mostObjects} objects` },
  ]);
}
