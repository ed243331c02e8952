/** Where a JSON text is wrong: engines say it of some texts only, and quote the text, which may be a secret. */

export interface JsonFault {
  readonly position: number;
  /** It is JSON, and has a name twice in one object: `JSON.parse` takes the last, whatever the first one says. */
  readonly isRepeated: boolean;
}

type Next = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'nothing';

const space = /[ \t\n\r]*/y;
const token =
  /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/y;

/** RFC 8259. @returns undefined for a text that is right */
export function faultOf(text: string): JsonFault | undefined {
  /** Names in each object that is open; undefined: a list. */
  const open: (Set<string> | undefined)[] = [];
  let next: Next = 'value';
  let position = 0;
  for (;;) {
    space.lastIndex = position;
    space.exec(text);
    position = space.lastIndex;
    if (position === text.length) return next === 'nothing' ? undefined : { position, isRepeated: false };
    token.lastIndex = position;
    const [found] = token.exec(text) ?? [];
    const after: Next | undefined = found === undefined ? undefined : stateAfter(found, next, open);
    if (after === undefined) return { position, isRepeated: false };
    if (after === 'colon') {
      const name = nameOf(found!);
      if (name === undefined) return { position, isRepeated: false };
      const names = open.at(-1)!;
      if (names.has(name)) return { position, isRepeated: true };
      names.add(name);
    }
    next = after;
    position = token.lastIndex;
  }
}

/** @returns undefined where this cannot stand */
function stateAfter(found: string, next: Next, open: (Set<string> | undefined)[]): Next | undefined {
  const isValue = next === 'value' || next === 'value or end';
  const closed = (): Next => {
    open.pop();
    return open.length === 0 ? 'nothing' : 'comma or end';
  };
  if (found === '{' || found === '[') {
    if (!isValue) return undefined;
    open.push(found === '{' ? new Set() : undefined);
    return found === '{' ? 'name or end' : 'value or end';
  }
  const isObject = open.at(-1) !== undefined;
  if (found === '}')
    return isObject && (next === 'name or end' || next === 'comma or end') ? closed() : undefined;
  if (found === ']')
    return !isObject && (next === 'value or end' || next === 'comma or end') ? closed() : undefined;
  if (found === ',') return next !== 'comma or end' ? undefined : isObject ? 'name' : 'value';
  if (found === ':') return next === 'colon' ? 'value' : undefined;
  if (next === 'name' || next === 'name or end') return found.startsWith('"') ? 'colon' : undefined;
  if (!isValue) return undefined;
  return open.length === 0 ? 'nothing' : 'comma or end';
}

/** @returns undefined for a text with characters that must be escaped */
function nameOf(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}
