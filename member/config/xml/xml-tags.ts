/** The tags of a text that may be no XML, in one pass, whatever it holds: each character is looked at a few times at most. */

export interface XmlTag {
  /** Where it begins. */
  readonly at: number;
  readonly name: string;
  readonly kind: 'opening' | 'closing' | 'empty';
}

/** @param markup  without comments, CDATA sections and instructions */
export function* tagsIn(markup: string): Generator<XmlTag> {
  for (let at = markup.indexOf('<'); at !== -1; at = markup.indexOf('<', at + 1)) {
    const isClosing = markup[at + 1] === '/';
    const nameAt = at + (isClosing ? 2 : 1);
    const nameEnd = endOf(nameForm, markup, nameAt);
    const end = nameEnd === nameAt ? -1 : endOfTag(markup, nameEnd);
    if (end === -1) continue;
    const isEmpty = !isClosing && markup[end - 1] === '/';
    yield {
      at,
      name: markup.slice(nameAt, nameEnd),
      kind: isClosing ? 'closing' : isEmpty ? 'empty' : 'opening',
    };
    at = end;
  }
}

const nameForm = /[^\s<>/!]*/y;
/** A quoted value, or what stands between such. No part of it can begin another, so that nothing is tried twice. */
const partForm = /"[^"<]*"|'[^'<]*'|[^<>"']+/y;

/** @returns where its `>` stands; -1 when it has none */
function endOfTag(markup: string, from: number): number {
  let at = from;
  while (markup[at] !== '>') {
    const end = endOf(partForm, markup, at);
    if (end === at) return -1;
    at = end;
  }
  return at;
}

function endOf(form: RegExp, text: string, from: number): number {
  form.lastIndex = from;
  return form.test(text) ? form.lastIndex : from;
}
