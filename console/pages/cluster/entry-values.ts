/** The value of an entry as bytes, whatever its size: given at the pace of who reads it, and put from a file. */
import { Readable } from 'node:stream';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { sizeText } from '../../../views/management/cluster/value.tsx';
import type { FieldError } from '../../../views/management/forms/fields.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { fieldErrorsOf, type PageContext, type PageTools } from '../page-tools.ts';
import { rasterType } from './values.ts';

export function createValuePages({ run }: Pick<PageTools, 'run'>) {
  return {
    /** The bytes alone: a drawing for its page, or all of it as a file. Nothing of it runs (S35). */
    async value(ctx: PageContext): Promise<void> {
      const { bytes, headers } = await run(ctx, 'readMapValue', { params: paramsOf(ctx) });
      const { first, all } = await withFirst(bytes!);
      const drawing = ctx.state.form.has('download') || !first ? undefined : rasterType(first);
      ctx.set('Content-Security-Policy', "sandbox; default-src 'none'");
      ctx.set('X-Content-Type-Options', 'nosniff');
      ctx.set('Cross-Origin-Resource-Policy', 'same-origin');
      ctx.set('Cache-Control', 'no-store');
      ctx.set('Content-Disposition', drawing === undefined ? 'attachment; filename="value"' : 'inline');
      ctx.body = Readable.from(all);
      ctx.type = drawing ?? 'application/octet-stream';
      const { 'Content-Length': length } = headers ?? {};
      if (length !== undefined) ctx.length = Number(length);
    },
  };
}

/** @param type  empty: none. @throws {ProblemError} */
export async function putBytes(
  ctx: PageContext,
  { run }: Pick<PageTools, 'run'>,
  bytes: Buffer,
  type: string,
): Promise<void> {
  const ifMatch = ctx.state.form.get('version');
  await run(ctx, 'putMapValue', {
    params: paramsOf(ctx),
    query: type === '' ? {} : { type },
    readBody: async () => [bytes],
    ...(ifMatch === undefined ? { isNew: true } : { ifMatch }),
  });
}

export function fileError(text: string): FieldError {
  return { field: 'file', text };
}

/** @throws what no form can say */
export function fileErrorsOf(error: unknown, mostBytes: number, t: Translate): readonly FieldError[] {
  if (error instanceof ProblemError && error.problem === problems.contentTooLarge) {
    return [fileError(t('values.fileTooLarge', { size: sizeText(mostBytes, t) }))];
  }
  return fieldErrorsOf(error, (pointer) => (pointer === '?type' ? 'file_type' : undefined), t);
}

function paramsOf({ params }: PageContext) {
  return { map: String(params.map), key: String(params.key) };
}

/** What it begins with, and all of it for who reads it once. */
async function withFirst(bytes: AsyncIterable<Uint8Array>) {
  const rest = bytes[Symbol.asyncIterator]();
  let ahead: IteratorResult<Uint8Array> | undefined = await rest.next();
  const all: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => all,
    async next() {
      const next = ahead ?? (await rest.next());
      ahead = undefined;
      return next;
    },
    async return() {
      await rest.return?.();
      return { done: true, value: undefined };
    },
  };
  return { first: ahead.done ? undefined : ahead.value, all };
}
