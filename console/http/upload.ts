/** Reads a form with a file in it (`multipart/form-data`, RFC 7578), strictly: what cannot be understood is refused. */
import type { IncomingMessage } from 'node:http';
import { type Form, FormError } from './form.ts';

/** Bytes; a logo and what stands around it. */
const uploadLimit = 131_072;
const mostParts = 20;

/**
 * @param limit  bytes
 * @returns text by name, and a file in base64 by the name of its control; empty where none was chosen
 * @throws {FormError} 413 over the limit; 400 for another content type or coding, and for a body that is none
 */
export async function readUpload(req: IncomingMessage, limit = uploadLimit): Promise<Form> {
  const { 'content-type': type = '', 'content-encoding': coding } = req.headers;
  const [, quoted, plain] =
    /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw new FormError(400, 'the body must be multipart/form-data');
  if (coding !== undefined) throw new FormError(400, 'the body must come without a content coding');
  const form = new Map<string, string>();
  for (const part of partsOf(await readBytes(req, limit), boundary)) {
    const { name, isFile } = dispositionOf(part.head);
    if (form.has(name)) throw new FormError(400, 'a parameter is repeated', { repeated: name });
    form.set(name, isFile ? part.body.toString('base64') : textOf(part.body, name));
  }
  return form;
}

async function readBytes(req: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(req.headers['content-length']) > limit) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (cause) {
    throw cause instanceof FormError ? cause : new FormError(400, 'the body did not arrive', { cause });
  }
  return Buffer.concat(chunks);
}

interface Part {
  readonly head: string;
  readonly body: Buffer;
}

function partsOf(bytes: Buffer, boundary: string): readonly Part[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // So that the first one looks like all others.
  const whole = Buffer.concat([Buffer.from('\r\n'), bytes]);
  const parts: Part[] = [];
  let at = whole.indexOf(delimiter);
  for (;;) {
    const start = at + delimiter.length;
    if (at >= 0 && whole.toString('latin1', start, start + 2) === '--') return parts;
    const headEnd = whole.indexOf('\r\n\r\n', start);
    const end = whole.indexOf(delimiter, start);
    if (at < 0 || headEnd < 0 || end < headEnd + 2 || parts.length === mostParts) {
      throw new FormError(400, 'the body is no multipart/form-data');
    }
    parts.push({
      head: whole.toString('utf8', start + 2, headEnd),
      body: whole.subarray(Math.min(headEnd + 4, end), end),
    });
    at = end;
  }
}

function dispositionOf(head: string): { readonly name: string; readonly isFile: boolean } {
  const line = head.split('\r\n').find((each) => /^content-disposition\s*:/i.test(each)) ?? '';
  const name = /;\s*name="([^"]*)"/i.exec(line)?.[1];
  if (!/^content-disposition\s*:\s*form-data\s*;/i.test(line) || name === undefined) {
    throw new FormError(400, 'a part of the body has no name');
  }
  return { name, isFile: /;\s*filename\*?=/i.test(line) };
}

function textOf(bytes: Buffer, field: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new FormError(400, 'a part of the body is not UTF-8', { cause, field });
  }
}

function tooLarge(): FormError {
  return new FormError(413, 'the body is too large');
}
