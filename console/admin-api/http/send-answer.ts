/** How the answer of an operation goes out: as JSON, a list as CSV where that is asked for, a stream as it comes. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { z } from 'zod';
import { jsonChunks } from '../../../platform/async/json-in-chunks.ts';
import { sendJson } from '../../http/send.ts';
import { itemOf } from '../../operations/lists.ts';
import type { Answer, Operation } from '../../operations/operation.ts';
import { csvLines, csvType, prefersCsv } from './csv.ts';
import { chunksOf, sendChunks } from './long-answers.ts';
import { splitTarget } from './split-target.ts';

interface ListBody {
  readonly items: readonly object[];
  readonly next: string | null;
}

interface HttpCall {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** @returns when it has gone to the socket, which may take more than one turn */
export async function sendAnswer(
  { req, res }: HttpCall,
  { method, answer: schema, answerType = 'application/json', isLong, bodyLimit }: Operation<never>,
  answer: Answer,
): Promise<void> {
  const { body, version, target, headers } = answer;
  const stream = answer.stream ?? answer.bytes;
  const status = answer.status ?? (body || stream ? 200 : 204);
  const { path } = splitTarget(req);
  const fields = {
    'Cache-Control': 'no-store',
    // What a PUT has made is where it was put.
    ...(status === 201 && {
      Location: method === 'PUT' ? path : `${path}/${encodeURIComponent(target ?? '')}`,
    }),
    ...(version !== undefined && { ETag: `"${version}"` }),
    ...headers,
  };
  const item = prefersCsv(req.headers.accept) ? itemOf(schema) : undefined;
  if (stream) sendStream(res, stream, { 'Content-Type': answerType, ...fields });
  else if (item && body) await sendCsv({ req, res }, item, body as ListBody, fields);
  else if (body && (isLong || bodyLimit !== undefined || hasLongList(body)))
    await sendLong(res, status, body, fields);
  else if (body) sendJson(res, status, JSON.stringify(body), fields);
  else res.writeHead(status, fields).end();
}

/** More than are encoded at once. */
const fewItems = 20;

function hasLongList(body: object): boolean {
  return Object.values(body).some((member) => Array.isArray(member) && member.length > fewItems);
}

/** What may be of thousands becomes text by and by, and goes out so. */
async function sendLong(
  res: ServerResponse,
  status: number,
  body: object,
  fields: OutgoingHttpHeaders,
): Promise<void> {
  await sendChunks(res, status, await chunksOf(jsonChunks(body)), {
    ...fields,
    'Content-Type': 'application/json',
  });
}

/** A table has no place for where the next page is: that stands beside it (RFC 8288). */
async function sendCsv(
  { req, res }: HttpCall,
  item: z.ZodType,
  { items, next }: ListBody,
  fields: OutgoingHttpHeaders,
): Promise<void> {
  const { path, query } = splitTarget(req);
  const params = new URLSearchParams(query);
  if (next) params.set('cursor', next);
  await sendChunks(res, 200, await chunksOf(csvLines(item, items)), {
    ...fields,
    ...(next && { Link: `<${path}?${params}>; rel="next"` }),
    'Content-Type': `${csvType}; charset=utf-8; header=present`,
  });
}

function sendStream(
  res: ServerResponse,
  stream: AsyncIterable<string | Uint8Array>,
  fields: OutgoingHttpHeaders,
): void {
  res.writeHead(200, fields);
  // Its end is the caller's affair: what breaks off is asked for again.
  pipeline(Readable.from(stream), res).catch(() => {});
}
