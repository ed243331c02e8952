/** `field-name ":" OWS field-value OWS` (RFC 9112 §5), without folding; the value may still have space behind it. */
export const fieldLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/;

const space = 0x20;
const tab = 0x09;

/** Without the space and tab behind it: other bytes that JavaScript takes for blank, such as A0, are part of the value. */
export function fieldValue(padded: string): string {
  let end = padded.length;
  while (end > 0 && isBlank(padded.charCodeAt(end - 1))) end -= 1;
  return end === padded.length ? padded : padded.slice(0, end);
}

/**
 * Whether a tab stands behind the value. Node's parser takes it off elsewhere, but in a field that frames a message it is a
 * fault to it, or makes another value.
 */
export function endsInTab(padded: string, value: string): boolean {
  return padded.length !== value.length && padded.includes('\t', value.length);
}

function isBlank(code: number): boolean {
  return code === space || code === tab;
}
