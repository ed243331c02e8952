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
