/** Values of members as a page shows them, and as a form gives them: the bytes stay what they are. */
import type { ShownValue, ValueForm } from '../../../views/management/cluster/value.tsx';
import type { Form } from '../../http/form.ts';

/** As the admin API has a value. */
export interface StoredValue {
  /** Media type that was stored with it. */
  readonly type: string | null;
  /** Its size. */
  readonly bytes: number;
  /** In base64. */
  readonly value: string;
  /** That answered; absent of items of queues. */
  readonly member?: string | null;
}

/** Of what stands on a page; the rest is downloaded. */
export const mostShownBytes = 64 * 1024;

/** Drawings that can run nothing, by their first bytes: what a browser draws is theirs, whatever type was stored. */
const rasters: readonly { readonly type: string; readonly begins: readonly (number | undefined)[] }[] = [
  { type: 'image/png', begins: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: 'image/jpeg', begins: [0xff, 0xd8, 0xff] },
  { type: 'image/gif', begins: [0x47, 0x49, 0x46, 0x38] },
  {
    type: 'image/webp',
    begins: [0x52, 0x49, 0x46, 0x46, ...Array(4).fill(undefined), 0x57, 0x45, 0x42, 0x50],
  },
];

/** @returns the media type of a drawing; undefined of anything else, SVG among it */
export function rasterType(bytes: Uint8Array): string | undefined {
  return rasters.find(({ begins }) => begins.every((byte, at) => byte === undefined || bytes[at] === byte))
    ?.type;
}

/** @param asked  the form in which it is wanted; else that which fits */
export function shownValue(stored: StoredValue, asked: string | undefined): ShownValue {
  const all = Buffer.from(stored.value, 'base64');
  const bytes = all.subarray(0, mostShownBytes);
  const text = textOf(all);
  const json = text === undefined ? undefined : indentedJson(text);
  const forms: ValueForm[] = [
    ...(rasterType(all) === undefined ? [] : (['image'] as const)),
    ...(json === undefined ? [] : (['json'] as const)),
    ...(text === undefined ? [] : (['text'] as const)),
    'hex',
  ];
  const form = forms.find((each) => each === asked) ?? forms[0]!;
  const shown = { image: '', json: json ?? '', text: text ?? '', hex: hexOf(bytes) }[form];
  return {
    type: stored.type,
    bytes: stored.bytes,
    form,
    forms,
    text: shown.slice(0, form === 'hex' ? undefined : mostShownBytes),
    isCut: form === 'hex' ? all.length > bytes.length : shown.length > mostShownBytes,
  };
}

/** @returns undefined for what is no text, or has characters that no page can show */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    return /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Indented, each number and string as it was sent: a parsed number could be another one. @returns undefined for no object or array */
export function indentedJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text) || !isJson(text)) return undefined;
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g) ?? [];
  let depth = 0;
  let written = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  tokens.forEach((token, at) => {
    const isOpening = token === '{' || token === '[';
    const isEmpty = isOpening && '}]'.includes(tokens[at + 1]!);
    if (token === '}' || token === ']') {
      depth -= 1;
      written += '{['.includes(tokens[at - 1]!) ? token : line() + token;
      return;
    }
    if (isOpening) depth += 1;
    written += token === ':' ? ': ' : token;
    if (token === ',' || (isOpening && !isEmpty)) written += line();
  });
  return written;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Sixteen bytes a line: where they stand, what they are, and their letters. */
function hexOf(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const letters = row
      .map((byte) => (byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : '.'))
      .join('');
    lines.push(`${at.toString(16).padStart(8, '0')}  ${hex.padEnd(47)}  ${letters}`);
  }
  return lines.join('\n');
}

export interface TypedValue {
  readonly value: string;
  readonly encoding: 'text' | 'base64';
  readonly type: string;
}

export function typedValue(form: Form): TypedValue {
  return {
    value: form.get('value') ?? '',
    encoding: form.get('encoding') === 'base64' ? 'base64' : 'text',
    type: form.get('type')?.trim() ?? '',
  };
}

/** For the form of the value that is stored. */
export function typedOf({ type, value }: StoredValue): TypedValue {
  const text = textOf(Buffer.from(value, 'base64'));
  return text === undefined
    ? { value, encoding: 'base64', type: type ?? '' }
    : { value: text, encoding: 'text', type: type ?? '' };
}

/** As an operation takes it. A form ends lines with two characters (HTML, form submission), which nobody has typed. */
export function givenValue({ value, encoding, type }: TypedValue) {
  const bytes =
    encoding === 'base64'
      ? value.replaceAll(/\s/g, '')
      : Buffer.from(value.replaceAll('\r\n', '\n')).toString('base64');
  return { value: bytes, type: type === '' ? null : type };
}

/** Whether it says that it is JSON, and is not. */
export function isBrokenJson({ value, encoding, type }: TypedValue): boolean {
  return encoding === 'text' && /^application\/(?:[\w.+-]+\+)?json\b/i.test(type) && !isJson(value);
}

/** Name and number of an entry in a range: `order-[1-50]`. */
const range = /^(.*)\[(\d{1,9})-(\d{1,9})\](.*)$/s;

/** Of a page; more are asked for by a program. */
export const mostKeys = 100;

/** @returns the keys that are meant, in their order; undefined when they are more than {@link mostKeys} */
export function keysIn(text: string): readonly string[] | undefined {
  const keys: string[] = [];
  for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
    if (line === '') continue;
    const [, before, from, to, after] = range.exec(line) ?? [];
    if (before === undefined) keys.push(line);
    else if (Number(to) - Number(from) >= mostKeys) return undefined;
    else for (let at = Number(from); at <= Number(to); at++) keys.push(`${before}${at}${after}`);
    if (keys.length > mostKeys) return undefined;
  }
  return [...new Set(keys)];
}
