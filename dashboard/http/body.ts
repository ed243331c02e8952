import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { ProblemError } from '../errors.ts';

const maxBytes = 64 * 1024;

/**
 * Reads a body of one media type, up to 64 KiB.
 *
 * @throws {ProblemError} `unsupported_media_type`, `content_too_large`
 */
export async function readBody(ctx: Context, type: string): Promise<string> {
  if (ctx.request.type !== type) throw new ProblemError('unsupported_media_type', `Send ${type}.`);
  if ((ctx.request.length ?? 0) > maxBytes) throw tooLarge();
  return readText(ctx.req);
}

/** @throws {ProblemError} as {@link readBody}, and `invalid_request` for a field that is there twice */
export async function readForm(ctx: Context): Promise<ReadonlyMap<string, string>> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(await readBody(ctx, 'application/x-www-form-urlencoded'))) {
    if (fields.has(name)) throw new ProblemError('invalid_request', 'A field of the form is there twice.');
    fields.set(name, value);
  }
  return fields;
}

async function readText(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of req) {
    size += part.length;
    if (size > maxBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function tooLarge(): ProblemError {
  return new ProblemError('content_too_large', 'At most 64 KiB are read.', {
    headers: { Connection: 'close' },
  });
}
