/** Long answers: encoded and sent a little at a time, so that whoever calls meanwhile does not wait for all of one. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { createPauses } from '../../../platform/async/pauses.ts';

/** To the socket at once: about a quarter of a millisecond. */
const chunkBytes = 32_768;
const sliceMs = 0.5;

/** @param texts  made as they are asked for. @returns them, in chunks */
export async function chunksOf(texts: Iterable<string>): Promise<readonly Buffer[]> {
  await turn();
  const pause = createPauses(sliceMs);
  const chunks: Buffer[] = [];
  let text = '';
  for (const one of texts) {
    text += one;
    if (text.length >= chunkBytes) {
      chunks.push(Buffer.from(text));
      text = '';
    }
    await pause();
  }
  if (text !== '') chunks.push(Buffer.from(text));
  return chunks;
}

/** What the caller does not take yet waits in memory, as a whole answer would. */
export async function sendChunks(
  res: ServerResponse,
  status: number,
  chunks: readonly Buffer[],
  fields: OutgoingHttpHeaders,
): Promise<void> {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  res.writeHead(status, { ...fields, 'Content-Length': length });
  for (const chunk of chunks.slice(0, -1)) {
    if (res.destroyed) return;
    res.write(chunk);
    await turn();
  }
  res.end(chunks.at(-1));
}
