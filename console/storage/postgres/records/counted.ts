/** How many records there are, as the writes count them. */
import { type Queries, statement } from '../database.ts';

const counted = statement('counted', 'select key, n from record_count where key = any($1)');

type Counts = ReadonlyMap<string, number>;

/** Those asked for in the same turn are one statement: the history of numbers reads two each five seconds. */
export function createCounted(queries: Queries): (keys: readonly string[]) => Promise<readonly number[]> {
  let next: { readonly keys: Set<string>; readonly found: Promise<Counts> } | undefined;

  return async (keys) => {
    next ??= collect();
    for (const key of keys) next.keys.add(key);
    const found = await next.found;
    return keys.map((key) => found.get(key) ?? 0);
  };

  function collect() {
    const keys = new Set<string>();
    const found = Promise.resolve().then(async () => {
      next = undefined;
      const { rows } = await queries.run<{ key: string; n: number }>(counted, [[...keys]]);
      return new Map(rows.map(({ key, n }) => [key, n]));
    });
    return { keys, found };
  }
}
