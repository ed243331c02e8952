/**
 * Entries on their way to whoever writes them: what is said of events, not yet as lines. The thread that serves compares each
 * value with the one before and hands over those that differ; lines are made where they are written.
 *
 * A batch is text, one record behind the other, and batches one behind the other are a batch:
 *
 * | Record | |
 * |---|---|
 * | `B`, size, text | the body of an entry, as it is |
 * | `F` | the first shape of a batch follows: those before are forgotten |
 * | `S`, size, text | a shape: JSON of an event and the names of its fields, in order; its values are undefined |
 * | `T`, milliseconds and a space | the time of entries from here on |
 * | `+`, number | so many milliseconds later |
 * | number of a shape, values, `.` | an entry |
 *
 * A value is the number of its field, a number that says its form, and its text. Numbers are characters that JSON does not
 * escape, so that nothing grows on the way to another process.
 */

export const tags = { body: 'B', first: 'F', shape: 'S', time: 'T', later: '+', end: '.' } as const;

/** Behind all tags, and behind the backslash. */
const firstCode = 0x5d;
/** Numbers that one character of one byte can be. */
export const mostNumber = 0xff - firstCode;

/** Of a value; up to the first of them it is the length of a text. */
export const forms = { long: 150, number: 151, nothing: 152, yes: 153, no: 154 } as const;

/** Each number as a character. */
export const characters: readonly string[] = Array.from({ length: mostNumber + 1 }, (_, number) =>
  String.fromCharCode(firstCode + number),
);

/** @returns what is no number when there stands a tag */
export function numberAt(text: string, at: number): number {
  return text.charCodeAt(at) - firstCode;
}

/** A text with its size before it. */
export function sized(text: string): string {
  return `${text.length} ${text}`;
}
