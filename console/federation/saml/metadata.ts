/** Metadata documents (SAML Metadata §2): what a provider says of itself, and what we tell it of us. */
import { generateServiceProviderMetadata } from '@node-saml/node-saml';
import { FederationError } from '../connector.ts';
import type { SamlSettings } from '../providers/schema.ts';
import { checkedCertificate } from './certificates.ts';
import { checkMetadataText } from './guard.ts';
import { checkIds, checkSignature } from './signature.ts';
import { verifiedXml } from './verified.ts';
import { attributeOf, childrenOf, isElement, parseRoot, textOf } from './xml.ts';

const bindings = {
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
} as const;
const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol';

/**
 * Reads the document of one identity provider. Who vouches for it is the caller's to know: the administrator
 * who hands it in, or the signature of metadata-refresh.ts.
 *
 * @param xml          the document, ≤ 256 KiB
 * @param nowMs        epoch milliseconds, against `validUntil`
 * @param certificate  PEM, of who has to have signed it as a whole; without it nobody has to
 *
 * @throws {FederationError} 400 with what is missing
 */
export async function readProviderMetadata(
  xml: string,
  nowMs: number,
  certificate?: string,
): Promise<SamlSettings['metadata']> {
  const text = checkMetadataText(xml);
  const root = parseRoot(text, 400);
  const believed = certificate === undefined ? root : await signedRoot(text, root, certificate);
  const { entity, role } = findProvider(believed);
  const entityId = attributeOf(entity, 'entityID');
  if (!entityId) throw invalidMetadata('has no entityID');
  for (const element of [entity, role]) {
    const validUntil = attributeOf(element, 'validUntil');
    if (validUntil !== undefined && !(Date.parse(validUntil) > nowMs))
      throw invalidMetadata('is no longer valid');
  }
  const signOn =
    endpoint(role, 'SingleSignOnService', 'redirect') ?? endpoint(role, 'SingleSignOnService', 'post');
  if (!signOn) throw invalidMetadata('names no sign-on address for HTTP-Redirect or HTTP-POST');
  const certificates = signingCertificates(role);
  if (certificates.length === 0) throw invalidMetadata('has no signing certificate');
  const logout =
    endpoint(role, 'SingleLogoutService', 'redirect') ?? endpoint(role, 'SingleLogoutService', 'post');
  return {
    entityId,
    signOnUrl: signOn.url,
    ...(signOn.binding === 'post' && { signOnBinding: signOn.binding }),
    ...(logout && { logout }),
    certificates,
    nameIdFormats: childrenOf(role, 'metadata', 'NameIDFormat').map(textOf),
  };
}

export interface OwnAddresses {
  readonly entityId: string;
  /** Where answers are posted to. */
  readonly callbackUrl: string;
  /** Where logout messages come to, by either binding. */
  readonly logoutUrl?: string | undefined;
}

/** The document that an administrator gives to the identity provider. */
export function writeOwnMetadata(
  { entityId, callbackUrl, logoutUrl }: OwnAddresses,
  { nameIdFormat, signing, encryption }: Pick<SamlSettings, 'nameIdFormat' | 'signing' | 'encryption'>,
): string {
  const xml = generateServiceProviderMetadata({
    issuer: entityId,
    callbackUrl,
    ...(logoutUrl && { logoutCallbackUrl: logoutUrl }),
    identifierFormat: nameIdFormat ?? null,
    wantAssertionsSigned: true,
    signatureAlgorithm: 'sha256',
    ...(signing && { privateKey: signing.key.reveal(), publicCerts: signing.certificate }),
    ...(encryption && { decryptionPvk: encryption.key.reveal(), decryptionCert: encryption.certificate }),
  });
  // The library tells of one binding only; a provider that has the choice is to take the one without a form.
  return xml.replace(/([ \t]*)<SingleLogoutService [^>]*>/, (post) =>
    [post.replace(bindings.post, bindings.redirect), post].join('\n'),
  );
}

/** The document as its signature covers it (SAML Metadata §3). */
async function signedRoot(xml: string, root: Element, certificate: string): Promise<Element> {
  const signatures = childrenOf(root, 'signature', 'Signature');
  if (signatures.length !== 1) throw invalidMetadata('is not signed');
  checkIds(root);
  checkSignature(signatures[0]!, root);
  const pinned = [checkedCertificate(certificate)];
  return parseRoot(verifiedXml(xml, root, pinned, notSigned), 400);
}

function notSigned(cause?: unknown): FederationError {
  return new FederationError(
    400,
    'The metadata of the identity provider is not signed by the certificate that was given for it',
    { cause },
  );
}

/** A federation's collection will do when it holds one provider only: which of several is not ours to guess. */
function findProvider(root: Element): { readonly entity: Element; readonly role: Element } {
  const entities = isElement(root, 'metadata', 'EntitiesDescriptor')
    ? childrenOf(root, 'metadata', 'EntityDescriptor')
    : [root].filter((element) => isElement(element, 'metadata', 'EntityDescriptor'));
  const found = entities.flatMap((entity) =>
    childrenOf(entity, 'metadata', 'IDPSSODescriptor')
      .filter((role) => attributeOf(role, 'protocolSupportEnumeration')?.split(/\s+/).includes(protocol))
      .map((role) => ({ entity, role })),
  );
  if (found.length !== 1) throw invalidMetadata('does not describe exactly one SAML 2.0 identity provider');
  return found[0]!;
}

function endpoint(role: Element, service: string, binding: keyof typeof bindings) {
  const element = childrenOf(role, 'metadata', service).find(
    (candidate) => candidate.getAttribute('Binding') === bindings[binding],
  );
  if (!element) return undefined;
  const url = webAddress(attributeOf(element, 'Location'));
  const replyTo = attributeOf(element, 'ResponseLocation');
  return { binding, url, replyUrl: replyTo === undefined ? url : webAddress(replyTo) };
}

/** Browsers will be sent there: `javascript:` and the like must not get in. */
function webAddress(location: string | undefined): string {
  const url = location !== undefined && URL.canParse(location) ? new URL(location) : undefined;
  if (!url || !['https:', 'http:'].includes(url.protocol) || url.username || url.password) {
    throw invalidMetadata('names an address that is not a web address');
  }
  return url.href;
}

/** Keys without `use` serve for everything (SAML Metadata §2.4.1.1). */
function signingCertificates(role: Element): string[] {
  const encoded = childrenOf(role, 'metadata', 'KeyDescriptor')
    .filter((descriptor) => (attributeOf(descriptor, 'use') ?? 'signing') === 'signing')
    .flatMap((descriptor) => childrenOf(descriptor, 'signature', 'KeyInfo'))
    .flatMap((keyInfo) => childrenOf(keyInfo, 'signature', 'X509Data'))
    .flatMap((data) => childrenOf(data, 'signature', 'X509Certificate'))
    .map((certificate) => textOf(certificate).replaceAll(/\s/g, ''));
  return [...new Set(encoded)].map((base64) => checkedCertificate(Buffer.from(base64, 'base64')));
}

function invalidMetadata(reason: string): FederationError {
  return new FederationError(400, `The metadata of the identity provider ${reason}`);
}
