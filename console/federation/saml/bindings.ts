/**
 * Logout messages on their way (SAML Bindings §3.4, §3.5): packed and signed by either binding, and
 * unpacked from either only when the provider has signed them. The library takes redirected messages
 * without a signature, so the check is made here.
 */
import { sign, verify } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { SignedXml } from 'xml-crypto';
import { type BindingMessage, FederationError, type SamlMessage } from '../connector.ts';
import { readPostedMessage, readRedirectedMessage } from './guard.ts';
import { checkIds, checkSignature, exclusiveC14n } from './signature.ts';
import { verifiedXml } from './verified.ts';
import { childrenOf, countAnywhere, namespaces, parseRoot } from './xml.ts';

type MessageName = 'SAMLRequest' | 'SAMLResponse';

/** A message whose signature holds. */
export interface VerifiedMessage {
  readonly name: MessageName;
  /** What the signature covers. */
  readonly xml: string;
  readonly relayState: string | undefined;
}

export interface OutgoingMessage {
  readonly name: MessageName;
  /** Its root has an Issuer, and the id that a signature refers to. */
  readonly xml: string;
  readonly relayState: string | undefined;
  readonly binding: 'redirect' | 'post';
  /** Address of the provider. */
  readonly url: string;
  /** PEM. */
  readonly signingKey: string;
}

/** Hashes by the names of RSA signatures over a query. */
const hashes: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha384', 'sha384'],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', 'sha512'],
]);
const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const deflate = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE';
const queryNames = ['SAMLRequest', 'SAMLResponse', 'RelayState', 'SigAlg', 'Signature', 'SAMLEncoding'];

/**
 * @param certificates  PEM, of the keys that are believed
 * @throws {FederationError} 400 for what is no message, 403 for one that is not signed by the provider
 */
export function verifyMessage(
  message: SamlMessage,
  certificates: readonly string[],
): Promise<VerifiedMessage> {
  return message.binding === 'redirect'
    ? verifyRedirected(message.query, certificates)
    : verifyPosted(message.parameters, certificates);
}

export function sendMessage(message: OutgoingMessage): BindingMessage {
  return message.binding === 'redirect' ? redirect(message) : post(message);
}

/** The signature covers the characters of the query, however they are escaped (Bindings §3.4.4.1). */
async function verifyRedirected(query: string, certificates: readonly string[]): Promise<VerifiedMessage> {
  const raw = rawParameters(query);
  const name = nameOf(raw);
  const [algorithm, signature] = [decoded(raw.get('SigAlg')), decoded(raw.get('Signature'))];
  if (algorithm === undefined || signature === undefined) throw invalid('is not signed');
  if ((decoded(raw.get('SAMLEncoding')) ?? deflate) !== deflate)
    throw malformed('is packed in an unknown way');
  const hash = hashes.get(algorithm);
  if (hash === undefined) throw invalid('is signed by an algorithm that is not accepted');
  const covered = [name, 'RelayState', 'SigAlg']
    .flatMap((part) => (raw.has(part) ? [`${part}=${raw.get(part)}`] : []))
    .join('&');
  const isSigned = certificates.some((certificate) =>
    verify(hash, Buffer.from(covered), certificate, Buffer.from(signature, 'base64')),
  );
  if (!isSigned) throw notSigned();
  const xml = readRedirectedMessage(decoded(raw.get(name))!);
  return { name, xml, relayState: decoded(raw.get('RelayState')) };
}

async function verifyPosted(
  parameters: ReadonlyMap<string, string>,
  certificates: readonly string[],
): Promise<VerifiedMessage> {
  const name = nameOf(parameters);
  const xml = readPostedMessage(parameters.get(name)!);
  const root = parseRoot(xml, 403);
  checkIds(root);
  const signatures = childrenOf(root, 'signature', 'Signature');
  if (signatures.length !== 1) throw invalid('is not signed');
  if (countAnywhere(root, 'Signature') !== 1) throw invalid('has a signature in the wrong place');
  checkSignature(signatures[0]!, root);
  return {
    name,
    xml: verifiedXml(xml, root, certificates, notSigned),
    relayState: parameters.get('RelayState'),
  };
}

/** Each once, undecoded; what else stands there is signed by nobody and read by nobody. */
function rawParameters(query: string): ReadonlyMap<string, string> {
  const raw = new Map<string, string>();
  for (const pair of query.split('&')) {
    const at = pair.indexOf('=');
    const name = at < 0 ? pair : pair.slice(0, at);
    if (!queryNames.includes(name)) continue;
    if (raw.has(name)) throw malformed('repeats a parameter');
    raw.set(name, at < 0 ? '' : pair.slice(at + 1));
  }
  return raw;
}

function nameOf(parameters: ReadonlyMap<string, string>): MessageName {
  const names = (['SAMLRequest', 'SAMLResponse'] as const).filter((name) => parameters.has(name));
  if (names.length !== 1) throw malformed('is not there, or there twice');
  return names[0]!;
}

function decoded(raw: string | undefined): string | undefined {
  try {
    return raw === undefined ? undefined : decodeURIComponent(raw.replaceAll('+', ' '));
  } catch (cause) {
    throw malformed('has a bad escape', cause);
  }
}

function redirect({ name, xml, relayState, url, signingKey }: OutgoingMessage): BindingMessage {
  const parameters = [
    [name, deflateRawSync(xml).toString('base64')],
    ...(relayState === undefined ? [] : [['RelayState', relayState]]),
    ['SigAlg', rsaSha256],
  ];
  const covered = parameters.map(([key, value]) => `${key}=${encodeURIComponent(value!)}`).join('&');
  const signature = sign('sha256', Buffer.from(covered), signingKey).toString('base64');
  const query = `${covered}&Signature=${encodeURIComponent(signature)}`;
  return { method: 'GET', location: `${url}${url.includes('?') ? '&' : '?'}${query}` };
}

function post({ name, xml, relayState, url, signingKey }: OutgoingMessage): BindingMessage {
  const fields = {
    [name]: Buffer.from(signed(xml, signingKey)).toString('base64'),
    ...(relayState === undefined ? {} : { RelayState: relayState }),
  };
  return { method: 'POST', location: url, fields };
}

/** Behind the Issuer, where the schema has it (Core §3.2.1). */
function signed(xml: string, privateKey: string): string {
  const signer = new SignedXml({
    privateKey,
    signatureAlgorithm: rsaSha256,
    canonicalizationAlgorithm: exclusiveC14n,
  });
  signer.addReference({
    xpath: '/*',
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', exclusiveC14n],
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
  });
  const issuer = `/*/*[local-name(.)="Issuer" and namespace-uri(.)="${namespaces.assertion}"]`;
  signer.computeSignature(xml, { location: { reference: issuer, action: 'after' } });
  return signer.getSignedXml();
}

function notSigned(cause?: unknown): FederationError {
  return invalid('is not signed by the identity provider', cause);
}

export function malformed(reason: string, cause?: unknown): FederationError {
  return new FederationError(400, `The logout message ${reason}.`, { cause });
}

export function invalid(reason: string, cause?: unknown): FederationError {
  return new FederationError(403, `The logout message ${reason}.`, { cause });
}
