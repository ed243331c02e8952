/**
 * What an XML signature may look like before it is verified: over one element, by this element's id, in
 * the one shape that every library reads alike (S46).
 */
import { FederationError } from '../connector.ts';
import { attributeOf, childrenOf, elementsOf } from './xml.ts';

const signatureMethods: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
]);
const digestMethods: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]);
export const exclusiveC14n = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const transformsAllowed: ReadonlySet<string> = new Set([
  'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
  exclusiveC14n,
]);
/**
 * A reference by id must mean one element, whichever spelling of the attribute a library follows.
 *
 * @throws {FederationError} 403
 */
export function checkIds(root: Element): void {
  const ids = [root, ...Array.from(root.getElementsByTagNameNS('*', '*'))].flatMap((element) =>
    ['ID', 'Id', 'id'].flatMap((name) => attributeOf(element, name) ?? []),
  );
  if (new Set(ids).size !== ids.length) throw invalid('uses an id twice');
}

/**
 * KeyInfo may stand there and is never read: the certificates are pinned.
 *
 * @throws {FederationError} 403
 */
export function checkSignature(signature: Element, signed: Element): void {
  const parts = elementsOf(signature).map(({ localName }) => localName);
  if (parts.join(' ').replace(/ KeyInfo$/, '') !== 'SignedInfo SignatureValue') {
    throw invalid('has a signature of an unusual shape');
  }
  const [signedInfo] = childrenOf(signature, 'signature', 'SignedInfo');
  const references = signedInfo ? childrenOf(signedInfo, 'signature', 'Reference') : [];
  if (!signedInfo || references.length !== 1) throw invalid('has a signature that does not cover one thing');
  const id = attributeOf(signed, 'ID') ?? '';
  // It becomes part of an XPath expression.
  if (references[0]!.getAttribute('URI') !== `#${id}` || /^$|['"]/.test(id)) {
    throw invalid('has a signature over something else');
  }
  const isPermitted =
    algorithms(signedInfo, 'CanonicalizationMethod').every((name) => name === exclusiveC14n) &&
    algorithms(signedInfo, 'SignatureMethod').every((name) => signatureMethods.has(name)) &&
    algorithms(signedInfo, 'DigestMethod').every((name) => digestMethods.has(name)) &&
    algorithms(signedInfo, 'Transform').length <= transformsAllowed.size &&
    algorithms(signedInfo, 'Transform').every((name) => transformsAllowed.has(name));
  if (!isPermitted) throw invalid('is signed by an algorithm that is not accepted');
}

function algorithms(signedInfo: Element, name: string): string[] {
  return Array.from(
    signedInfo.getElementsByTagNameNS('*', name),
    (element) => element.getAttribute('Algorithm') ?? '',
  );
}

function invalid(reason: string): FederationError {
  return new FederationError(403, `The message of the identity provider ${reason}`);
}
