const units = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

/**
 * A size as people say it: `12 MiB`, `1.4 GiB`, `73 GiB`.
 *
 * @param bytes  0 or more
 */
export function sizeInWords(bytes: number): string {
  let size = bytes / 1024;
  let unit = 0;
  // What would be rounded to 1024 of a unit is one of the next.
  for (; Math.round(size) >= 1024 && unit < units.length - 1; unit++) size /= 1024;
  const isShort = unit >= 2 && size < 10;
  return `${isShort ? Number(size.toFixed(1)) : Math.round(size)} ${units[unit]}`;
}
