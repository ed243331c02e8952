export interface JsonError {
  /** Where it is, in UTF-16 units. */
  readonly at: number;
  /** What belongs there, or is wrong there. */
  readonly kind: 'value' | 'name' | 'colon' | 'comma' | 'quote' | 'character' | 'escape' | 'rest';
  /** That might stand there instead of the comma. */
  readonly bracket?: string | undefined;
}

type Wanted = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'comma' | 'rest';

/**
 * The first error of a JSON text (RFC 8259). A browser's own parser says where it is in words of its own, some not at all, and
 * in English alone.
 *
 * @returns undefined when there is none
 */
export function jsonError(text: string): JsonError | undefined {
  /** The ends of all that is open. */
  const open: string[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  while (true) {
    at = endOf(space, text, at);
    const sign = text[at];
    const bracket = open.at(-1);
    if (wanted === 'rest') return at === text.length ? undefined : { at, kind: wanted };
    if (sign === bracket && sign !== undefined && ['first value', 'first name', 'comma'].includes(wanted)) {
      open.pop();
      at += 1;
      wanted = after(open);
    } else if (wanted === 'comma' || wanted === 'colon') {
      if (sign !== signs[wanted]) return { at, kind: wanted, bracket };
      at += 1;
      wanted = wanted === 'comma' && bracket === '}' ? 'name' : 'value';
    } else if (sign === '"') {
      const read = readText(text, at);
      if (read.kind !== undefined) return read;
      at = read.at;
      wanted = isName(wanted) ? 'colon' : after(open);
    } else if (isName(wanted)) {
      return { at, kind: 'name' };
    } else if (sign === '{' || sign === '[') {
      open.push(sign === '{' ? '}' : ']');
      at += 1;
      wanted = sign === '{' ? 'first name' : 'first value';
    } else {
      const end = endOf(plain, text, at);
      if (end === at) return { at, kind: 'value' };
      at = end;
      wanted = after(open);
    }
  }
}

const signs = { comma: ',', colon: ':' };
const space = /[ \t\n\r]*/y;
/** Of numbers and of the three words. */
const plain = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no text may have in it
const letters = /[^"\\\u0000-\u001f]*/y;
const escaped = /(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))?/y;

function isName(wanted: Wanted): boolean {
  return wanted === 'name' || wanted === 'first name';
}

function after(open: readonly string[]): Wanted {
  return open.length === 0 ? 'rest' : 'comma';
}

/** @returns where it ends, or what is wrong with it */
function readText(
  text: string,
  from: number,
): JsonError | { readonly at: number; readonly kind?: undefined } {
  let at = from + 1;
  while (true) {
    at = endOf(letters, text, at);
    const sign = text[at];
    if (sign === '"') return { at: at + 1 };
    // Where it begins says more than where the text ends.
    if (sign === undefined || sign === '\n') return { at: from, kind: 'quote' };
    if (sign !== '\\') return { at, kind: 'character' };
    const end = endOf(escaped, text, at);
    if (end === at) return { at, kind: 'escape' };
    at = end;
  }
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  pattern.exec(text);
  return pattern.lastIndex;
}
