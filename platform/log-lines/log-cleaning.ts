/** What a log line may hold: no credential, no query, no control character (S85). */

const redacted = '[redacted]';
const maxDepth = 6;

type Fields = Record<string, unknown>;

/** A copy of `fields` that may be logged. */
export function cleanFields(fields: object): Fields {
  return cleanMap(fields, 0);
}

/** Without tokens and queries; controls are escaped even for JSON, since lines are read through `jq -r` too. */
export function cleanText(text: string): string {
  const clean = scrub(text);
  return hasUnusual.test(clean) ? clean.replace(unsafe, visible) : clean;
}

function cleanMap(fields: object, depth: number, textOf = cleanText): Fields {
  const clean: Fields = {};
  for (const [key, value] of Object.entries(fields)) {
    clean[textOf(key)] = isCredential(key) ? redacted : cleanValue(key, value, depth, textOf);
  }
  return clean;
}

/** What a field may hold by its name. */
export type FieldKind = 'credential' | 'address' | 'other';

export function kindOfField(key: string): FieldKind {
  if (isCredential(key)) return 'credential';
  return isAddress(key) ? 'address' : 'other';
}

/** The value of a field that is no credential. */
export function cleanString(kind: FieldKind, value: string): string {
  return cleanText(kind === 'address' ? withoutQuery(value) : value);
}

/** The same for whoever escapes what is unusual himself: names stay as they are. */
export function scrubString(kind: FieldKind, value: string): string {
  return scrub(kind === 'address' ? withoutQuery(value) : value);
}

/** The same as {@link cleanValue}, for whoever escapes what is unusual himself. */
export function scrubValue(key: string, value: unknown): unknown {
  return cleanValue(key, value, 0, scrub);
}

/** A copy that may be logged as the value of `key`, which names no credential. */
export function cleanValue(key: string, value: unknown, depth: number, textOf = cleanText): unknown {
  if (typeof value === 'string') return textOf(isAddress(key) ? withoutQuery(value) : value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '[…]';
  if (value instanceof Error) return cleanError(value, depth);
  if (Array.isArray(value)) return value.map((entry) => cleanValue(key, entry, depth + 1, textOf));
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return cleanValue(key, value.toJSON(), depth + 1, textOf);
  return cleanMap(value, depth + 1, textOf);
}

/** Type, message, code, stack and cause; an error's other members may hold a request or a password. */
function cleanError(error: Error, depth: number): Fields {
  const { code } = error as NodeJS.ErrnoException;
  const frames = /\n {4}at [\s\S]*$/.exec(error.stack ?? '')?.[0] ?? '';
  const message = cleanText(error.message);
  return {
    type: error.name,
    message,
    ...(code !== undefined && { code: cleanText(String(code)) }),
    stack: `${error.name}: ${message}${frames.split('\n').map(cleanText).join('\n')}`,
    ...(error.cause !== undefined && { cause: cleanValue('cause', error.cause, depth + 1) }),
  };
}

/** Most text is plain ASCII, and this test is cheap. */
const hasUnusual = /[^ -~]/;

/** Controls, and marks that turn the direction of the text after them. */
const unsafe = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

function visible(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Takes tokens, and the queries and passwords of addresses, out of free text. */
function scrub(text: string): string {
  let clean = text;
  if (clean.includes('eyJ')) clean = clean.replace(/eyJ[\w-]+\.[\w-]*\.[\w-]*/g, redacted);
  if (clean.includes('://')) {
    clean = clean
      .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"']*@/gi, '$1')
      .replace(/(\bhttps?:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, '$1');
  }
  return clean;
}

/** Lower-case names without `-` and `_`, or endings of them, whose values are never logged. */
const credentialNames = new Set([
  'code',
  'query',
  'querystring',
  'search',
  'body',
  'pwd',
  'state',
  'nonce',
  'pin',
]);
const credentialEndings =
  /(authorization|cookies?|password|passwd|passphrase|secrets?|tokens?|tokenhint|assertion|samlresponse|samlrequest|relaystate|privatekey|privatejwk|apikey|credentials?|(device|user)code|codeverifier|csrf)$/;
const addressEndings = /(url|uri|path|href|target|location|referr?er|origin)$/;

const isCredential = memoized((name) => credentialNames.has(name) || credentialEndings.test(name));
const isAddress = memoized((name) => addressEndings.test(name));

function withoutQuery(address: string): string {
  const end = address.search(/[?#]/);
  return end < 0 ? address : address.slice(0, end);
}

/** Field names are few and repeat on every line; names from outside must not fill the memory. */
function memoized(test: (name: string) => boolean): (key: string) => boolean {
  const answers = new Map<string, boolean>();
  return (key) => {
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = test(key.toLowerCase().replace(/[_-]/g, ''));
    if (answers.size < 1000) answers.set(key, answer);
    return answer;
  };
}
