import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { MemberConfigError } from './config-error.ts';
import type { Path, SourceTree } from './source-tree.ts';

/**
 * @param file  its path, for the messages: `<file>:<line>: <problem>`
 * @throws {MemberConfigError} for what is no YAML, keys that are there twice, and aliases that would
 *   multiply into more than anybody writes by hand
 */
export function readYaml(text: string, file: string): SourceTree {
  const lines = new LineCounter();
  const lineAt = (offset: number) => lines.linePos(offset).line;
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const problems = [...document.errors, ...document.warnings];
    if (problems.length > 0) {
      throw new MemberConfigError(
        problems.map((problem) => `${file}:${lineAt(problem.pos[0])}: ${oneLine(problem.message)}`),
      );
    }
    return {
      root: document.toJS({ maxAliasCount: 100 }),
      lineOf: (path) => lineAt(offsetOf(document.contents, path)),
    };
  } catch (cause) {
    if (cause instanceof ReferenceError) {
      throw new MemberConfigError([`${file}:1: ${oneLine(cause.message)}`]);
    }
    if (cause instanceof RangeError) throw new MemberConfigError([`${file}:1: nested too deep`]);
    throw cause;
  }
}

/** Without what the message quotes from the file: it may be a password. */
function oneLine(message: string): string {
  return message
    .replace(/\s*"(?:[^"\\]|\\.)*"/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Where the deepest part of `path` that the document has begins, in characters. */
function offsetOf(root: Node | null, path: Path): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const step of path) {
    const pair = isMap(node) ? node.items.find((item) => keyOf(item) === step) : undefined;
    const next = pair?.value ?? (isSeq(node) ? node.items[Number(step)] : undefined);
    const from = (pair?.key ?? next) as Node | undefined;
    if (!from?.range) return offset;
    offset = from.range[0];
    node = next;
  }
  return offset;
}

function keyOf(pair: Pair): string {
  return String(isScalar(pair.key) ? pair.key.value : pair.key);
}
