import type { Context } from 'koa';
import { ProblemError } from '../../platform/errors.ts';
import { readWhole } from '../../platform/read-whole.ts';
import { problems } from '../errors.ts';

const maxBytes = 64 * 1024;

/**
 * Reads a body of one media type, up to 64 KiB.
 *
 * @throws {ProblemError} `unsupported_media_type`, `content_too_large`
 */
export async function readBody(ctx: Context, type: string): Promise<string> {
  if (ctx.request.type !== type) throw new ProblemError(problems.unsupportedMediaType, `Send ${type}.`);
  if ((ctx.request.length ?? 0) > maxBytes) throw tooLarge();
  const bytes = await readWhole(ctx.req, maxBytes);
  if (!bytes) throw tooLarge();
  return bytes.toString();
}

/** @throws {ProblemError} as {@link readBody}, and `invalid_request` for a field that is there twice */
export async function readForm(ctx: Context): Promise<ReadonlyMap<string, string>> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(await readBody(ctx, 'application/x-www-form-urlencoded'))) {
    if (fields.has(name))
      throw new ProblemError(problems.invalidRequest, 'A field of the form is there twice.');
    fields.set(name, value);
  }
  return fields;
}

function tooLarge(): ProblemError {
  return new ProblemError(problems.contentTooLarge, 'At most 64 KiB are read.', {
    headers: { Connection: 'close' },
  });
}
