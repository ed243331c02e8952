/** A logo as it is stored and sent. */

export interface Picture {
  readonly mediaType: 'image/png' | 'image/svg+xml';
  readonly bytes: Buffer;
  /** Of the picture's own size, for its shape alone: where it is shown says how large. */
  readonly width: number;
  readonly height: number;
}

/** It cannot be shown. */
export class InvalidLogoError extends Error {
  override readonly name = 'InvalidLogoError';

  /** @param reason  the end of the sentence "The file …" */
  constructor(reason: string) {
    super(`The file ${reason}.`);
  }
}

/** @throws {InvalidLogoError} for a shape that fits no bar */
export function pictureOf(
  mediaType: Picture['mediaType'],
  bytes: Buffer,
  { width, height }: Pick<Picture, 'width' | 'height'>,
): Picture {
  if (width / height > 8 || height / width > 4) {
    throw new InvalidLogoError('is too long for its height: at most eight times as wide as high');
  }
  return { mediaType, bytes, width, height };
}
