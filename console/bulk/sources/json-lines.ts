/** JSON Lines: one object a line, by the names of our own export. */
import { isBlank, type Line, linesOf } from './lines.ts';
import { parsedObject, plainBytes, type Source, type SourceRecord, tooLong } from './source.ts';

export const readJsonLines: Source = async function* (bytes) {
  for await (const line of linesOf(plainBytes(bytes))) {
    if (!isBlank(line.bytes)) yield recordOf(line);
  }
};

export function recordOf({ line, bytes, isOpen }: Line): SourceRecord {
  if (!bytes) return { line, reason: tooLong };
  const { value, reason } = parsedObject(bytes, isOpen);
  return value ? { line, fields: value } : { line, reason: reason! };
}
