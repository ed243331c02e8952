/** A SAML identity provider of the demo, where one more person has an account. Its certificate ends before long. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { inflateRawSync } from 'node:zlib';
import { SignedXml } from 'xml-crypto';
import { newSelfSigned, type SelfSigned } from '../../platform/certificates/self-signed.ts';
import type { Change } from './calls.ts';

export interface SamlAccount {
  /** As the console calls the provider. */
  readonly provider: 'partner';
  /** What it says of itself, for who trusts it. */
  readonly metadata: string;
  /** Who has an account there. */
  readonly name: string;
  readonly password: string;
}

export interface SamlProvider extends SamlAccount {
  close(): Promise<void>;
}

const id = 'partner';
const [name, displayName, email] = ['sofia', 'Sofia Rossi', 'sofia@partner.example'];
const dayMs = 24 * 3600 * 1000;
/** Of its certificate: nine days, and as long as somebody looks. */
const lifeMs = 9.25 * dayMs;
const answerMs = 300_000;

/** @param consoleUrl  of the console that people come from */
export async function startSamlProvider(consoleUrl: string): Promise<SamlProvider> {
  const keys = await newSelfSigned('Partner sign-on', { randomBytes, now: Date.now, lifeMs });
  const password = randomBytes(9).toString('base64url');
  const server = createServer((req, res) => {
    answer(req, res).catch(() => reply(res, 400, '<p>That was no request to sign in.</p>'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    ...{ provider: id, name, password },
    metadata: metadataOf(url, keys),
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };

  /** The page that asks who somebody is, and what it says then, which the browser takes to the console. */
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(req.url ?? '', url);
    if (pathname !== '/sign-on') return reply(res, 404, '<p>There is nothing here.</p>');
    if (req.method !== 'POST') return reply(res, 200, signInPage(fieldsOf(searchParams)));
    const form = new URLSearchParams(await text(req));
    const fields = { request: idIn(form.get('request')), RelayState: form.get('RelayState') ?? '' };
    if (form.get('username') !== name || form.get('password') !== password)
      return reply(res, 403, signInPage(fields, 'Wrong name or password.'));
    const said = sign(assertionFor(fields.request, { consoleUrl, issuer: url }), keys);
    const sent = { SAMLResponse: Buffer.from(said).toString('base64'), RelayState: fields.RelayState };
    const sending = formOf(
      `${consoleUrl}/login/callback/${id}`,
      sent,
      '<button>Go on to the console</button>',
    );
    reply(res, 200, `${sending}<script>document.forms[0].submit()</script>`);
  }
}

/** At the console: everybody of the provider reads. */
export async function addSamlProvider(change: Change, { metadata }: SamlAccount): Promise<void> {
  await change('POST', '/identity-providers', {
    ...{ id, kind: 'saml', name: 'Partner account', metadata, defaultRole: 'Viewer' },
  });
}

function metadataOf(url: string, { certificate }: SelfSigned): string {
  const body = certificate.replace(/-----[^-]+-----|\s/g, '');
  return `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${url}"><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${body}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${url}/sign-on"/></IDPSSODescriptor></EntityDescriptor>`;
}

/** Of a request by address, which is deflated (SAML Bindings §3.4.4.1). */
function fieldsOf(query: URLSearchParams) {
  const deflated = Buffer.from(query.get('SAMLRequest') ?? '', 'base64');
  const xml = inflateRawSync(deflated, { maxOutputLength: 65_536 }).toString();
  return {
    request: idIn(/ ID="([^"]+)"/.exec(xml)?.[1] ?? null),
    RelayState: query.get('RelayState') ?? '',
  };
}

function idIn(said: string | null): string {
  if (said !== null && /^[\w.-]{1,200}$/.test(said)) return said;
  throw new Error('no id of a request');
}

/** An answer with one assertion, good for this console and this request alone (SAML Profiles §4.1.4). */
function assertionFor(
  request: string,
  { consoleUrl, issuer }: { readonly consoleUrl: string; readonly issuer: string },
): string {
  const [callback, audience] = [
    `${consoleUrl}/login/callback/${id}`,
    `${consoleUrl}/login/saml/${id}/metadata`,
  ];
  const [now, until] = [0, answerMs].map((ms) => new Date(Date.now() + ms).toISOString());
  const newId = () => `_${randomBytes(16).toString('hex')}`;
  const [said, to] = [`Version="2.0" IssueInstant="${now}"`, `InResponseTo="${request}"`];
  const attributes = Object.entries({ uid: name, mail: email, displayName }).map(
    ([key, value]) =>
      `<saml:Attribute Name="${key}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`,
  );
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${newId()}" ${said} Destination="${callback}" ${to}><saml:Issuer>${issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status><saml:Assertion ID="${newId()}" ${said}><saml:Issuer>${issuer}</saml:Issuer><saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">${name}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData Recipient="${callback}" NotOnOrAfter="${until}" ${to}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotOnOrAfter="${until}"><saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${now}" SessionIndex="${newId()}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement></saml:Assertion></samlp:Response>`;
}

function sign(xml: string, { key, certificate }: SelfSigned): string {
  const signed = new SignedXml({ privateKey: key, publicCert: certificate });
  const canonical = 'http://www.w3.org/2001/10/xml-exc-c14n#';
  signed.signatureAlgorithm = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
  signed.canonicalizationAlgorithm = canonical;
  const assertion = "//*[local-name()='Assertion']";
  signed.addReference({
    xpath: assertion,
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', canonical],
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
  });
  const location = { reference: `${assertion}/*[local-name()='Issuer']`, action: 'after' } as const;
  signed.computeSignature(xml, { location });
  return signed.getSignedXml();
}

function signInPage(fields: Readonly<Record<string, string>>, problem = ''): string {
  const inputs = `<p><label>Username <input name="username" autocomplete="username"></label></p>
<p><label>Password <input name="password" type="password" autocomplete="current-password"></label></p>
<button>Sign in</button>`;
  return `<h1>Partner account</h1><p>An identity provider of the demo. ${problem}</p>${formOf('/sign-on', fields, inputs)}`;
}

function formOf(action: string, hidden: Readonly<Record<string, string>>, content: string): string {
  const inputs = Object.entries(hidden).map(
    ([key, value]) => `<input type="hidden" name="${key}" value="${escaped(value)}">`,
  );
  return `<form method="post" action="${escaped(action)}">${inputs.join('')}${content}</form>`;
}

function escaped(said: string): string {
  return said.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function reply(res: ServerResponse, status: number, content: string): void {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Partner account</title><link rel="icon" href="data:,"><body style="font-family: sans-serif; max-width: 24rem; margin: 4rem auto; padding: 0 1rem">${content}`;
  res
    .writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' })
    .end(page);
}
