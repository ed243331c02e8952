import type { Attributes } from '@opentelemetry/api';

/** Without those that are not known. */
export function attributesOf(known: Readonly<Record<string, string | number | undefined>>): Attributes {
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}
