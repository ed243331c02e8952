import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuthorizationSecrets } from '../../console/federation/connector.ts';
import { createSamlConnector } from '../../console/federation/saml/connector.ts';
import { openStorage } from '../../console/storage/embedded/open.ts';
import type { Storage } from '../../console/storage/storage.ts';
import {
  callbackUrl,
  consoleEntityId,
  type KeyPair,
  missingOpenssl,
  newKeyPair,
  ownPair,
  providerEntityId,
  readRequest,
  samlSettings,
  seconds,
  sign,
  signOnUrl,
  takeApart,
  writeResponse,
} from './saml-provider.ts';

const obstacle = missingOpenssl();

describe.skipIf(obstacle)(`SAML sign-in${obstacle ? ` (${obstacle})` : ''}`, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'saml-'));
  let storage: Storage;
  let idp: KeyPair;
  let attacker: KeyPair;

  beforeAll(async () => {
    storage = await openStorage({ dataDir, role: 'tool' });
    idp = newKeyPair();
    attacker = newKeyPair();
  });
  afterAll(async () => {
    await storage?.close();
    rmSync(dataDir, { recursive: true });
  });

  const connector = (deps: { now?: () => number; signing?: KeyPair; certificates?: string[] } = {}) =>
    createSamlConnector({
      saml: samlSettings(
        deps.certificates ?? [idp.certificate],
        deps.signing && { signing: ownPair(deps.signing) },
      ),
      entityId: consoleEntityId,
      artifacts: storage.artifacts,
      randomBytes,
      now: deps.now ?? Date.now,
    });

  async function begin(stateId = randomBytes(18).toString('base64url')) {
    const { location, secrets } = await connector().begin({ stateId, callbackUrl, reauthenticate: false });
    return {
      location,
      secrets,
      request: readRequest(location),
      assertionId: `_${randomBytes(8).toString('hex')}`,
    };
  }

  function finish(
    secrets: AuthorizationSecrets,
    encoded: string,
    { RelayState = secrets.relayState!, now = Date.now } = {},
  ) {
    const parameters = new Map([
      ['SAMLResponse', encoded],
      ['RelayState', RelayState],
    ]);
    return connector({ now }).finish({ callbackUrl, parameters }, secrets);
  }

  const base64 = (xml: string) => Buffer.from(xml).toString('base64');
  type Bent = Parameters<typeof writeResponse>[1];

  test('asks by HTTP-Redirect, without and with proof of who asks', async () => {
    const { location, request, secrets } = await begin();
    expect(location.startsWith(`${signOnUrl}&`)).toBe(true);
    expect(request.xml).toContain(`AssertionConsumerServiceURL="${callbackUrl}"`);
    expect(request.xml).toContain(`>${consoleEntityId}<`);
    expect(request.xml).not.toContain('ForceAuthn');
    expect(request.id).toBe(secrets.requestId);
    expect(request.relayState).toBe(secrets.relayState);

    const stateId = 'attempt-0123456789';
    const signing = connector({ signing: attacker });
    const again = readRequest((await signing.begin({ stateId, callbackUrl, reauthenticate: true })).location);
    expect(again.xml).toContain('ForceAuthn="true"');
    expect(again.searchParams.get('SigAlg')).toBe('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256');
  });

  test.each([
    { name: 'the assertion', ids: ['_assertion'], options: {} },
    { name: 'assertion and response', ids: ['_assertion', '_response'], options: {} },
    { name: 'the response around it (C9)', ids: ['_response'], options: {} },
    {
      name: 'the assertion by RSA-SHA-512',
      ids: ['_assertion'],
      options: {
        signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
        digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha512',
      },
    },
  ])('signs in with a signature over $name', async ({ ids, options }) => {
    const { secrets, assertionId } = await begin();
    const plain = writeResponse(secrets.requestId!, { assertionId });
    const signed = ids.reduce(
      (xml, id) => sign(xml, id.replace('_assertion', assertionId), idp, options),
      plain,
    );
    const identity = await finish(secrets, base64(signed));
    expect(identity).toMatchObject({ subject: 'user-4711', username: 'ada', email: 'ada@corp.example' });
    expect(identity.attributes.groups).toEqual(['ops', 'R&D']);
    expect(Object.keys(identity.attributes)).toContain('__proto__');
    expect(Object.getPrototypeOf(identity.attributes)).toBe(Object.prototype);
    expect(identity.session?.id).toBe('session-7');
    expect(JSON.parse(identity.session!.hint!)).toMatchObject({ value: 'user-4711', nameQualifier: 'corp' });
  });

  test('signs in by either certificate while the provider changes its key, and with a clock 50 s off', async () => {
    const { secrets, assertionId } = await begin();
    const times = `NotBefore="${seconds(50)}" NotOnOrAfter="${seconds(300)}"`;
    const xml = sign(writeResponse(secrets.requestId!, { assertionId, times }), assertionId, idp);
    const both = connector({ certificates: [attacker.certificate, idp.certificate] });
    const parameters = new Map([
      ['SAMLResponse', base64(xml)],
      ['RelayState', secrets.relayState!],
    ]);
    expect((await both.finish({ callbackUrl, parameters }, secrets)).subject).toBe('user-4711');
  });

  interface Row {
    readonly name: string;
    readonly status: number;
    readonly reason?: RegExp;
    /** An answer as the attacker would like to have it believed. */
    readonly forge: (requestId: string) => string;
    readonly relayState?: string;
    /** Milliseconds by which our clock runs ahead. */
    readonly later?: number;
  }

  const signedWith = (bent: Bent) => (requestId: string) =>
    sign(writeResponse(requestId, bent), '_assertion', idp);
  const signedBy =
    (...options: [Parameters<typeof sign>[3]]) =>
    (requestId: string) =>
      sign(writeResponse(requestId), '_assertion', idp, ...options);
  const rearranged = (rearrange: (parts: ReturnType<typeof takeApart>) => string) => (requestId: string) =>
    rearrange(takeApart(sign(writeResponse(requestId), '_assertion', idp)));
  /** Root and assertion are the attacker's; the response that was signed is kept somewhere inside. */
  const wrappedResponse =
    (place: (parts: { evil: string; signature: string; original: string }) => string) =>
    (requestId: string) => {
      const plain = writeResponse(requestId);
      const signature = /<Signature .*?<\/Signature>/s.exec(sign(plain, '_response', idp))![0];
      const evil = plain
        .replace('_response', '_evil')
        .replace('_assertion', '_evil2')
        .replace('user-4711', 'root');
      return place({ evil, signature, original: plain });
    };
  const invalid: Row[] = [
    {
      name: 'wrapping 1, the signed response inside the signature of another (S46)',
      status: 403,
      reason: /another response/,
      forge: wrappedResponse(({ evil, signature, original }) =>
        evil.replace(
          '</saml:Issuer>',
          `</saml:Issuer>${signature.replace('</Signature>', `${original}</Signature>`)}`,
        ),
      ),
    },
    {
      name: 'wrapping 2, the signed response beside its signature (S46)',
      status: 403,
      reason: /another response/,
      forge: wrappedResponse(({ evil, signature, original }) =>
        evil.replace('</saml:Issuer>', `</saml:Issuer>${original}${signature}`),
      ),
    },
    {
      name: 'wrapping 3, another assertion before the signed one (S46)',
      status: 403,
      reason: /exactly one assertion/,
      forge: rearranged(({ around, evil, assertion }) => around(evil + assertion)),
    },
    {
      name: 'wrapping 4, the signed assertion inside another (S46)',
      status: 403,
      reason: /exactly one assertion/,
      forge: rearranged(({ around, evil, assertion }) =>
        around(evil.replace('</saml:Assertion>', `${assertion}</saml:Assertion>`)),
      ),
    },
    {
      name: 'wrapping 5, the signature in another assertion, the signed one behind (S46)',
      status: 403,
      reason: /exactly one assertion/,
      forge: rearranged(({ around, evilSigned, signature, original }) =>
        around(evilSigned(signature) + original),
      ),
    },
    {
      name: 'wrapping 6, the signed assertion inside the signature of another (S46)',
      status: 403,
      reason: /exactly one assertion/,
      forge: rearranged(({ around, evilSigned, signature, original }) =>
        around(evilSigned(signature.replace('</Signature>', `${original}</Signature>`))),
      ),
    },
    {
      name: 'wrapping 7, another assertion among the extensions (S46)',
      status: 403,
      reason: /exactly one assertion/,
      forge: rearranged(({ around, evil, assertion }) =>
        around(`<samlp:Extensions>${evil}</samlp:Extensions>${assertion}`),
      ),
    },
    {
      name: 'wrapping 8, the signed assertion as an object of the signature (S46)',
      status: 403,
      reason: /exactly one assertion/,
      forge: rearranged(({ around, evilSigned, signature, original }) =>
        around(evilSigned(signature.replace('</Signature>', `<Object>${original}</Object></Signature>`))),
      ),
    },
    {
      name: 'the signed assertion hidden under another element name (S46)',
      status: 403,
      reason: /over something else/,
      forge: rearranged(({ around, evilSigned, signature, original }) =>
        around(evilSigned(signature) + original.replaceAll('saml:Assertion', 'saml:Advice')),
      ),
    },
    {
      name: 'one id on two elements (S46)',
      status: 403,
      reason: /id twice/,
      forge: rearranged(({ around, assertion }) => around(`<x ID="_assertion"/>${assertion}`)),
    },
    {
      name: 'an unsigned answer (S46)',
      status: 403,
      reason: /does not prove/,
      forge: (id) => writeResponse(id),
    },
    {
      name: 'a changed name under the signature of the response (S46)',
      status: 403,
      reason: /does not prove/,
      forge: (id) => sign(writeResponse(id), '_response', idp).replace('user-4711', 'user-4712'),
    },
    {
      name: 'a response signed by another key around an assertion that is signed (S46)',
      status: 403,
      reason: /does not prove/,
      forge: (id) => sign(sign(writeResponse(id), '_assertion', idp), '_response', attacker),
    },
    {
      name: 'a signature by another certificate, which is in its KeyInfo (S46)',
      status: 403,
      reason: /does not prove/,
      forge: (id) => sign(writeResponse(id), '_assertion', attacker),
    },
    {
      name: 'a signature by another key, with the true certificate in its KeyInfo (S46)',
      status: 403,
      reason: /does not prove/,
      forge: (id) =>
        sign(writeResponse(id), '_assertion', { key: attacker.key, certificate: idp.certificate }),
    },
    {
      name: 'a changed name under a true signature (S46)',
      status: 403,
      reason: /does not prove/,
      forge: (id) => sign(writeResponse(id), '_assertion', idp).replace('user-4711', 'user-4712'),
    },
    {
      name: 'RSA-SHA-1 (S46)',
      status: 403,
      reason: /algorithm/,
      forge: signedBy({ signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
    },
    {
      name: 'a SHA-1 digest (S46)',
      status: 403,
      reason: /algorithm/,
      forge: signedBy({ digestAlgorithm: 'http://www.w3.org/2000/09/xmldsig#sha1' }),
    },
    {
      name: 'HMAC by the public certificate (S46)',
      status: 403,
      reason: /algorithm/,
      forge: signedBy({ isHmac: true }),
    },
    {
      name: 'canonical form with comments (S46)',
      status: 403,
      reason: /algorithm/,
      forge: signedBy({ canonicalization: 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments' }),
    },
    {
      name: 'a third transform of what is signed (S46)',
      status: 403,
      reason: /algorithm/,
      forge: signedBy({ repeatsTransform: true }),
    },
    {
      name: 'a quote in the id that the signature refers to (S46)',
      status: 403,
      reason: /over something else/,
      forge: (id) => sign(writeResponse(id), '_assertion', idp).replaceAll('_assertion', "_a'ssertion"),
    },
    {
      name: 'two signed assertions (S46)',
      status: 403,
      reason: /exactly one assertion/,
      forge: rearranged(({ around, assertion }) =>
        around(assertion + assertion.replaceAll('_assertion', '_second')),
      ),
    },
    {
      name: 'an encrypted assertion beside the signed one (S46)',
      status: 403,
      reason: /exactly one assertion/,
      forge: rearranged(({ around, assertion }) => around(`${assertion}<saml:EncryptedAssertion/>`)),
    },
    {
      name: 'two roots (S46)',
      status: 403,
      reason: /well-formed|one root/,
      forge: rearranged(({ around, assertion, evil }) => around(assertion) + around(evil)),
    },
    {
      name: 'two SignedInfo (S46)',
      status: 403,
      reason: /unusual shape/,
      forge: (id) =>
        sign(writeResponse(id), '_assertion', idp).replace(/<SignedInfo>.*<\/SignedInfo>/s, '$&$&'),
    },
    {
      name: 'a comment in the NameID, which the signature leaves out (S46)',
      status: 403,
      reason: /comments/,
      forge: (id) => sign(writeResponse(id), '_assertion', idp).replace('user-4711', 'user<!---->-4711'),
    },
    {
      name: 'a comment in the digest (S46)',
      status: 403,
      reason: /comments/,
      forge: (id) =>
        sign(writeResponse(id), '_assertion', idp).replace('<DigestValue>', '<DigestValue><!--x-->'),
    },
    {
      name: 'a signed error reply that carries an assertion (S46)',
      status: 403,
      reason: /refused the sign-in \(AuthnFailed\)/,
      forge: (id) => {
        const status =
          '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Responder"><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:AuthnFailed"/></samlp:StatusCode>';
        return sign(sign(writeResponse(id, { status }), '_assertion', idp), '_response', idp);
      },
    },
    {
      name: 'a name that is for this session only (S45)',
      status: 403,
      reason: /persistent/,
      forge: signedWith({
        nameId: '<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient">t</saml:NameID>',
      }),
    },
    {
      name: 'another audience (S47)',
      status: 403,
      reason: /another application/,
      forge: signedWith({
        conditions:
          '<saml:AudienceRestriction><saml:Audience>https://other.example</saml:Audience></saml:AudienceRestriction>',
      }),
    },
    {
      name: 'no audience (S47)',
      status: 403,
      reason: /another application/,
      forge: signedWith({ conditions: '' }),
    },
    {
      name: 'another recipient (S47)',
      status: 403,
      reason: /another address/,
      forge: (id) =>
        signedWith({
          confirmation: `Recipient="${callbackUrl}2" NotOnOrAfter="${seconds(300)}" InResponseTo="${id}"`,
        })(id),
    },
    {
      name: 'another destination (S47)',
      status: 403,
      reason: /another address/,
      forge: (id) =>
        signedWith({ responseAttributes: `Destination="${callbackUrl}2" InResponseTo="${id}"` })(id),
    },
    {
      name: 'a signed response without destination (S47)',
      status: 403,
      reason: /another address/,
      forge: (id) => sign(signedWith({ responseAttributes: `InResponseTo="${id}"` })(id), '_response', idp),
    },
    {
      name: 'another issuer (S47)',
      status: 403,
      reason: /issuer/,
      forge: signedWith({ issuer: 'https://evil.example' }),
    },
    {
      name: 'another issuer of the response (S47)',
      status: 403,
      reason: /issuer/,
      forge: signedWith({ responseIssuer: 'https://evil.example' }),
    },
    {
      name: 'conditions that expired 61 s ago (S47)',
      status: 403,
      reason: /expired/,
      forge: signedWith({ times: `NotOnOrAfter="${seconds(-61)}"` }),
    },
    {
      name: 'a confirmation that expired by our clock (S47)',
      status: 403,
      reason: /expired/,
      forge: signedWith({}),
      later: 400_000,
    },
    {
      name: 'a confirmation without end (S47)',
      status: 403,
      forge: (id) => signedWith({ confirmation: `Recipient="${callbackUrl}" InResponseTo="${id}"` })(id),
    },
    {
      name: 'conditions that begin in 120 s (S47)',
      status: 403,
      reason: /not valid yet/,
      forge: signedWith({ times: `NotBefore="${seconds(120)}" NotOnOrAfter="${seconds(300)}"` }),
    },
    {
      name: 'an unsolicited answer (S47)',
      status: 403,
      reason: /not asked for/,
      forge: signedWith({
        responseAttributes: `Destination="${callbackUrl}"`,
        confirmation: `Recipient="${callbackUrl}" NotOnOrAfter="${seconds(300)}"`,
      }),
    },
    {
      name: 'an unsolicited assertion in an answer that says otherwise (S47)',
      status: 403,
      reason: /not asked for/,
      forge: signedWith({ confirmation: `Recipient="${callbackUrl}" NotOnOrAfter="${seconds(300)}"` }),
    },
    {
      name: 'the answer to the request of another browser (S47)',
      status: 403,
      reason: /another sign-in/,
      forge: () => signedWith({})('_somebody-elses'),
    },
    {
      name: 'the assertion for another browser in an answer for this one (S47)',
      status: 403,
      reason: /another sign-in/,
      forge: (id) =>
        signedWith({ responseAttributes: `Destination="${callbackUrl}" InResponseTo="${id}"` })(
          '_somebody-elses',
        ),
    },
    {
      name: 'a request open for more than 10 minutes (S47)',
      status: 403,
      reason: /too long/,
      forge: signedWith({}),
      later: 601_000,
    },
    {
      name: 'a document type (S48)',
      status: 400,
      forge: (id) => `<!DOCTYPE r SYSTEM "file:///etc/passwd">${signedWith({})(id)}`,
    },
    {
      name: 'an entity (S48)',
      status: 400,
      forge: (id) => signedWith({})(id).replace('user-4711', '&admin;'),
    },
    {
      name: 'more than 256 KiB (S48)',
      status: 400,
      reason: /too long/,
      forge: signedWith({
        attributes: `<saml:Attribute Name="a"><saml:AttributeValue>${'a'.repeat(262_144)}</saml:AttributeValue></saml:Attribute>`,
      }),
    },
    {
      name: 'a RelayState that is an address (S48)',
      status: 400,
      forge: signedWith({}),
      relayState: 'https://evil.example/',
    },
    { name: 'something that is not XML', status: 403, forge: () => 'hello' },
    { name: 'nothing', status: 400, forge: () => '' },
  ];

  test.each(invalid)(
    'refuses $name, and remembers nothing',
    async ({ forge, status, reason, relayState, later = 0 }) => {
      const { secrets } = await begin();
      const [requestId, now] = [secrets.requestId!, () => Date.now() + later];
      const forged = forge(requestId);
      const answer = finish(secrets, base64(forged), { now, ...(relayState && { RelayState: relayState }) });
      await expect(answer).rejects.toMatchObject({ name: 'FederationError', status });
      if (reason) await expect(answer).rejects.toThrow(reason);
      // Had the refused assertion been noted as used, this would be the second time.
      const counter = ['SamlAssertion', `${providerEntityId} _assertion`] as const;
      const { count } = await storage.artifacts.count(...counter, 60);
      await storage.artifacts.uncount(...counter);
      expect(count).toBe(1);
    },
  );

  test('refuses an assertion that was used before, also in another sign-in (S47)', async () => {
    const { secrets, assertionId } = await begin();
    const honest = base64(sign(writeResponse(secrets.requestId!, { assertionId }), assertionId, idp));
    expect((await finish(secrets, honest)).subject).toBe('user-4711');
    await expect(finish(secrets, honest)).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('used before'),
    });
    const other = await begin();
    const again = sign(writeResponse(other.secrets.requestId!, { assertionId }), assertionId, idp);
    await expect(finish(other.secrets, base64(again))).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('used before'),
    });
  });

  test('never sends an address as RelayState (S48)', async () => {
    await expect(begin('https://evil.example/')).rejects.toThrow('opaque');
  });

  test('takes no certificate whose key is weak, and none at all is refused (S46)', () => {
    const weak = newKeyPair(['-newkey', 'rsa:1024']);
    expect(() => connector({ certificates: [weak.certificate] })).toThrow('2048');
    expect(() => connector({ certificates: [] })).toThrow('no signing certificate');
  });
});
