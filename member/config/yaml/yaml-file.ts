import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
} from 'yaml';
import { MemberConfigError } from '../config-error.ts';
import type { Path, SourceTree } from '../source-tree.ts';

/**
 * @param file  its path, for the messages: `<file>:<line>: <problem>`
 * @throws {MemberConfigError} for what is no YAML, keys that are there twice, and aliases that would
 *   multiply into more than anybody writes by hand
 */
export function readYaml(text: string, file: string): SourceTree {
  const lines = new LineCounter();
  const lineAt = (offset: number) => lines.linePos(offset).line;
  if (isNestedTooDeep(text)) throw new MemberConfigError([`${file}:1: nested too deep`]);
  try {
    // The parser's own look for keys that are there twice compares each with each.
    const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false };
    const document = parseDocument(text, options);
    const problems = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
      offset: pos[0],
      message: oneLine(message),
    }));
    if (problems.length === 0) problems.push(...repeatedKeys(document));
    if (problems.length > 0) {
      throw new MemberConfigError(
        problems.slice(0, mostProblems).map(({ offset, message }) => `${file}:${lineAt(offset)}: ${message}`),
      );
    }
    const root = document.toJS({ maxAliasCount: 100 });
    if (isTooDeep(root)) throw new MemberConfigError([`${file}:1: nested too deep`]);
    return {
      root,
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

/** A configuration is never this deep; what is, an alias of itself included, could exhaust the stack. */
const deepest = 50;

function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth > deepest || Object.values(value).some((inner) => isTooDeep(inner, depth + 1));
}

/**
 * A look at the text alone, since the parser goes as deep as the text does and the runtime may not
 * survive that: brackets that are open at once, and how far in a line begins. Ten levels of a
 * configuration are far from either.
 */
function isNestedTooDeep(text: string): boolean {
  if (/^[ \t?-]{200,}\S/m.test(text)) return true;
  let open = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index) | 0x20; // [ and {, ] and } differ in this bit alone
    if (code === 0x7b) open += 1;
    else if (code === 0x7d && open > 0) open -= 1;
    if (open > 200) return true;
  }
  return false;
}

function repeatedKeys(document: Document): { offset: number; message: string }[] {
  const found: { offset: number; message: string }[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<string>();
      for (const pair of items) {
        const key = keyOf(pair);
        const offset = (pair.key as Node | null)?.range?.[0] ?? 0;
        if (seen.has(key)) found.push({ offset, message: 'Map keys must be unique' });
        seen.add(key);
      }
    },
  });
  return found;
}

/** Who reads them mends the first ones first. */
const mostProblems = 100;

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
