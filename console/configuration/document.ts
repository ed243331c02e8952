/** A description of objects, as files of configuration give it: whole, with secrets that its reader has found. */
import { z } from 'zod';
import { invalidInput } from '../operations/input-check.ts';
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
      .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/)
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
