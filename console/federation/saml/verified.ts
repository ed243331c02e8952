/** What an XML signature covers, once it has been verified by a pinned certificate. */
// The library's own verification of an XML signature, which gives back the bytes that it covers.
import { getVerifiedXml } from '@node-saml/node-saml/lib/xml.js';

/**
 * @param xml      the whole text
 * @param signed   an element of this text, parsed, whose signature has passed {@link checkSignature}
 * @param refusal  makes the error for a signature that no pinned certificate has made
 *
 * @returns the canonical bytes that the signature covers
 */
export function verifiedXml(
  xml: string,
  signed: Element,
  certificates: readonly string[],
  refusal: (cause?: unknown) => Error,
): string {
  let verified: string | null;
  try {
    verified = getVerifiedXml(xml, signed, [...certificates]);
  } catch (cause) {
    throw refusal(cause);
  }
  if (!verified) throw refusal();
  return verified;
}
