/**
 * A file of fixed size with one row for each slot of time: a new one takes the place of the oldest. A row says which slot it
 * is of, and has a checksum, so that one that was never written, or in part, is a hole.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';

export interface RingForm {
  readonly slotSeconds: number;
  readonly slots: number;
  /** Of one row. */
  readonly values: number;
}

/** NaN where nothing is known. */
export type Row = Float32Array;

const headBytes = 64;
const magic = 'console-history-1';
/** Before the values: slot (8) and checksum (4), with 4 that keep values aligned. */
const rowHeadBytes = 16;
const chunkBytes = 256 * 1024;

const rowBytesOf = ({ values }: RingForm) => rowHeadBytes + values * 4;

/** @returns the slot that a moment is in. @param at  epoch milliseconds */
export function slotAt({ slotSeconds }: Pick<RingForm, 'slotSeconds'>, at: number): number {
  return Math.floor(at / 1000 / slotSeconds);
}

export interface RingWriter {
  write(slot: number, row: Row): Promise<void>;
  close(): Promise<void>;
}

/** Makes the file; one of another form is begun anew. */
export async function openRingWriter(path: string, form: RingForm): Promise<RingWriter> {
  const handle = await openOwn(path, form);
  const buffer = Buffer.alloc(rowBytesOf(form));
  return {
    async write(slot, row) {
      fill(buffer, slot, row);
      await handle.write(buffer, 0, buffer.length, placeOf(form, slot));
    },
    close: () => handle.close(),
  };
}

async function openOwn(path: string, form: RingForm): Promise<FileHandle> {
  const known = await open(path, 'r+').catch(none);
  if (known && (await hasForm(known, form))) return known;
  await known?.close();
  const handle = await open(path, 'w+', 0o600);
  try {
    await handle.write(headOf(form), 0, headBytes, 0);
    // Sparse: what was never written takes no room.
    await handle.truncate(headBytes + form.slots * rowBytesOf(form));
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Rows of `from` up to `until`, slots both, in their order; holes are left out.
 *
 * @param from  the oldest that are kept are the first there are
 */
export async function* rowsOf(
  path: string,
  form: RingForm,
  from: number,
  until: number,
): AsyncGenerator<{ readonly slot: number; readonly row: Row }> {
  const handle = await open(path, 'r').catch(none);
  if (!handle) return;
  try {
    if (!(await hasForm(handle, form))) return;
    const first = Math.max(from, until - form.slots + 1);
    for (let slot = first; slot <= until; ) {
      const chunk = await readChunk(handle, form, slot, until);
      for (let row = 0; row < chunk.rows; row++) {
        const found = rowIn(chunk.bytes, row * rowBytesOf(form), form, slot + row);
        if (found) yield { slot: slot + row, row: found };
      }
      slot += chunk.rows;
    }
  } finally {
    await handle.close();
  }
}

/** As many rows as lie together in the file. */
async function readChunk(handle: FileHandle, form: RingForm, slot: number, until: number) {
  const rowBytes = rowBytesOf(form);
  const toEndOfFile = form.slots - indexOf(form, slot);
  const rows = Math.min(until - slot + 1, toEndOfFile, Math.max(1, Math.floor(chunkBytes / rowBytes)));
  const bytes = Buffer.alloc(rows * rowBytes);
  await handle.read(bytes, 0, bytes.length, placeOf(form, slot));
  return { rows, bytes };
}

function rowIn(bytes: Buffer, at: number, form: RingForm, slot: number): Row | undefined {
  if (bytes.readDoubleLE(at) !== slot) return undefined;
  const values = bytes.subarray(at + rowHeadBytes, at + rowBytesOf(form));
  if (crc32(values, slot >>> 0) !== bytes.readUInt32LE(at + 8)) return undefined;
  return valuesIn(values, form.values);
}

const isLittleEndian = endianness() === 'LE';

/** As they lie there, where that is how this machine has numbers: nobody writes what was read. */
function valuesIn(bytes: Buffer, length: number): Row {
  if (isLittleEndian && bytes.byteOffset % 4 === 0)
    return new Float32Array(bytes.buffer, bytes.byteOffset, length);
  return Float32Array.from({ length }, (_, index) => bytes.readFloatLE(index * 4));
}

function fill(buffer: Buffer, slot: number, row: Row): void {
  buffer.writeDoubleLE(slot, 0);
  row.forEach((value, index) => {
    buffer.writeFloatLE(value, rowHeadBytes + index * 4);
  });
  buffer.writeUInt32LE(crc32(buffer.subarray(rowHeadBytes), slot >>> 0), 8);
}

function indexOf({ slots }: RingForm, slot: number): number {
  return slot % slots;
}

function placeOf(form: RingForm, slot: number): number {
  return headBytes + indexOf(form, slot) * rowBytesOf(form);
}

async function hasForm(handle: FileHandle, form: RingForm): Promise<boolean> {
  const found = Buffer.alloc(headBytes);
  await handle.read(found, 0, headBytes, 0);
  return found.equals(headOf(form));
}

function headOf({ slotSeconds, slots, values }: RingForm): Buffer {
  const head = Buffer.alloc(headBytes);
  head.write(`${magic} ${slotSeconds} ${slots} ${values}\n`);
  return head;
}

function none(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
