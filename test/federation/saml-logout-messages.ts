/** Logout messages of a SAML provider, as honest or as forged as a row asks for. */
import { randomBytes, sign as signBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { BindingMessage, SamlMessage } from '../../console/federation/connector.ts';
import { type KeyPair, providerEntityId, seconds, sign } from './saml-provider.ts';

export const logoutUrl = 'https://console.example/login/saml/corp/logout';
const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';

/** Everything that a row of errors can bend; the defaults make an honest message. */
function honest(name: string) {
  return {
    name,
    id: `_${randomBytes(8).toString('hex')}`,
    version: '2.0',
    issuer: `<saml:Issuer>${providerEntityId}</saml:Issuer>`,
    issuedAt: seconds(0),
    attributes: `Destination="${logoutUrl}"`,
    content: '',
  };
}

type Bent = Partial<ReturnType<typeof honest>>;

export function writeRequest(bent: Bent = {}): string {
  const content = `${nameId('user-4711')}<samlp:SessionIndex>session-7</samlp:SessionIndex>`;
  return write({ ...honest('LogoutRequest'), content, ...bent });
}

export function writeLogoutResponse(inResponseTo: string, bent: Bent & { readonly status?: string } = {}) {
  const { status = 'Success', ...rest } = bent;
  const code = `<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${status}"/>`;
  const attributes = `Destination="${logoutUrl}" InResponseTo="${inResponseTo}"`;
  const content = `<samlp:Status>${code}</samlp:Status>`;
  return write({ ...honest('LogoutResponse'), attributes, content, ...rest });
}

export function nameId(value: string): string {
  return `<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">${value}</saml:NameID>`;
}

function write({ name, id, version, issuer, issuedAt, attributes, content }: ReturnType<typeof honest>) {
  return `<samlp:${name} xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="${version}" IssueInstant="${issuedAt}" ${attributes}>${issuer}${content}</samlp:${name}>`;
}

export const idOf = (xml: string): string => / ID="([^"]+)"/.exec(xml)![1]!;

export interface RedirectOptions {
  readonly name?: 'SAMLRequest' | 'SAMLResponse';
  readonly relayState?: string;
  readonly algorithm?: string;
  readonly hash?: string;
}

/** The query of a message by HTTP-Redirect, signed over its characters. */
export function redirectQuery(
  xml: string,
  { key }: Pick<KeyPair, 'key'>,
  options: RedirectOptions = {},
): string {
  const { name = 'SAMLRequest', relayState, algorithm = rsaSha256, hash = 'sha256' } = options;
  const message = encodeURIComponent(deflateRawSync(xml).toString('base64'));
  const relay = relayState === undefined ? '' : `&RelayState=${encodeURIComponent(relayState)}`;
  const covered = `${name}=${message}${relay}&SigAlg=${encodeURIComponent(algorithm)}`;
  const signature = signBytes(hash, Buffer.from(covered), key).toString('base64');
  return `${covered}&Signature=${encodeURIComponent(signature)}`;
}

/** The fields of a message by HTTP-POST, signed as XML. */
export function postedFields(
  xml: string,
  keys: KeyPair | undefined,
  name: 'SAMLRequest' | 'SAMLResponse' = 'SAMLRequest',
): Record<string, string> {
  const message = keys ? sign(xml, idOf(xml), keys) : xml;
  return { [name]: Buffer.from(message).toString('base64') };
}

export const redirected = (query: string): SamlMessage => ({ binding: 'redirect', query, logoutUrl });
export const posted = (fields: Record<string, string>): SamlMessage => ({
  binding: 'post',
  parameters: new Map(Object.entries(fields)),
  logoutUrl,
});

/** What the console sends, as the provider receives it. */
export function readBindingMessage(binding: BindingMessage) {
  if (binding.method === 'POST') {
    const { RelayState: relayState, ...messages } = binding.fields;
    const [[name, message]] = Object.entries(messages) as [[string, string]];
    return { name, relayState, xml: Buffer.from(message, 'base64').toString(), location: binding.location };
  }
  const { origin, pathname, searchParams } = new URL(binding.location);
  const name = searchParams.has('SAMLRequest') ? 'SAMLRequest' : 'SAMLResponse';
  const xml = inflateRawSync(Buffer.from(searchParams.get(name)!, 'base64')).toString();
  const relayState = searchParams.get('RelayState') ?? undefined;
  return { name, relayState, xml, location: origin + pathname };
}
