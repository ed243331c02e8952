/** Lists by pages: `?limit=` and `?cursor=`, and where the next page is, as a link (RFC 8288). */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { QueryCall } from './router.ts';

export const pageNames = ['limit', 'cursor'] as const;

export interface AskedPage {
  readonly limit: number;
  readonly after?: string | undefined;
}

/** As many as were ever given in one answer of an installation whose answers could be read. */
const mostItems = 500;
const cursorForm = 'v1:';

/** @throws {ProblemError} `invalid_request`, `invalid_cursor` */
export function askedPage({ query }: Pick<QueryCall, 'query'>): AskedPage {
  const limit = Number(query.get('limit') ?? mostItems);
  if (!Number.isInteger(limit) || limit < 1 || limit > mostItems) {
    throw new ProblemError(problems.invalidRequest, `The limit is a number from 1 to ${mostItems}.`);
  }
  const cursor = query.get('cursor');
  return cursor === null ? { limit } : { limit, after: readCursor(cursor) };
}

/** Header fields that say where the next page is, if there is one. */
export function nextPage(
  path: string,
  { limit }: AskedPage,
  next: string | undefined,
): Record<string, string> {
  if (next === undefined) return {};
  const cursor = Buffer.from(cursorForm + next).toString('base64url');
  return { Link: `<${path}?limit=${limit}&cursor=${cursor}>; rel="next"` };
}

function readCursor(cursor: string): string {
  const text = /^[\w-]{1,512}$/.test(cursor) ? Buffer.from(cursor, 'base64url').toString() : '';
  if (text.startsWith(cursorForm) && /^[\x20-\x7e]+$/.test(text)) return text.slice(cursorForm.length);
  throw new ProblemError(problems.invalidCursor, 'This cursor is none that an answer here has given.');
}
