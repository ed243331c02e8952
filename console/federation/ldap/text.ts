/** How values become part of an LDAP filter or name, and how binary identifiers become text. */

/** Where a template takes the name that somebody typed. */
export const usernamePlaceholder = '{username}';

/**
 * A value inside a search filter (RFC 4515 §3): what would end the value, match anything or begin an
 * escape is written as its code.
 */
export function escapeFilterValue(value: string): string {
  return value.replace(/[\0()*\\]/g, hexPair);
}

/**
 * A value inside a distinguished name (RFC 4514 §2.4). The client library would put it into quotes,
 * which that form does not know.
 */
export function escapeNameValue(value: string): string {
  return value.replace(/[\0"+,;<=>\\]|^[ #]| $/g, hexPair);
}

/**
 * Puts a value into each place that a template has for it.
 *
 * @param escaped  already escaped for the kind of template
 */
export function fillTemplate(template: string, escaped: string): string {
  // Split and join, because `replaceAll` gives `$&` in a name a meaning.
  return template.split(usernamePlaceholder).join(escaped);
}

/**
 * `objectGUID` in the form that Active Directory's own tools show: the first three groups are stored
 * with the least byte first ([MS-DTYP] §2.3.4.2).
 *
 * @returns undefined when these are not the 16 bytes of a GUID
 */
export function guidToText(bytes: Buffer): string | undefined {
  if (bytes.length !== 16) return undefined;
  const group = (from: number, to: number) => bytes.subarray(from, to);
  const littleEndian = [group(0, 4), group(4, 6), group(6, 8)].map((part) => Buffer.from(part).reverse());
  return [...littleEndian, group(8, 10), group(10, 16)].map((part) => part.toString('hex')).join('-');
}

function hexPair(character: string): string {
  return `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
