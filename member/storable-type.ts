const maxTypeLength = 256;
const visibleAscii = /^[\t\x20-\x7e]*$/;

/**
 * Whether a MIME type may be stored and later sent as a header field: at most 256 characters of
 * visible ASCII. Line breaks are none: a type need not have come through a header field.
 */
export function isStorableType(contentType: string | undefined): boolean {
  return contentType === undefined || (contentType.length <= maxTypeLength && visibleAscii.test(contentType));
}
