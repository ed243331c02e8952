/** One element of a parsed document. */
export interface MarkupElement {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Text inside, that of inner elements included. */
  text: string;
}

export interface Markup {
  /** In document order. */
  readonly elements: readonly MarkupElement[];
  find(tag: string): readonly MarkupElement[];
}

/**
 * Reads a document the strict way: what a browser would mend is an error here.
 *
 * @throws {Error} on unbalanced tags, stray `<`, unknown entities or repeated attributes
 */
export function parseMarkup(html: string): Markup {
  if (!html.startsWith('<!doctype html>')) throw new Error('no doctype: a browser would use quirks mode');
  const elements: MarkupElement[] = [];
  const open: MarkupElement[] = [];
  const token = /<\/([a-z0-9]+)>|<([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*(\/?)>|([^<]+)/gy;
  token.lastIndex = '<!doctype html>'.length;
  while (token.lastIndex < html.length) {
    const at = token.lastIndex;
    const match = token.exec(html);
    if (match === null) throw new Error(`not well formed at: ${html.slice(at, at + 60)}`);
    const [, closes, opens, attributes = '', selfCloses, text] = match;
    if (text !== undefined) {
      for (const element of open) element.text += decode(text);
    } else if (opens !== undefined) {
      const element = { tag: opens, attributes: parseAttributes(attributes), text: '' };
      elements.push(element);
      if (!selfCloses) open.push(element);
    } else if (open.pop()?.tag !== closes) {
      throw new Error(`</${closes}> closes nothing`);
    }
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)?.tag}> is never closed`);
  return { elements, find: (tag) => elements.filter((element) => element.tag === tag) };
}

function parseAttributes(source: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', value = ''] of source.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)) {
    if (attributes.has(name)) throw new Error(`${name} is there twice`);
    attributes.set(name, decode(value));
  }
  return attributes;
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
};

function decode(text: string): string {
  return text.replaceAll(/&[^;]*;?/g, (entity) => {
    const character = entities[entity];
    if (character === undefined) throw new Error(`a bare or unknown ${entity}`);
    return character;
  });
}
