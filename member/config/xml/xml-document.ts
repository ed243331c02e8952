import { DOMParser } from '@xmldom/xmldom';
import { MemberConfigError } from '../config-error.ts';
import { tagsIn, type XmlTag } from './xml-tags.ts';

/** An element without what a configuration does not ask for: namespaces, comments, order of attributes. */
export interface XmlElement {
  readonly name: string;
  readonly line: number;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** The text between the children, trimmed. */
  readonly text: string;
}

/** A configuration is never deeper; what is could exhaust the stack. */
const deepest = 50;

/**
 * Reads XML without document type, and so without entities other than XML's own five: nothing is
 * fetched, and nothing multiplies.
 *
 * @param file  its path, for the messages
 * @throws {MemberConfigError} for what is not well-formed, and for a `DOCTYPE`
 */
export function readXmlDocument(text: string, file: string): XmlElement {
  const problems = beforeParsing(text);
  const reject = (message: string) => void problems.push(parserProblem(message));
  if (problems.length === 0) {
    const parser = new DOMParser({
      locator: {},
      errorHandler: { warning: reject, error: reject, fatalError: reject },
    });
    const document = parser.parseFromString(text, 'text/xml');
    if (problems.length === 0 && document?.documentElement) {
      if (document.doctype) problems.push({ line: 1, message: noDocumentType });
      else return convert(document.documentElement, file, 1);
    }
    if (problems.length === 0) problems.push({ line: 1, message: 'no XML element' });
  }
  const texts = problems.map(({ line, message }) => `${file}:${line}: ${message}`);
  throw new MemberConfigError([...new Set(texts)]);
}

interface XmlProblem {
  readonly line: number;
  readonly message: string;
}

const noDocumentType = 'a DOCTYPE is not allowed: it could define entities';

/** What the parser lets pass, or takes long to find. */
function beforeParsing(text: string): XmlProblem[] {
  const { markup, unclosed } = markupOf(text);
  const found: XmlProblem[] = [];
  const check = (where: number, message: string) => {
    if (where !== -1) found.push({ line: markup.slice(0, where).split('\n').length, message });
  };
  check(unclosed, 'a comment, CDATA section or instruction that is not closed');
  check(markup.search(/<!DOCTYPE/i), noDocumentType);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  check(text.search(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/), 'a character that XML does not allow');
  check(
    markup.search(/&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-f]{1,6});)/i),
    'a & that begins no character reference: write &amp;',
  );
  const end = markup.trimEnd();
  if (end !== '' && !end.endsWith('>')) check(end.length - 1, 'text behind the last element');
  const { crossed, unclosed: open, tooDeep } = nestingOf(markup);
  check(crossed, 'a closing tag that closes nothing, or not what was opened last');
  check(open, 'an element that is not closed');
  check(tooDeep, 'nested too deep');
  // The parser looks through all of them for each that it adds.
  check(
    text.split('<?', mostInstructions + 2).length > mostInstructions + 1 ? 0 : -1,
    'too many instructions',
  );
  return found;
}

/** A configuration has one, or a few. */
const mostInstructions = 50;

const sections = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/** Comments, CDATA and instructions blanked, so that offsets still tell the line. */
function markupOf(text: string): { markup: string; unclosed: number } {
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', Math.max(at + 1, from))) {
    const section = sections.find(([opening]) => text.startsWith(opening, at));
    if (section === undefined) continue;
    const [opening, closing] = section;
    const end = text.indexOf(closing, at + opening.length);
    if (end === -1) return { markup: parts.join('') + text.slice(from), unclosed: at };
    const next = end + closing.length;
    parts.push(text.slice(from, at), text.slice(at, next).replace(/[^\n]/g, ' '));
    from = next;
  }
  return { markup: parts.join('') + text.slice(from), unclosed: -1 };
}

interface Nesting {
  /** Where a closing tag stands that does not fit, which the parser mends in silence; -1: nowhere. */
  readonly crossed: number;
  /** The first element that is left open, on which the parser spends long; -1: none. */
  readonly unclosed: number;
  readonly tooDeep: number;
}

function nestingOf(markup: string): Nesting {
  const open: XmlTag[] = [];
  for (const tag of tagsIn(markup)) {
    if (tag.kind === 'closing') {
      if (open.pop()?.name !== tag.name) return { crossed: tag.at, unclosed: -1, tooDeep: -1 };
    } else if (tag.kind === 'opening') {
      open.push(tag);
      if (open.length > deepest) return { crossed: -1, unclosed: -1, tooDeep: tag.at };
    }
  }
  return { crossed: -1, unclosed: open[0]?.at ?? -1, tooDeep: -1 };
}

/**
 * The parser ends its messages with `@#[line:3,col:1]` and begins some with its own name. What it
 * quotes from the file is left out: it may be a password.
 */
function parserProblem(message: string): XmlProblem {
  const line = Number(/@#\[line:(\d+)/.exec(message)?.[1] ?? 1);
  const [plain = ''] = message
    .replace(/^\[xmldom \w+\]\s*/, '')
    .replace('element parse error: Error: ', '')
    .replace(/\s*"[^"]*"/g, '')
    .split('\n');
  return {
    line: Math.max(line, 1),
    message: plain === 'unclosed xml attribute' ? 'an element that is not closed' : plain,
  };
}

function convert(element: Element, file: string, depth: number): XmlElement {
  const line = (element as unknown as { lineNumber?: number }).lineNumber ?? 1;
  if (depth > deepest) throw new MemberConfigError([`${file}:${line}: nested too deep`]);
  const attributes = new Map<string, string>();
  for (const { name, value } of Array.from(element.attributes)) {
    if (!name.includes(':') && name !== 'xmlns') attributes.set(name, value);
  }
  const nodes = Array.from(element.childNodes);
  return {
    name: element.localName,
    line,
    attributes,
    children: nodes
      .filter((node): node is Element => node.nodeType === elementNode)
      .map((child) => convert(child, file, depth + 1)),
    text: nodes
      .filter(({ nodeType }) => nodeType === textNode || nodeType === cdataNode)
      .map((node) => node.nodeValue ?? '')
      .join('')
      .trim(),
  };
}

const elementNode = 1;
const textNode = 3;
const cdataNode = 4;
