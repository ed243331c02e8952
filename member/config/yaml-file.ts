import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import type { z } from 'zod';

/** A configuration file that cannot be used: `problems` has one line of text for each reason. */
export class MemberConfigError extends Error {
  override readonly name = 'MemberConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/**
 * Parses YAML and checks it against a schema.
 *
 * @param file  its path, for the messages: `<file>:<line>: <path>: <problem>`
 * @throws {MemberConfigError} with every problem, in the order of the lines
 */
export function readYaml<Schema extends z.ZodType>(
  text: string,
  file: string,
  schema: Schema,
): z.infer<Schema> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    throw new MemberConfigError(
      document.errors.map((error) => `${file}:${lines.linePos(error.pos[0]).line}: ${error.message}`),
    );
  }

  const checked = schema.safeParse(document.toJS());
  if (checked.success) return checked.data;
  const problems = checked.error.issues.flatMap(eachUnknownKey).map(({ path, message }) => {
    const line = lines.linePos(offsetOf(document.contents, path)).line;
    return { line, text: `${file}:${line}: ${path.join('.') || 'the file'}: ${message}` };
  });
  throw new MemberConfigError(problems.sort((a, b) => a.line - b.line).map((problem) => problem.text));
}

interface Problem {
  readonly path: readonly string[];
  readonly message: string;
}

/** Names each unknown key by its own path and line; the schema reports them by their parent. */
function eachUnknownKey(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: 'unknown key' }));
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.map(({ message }) => ({ path, message }));
  }
  return [{ path, message: issue.message.replace(/^Invalid input: /, '') }];
}

/** Where the deepest part of `path` that the document has begins, in characters. */
function offsetOf(root: Node | null, path: readonly string[]): number {
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
