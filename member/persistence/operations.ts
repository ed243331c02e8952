import { crc32 } from 'node:zlib';
import type { Change } from '../data/changes.ts';

/**
 * One change as bytes: how many follow (4), a checksum over them (4), a line of JSON with all of it but the value, and
 * the value as it is. So each is known to be whole by itself.
 */
export type Operation = Buffer;

const headBytes = 8;
const lineStart = 0x5b; // [
const newline = 0x0a;
const noBytes = Buffer.alloc(0);

function operation(line: readonly unknown[], value: Buffer = noBytes): Operation {
  const json = JSON.stringify(line);
  const jsonBytes = Buffer.byteLength(json);
  const bytes = Buffer.allocUnsafe(headBytes + jsonBytes + 1 + value.length);
  bytes.write(json, headBytes);
  bytes[headBytes + jsonBytes] = newline;
  value.copy(bytes, headBytes + jsonBytes + 1);
  bytes.writeUInt32BE(bytes.length - headBytes, 0);
  bytes.writeUInt32BE(crc32(bytes.subarray(headBytes)), 4);
  return bytes;
}

/** The first and the last one of each file: a file without its end was cut short, by a kill at best. */
export const bounds = { begin: operation(['begin', 1]), end: operation(['end']) };

export function operationOf(change: Change): Operation {
  switch (change.kind) {
    case 'put': {
      const { contentType, bytes } = change.value;
      return operation(['put', change.map, change.key, change.writtenAt, contentType ?? null], bytes);
    }
    case 'offer': {
      const { contentType, bytes } = change.item;
      return operation(['offer', change.queue, change.number, contentType ?? null], bytes);
    }
    case 'remove':
    case 'expired':
      return operation(['remove', change.map, change.key]);
    case 'clear':
      return operation(['clear', change.map]);
    case 'delivered':
      return operation(['delivered', change.queue, change.number]);
  }
}

/** @returns where the operation ends that begins at `at`; `undefined` when there is none that is whole */
export function endOf(bytes: Buffer, at: number): number | undefined {
  const from = at + headBytes;
  if (from >= bytes.length) return undefined;
  const end = from + bytes.readUInt32BE(at);
  if (end > bytes.length || end === from) return undefined;
  return crc32(bytes.subarray(from, end)) === bytes.readUInt32BE(at + 4) ? end : undefined;
}

/** How many bytes the first operation says that it has, if it is one. */
export function bytesOf(bytes: Buffer): number {
  return bytes.length < headBytes ? Infinity : headBytes + bytes.readUInt32BE(0);
}

/** Every change that is whole, of a file that need not be. */
export function wholeOperations(bytes: Buffer): Operation[] {
  const whole: Operation[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes[at + headBytes] === lineStart ? endOf(bytes, at) : undefined;
    if (end !== undefined && isChange(bytes.subarray(at, end))) whole.push(bytes.subarray(at, end));
    at = end ?? at + 1;
  }
  return whole;
}

function isChange(bytes: Operation): boolean {
  const read = readOperation(bytes);
  return read !== undefined && read.kind !== 'begin' && read.kind !== 'end';
}

export type Bound = { readonly kind: 'begin' } | { readonly kind: 'end' };

/** @returns `undefined` for what this release does not know */
export function readOperation(bytes: Operation): Change | Bound | undefined {
  const lineEnd = bytes.indexOf(newline, headBytes);
  const [kind, name, second, third, fourth] = JSON.parse(bytes.toString('utf8', headBytes, lineEnd));
  const valueWith = (contentType: string | null) => ({
    bytes: bytes.subarray(lineEnd + 1),
    contentType: contentType ?? undefined,
  });
  switch (kind) {
    case 'put':
      return { kind, map: name, key: second, writtenAt: third, value: valueWith(fourth) };
    case 'remove':
      return { kind, map: name, key: second };
    case 'clear':
      return { kind, map: name };
    case 'offer':
      return { kind, queue: name, number: second, item: valueWith(third) };
    case 'delivered':
      return { kind, queue: name, number: second };
    case 'end':
      return { kind };
    default:
      return kind === 'begin' && name === 1 ? { kind } : undefined;
  }
}
