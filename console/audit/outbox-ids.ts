/** Which entries of the store's outbox are in the audit already. */
import { createPauses } from '../../platform/async/pauses.ts';
import { entriesOfSegment, segmentsOf, writersOf } from './segments/segment-reader.ts';

/** A clock that was put back while a file was begun makes one look older than it is. */
const olderSegments = 2;

/**
 * @param ids    as entries have them in `outbox`
 * @param since  none of them was written before, epoch milliseconds
 * @returns those that were found
 */
export async function outboxIdsIn(
  directory: string,
  ids: ReadonlySet<string>,
  since: number,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const pause = createPauses(2);
  for (const writer of writersOf(directory)) {
    let older = 0;
    for (const segment of segmentsOf(directory, writer).toReversed()) {
      for (const { stored } of entriesOfSegment(segment, writer, { onDamage() {} })) {
        const id = outboxIdOf(stored);
        if (id !== undefined && ids.has(id)) found.add(id);
        await pause();
      }
      if (found.size === ids.size) return found;
      if ((segment.header?.time ?? 0) < since && ++older === olderSegments) break;
    }
  }
  return found;
}

const field = Buffer.from('"outbox":"');

/** From the bytes: within a text a quote has a backslash before it. */
function outboxIdOf(line: Buffer): string | undefined {
  const at = line.lastIndexOf(field);
  if (at < 0) return undefined;
  const end = line.indexOf('"', at + field.length);
  return line.toString('latin1', at + field.length, end);
}
