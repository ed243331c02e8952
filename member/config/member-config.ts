import type { z } from 'zod';
import { checkTree } from './check.ts';
import { complete, inKebabCase } from './complete.ts';
import type { MemberConfig } from './config.ts';
import { type MemberSection, memberSection } from './config-schema.ts';
import { shapeOf } from './schema-shape.ts';
import { isObject } from './source-tree.ts';

/** The keys of the file in camel case: `network.restApi.enabled`, `map.orders.timeToLiveSeconds`. */
export type MemberConfigInput = CamelCased<MemberSection>;

/**
 * Makes a member's configuration in a program, with the defaults and the checks that a file has.
 *
 * @throws {MemberConfigError} with every problem, each with its path
 */
export function memberConfig(input: MemberConfigInput = {}): MemberConfig {
  const section = toKebabCase(input, memberSection);
  const tree = { root: { svc: section }, lineOf: () => undefined };
  const checked = checkTree(tree, { file: 'memberConfig', environment: {} });
  return complete(checked.section, { source: undefined, notices: checked.notices });
}

type CamelCased<T> = T extends readonly (infer Item)[]
  ? readonly CamelCased<Item>[]
  : T extends object
    ? { readonly [Key in keyof T as CamelCase<Key>]: CamelCased<T[Key]> }
    : T;

type CamelCase<Key> = Key extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

/** Keys of sections only: names of maps and queues are the caller's. */
function toKebabCase(value: unknown, schema: z.ZodType | undefined): unknown {
  const shape = schema && shapeOf(schema);
  if (Array.isArray(value)) {
    return value.map((item) => toKebabCase(item, shape?.kind === 'list' ? shape.item : undefined));
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  if (shape?.kind === 'named') {
    return Object.fromEntries(entries.map(([name, inner]) => [name, toKebabCase(inner, shape.value)]));
  }
  const fields = shape?.kind === 'section' ? shape.fields : undefined;
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      const kebab = inKebabCase(key);
      return [kebab, toKebabCase(inner, fields?.[kebab])];
    }),
  );
}
