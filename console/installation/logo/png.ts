/** A PNG as it may be shown: its picture, and nothing that was put into the file besides. */
import { InvalidLogoError, type Picture, pictureOf } from './picture.ts';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** What a picture needs, and what its colours are; text, times, places and animations go. */
const shown: ReadonlySet<string> = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS'],
  ...['gAMA', 'cHRM', 'sRGB', 'pHYs'],
]);
/** Unpacked, a small file may be large. */
const mostPixels = 1_024;

export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, signature.length).equals(signature);
}

/** @throws {InvalidLogoError} */
export function safePng(bytes: Buffer): Picture {
  const parts: Buffer[] = [signature];
  let size: Pick<Picture, 'width' | 'height'> | undefined;
  let at = signature.length;
  for (;;) {
    const { type, chunk } = chunkAt(bytes, at);
    at += chunk.length;
    if (size === undefined) size = sizeIn(type, chunk);
    if (shown.has(type)) parts.push(chunk);
    if (type === 'IEND') break;
  }
  return pictureOf('image/png', Buffer.concat(parts), size);
}

function chunkAt(bytes: Buffer, at: number): { readonly type: string; readonly chunk: Buffer } {
  const isThere = at + 12 <= bytes.length;
  const end = isThere ? at + 12 + bytes.readUInt32BE(at) : Number.POSITIVE_INFINITY;
  if (end > bytes.length) throw new InvalidLogoError('is cut off');
  return { type: bytes.toString('latin1', at + 4, at + 8), chunk: bytes.subarray(at, end) };
}

function sizeIn(type: string, chunk: Buffer): Pick<Picture, 'width' | 'height'> {
  if (type !== 'IHDR' || chunk.length !== 25) throw new InvalidLogoError('is no picture');
  const [width, height] = [chunk.readUInt32BE(8), chunk.readUInt32BE(12)];
  if (width === 0 || height === 0 || width > mostPixels || height > mostPixels) {
    throw new InvalidLogoError(`has more than ${mostPixels} pixels a side`);
  }
  return { width, height };
}
