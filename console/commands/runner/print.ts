/** What a command has answered, on its way to a terminal or a program; a long list a part at a time. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Reply, ReplyPart } from './command.ts';

export async function printReply({ text, json, rest }: Reply, isJson: boolean, out: Writable): Promise<void> {
  // An export to standard output has nothing to add.
  if (text === '' && !isJson && !rest) return;
  if (!rest) return write(out, `${isJson ? JSON.stringify(json, undefined, 2) : text}\n`);
  const first = { text, json: json as readonly unknown[] };
  if (isJson) return printArray(first, rest, out);
  await write(out, `${text}\n`);
  for await (const part of rest) await write(out, `${part.text}\n`);
}

/** Parts of one array, as if it were printed whole. */
async function printArray(first: ReplyPart, rest: AsyncIterable<ReplyPart>, out: Writable): Promise<void> {
  const whole = JSON.stringify(first.json, undefined, 2);
  await write(out, first.json.length === 0 ? whole : whole.slice(0, -'\n]'.length));
  for await (const { json } of rest) {
    await write(out, `,\n${JSON.stringify(json, undefined, 2).slice('[\n'.length, -'\n]'.length)}`);
  }
  await write(out, first.json.length === 0 ? '\n' : '\n]\n');
}

/** Waits for whoever reads. */
async function write(out: Writable, text: string): Promise<void> {
  if (!out.write(text) && !out.destroyed) await once(out, 'drain').catch(() => {});
}
