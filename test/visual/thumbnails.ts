/** Small pictures of pages: what stands where, and in which colour, without how a letter is drawn. */
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

export interface Thumbnail {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha of each pixel. */
  readonly data: Uint8Array;
}

/** How many pixels of a page, across and down, are one of its thumbnail. */
const scale = 8;

/** @param png  whose edges beyond a multiple of eight are left out */
export function thumbnailOf(png: Buffer): Thumbnail {
  const page = PNG.sync.read(png);
  const [width, height] = [Math.floor(page.width / scale), Math.floor(page.height / scale)];
  const data = new Uint8Array(width * height * 4);
  for (let at = 0; at < data.length; at++) {
    const [x, y] = [(at >> 2) % width, Math.floor((at >> 2) / width)];
    data[at] = meanOf(page, x * scale, y * scale, at & 3);
  }
  return { width, height, data };
}

function meanOf(page: PNG, left: number, top: number, channel: number): number {
  let sum = 0;
  for (let y = top; y < top + scale; y++) {
    for (let x = left; x < left + scale; x++) sum += page.data[(y * page.width + x) * 4 + channel]!;
  }
  return Math.round(sum / scale ** 2);
}

/** @returns the part of the pixels that a person would call different, 0 to 1 */
export function difference(one: Thumbnail, other: Thumbnail): number {
  if (one.width !== other.width || one.height !== other.height) return 1;
  const { width, height } = one;
  const options = { threshold: 0.1, includeAA: true };
  return pixelmatch(one.data, other.data, undefined, width, height, options) / (width * height);
}

/** One picture, one thumbnail below the other. */
export function pack(thumbnails: readonly Thumbnail[]): Buffer {
  const { width, height } = thumbnails[0]!;
  const sheet = new PNG({ width, height: height * thumbnails.length });
  sheet.data = Buffer.concat(thumbnails.map(({ data }) => data));
  return PNG.sync.write(sheet, { colorType: 2 });
}

/** @param count  of the thumbnails in it */
export function unpack(png: Buffer, count: number): readonly Thumbnail[] {
  const { width, height: all, data } = PNG.sync.read(png);
  const height = all / count;
  const size = width * height * 4;
  return Array.from({ length: count }, (_, at) => ({
    width,
    height,
    data: data.subarray(at * size, (at + 1) * size),
  }));
}
