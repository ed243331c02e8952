/** Entries as they come: an export from its beginning to its end, and what is written from now on. */
import type { EntryFilter } from '../../audit/index/filter.ts';
import type { AuditReader, ExportFormat, ExportPlace, Reached } from '../../audit/reader/questions.ts';
import { viewOfEntry } from './entry-view.ts';

/** A line that says nothing keeps what stands between from ending it. */
const aliveMs = 15_000;
/** Of one question. */
const waitMs = 2000;
/** Then whoever follows asks again, with a token that still holds. */
const longestMs = 300_000;

/**
 * Part by part, as they are read.
 *
 * @throws {ProblemError} and {@link StorageUnavailableError}, of the first part: whoever asked is answered with it
 */
export async function exportEntries(
  reader: AuditReader,
  format: ExportFormat,
  filter: EntryFilter,
): Promise<AsyncIterable<string>> {
  const partAt = (place?: ExportPlace) => reader.ask('export', { format, filter, place });
  const first = await partAt();

  async function* parts(): AsyncGenerator<string, void> {
    for (let part = first; ; part = await partAt(part.place)) {
      if (part.text !== '') yield part.text;
      if (!part.place) return;
    }
  }
  return parts();
}

/** Server-sent events; `id` of each is where whoever was cut off goes on. */
export async function* followEntries(
  reader: AuditReader,
  filter: EntryFilter,
  from: Reached,
): AsyncGenerator<string, void> {
  const until = performance.now() + longestMs;
  let after = from;
  let said = performance.now();
  yield `id: ${placeText(after)}\n: from here on\n\n`;
  while (performance.now() < until) {
    const found = await reader.ask('follow', { filter, after, waitMs });
    after = found.after;
    const events = found.entries.map(
      (entry) => `event: entry\ndata: ${JSON.stringify(viewOfEntry(entry))}\n`,
    );
    const last = events.pop();
    // Only the last of them stands for all: they are of several writers.
    for (const event of events) yield `${event}\n`;
    if (last !== undefined) yield `${last}id: ${placeText(after)}\n\n`;
    else if (performance.now() - said > aliveMs) yield ': alive\n\n';
    else continue;
    said = performance.now();
  }
}

export function placeText(reached: Reached): string {
  return Buffer.from(JSON.stringify(reached)).toString('base64url');
}

/** @returns undefined when it is none */
export function readPlace(text: string): Reached | undefined {
  try {
    const reached = JSON.parse(Buffer.from(text, 'base64url').toString()) as Reached;
    const entries = Object.entries(reached);
    const isPlace = entries.every(
      ([name, seq]) => /^[a-z0-9]{4,26}$/.test(name) && Number.isSafeInteger(seq),
    );
    return isPlace && entries.length <= 1000 ? reached : undefined;
  } catch {
    return undefined; // no JSON
  }
}
