import { z } from 'zod';

/** An object without unknown keys; `name:` with nothing after it is an empty one. */
export function section<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess((value) => value ?? {}, z.strictObject(shape));
}

/** Sections by name: `map`, `queue` and the like. */
export function named<Value extends z.ZodType>(name: z.ZodType<string, string>, value: Value) {
  return z.preprocess((sections) => sections ?? {}, z.record(name, value));
}

const largestInteger = 2_147_483_647;

export const text = z.string().min(1);
export const seconds = z.int().min(0).max(largestInteger);
export const millis = z.int().min(1).max(largestInteger);
export const bytes = z.int().min(1);
export const count = z.int().min(1).max(largestInteger);
export const size = z.int().min(0).max(largestInteger);

/** Names of maps and queues; one `*` makes a pattern of it. */
export const structureName = text
  .max(1024)
  .refine((name) => name.split('*').length <= 2, { error: 'a name has at most one *' });
