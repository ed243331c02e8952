/** Which operation a call is for. */
import type { Method, Operation } from '../../operations/operation.ts';

export const basePath = '/api/v1';

export interface Found<Services> {
  /** By method. */
  readonly methods: ReadonlyMap<string, Operation<Services>>;
  readonly params: Readonly<Record<string, string>>;
}

interface Path<Services> {
  /** A parameter's name has braces around it. */
  readonly words: readonly string[];
  readonly methods: Map<Method, Operation<Services>>;
}

/** @returns a function of a path below `/api/v1`, without its query, that gives undefined where nothing is */
export function createOperationPaths<Services>(
  operations: readonly Operation<Services>[],
): (path: string) => Found<Services> | undefined {
  const byPath = new Map<string, Path<Services>>();
  for (const operation of operations) {
    const { path, method } = operation;
    const words = path.slice(1).split('/');
    const found = byPath.get(path) ?? { words, methods: new Map() };
    found.methods.set(method, operation);
    byPath.set(path, found);
  }
  // Fixed words first: `/sessions/end` is no session of the id `end`.
  const paths = [...byPath.values()].sort((one, other) => parameters(one) - parameters(other));
  const byFirst = grouped(paths);

  return (path) => {
    const words = path.slice(basePath.length + 1).split('/');
    for (const { words: pattern, methods } of byFirst.get(words[0]!) ?? []) {
      const params = paramsOf(pattern, words);
      if (params) return { methods, params };
    }
    return undefined;
  };
}

function parameters({ words }: { readonly words: readonly string[] }): number {
  return words.filter((word) => word.startsWith('{')).length;
}

function grouped<P extends { readonly words: readonly string[] }>(paths: readonly P[]): Map<string, P[]> {
  const groups = new Map<string, P[]>();
  for (const path of paths) groups.set(path.words[0]!, [...(groups.get(path.words[0]!) ?? []), path]);
  return groups;
}

function paramsOf(
  pattern: readonly string[],
  words: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (pattern.length !== words.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of pattern.entries()) {
    const word = words[i]!;
    if (!part.startsWith('{')) {
      if (part !== word) return undefined;
      continue;
    }
    const decoded = decode(word);
    if (!decoded) return undefined;
    params[part.slice(1, -1)] = decoded;
  }
  return params;
}

function decode(word: string): string | undefined {
  try {
    return decodeURIComponent(word);
  } catch {
    return undefined;
  }
}
