/** Values of members as a page shows them, and as a form gives them: the bytes stay what they are. */
import type { ShownValue, ValueForm } from '../../../views/management/cluster/value.tsx';
import type { Form } from '../../http/form.ts';
import { indentedXml } from './xml.ts';

/** As the admin API has a value. */
export interface StoredValue {
  /** Media type that was stored with it. */
  readonly type: string | null;
  /** Its size. */
  readonly bytes: number;
  /** In base64; of a very large one, the beginning. */
  readonly value: string;
  /** That answered; absent of items of queues. */
  readonly member?: string | null;
}

/** Up to so many bytes stand on a page whole, and can be edited there. */
const mostWholeBytes = 256 * 1024;
/** Of what is larger. */
export const beginningBytes = 64 * 1024;
/** Of JSON that is indented: a little text can be very deep. */
const mostIndented = 1024 * 1024;

/** All of it was given, and can be given back. */
export function isComplete({ bytes, value }: StoredValue): boolean {
  return Buffer.byteLength(value, 'base64') === bytes;
}

/** A value whose bytes were read once. */
export interface OpenedValue {
  readonly stored: StoredValue;
  readonly bytes: Buffer;
  /** Of what of them stands on a page; undefined where that is no text, or has characters that no page can show. */
  readonly text: string | undefined;
  readonly isWhole: boolean;
}

export function openValue(stored: StoredValue): OpenedValue {
  const bytes = Buffer.from(stored.value, 'base64');
  const isWhole = stored.bytes <= mostWholeBytes;
  const beginning = isWhole ? bytes : bytes.subarray(0, beginningBytes);
  return { stored, bytes, text: textOf(beginning, isWhole), isWhole };
}

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
export function shownValue(opened: OpenedValue, asked: string | undefined): ShownValue {
  const { stored, bytes, text, isWhole } = opened;
  const whole = isWhole ? text : undefined;
  const json = whole === undefined ? undefined : indentedJson(whole);
  const xml = whole === undefined ? undefined : indentedXml(whole, mostIndented);
  const forms: ValueForm[] = [
    ...(rasterType(bytes) === undefined ? [] : (['image'] as const)),
    ...(json === undefined ? [] : (['json'] as const)),
    ...(xml === undefined ? [] : (['xml'] as const)),
    ...(text === undefined ? [] : (['text'] as const)),
    'hex',
  ];
  const form = forms.find((each) => each === asked) ?? forms[0]!;
  const shownIn = {
    image: () => '',
    json: () => json!,
    xml: () => xml!,
    text: () => text!,
    hex: () => hexOf(bytes.subarray(0, beginningBytes)),
  };
  const isCut = form === 'hex' ? stored.bytes > beginningBytes : !isWhole;
  return { type: stored.type, bytes: stored.bytes, form, forms, text: shownIn[form](), isCut, isWhole };
}

/** @param isWhole  else the last character may be cut */
function textOf(bytes: Uint8Array, isWhole: boolean): string | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const text = decoder.decode(bytes, { stream: !isWhole });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    return /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

const jsonToken = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g;

/**
 * Indented, each number and string as it was sent: a parsed number could be another one.
 *
 * @returns undefined for no object or array, and where indenting makes too much of it
 */
function indentedJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text) || !isJson(text)) return undefined;
  let depth = 0;
  let before = '';
  let written = '';
  for (const [token] of text.matchAll(jsonToken)) {
    const isClosing = token === '}' || token === ']';
    if (isClosing) depth -= 1;
    const isEmpty = isClosing && isOpening(before);
    if (isOpening(before) || before === ',' || isClosing) {
      if (!isEmpty) written += `\n${'  '.repeat(depth)}`;
    }
    written += token === ':' ? ': ' : token;
    if (isOpening(token)) depth += 1;
    if (written.length > mostIndented) return undefined;
    before = token;
  }
  return written;
}

function isOpening(token: string): boolean {
  return token === '{' || token === '[';
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

/** For the form that gives another value: what is stored, where it stands on the page whole. */
export function typedOf({ stored: { type, value }, text, isWhole }: OpenedValue): TypedValue {
  if (!isWhole) return { value: '', encoding: 'text', type: type ?? '' };
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
