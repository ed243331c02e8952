/** Single logout with a SAML provider, at the connector: what is sent there, what is believed from there. */
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { SignedXml } from 'xml-crypto';
import type { BindingMessage, SamlMessage } from '../../console/federation/connector.ts';
import { createSamlConnector } from '../../console/federation/saml/connector.ts';
import {
  idOf,
  logoutUrl,
  nameId,
  posted,
  postedFields,
  readBindingMessage,
  redirected,
  redirectQuery,
  writeLogoutResponse,
  writeRequest,
} from './saml-logout-messages.ts';
import {
  consoleEntityId,
  type KeyPair,
  missingOpenssl,
  newKeyPair,
  ownPair,
  samlSettings,
  seconds,
  sign,
} from './saml-provider.ts';
import { errorOf } from './support.ts';

const obstacle = missingOpenssl();
const [url, replyUrl] = ['https://idp.example/out?tenant=1', 'https://idp.example/out-reply'];

describe.skipIf(obstacle)(`SAML single logout${obstacle ? ` (${obstacle})` : ''}`, () => {
  let idp: KeyPair;
  let attacker: KeyPair;
  let own: KeyPair;
  beforeAll(() => {
    [idp, attacker, own] = [newKeyPair(), newKeyPair(), newKeyPair()];
  });

  function connect({ binding = 'redirect' as 'redirect' | 'post', hasLogout = true, now = Date.now } = {}) {
    return createSamlConnector({
      saml: samlSettings([idp.certificate], {
        metadata: hasLogout ? { logout: { binding, url, replyUrl } } : {},
        signing: ownPair(own),
      }),
      entityId: consoleEntityId,
      artifacts: { count: async () => ({ count: 1, resetsAt: 0 }) },
      randomBytes,
      now,
    });
  }
  const read = (message: SamlMessage, now = Date.now) => connect({ now }).readSamlLogout!(message);
  const hint = JSON.stringify({ value: 'R&D <ada>', format: 'urn:persistent', nameQualifier: 'a "q"' });
  const options = {
    subject: 'R&D <ada>',
    session: { id: 'session-7', hint },
    logoutId: 'logout-id-of-enough-characters',
    returnUrl: logoutUrl,
  };

  /** Throws unless our signature holds, by either binding. */
  function checkOwnSignature(message: BindingMessage): void {
    if (message.method === 'POST') {
      const { xml } = readBindingMessage(message);
      const signature = /<Signature .*<\/Signature>/s.exec(xml)![0];
      const signed = new SignedXml({ publicCert: own.certificate });
      signed.loadSignature(signature);
      expect(signed.checkSignature(xml)).toBe(true);
      return;
    }
    const query = message.location.slice(message.location.indexOf('SAMLRe'));
    const [covered, signature] = query.split('&Signature=') as [string, string];
    const bytes = Buffer.from(decodeURIComponent(signature), 'base64');
    expect(verify('sha256', Buffer.from(covered), createPublicKey(own.certificate), bytes)).toBe(true);
  }

  describe.each(['redirect', 'post'] as const)('by HTTP-%s', (binding) => {
    test('a logout is passed on as a signed request with the name as it was at sign-in', async () => {
      const message = await connect({ binding }).beginLogout!(options);
      const { name, xml, relayState, location } = readBindingMessage(message!);
      checkOwnSignature(message!);
      expect({ name, relayState }).toEqual({ name: 'SAMLRequest', relayState: options.logoutId });
      expect(url.startsWith(location)).toBe(true);
      expect(xml).toContain('Destination="https://idp.example/out?tenant=1"');
      expect(xml).toContain(`>${consoleEntityId}</saml:Issuer>`);
      expect(xml).toMatch(
        /<saml:NameID Format="urn:persistent" NameQualifier="a (?:&#34;|&quot;)q(?:&#34;|&quot;)">R(?:&#38;|&amp;)D (?:&#60;|&lt;)ada(?:&#62;|&gt;|>)<\/saml:NameID>/,
      );
      expect(xml).toContain('<samlp:SessionIndex>session-7</samlp:SessionIndex>');
      const response = writeLogoutResponse(idOf(xml));
      const fields = postedFields(response, idp, 'SAMLResponse');
      expect(await read(posted(fields))).toEqual({
        type: 'response',
        logoutId: options.logoutId,
        isDone: true,
      });
    });

    test('a request of the provider is answered by a signed response', async () => {
      const request = await read(
        redirected(redirectQuery(writeRequest({ id: '_r1' }), idp, { relayState: 'r' })),
      );
      if (request.type !== 'request') throw new Error('not a request');
      const message = await connect({ binding }).answerSamlLogout!(request);
      const { name, xml, relayState, location } = readBindingMessage(message!);
      checkOwnSignature(message!);
      expect({ name, relayState, location }).toEqual({
        name: 'SAMLResponse',
        relayState: 'r',
        location: replyUrl,
      });
      expect(xml).toContain('InResponseTo="_r1"');
      expect(xml).toContain('Value="urn:oasis:names:tc:SAML:2.0:status:Success"');
    });
  });

  test('nothing is sent to a provider that takes no logout', async () => {
    expect(await connect({ hasLogout: false }).beginLogout!(options)).toBeUndefined();
  });

  test('a request names a person and sessions, by either binding: the rows below fail by what they change alone', async () => {
    const expected = { type: 'request', logout: { subject: 'user-4711', sessionIds: ['session-7'] } };
    expect(await read(redirected(redirectQuery(writeRequest(), idp)))).toMatchObject(expected);
    expect(await read(posted(postedFields(writeRequest(), idp)))).toMatchObject(expected);
    const everywhere = writeRequest({ content: nameId('user-4711') });
    expect(await read(posted(postedFields(everywhere, idp)))).toMatchObject({ logout: { sessionIds: [] } });
    const sha512 = { algorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', hash: 'sha512' };
    expect(await read(redirected(redirectQuery(writeRequest(), idp, sha512)))).toMatchObject(expected);
  });

  test('a request is a replay for as long as it would be taken (S47)', async () => {
    const xml = writeRequest({ attributes: `Destination="${logoutUrl}" NotOnOrAfter="${seconds(86_400)}"` });
    const query = redirectQuery(xml, idp);
    const request = await read(redirected(query));
    if (request.type !== 'request') throw new Error('not a request');
    expect(request.logout.messageId).toBe(idOf(xml));
    const later = () => request.logout.usableUntilMs + 1;
    expect(await errorOf(read(redirected(query), later))).toMatchObject({ status: 403 });
  });

  describe('a message that is refused', () => {
    const encoded = (xml: string) => encodeURIComponent(deflateRawSync(xml).toString('base64'));
    const query = (xml = writeRequest(), options = {}) => redirectQuery(xml, idp, options);
    const without = (name: string) => query().replace(new RegExp(`&${name}=[^&]*`), '');
    const swapped = (xml: string) => query().replace(/^SAMLRequest=[^&]*/, `SAMLRequest=${encoded(xml)}`);
    const bent = (changes: Parameters<typeof writeRequest>[0]) => writeRequest(changes);
    const withPart = (part: string) => writeRequest({ content: `${part}${nameId('user-4711')}` });

    test.each<{ name: string; query: () => string; status: number }>([
      {
        name: 'no signature and no algorithm (S48)',
        query: () => `SAMLRequest=${encoded(writeRequest())}`,
        status: 403,
      },
      { name: 'no signature (S48)', query: () => without('Signature'), status: 403 },
      { name: 'no algorithm (S48)', query: () => without('SigAlg'), status: 403 },
      {
        name: 'an empty signature (S48)',
        query: () => query().replace(/Signature=.*/, 'Signature='),
        status: 403,
      },
      {
        name: 'signed by somebody else (S46)',
        query: () => redirectQuery(writeRequest(), attacker),
        status: 403,
      },
      {
        name: 'signed by SHA-1 (S46)',
        query: () =>
          query(writeRequest(), { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1', hash: 'sha1' }),
        status: 403,
      },
      {
        name: 'signed by SHA-1 under a better name (S46)',
        query: () => query(writeRequest(), { hash: 'sha1' }),
        status: 403,
      },
      {
        name: 'an algorithm of no name (S46)',
        query: () => query(writeRequest(), { algorithm: 'sha256' }),
        status: 403,
      },
      {
        name: 'HMAC with the certificate (S46)',
        query: () => query(writeRequest(), { algorithm: 'http://www.w3.org/2000/09/xmldsig#hmac-sha1' }),
        status: 403,
      },
      {
        name: 'another message under the signature (S46)',
        query: () => swapped(bent({ content: nameId('eve') })),
        status: 403,
      },
      {
        name: 'another RelayState under the signature (S46)',
        query: () =>
          `${query(writeRequest(), { relayState: 'mine' }).replace('RelayState=mine', 'RelayState=other')}`,
        status: 403,
      },
      {
        name: 'a RelayState that was not signed (S46)',
        query: () => `${query()}&RelayState=other`,
        status: 403,
      },
      {
        name: 'a second message beside the signed one (S46)',
        query: () => `${query()}&SAMLRequest=${encoded(bent({ content: nameId('eve') }))}`,
        status: 400,
      },
      {
        name: 'a response beside the request (S46)',
        query: () => `${query()}&SAMLResponse=${encoded(writeLogoutResponse('_x'))}`,
        status: 400,
      },
      { name: 'nothing', query: () => '', status: 400 },
      { name: 'a bad escape', query: () => query().replace('SigAlg=', 'SigAlg=%zz'), status: 400 },
      { name: 'another packing', query: () => `${query()}&SAMLEncoding=urn%3Aother`, status: 400 },
      { name: 'a document type (S48)', query: () => query(`<!DOCTYPE a>${writeRequest()}`), status: 400 },
      { name: 'an entity (S48)', query: () => query(withPart('&x;')), status: 400 },
      { name: 'an inflate bomb (S48)', query: () => query(`<a>${' '.repeat(1_000_000)}</a>`), status: 400 },
      {
        name: 'a comment (S46)',
        query: () => query(bent({ content: nameId('user<!---->-4711') })),
        status: 403,
      },
      {
        name: 'another issuer (S47)',
        query: () => query(bent({ issuer: '<saml:Issuer>https://other.example</saml:Issuer>' })),
        status: 403,
      },
      { name: 'no issuer (S47)', query: () => query(bent({ issuer: '' })), status: 403 },
      {
        name: 'another destination (S47)',
        query: () => query(bent({ attributes: 'Destination="https://other.example/out"' })),
        status: 403,
      },
      { name: 'no destination (S47)', query: () => query(bent({ attributes: '' })), status: 403 },
      {
        name: 'expired (S47)',
        query: () =>
          query(bent({ attributes: `Destination="${logoutUrl}" NotOnOrAfter="${seconds(-120)}"` })),
        status: 403,
      },
      { name: 'issued long ago (S47)', query: () => query(bent({ issuedAt: seconds(-3600) })), status: 403 },
      {
        name: 'issued in the future (S47)',
        query: () => query(bent({ issuedAt: seconds(3600) })),
        status: 403,
      },
      {
        name: 'a time in another zone (S47)',
        query: () => query(bent({ issuedAt: '2026-01-01T00:00:00+02:00' })),
        status: 403,
      },
      { name: 'nobody', query: () => query(bent({ content: '' })), status: 403 },
      {
        name: 'two people',
        query: () => query(bent({ content: nameId('ada') + nameId('eve') })),
        status: 403,
      },
      { name: 'an encrypted name', query: () => query(withPart('<saml:EncryptedID/>')), status: 403 },
      { name: 'another version', query: () => query(bent({ version: '1.1' })), status: 400 },
      { name: 'another kind of message', query: () => query(bent({ name: 'AuthnRequest' })), status: 400 },
      {
        name: 'a response where a request belongs',
        query: () => query(writeLogoutResponse('_logout-id-of-enough')),
        status: 400,
      },
      {
        name: 'a response that was not asked for',
        query: () => query(writeLogoutResponse('_x'), { name: 'SAMLResponse' }),
        status: 403,
      },
    ])('by HTTP-Redirect: $name', async ({ query: make, status }) => {
      expect(await errorOf(read(redirected(make())))).toMatchObject({ status });
    });

    const form = (xml: string) => ({ SAMLRequest: Buffer.from(xml).toString('base64') });
    const signed = (xml = writeRequest(), keys = idp) => sign(xml, idOf(xml), keys);
    const wrapped = () => {
      const original = signed(writeRequest({ id: '_original' }));
      return writeRequest({
        id: '_evil',
        content: `${nameId('eve')}<samlp:Extensions>${original}</samlp:Extensions>`,
      });
    };
    const movedSignature = () => {
      const original = signed(writeRequest({ id: '_original' }));
      const signature = /<Signature .*<\/Signature>/s.exec(original)![0];
      const inside = original.replace(signature, '');
      return writeRequest({
        id: '_evil',
        content: `${signature}${nameId('eve')}<samlp:Extensions>${inside}</samlp:Extensions>`,
      });
    };

    test.each<{ name: string; fields: () => Record<string, string>; status: number }>([
      { name: 'no signature (S48)', fields: () => form(writeRequest()), status: 403 },
      {
        name: 'signed by somebody else (S46)',
        fields: () => form(signed(writeRequest(), attacker)),
        status: 403,
      },
      {
        name: 'altered after signing (S46)',
        fields: () => form(signed().replace('user-4711', 'eve')),
        status: 403,
      },
      { name: 'wrapped around a signed request (S46)', fields: () => form(wrapped()), status: 403 },
      {
        name: 'with the signature of another request (S46)',
        fields: () => form(movedSignature()),
        status: 403,
      },
      {
        name: 'signed by SHA-1 (S46)',
        fields: () =>
          form(
            sign(writeRequest({ id: '_a' }), '_a', idp, {
              signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
            }),
          ),
        status: 403,
      },
      {
        name: 'signed by HMAC (S46)',
        fields: () => form(sign(writeRequest({ id: '_a' }), '_a', idp, { isHmac: true })),
        status: 403,
      },
      { name: 'two roots (S46)', fields: () => form(`${signed()}<evil/>`), status: 403 },
      {
        name: 'a comment (S46)',
        fields: () => form(signed(bent({ content: nameId('user<!---->-4711') }))),
        status: 403,
      },
      { name: 'a document type (S48)', fields: () => form(`<!DOCTYPE a>${signed()}`), status: 400 },
      { name: 'too long (S48)', fields: () => form(`<a>${'x'.repeat(300_000)}</a>`), status: 400 },
      { name: 'not base64', fields: () => ({ SAMLRequest: '<a/>' }), status: 400 },
      { name: 'nothing', fields: () => ({}), status: 400 },
      {
        name: 'another issuer (S47)',
        fields: () => form(signed(bent({ issuer: '<saml:Issuer>https://other.example</saml:Issuer>' }))),
        status: 403,
      },
      {
        name: 'another destination (S47)',
        fields: () => form(signed(bent({ attributes: 'Destination="https://other.example/out"' }))),
        status: 403,
      },
      {
        name: 'expired (S47)',
        fields: () =>
          form(signed(bent({ attributes: `Destination="${logoutUrl}" NotOnOrAfter="${seconds(-120)}"` }))),
        status: 403,
      },
    ])('by HTTP-POST: $name', async ({ fields, status }) => {
      expect(await errorOf(read(posted(fields())))).toMatchObject({ status });
    });
  });

  test('a response tells whether the session there has ended', async () => {
    const id = '_logout-id-of-enough-characters.1a';
    const answer = (status: string) =>
      read(redirected(redirectQuery(writeLogoutResponse(id, { status }), idp, { name: 'SAMLResponse' })));
    expect(await answer('Success')).toMatchObject({ isDone: true });
    expect(await answer('Responder')).toMatchObject({ isDone: false });
  });
});
