/** Text for a terminal. Values come from the store and thus from outside: none of them may steer it. */

/** Rows of cells, each column as wide as its widest cell, or as is said. */
export function columns(rows: readonly (readonly string[])[], widths = widthsOf(rows)): string {
  return rows
    .map((row) => row.map(printable))
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  return rows.reduce<number[]>(
    (widest, row) => row.map((cell, index) => Math.max(widest[index] ?? 0, printable(cell).length)),
    [],
  );
}

/** @param none  what to print instead of a table without rows */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  none: string,
): string {
  return rows.length === 0 ? none : columns([headings, ...rows]);
}

/** One line for each name that has a value. */
export function fields(entries: Readonly<Record<string, string | readonly string[] | undefined>>): string {
  const rows = Object.entries(entries).flatMap(([name, value]) => {
    const values = typeof value === 'string' ? [value] : (value ?? []);
    return values.map((line, index) => [index === 0 ? name : '', line]);
  });
  return columns(rows);
}

/** ISO 8601, UTC. @param at  epoch milliseconds */
export function time(at: number): string {
  return new Date(at).toISOString();
}

/** ISO 8601, UTC, to the minute. @param at  epoch milliseconds */
export function minute(at: number): string {
  return `${time(at).slice(0, 16)}Z`;
}

/** Without controls and without marks that turn the direction of text. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '?');
}
