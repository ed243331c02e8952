/**
 * Finds the configuration of a map or queue by its name, as the real engine does: the exact name,
 * else the pattern (one `*`) with the most matching characters, else the one named `default`.
 * Of two patterns that match equally well the first in the file wins.
 *
 * @returns a look-up that answers `undefined` for a name that nothing matches (400 to the caller)
 */
export function createNameLookup<T>(configurations: ReadonlyMap<string, T>): (name: string) => T | undefined {
  const patterns = [...configurations]
    .filter(([name]) => name.includes('*'))
    .map(([name, value]) => ({ ...splitAtStar(name), value }))
    .sort((a, b) => matchingLength(b) - matchingLength(a));
  const fallback = configurations.get('default');

  return (name) =>
    configurations.get(name) ??
    patterns.find(
      ({ head, tail }) =>
        name.length >= head.length + tail.length && name.startsWith(head) && name.endsWith(tail),
    )?.value ??
    fallback;
}

interface Pattern {
  readonly head: string;
  readonly tail: string;
}

function splitAtStar(pattern: string): Pattern {
  const star = pattern.indexOf('*');
  return { head: pattern.slice(0, star), tail: pattern.slice(star + 1) };
}

function matchingLength({ head, tail }: Pattern): number {
  return head.length + tail.length;
}
