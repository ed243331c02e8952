import { OperationFailedError } from './operation-failed.ts';

/**
 * Splits the body of a management call into its positional values, which `&` joins (docs/member-surface.md#positional-bodies).
 * What is beyond the last position belongs to the last one.
 *
 * @param count  how many the endpoint takes
 * @returns the values, still encoded; `undefined` when there are fewer
 */
export function splitPositionalBody(body: Buffer, count: number): readonly string[] | undefined {
  const parts = body.toString('utf8').split('&');
  if (body.length === 0 || parts.length < count) return undefined;
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join('&')];
}

/**
 * Form-decodes one position: `%XX` as UTF-8, `+` as a space.
 *
 * @throws {OperationFailedError} for an escape that is none: the real engine's 500
 */
export function decodeField(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new OperationFailedError('a position is not form-encoded UTF-8', { cause });
  }
}
