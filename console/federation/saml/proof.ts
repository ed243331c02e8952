/**
 * From a response to the bytes of its assertion that the provider has signed, and to nothing else (S46).
 * The assertion is signed, or the response around it, or both; whichever signature is there must hold.
 */
import { FederationError } from '../connector.ts';
import { decryptAssertion } from './encrypted-assertion.ts';
import { checkSignatures, invalid } from './response.ts';
import { verifiedXml } from './verified.ts';
import { childrenOf, countAnywhere, isElement, parseRoot } from './xml.ts';

export interface ProofKeys {
  /** PEM, pinned. */
  readonly certificates: readonly string[];
  /** PEM, our own; without it nothing encrypted is read. */
  readonly decryptionKey?: string | undefined;
}

/**
 * @param xml       has passed the guard
 * @param response  its root, which has passed the checks of response.ts
 *
 * @returns the assertion, as its own signature covers it, else as that of the response does
 * @throws {FederationError} 403
 */
export async function provenAssertion(xml: string, response: Element, keys: ProofKeys): Promise<string> {
  const isSigned = hasSignature(response);
  const proven = isSigned ? verifiedXml(xml, response, keys.certificates, provesNothing) : undefined;
  const [encrypted] = childrenOf(response, 'assertion', 'EncryptedAssertion');
  if (encrypted) return openedAssertion(encrypted, proven, keys);
  const [assertion] = childrenOf(response, 'assertion', 'Assertion');
  if (hasSignature(assertion!)) return verifiedXml(xml, assertion!, keys.certificates, provesNothing);
  if (proven === undefined) throw provesNothing();
  return within(parseRoot(proven, 403), 'Assertion').toString();
}

/** @param proven  the response as its signature covers it: what is decrypted is taken from there */
async function openedAssertion(
  encrypted: Element,
  proven: string | undefined,
  { certificates, decryptionKey }: ProofKeys,
): Promise<string> {
  if (decryptionKey === undefined) {
    throw new FederationError(
      403,
      'The answer of the identity provider is encrypted, and this console has no key for it: npx console idp update with --encrypted-assertions makes one',
    );
  }
  const source = proven === undefined ? encrypted : within(parseRoot(proven, 403), 'EncryptedAssertion');
  const text = await decryptAssertion(source, { key: decryptionKey, isProven: proven !== undefined });
  const assertion = parseRoot(text, 403);
  checkDecrypted(assertion);
  if (hasSignature(assertion)) return verifiedXml(text, assertion, certificates, provesNothing);
  if (proven === undefined) throw provesNothing();
  return text;
}

/** What response.ts asks of an assertion that lies open. */
function checkDecrypted(assertion: Element): void {
  const isAlone =
    isElement(assertion, 'assertion', 'Assertion') && countAnywhere(assertion, 'Assertion') === 1;
  if (!isAlone) throw invalid('does not contain exactly one assertion');
  checkSignatures(assertion, [assertion]);
}

function hasSignature(element: Element): boolean {
  return childrenOf(element, 'signature', 'Signature').length > 0;
}

function within(response: Element, name: string): Element {
  const found = childrenOf(response, 'assertion', name);
  if (found.length !== 1) throw invalid('does not contain exactly one assertion');
  return found[0]!;
}

function provesNothing(cause?: unknown): FederationError {
  return new FederationError(403, 'The answer of the identity provider does not prove anything', { cause });
}
