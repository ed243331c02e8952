/** The head of a request as the real engine reads it: `Name: value` with exactly one space (docs/member-surface.md#on-the-wire). */

export interface RequestHeadParts {
  readonly method: string;
  /** Origin-form, byte for byte. */
  readonly path: string;
  readonly host: string;
  /** Names and values in turn. */
  readonly fields: readonly string[];
  /** Its length is undefined when only its end will tell. */
  readonly body: { readonly length: number | undefined } | undefined;
}

/** What would end a line, or does not fit a byte. Nothing like it gets here; this is the last place to look. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const illegal = /[\x00-\x08\x0a-\x1f\x7f\u0100-\uffff]/;

/** @throws {Error} for a path or field that would not stay on its line */
export function requestHead({ method, path, host, fields, body }: RequestHeadParts): string {
  checkLine(path);
  // A body of unknown length leaves a byte behind at the real engine, so nothing may follow it (docs/member-surface.md#on-the-wire).
  const isChunked = body !== undefined && body.length === undefined;
  const connection = isChunked ? 'close' : 'keep-alive';
  let head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: ${connection}\r\n`;
  for (let i = 0; i < fields.length; i += 2) {
    checkLine(fields[i + 1]!);
    head += `${fields[i]}: ${fields[i + 1]}\r\n`;
  }
  return `${head}${framing(method, body, isChunked)}\r\n`;
}

/** Without a length, the real engine takes a write's body for absent, not for empty. */
function framing(method: string, body: RequestHeadParts['body'], isChunked: boolean): string {
  if (isChunked) return 'Transfer-Encoding: chunked\r\n';
  if (body === undefined && method !== 'POST' && method !== 'PUT') return '';
  return `Content-Length: ${body?.length ?? 0}\r\n`;
}

function checkLine(text: string): void {
  if (illegal.test(text)) throw new Error('a line for a member holds a character that would end it');
}
