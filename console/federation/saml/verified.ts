/** What an XML signature covers, once it has been verified by a pinned certificate. */
import { SignedXml } from 'xml-crypto';
import { childrenOf } from './xml.ts';

/**
 * @param xml      the whole text
 * @param signed   an element of this text, parsed, whose signature has passed {@link checkSignature}
 * @param invalid  makes the error for a signature that no pinned certificate has made
 *
 * @returns the canonical bytes that the signature covers
 */
export function verifiedXml(
  xml: string,
  signed: Element,
  certificates: readonly string[],
  invalid: (cause?: unknown) => Error,
): string {
  const signatures = childrenOf(signed, 'signature', 'Signature');
  if (signatures.length !== 1) throw invalid();
  // Line ends are the processor's to fold (XML 1.0 §2.11), and the library leaves them.
  const text = xml.replaceAll(/\r\n?/g, '\n');
  const failures: unknown[] = [];
  for (const publicCert of certificates) {
    // The key is the one that was pinned: what the message says of keys is not looked at.
    const check = new SignedXml({ publicCert, getCertFromKeyInfo: () => null });
    try {
      check.loadSignature(signatures[0]!);
      if (!check.checkSignature(text)) continue;
      const [covered, ...more] = check.getSignedReferences();
      if (covered !== undefined && more.length === 0) return covered;
    } catch (cause) {
      failures.push(cause);
    }
  }
  throw invalid(failures[0]);
}
