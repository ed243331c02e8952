/** Reads `application/x-www-form-urlencoded` bodies, strictly: what cannot be understood is refused. */
import type { IncomingMessage } from 'node:http';

export class FormError extends Error {
  override readonly name = 'FormError';
  readonly status: 400 | 413;
  /** The name of a parameter that came more than once. */
  readonly repeated: string | undefined;
  /** The name of the parameter whose value is no text. */
  readonly field: string | undefined;

  constructor(
    status: 400 | 413,
    message: string,
    {
      repeated,
      field,
      ...options
    }: ErrorOptions & { readonly repeated?: string; readonly field?: string } = {},
  ) {
    super(message, options);
    this.status = status;
    this.repeated = repeated;
    this.field = field;
  }
}

/** Each name once. */
export type Form = ReadonlyMap<string, string>;

/** Bytes; a sign-in or token request is a fraction of it. */
export const formLimit = 65_536;

/**
 * @param limit  bytes
 * @throws {FormError} 413 over the limit, before reading when declared; 400 for another
 *   content type or coding, a bad escape or a repeated name
 */
export async function readForm(req: IncomingMessage, limit = formLimit): Promise<Form> {
  return parseForm(await readText(req, limit));
}

/** The same, where a repeated name is for somebody else to refuse. @throws {FormError} as {@link readForm} */
export async function readPairs(req: IncomingMessage, limit = formLimit): Promise<[string, string][]> {
  const pairs: [string, string][] = [];
  eachPair(await readText(req, limit), (name, value) => pairs.push([name, value]));
  return pairs;
}

function readText(req: IncomingMessage, limit: number): Promise<string> {
  const { 'content-type': type, 'content-encoding': coding, 'content-length': length } = req.headers;
  if (type === undefined || !isFormType(type)) {
    throw new FormError(400, 'the body must be application/x-www-form-urlencoded');
  }
  if (coding !== undefined) throw new FormError(400, 'the body must come without a content coding');
  if (Number(length) > limit) throw tooLarge();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else reject(tooLarge());
    });
    req.on('end', () => {
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      resolve(body.toString('latin1'));
    });
    // Also what a caller leaves behind who hangs up halfway.
    req.on('error', (cause) => reject(new FormError(400, 'the body did not arrive', { cause })));
  });
}

/**
 * @param text  one character for each byte
 * @throws {FormError} for a bad escape, bytes or escapes that are not UTF-8, or a repeated name
 */
export function parseForm(text: string): Form {
  const form = new Map<string, string>();
  eachPair(text, (name, value) => {
    if (form.has(name)) throw new FormError(400, 'a parameter is repeated', { repeated: name });
    form.set(name, value);
  });
  return form;
}

function eachPair(text: string, take: (name: string, value: string) => void): void {
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    if (at < 0) take(decode(pair), '');
    else {
      const name = decode(pair.slice(0, at));
      take(name, decode(pair.slice(at + 1), name));
    }
  }
}

/** What people type has no NUL in it, and some of what keeps text ends there. @throws {FormError} with the field */
export function checkText(form: Form): void {
  for (const [field, value] of form)
    if (value.includes('\0')) throw new FormError(400, 'a value has a NUL in it', { field });
}

/** @param field  whose value it is */
function decode(text: string, field?: string): string {
  if (!/[%+\x80-\xff]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' ').replace(/[\x80-\xff]/g, escapeByte));
  } catch (cause) {
    throw new FormError(400, 'the body has a bad escape', { cause, ...(field !== undefined && { field }) });
  }
}

/** Raw bytes beyond ASCII are read as UTF-8, as browsers and curl send them. */
function escapeByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16)}`;
}

function isFormType(type: string): boolean {
  if (type === 'application/x-www-form-urlencoded') return true;
  return /^application\/x-www-form-urlencoded\s*(?:;.*)?$/i.test(type);
}

function tooLarge(): FormError {
  return new FormError(413, 'the body is too large');
}
