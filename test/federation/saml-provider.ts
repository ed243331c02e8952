/** A SAML identity provider of the tests: keys of its own, and answers as honest or as forged as asked. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { SignedXml } from 'xml-crypto';
import type { SamlSettings } from '../../console/federation/providers/schema.ts';
import { Secret } from '../../platform/secret.ts';

export const providerEntityId = 'https://idp.example/saml';
export const consoleEntityId = 'https://console.example/saml';
export const callbackUrl = 'https://console.example/login/callback/corp';
export const signOnUrl = 'https://idp.example/saml/sign-on?tenant=1';

export interface KeyPair {
  readonly key: string;
  readonly certificate: string;
}

/** What the console keeps of this provider. */
export function samlSettings(
  certificates: readonly string[],
  {
    metadata,
    ...settings
  }: Omit<Partial<SamlSettings>, 'metadata'> & {
    readonly metadata?: Partial<SamlSettings['metadata']>;
  } = {},
): SamlSettings {
  const said = { entityId: providerEntityId, signOnUrl, certificates, nameIdFormats: [], ...metadata };
  return { ...settings, metadata: said };
}

/** A key of the console's, as its settings hold it. */
export function ownPair({ key, certificate }: KeyPair): NonNullable<SamlSettings['signing']> {
  return { key: new Secret(key), certificate };
}

/** @returns why no certificate can be made here, or undefined */
export function missingOpenssl(): string | undefined {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'there is no openssl';
  }
}

export function newKeyPair(algorithm: readonly string[] = ['-newkey', 'rsa:2048']): KeyPair {
  const directory = mkdtempSync(join(tmpdir(), 'saml-key-'));
  try {
    const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
    const files = ['-keyout', key, '-out', certificate];
    const args = ['req', '-x509', ...algorithm, '-nodes', '-subj', '/CN=idp.example', '-days', '2', ...files];
    execFileSync('openssl', args, { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The request as the provider receives it. */
export function readRequest(location: string) {
  const { searchParams } = new URL(location);
  const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest')!, 'base64')).toString();
  return {
    xml,
    id: / ID="([^"]+)"/.exec(xml)![1]!,
    relayState: searchParams.get('RelayState')!,
    searchParams,
  };
}

export const seconds = (offset: number): string => new Date(Date.now() + offset * 1000).toISOString();

/** Everything that a row of errors can bend; the defaults make an honest answer. */
export function writeResponse(inResponseTo: string, bent: Partial<ReturnType<typeof honest>> = {}): string {
  const part = { ...honest(inResponseTo), ...bent };
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_response" Version="2.0" IssueInstant="${seconds(0)}" ${part.responseAttributes}><saml:Issuer>${part.responseIssuer}</saml:Issuer><samlp:Status>${part.status}</samlp:Status><saml:Assertion ID="${part.assertionId}" Version="2.0" IssueInstant="${seconds(0)}"><saml:Issuer>${part.issuer}</saml:Issuer><saml:Subject>${part.nameId}<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData ${part.confirmation}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions ${part.times}>${part.conditions}</saml:Conditions><saml:AuthnStatement AuthnInstant="${seconds(0)}" SessionIndex="session-7"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${part.attributes}</saml:AttributeStatement></saml:Assertion></samlp:Response>`;
}

function honest(inResponseTo: string) {
  return {
    responseAttributes: `Destination="${callbackUrl}" InResponseTo="${inResponseTo}"`,
    responseIssuer: providerEntityId,
    status: '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/>',
    assertionId: '_assertion',
    issuer: providerEntityId,
    nameId:
      '<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent" NameQualifier="corp">user-4711</saml:NameID>',
    confirmation: `Recipient="${callbackUrl}" NotOnOrAfter="${seconds(300)}" InResponseTo="${inResponseTo}"`,
    times: `NotBefore="${seconds(-5)}" NotOnOrAfter="${seconds(300)}"`,
    conditions: `<saml:AudienceRestriction><saml:Audience>${consoleEntityId}</saml:Audience></saml:AudienceRestriction>`,
    attributes: [
      '<saml:Attribute Name="uid"><saml:AttributeValue>ada</saml:AttributeValue></saml:Attribute>',
      '<saml:Attribute Name="mail"><saml:AttributeValue>ada@corp.example</saml:AttributeValue></saml:Attribute>',
      '<saml:Attribute Name="groups"><saml:AttributeValue>ops</saml:AttributeValue><saml:AttributeValue>R&amp;D</saml:AttributeValue></saml:Attribute>',
      '<saml:Attribute Name="__proto__"><saml:AttributeValue>admin</saml:AttributeValue></saml:Attribute>',
    ].join(''),
  };
}

export interface SigningOptions {
  readonly signatureAlgorithm?: string;
  readonly digestAlgorithm?: string;
  readonly canonicalization?: string;
  /** Signs by HMAC-SHA-1 with the certificate's public text as its secret. */
  readonly isHmac?: boolean;
  /** Canonical form twice, which changes nothing in the bytes. */
  readonly repeatsTransform?: boolean;
}

/** Signs the element with this id, as SAML wants it: enveloped, right behind its Issuer. */
export function sign(
  xml: string,
  id: string,
  { key, certificate }: KeyPair,
  options: SigningOptions = {},
): string {
  const c14n = options.canonicalization ?? 'http://www.w3.org/2001/10/xml-exc-c14n#';
  const signed = new SignedXml({ privateKey: options.isHmac ? certificate : key, publicCert: certificate });
  signed.signatureAlgorithm =
    (options.signatureAlgorithm as typeof signed.signatureAlgorithm) ??
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
  if (options.isHmac) {
    signed.enableHMAC();
    signed.signatureAlgorithm = 'http://www.w3.org/2000/09/xmldsig#hmac-sha1';
  }
  signed.canonicalizationAlgorithm = c14n as NonNullable<typeof signed.canonicalizationAlgorithm>;
  signed.addReference({
    xpath: `//*[@ID='${id}']`,
    transforms: [
      'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
      c14n,
      ...(options.repeatsTransform ? [c14n] : []),
    ],
    digestAlgorithm: (options.digestAlgorithm ?? 'http://www.w3.org/2001/04/xmlenc#sha256') as never,
  });
  const issuer = `//*[@ID='${id}']/*[local-name()='Issuer']`;
  signed.computeSignature(xml, { location: { reference: issuer, action: 'after' } });
  return signed.getSignedXml();
}

/** The pieces of a response with a signed assertion, to be put together in other ways. */
export function takeApart(signedResponse: string) {
  const signature = /<Signature .*<\/Signature>/s.exec(signedResponse)![0];
  const assertion = /<saml:Assertion .*<\/saml:Assertion>/s.exec(signedResponse)![0];
  const original = assertion.replace(signature, '');
  const evil = original.replace('user-4711', 'root-admin').replace('ID="_assertion"', 'ID="_evil"');
  const evilSigned = (inside: string) => evil.replace('</saml:Issuer>', `</saml:Issuer>${inside}`);
  const around = (content: string) => signedResponse.replace(assertion, content);
  return { signature, assertion, original, evil, evilSigned, around };
}
