/** Which form of an answer a caller likes best (RFC 9110 §12.5.1). */

/** What stands beside a media type, its quality apart: in small letters, without quotes. */
export type MediaParams = Readonly<Record<string, string>>;

interface MediaRange {
  /** In small letters. */
  readonly type: string;
  readonly params: MediaParams;
  /** 0 to 1; 0: not at all. */
  readonly quality: number;
}

/** In their order. @param accept  the field of the request */
export function mediaRangesOf(accept: string): readonly MediaRange[] {
  return accept.toLowerCase().split(',').map(readRange);
}

/** @returns the quality of this type where the field names it, else 0; of ranges with stars nothing is said */
export function preferenceFor(
  accept: string | undefined,
  type: string,
  isMeant: (params: MediaParams) => boolean = () => true,
): number {
  if (accept === undefined || !accept.toLowerCase().includes(type)) return 0;
  const named = mediaRangesOf(accept).filter((range) => range.type === type && isMeant(range.params));
  return Math.max(0, ...named.map(({ quality }) => quality));
}

function readRange(range: string): MediaRange {
  const [type = '', ...parts] = range.split(';').map((part) => part.trim());
  const { q, ...params } = Object.fromEntries(parts.map(readParam));
  return { type, params, quality: q === undefined ? 1 : qualityOf(q) };
}

function readParam(part: string): [string, string] {
  const at = part.indexOf('=');
  return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1).replaceAll('"', '')];
}

/** What is no number is no wish. */
function qualityOf(q: string): number {
  const quality = Number(q);
  return quality > 0 ? Math.min(quality, 1) : 0;
}
