/** Configurations of maps or queues by name or pattern, to which more can come while the member runs. */
export interface NamedConfigs<T> {
  /**
   * The configuration for a map or queue of this name, as the real engine finds it: the exact name,
   * else the pattern (one `*`) with the most matching characters, else the one named `default`. Of
   * two patterns that match equally well the first in the file wins. `undefined` when nothing
   * matches (400 to the caller).
   */
  of(name: string): T | undefined;
  /** Whether there is one of exactly this name or pattern. */
  has(name: string): boolean;
  readonly count: number;
  /** Counts from the next {@link of} on; one that is there already is replaced. */
  add(name: string, value: T): void;
}

export function createNamedConfigs<T>(configured: ReadonlyMap<string, T>): NamedConfigs<T> {
  const configurations = new Map(configured);
  let patterns: readonly Pattern<T>[] | undefined;

  return {
    of(name) {
      const exact = configurations.get(name);
      if (exact !== undefined) return exact;
      patterns ??= patternsOf(configurations); // once, however many were added
      const match = patterns.find(({ head, tail }) => matches(name, head, tail));
      return match?.value ?? configurations.get('default');
    },
    get count() {
      return configurations.size;
    },
    has: (name) => configurations.has(name),
    add(name, value) {
      configurations.set(name, value);
      patterns = undefined;
    },
  };
}

interface Pattern<T> {
  readonly head: string;
  readonly tail: string;
  readonly value: T;
}

function patternsOf<T>(configurations: ReadonlyMap<string, T>): readonly Pattern<T>[] {
  return [...configurations]
    .filter(([name]) => name.includes('*'))
    .map(([name, value]) => ({ ...splitAtStar(name), value }))
    .sort((a, b) => matchingLength(b) - matchingLength(a));
}

function matches(name: string, head: string, tail: string): boolean {
  return name.length >= head.length + tail.length && name.startsWith(head) && name.endsWith(tail);
}

function splitAtStar(pattern: string): { head: string; tail: string } {
  const star = pattern.indexOf('*');
  return { head: pattern.slice(0, star), tail: pattern.slice(star + 1) };
}

function matchingLength({ head, tail }: { head: string; tail: string }): number {
  return head.length + tail.length;
}
