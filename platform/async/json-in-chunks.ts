/** JSON of what is large: thousands of objects hold up nobody while they become text. */
import { createPauses } from './pauses.ts';

/** Of objects with a long list, or in objects: what is further in is small. */
const depth = 3;
/** What a list of more has in it becomes text at once, each. */
const longList = 50;

/** As `JSON.stringify` of what has no method of its own for it, with pauses in between. */
export async function stringifyInChunks(value: object): Promise<string> {
  const pause = createPauses(0.5);
  const chunks: string[] = [];
  for (const chunk of jsonChunks(value)) {
    chunks.push(chunk);
    await pause();
  }
  return chunks.join('');
}

/** The same text, for whoever pauses between its pieces. */
export function jsonChunks(value: object): Iterable<string> {
  return chunksOf(value, depth);
}

function* chunksOf(value: unknown, left: number): Generator<string> {
  if (typeof value !== 'object' || value === null || left === 0) {
    yield JSON.stringify(value) ?? 'null';
    return;
  }
  const isList = Array.isArray(value);
  const names = Object.keys(value).filter((name) => isList || value[name as never] !== undefined);
  const further = names.length > longList ? 0 : left - 1;
  yield isList ? '[' : '{';
  let separator = '';
  for (const name of names) {
    const head = isList ? separator : `${separator}${JSON.stringify(name)}:`;
    const member: unknown = value[name as never];
    if (further === 0) yield head + (JSON.stringify(member) ?? 'null');
    else {
      yield head;
      yield* chunksOf(member, further);
    }
    separator = ',';
  }
  yield isList ? ']' : '}';
}
