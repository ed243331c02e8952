/**
 * Opens an assertion that was encrypted for this console (SAML Core §2.3.4). Keys travel by RSA-OAEP alone:
 * PKCS #1 v1.5 tells whoever sends enough of them what is in it (Bleichenbacher), and so does CBC where nobody
 * has proven the ciphertext. Every failure gets the same sentence.
 */
import { promisify } from 'node:util';
import { decrypt } from 'xml-encryption';
import { FederationError } from '../connector.ts';
import { checkDecryptedText } from './guard.ts';

const keyTransport = 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p';
const authenticated: ReadonlySet<string> = new Set([
  'http://www.w3.org/2009/xmlenc11#aes128-gcm',
  'http://www.w3.org/2009/xmlenc11#aes256-gcm',
]);
const unauthenticated: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmlenc#aes128-cbc',
  'http://www.w3.org/2001/04/xmlenc#aes256-cbc',
]);

/**
 * @param encrypted  the EncryptedAssertion
 * @param options    `key`: PEM, ours; `isProven`: a signature of the provider covers the ciphertext
 *
 * @returns the text of the assertion, which has passed the guard
 * @throws {FederationError} 403
 */
export async function decryptAssertion(
  encrypted: Element,
  { key, isProven }: { readonly key: string; readonly isProven: boolean },
): Promise<string> {
  const [transport, content] = methodsOf(encrypted);
  if (transport !== keyTransport) throw notAccepted();
  if (!authenticated.has(content) && !(isProven && unauthenticated.has(content))) throw notAccepted();
  const text = await promisify(decrypt)(encrypted.toString(), {
    key,
    disallowDecryptionWithInsecureAlgorithm: true,
    warnInsecureAlgorithm: false,
  }).catch((cause: unknown) => {
    throw unreadable(cause);
  });
  if (typeof text !== 'string' || text === '') throw unreadable();
  return checkDecryptedText(text);
}

/** One of the key and one of the content: with more than one each, readers could follow different ones. */
function methodsOf(encrypted: Element): readonly [string, string] {
  const found = Array.from(encrypted.getElementsByTagNameNS('*', 'EncryptionMethod'));
  const under = (name: string) =>
    found.filter(({ parentNode }) => (parentNode as Element | null)?.localName === name);
  const [keys, contents] = [under('EncryptedKey'), under('EncryptedData')];
  if (keys.length !== 1 || contents.length !== 1 || found.length !== 2) throw notAccepted();
  return [keys[0]!.getAttribute('Algorithm') ?? '', contents[0]!.getAttribute('Algorithm') ?? ''];
}

function notAccepted(): FederationError {
  return new FederationError(
    403,
    'The answer of the identity provider is encrypted in a way that is not accepted: RSA-OAEP with AES-GCM is, and AES-CBC where the response is signed',
  );
}

function unreadable(cause?: unknown): FederationError {
  return new FederationError(403, 'The answer of the identity provider cannot be decrypted', { cause });
}
