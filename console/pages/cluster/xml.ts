/**
 * XML as people read it: indented, and every tag, text and entity as it was sent. Nothing of it is parsed beyond where
 * its tags begin and end; what has a document type, in which entities could be declared, is shown as text.
 */

/** One token after the other, without a gap between them; each part of it is read once. */
const token =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<\/[\p{L}_:][^\s<>"'/]*\s*>|<[\p{L}_:](?:[^<>"']|"[^"<]*"|'[^'<]*')*>|[^<]+/uy;

/** Deeper, the indents alone would fill the page. */
const deepest = 200;

/**
 * @param most  characters of what is made
 * @returns undefined for what is no whole element with its tags in order, and where indenting makes too much of it
 */
export function indentedXml(text: string, most: number): string | undefined {
  if (!/^\uFEFF?\s*</.test(text)) return undefined;
  const lines = createLines();
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let hasRoot = false;
  while (at < text.length) {
    token.lastIndex = at;
    const [part] = token.exec(text) ?? [];
    if (part === undefined) return undefined;
    at += part.length;
    const isElement = /^<[\p{L}_:]/u.test(part);
    const isAtTop = lines.depth() === 0;
    if (isAtTop && isElement && hasRoot) return undefined;
    if (isAtTop && !part.startsWith('<') && part.trim() !== '') return undefined;
    hasRoot ||= isElement;
    if (!lines.add(part) || lines.length() > most) return undefined;
  }
  return hasRoot && lines.depth() === 0 ? lines.text() : undefined;
}

function createLines() {
  const open: string[] = [];
  const lines: string[] = [];
  let length = 0;
  /** What the line ends with that is being written: an element without others in it stays on one line. */
  let ends: 'tag' | 'text' | 'other' = 'other';

  return {
    depth: () => open.length,
    length: () => length,
    text: () => lines.join('\n'),
    /** @returns false for an end that is of no element, and for what is too deep */
    add(part: string): boolean {
      if (part.startsWith('</')) return close(part);
      if (/^<[\p{L}_:]/u.test(part)) return begin(part);
      if (part.startsWith('<')) write(part, 'other');
      else if (part.trim() !== '') textOf(part.trim());
      return true;
    },
  };

  function begin(tag: string): boolean {
    write(tag, tag.endsWith('/>') ? 'other' : 'tag');
    if (!tag.endsWith('/>')) open.push(nameIn(tag));
    return open.length <= deepest;
  }

  function close(tag: string): boolean {
    if (open.pop() !== nameIn(tag)) return false;
    if (ends === 'other') write(tag, 'other');
    else append(tag);
    ends = 'other';
    return true;
  }

  function textOf(text: string): void {
    if (ends === 'tag') append(text);
    else write(text, 'other');
    if (ends === 'tag') ends = 'text';
  }

  function write(text: string, as: typeof ends): void {
    const line = '  '.repeat(open.length) + text;
    lines.push(line);
    length += line.length + 1;
    ends = as;
  }

  function append(text: string): void {
    lines[lines.length - 1] += text;
    length += text.length;
  }
}

function nameIn(tag: string): string {
  return /^<\/?([^\s<>"'/]+)/.exec(tag)![1]!;
}
