/** What of a stream is not its frames: how it begins, how it ends, and which address it is of. */
import type { ServerResponse } from 'node:http';
import type { PageContext } from '../page-tools.ts';
import { newestName } from './new-items.ts';

/** Why a stream ends: the page does something else for each. */
export type Reason = 'session-ended' | 'role-changed' | 'restart' | 'too-many' | 'gone';

export function begin(res: ServerResponse): void {
  res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
  res.flushHeaders();
}

/** Nothing has changed meanwhile; the page says that it is live again. */
export function resumed(id: string): string {
  return `id: ${id}\nevent: resumed\ndata: {}\n\n`;
}

export function bye(reason: Reason): string {
  return `event: bye\ndata: ${JSON.stringify({ reason })}\n\n`;
}

/** In one order, without what is of the stream. */
export function queryOf({ querystring }: PageContext): string {
  const query = new URLSearchParams(querystring);
  for (const name of ['live', 'after', newestName]) query.delete(name);
  query.sort();
  return query.toString();
}
