/** Where a value stands: `map`, `orders`, `max-idle-seconds`. List items by their index. */
export type Path = readonly string[];

/** A configuration as its format gives it, before anything is checked. */
export interface SourceTree {
  /** The whole document as plain objects, lists, texts, numbers and booleans. */
  readonly root: unknown;
  /** Where the deepest part of `path` that the document has begins, from 1; `undefined` when it has no lines. */
  lineOf(path: Path): number | undefined;
}

/** One reason why a configuration is refused, or one remark about it. */
export interface Finding {
  readonly path: Path;
  readonly message: string;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Steps joined by dots, for a message; a name from outside must not break the line that it is printed in. */
export function pathText(path: Path): string {
  return path.map(printable).join('.');
}

function printable(step: string): string {
  const text = step.length > 100 ? `${step.slice(0, 100)}…` : step;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, '\ufffd');
}
