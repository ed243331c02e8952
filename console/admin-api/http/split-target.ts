/** The two parts of a request’s target. */
import type { IncomingMessage } from 'node:http';

export function splitTarget({ url = '' }: Pick<IncomingMessage, 'url'>): {
  readonly path: string;
  readonly query: string;
} {
  const end = url.indexOf('?');
  return end < 0 ? { path: url, query: '' } : { path: url.slice(0, end), query: url.slice(end + 1) };
}
