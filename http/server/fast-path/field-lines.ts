/** Fields of a reply as they go out, and which of those are among them that a reply has once. */
export interface FieldLines {
  readonly text: string;
  readonly hasLength: boolean;
  readonly hasDate: boolean;
  readonly hasConnection: boolean;
}

/** @param list  names and values in turn */
export function linesOf(list: readonly unknown[]): FieldLines {
  let text = '';
  let hasLength = false;
  let hasDate = false;
  let hasConnection = false;
  for (let i = 0; i < list.length; i += 2) {
    const name = String(list[i]);
    hasLength ||= isNamed(name, 'content-length');
    hasDate ||= isNamed(name, 'date');
    hasConnection ||= isNamed(name, 'connection');
    text += `${name}: ${list[i + 1]}\r\n`;
  }
  return { text, hasLength, hasDate, hasConnection };
}

const shared = new WeakMap<readonly string[], FieldLines>();

/** The same of a list that many replies have and nobody changes: made once, for as long as somebody holds it. */
export function sharedLinesOf(list: readonly string[]): FieldLines {
  let lines = shared.get(list);
  if (lines === undefined) {
    const made = linesOf(list);
    // One piece of memory instead of the pieces that it was put together from, which each write would go through.
    lines = { ...made, text: Buffer.from(made.text, 'latin1').toString('latin1') };
    shared.set(list, lines);
  }
  return lines;
}

function isNamed(name: string, lowerCase: string): boolean {
  return name.length === lowerCase.length && name.toLowerCase() === lowerCase;
}
