/** A logo from a file that somebody has sent: told by what is in it, not by what it is called. */
import { InvalidLogoError, type Picture } from './picture.ts';
import { isPng, safePng } from './png.ts';

/** Bytes; it is loaded with every sign-in. */
export const logoLimit = 65_536;

/** @throws {InvalidLogoError} */
export async function safeLogo(bytes: Buffer): Promise<Picture> {
  if (bytes.length === 0) throw new InvalidLogoError('is empty');
  if (bytes.length > logoLimit) throw new InvalidLogoError(`has more than ${logoLimit / 1024} KiB`);
  const picture = isPng(bytes) ? safePng(bytes) : await svgIn(bytes);
  if (picture.bytes.length > 2 * logoLimit) {
    throw new InvalidLogoError(`has more than ${logoLimit / 1024} KiB`);
  }
  return picture;
}

/** Loaded by whoever sends one: few do. */
async function svgIn(bytes: Buffer): Promise<Picture> {
  const { isSvg, safeSvg } = await import('./svg.ts');
  const text = bytes.toString('utf8');
  if (!isSvg(text) || text.includes('\uFFFD')) throw new InvalidLogoError('is neither a PNG nor an SVG');
  return safeSvg(text);
}
