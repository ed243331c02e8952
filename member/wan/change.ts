import { parseJson } from '../../platform/json.ts';
import type { StoredValue } from '../data/values.ts';
import { isStorableType } from '../storable-type.ts';

/** One change of a map on its way to another cluster. */
export interface WanChange {
  readonly map: string;
  /** `undefined`: the whole map was cleared. */
  readonly key: string | undefined;
  /** `undefined`: the key was removed. */
  readonly value: StoredValue | undefined;
}

/**
 * Writes changes one behind the other: a line of JSON with map, key, MIME type and length of the value
 * (-1: none), then the bytes of the value as they are.
 */
export function encodeChanges(changes: readonly WanChange[]): Buffer {
  return Buffer.concat(
    changes.flatMap(({ map, key, value }) => {
      const length = value?.bytes.length ?? -1;
      const line = JSON.stringify([map, key ?? null, value?.contentType ?? null, length]);
      return value === undefined ? [Buffer.from(`${line}\n`)] : [Buffer.from(`${line}\n`), value.bytes];
    }),
  );
}

/** Requests of ours end long before: their size is limited (`parts.ts`). */
export const mostChanges = 20_000;

/** @returns `undefined` when the bytes are not what {@link encodeChanges} writes, to the last one, or more of it than {@link mostChanges} */
export function decodeChanges(bytes: Buffer): readonly WanChange[] | undefined {
  const changes: WanChange[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (changes.length === mostChanges) return undefined;
    const end = bytes.indexOf(newline, at);
    const head = end === -1 ? undefined : readHead(bytes.toString('utf8', at, end));
    if (head === undefined) return undefined;
    const { map, key, contentType, length } = head;
    at = end + 1;
    if (length > bytes.length - at) return undefined;
    // A copy: the body that it is part of would stay in memory for as long as one value of it does.
    const value =
      length < 0 ? undefined : { bytes: Buffer.from(bytes.subarray(at, at + length)), contentType };
    changes.push({ map, key, value });
    at += Math.max(0, length);
  }
  return changes;
}

const newline = 0x0a;

interface Head {
  readonly map: string;
  readonly key: string | undefined;
  readonly contentType: string | undefined;
  readonly length: number;
}

function readHead(line: string): Head | undefined {
  const parts = parseJson(line);
  if (!Array.isArray(parts) || parts.length !== 4) return undefined;
  const [map, key, contentType, length] = parts as unknown[];
  if (!isName(map) || !(key === null || isName(key))) return undefined;
  if (!(contentType === null || isType(contentType))) return undefined;
  if (!Number.isInteger(length) || (length as number) < -1 || (key === null && length !== -1))
    return undefined;
  return { map, key: key ?? undefined, contentType: contentType ?? undefined, length: length as number };
}

/** What a path can name: an entry under anything else could never be read or removed by a caller. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/\p{Surrogate}/u.test(value);
}

/** What a later reply can carry as a header field. */
function isType(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && isStorableType(value);
}
