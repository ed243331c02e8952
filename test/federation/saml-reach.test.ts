/** C9: SAML providers as they are met: encrypted assertions, subjects by attribute, requests by a form. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EncryptOptions, encrypt } from 'xml-encryption';
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
  samlSettings,
  sign,
  signOnUrl,
  takeApart,
  writeResponse,
} from './saml-provider.ts';
import { errorOf } from './support.ts';

const obstacle = missingOpenssl();
const gcm = 'http://www.w3.org/2009/xmlenc11#aes256-gcm';
const cbc = 'http://www.w3.org/2001/04/xmlenc#aes256-cbc';
const oaep = 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p';

describe.skipIf(obstacle)(`reach of SAML${obstacle ? ` (${obstacle})` : ''} (C9)`, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'saml-reach-'));
  let storage: Storage;
  let idp: KeyPair;
  let own: KeyPair;
  let attacker: KeyPair;

  beforeAll(async () => {
    storage = await openStorage({ dataDir, role: 'tool' });
    [idp, own, attacker] = [newKeyPair(), newKeyPair(), newKeyPair()];
  });
  afterAll(async () => {
    await storage?.close();
    rmSync(dataDir, { recursive: true });
  });

  function connector(settings: Parameters<typeof samlSettings>[1]) {
    return createSamlConnector({
      saml: samlSettings([idp.certificate], settings),
      entityId: consoleEntityId,
      artifacts: storage.artifacts,
      randomBytes,
      now: Date.now,
    });
  }

  /** A whole sign-in; the answer is made from the id of the request and an id for its assertion. */
  async function signIn(
    asked: Parameters<typeof connector>[0],
    answer: (requestId: string, assertionId: string) => string | Promise<string>,
  ) {
    const one = connector(asked);
    const stateId = randomBytes(18).toString('base64url');
    const { secrets } = await one.begin({ stateId, callbackUrl, reauthenticate: false });
    const xml = await answer(secrets.requestId!, `_${randomBytes(8).toString('hex')}`);
    const parameters = new Map([
      ['SAMLResponse', Buffer.from(xml).toString('base64')],
      ['RelayState', stateId],
    ]);
    return one.finish({ callbackUrl, parameters }, secrets);
  }

  interface Encrypting {
    readonly content?: string;
    readonly transport?: string;
    readonly to?: KeyPair;
    /** The text before it is encrypted. */
    readonly alter?: (assertion: string) => string;
  }

  /** Puts the assertion of a response into an EncryptedAssertion. */
  async function encrypted(
    response: string,
    { content = gcm, transport = oaep, to = own, alter = (text) => text }: Encrypting = {},
  ): Promise<string> {
    const assertion = /<saml:Assertion .*<\/saml:Assertion>/s.exec(response)![0];
    const alone = assertion.replace(
      '<saml:Assertion ',
      '<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ',
    );
    const data = await promisify(encrypt)(alter(alone), {
      rsa_pub: Buffer.from(to.certificate),
      pem: Buffer.from(to.certificate),
      encryptionAlgorithm: content,
      keyEncryptionAlgorithm: transport,
      warnInsecureAlgorithm: false,
    } as EncryptOptions);
    return response.replace(assertion, `<saml:EncryptedAssertion>${data}</saml:EncryptedAssertion>`);
  }

  const signed = (requestId: string, assertionId: string, bent = {}) =>
    sign(writeResponse(requestId, { assertionId, ...bent }), assertionId, idp);

  describe('encrypted assertions', () => {
    test.each([
      {
        name: 'signed inside, by AES-GCM',
        answer: async (id: string, a: string) => encrypted(signed(id, a)),
      },
      {
        name: 'unsigned inside a signed response, by AES-GCM',
        answer: async (id: string, a: string) =>
          sign(await encrypted(writeResponse(id, { assertionId: a })), '_response', idp),
      },
      {
        name: 'signed inside a signed response, by AES-CBC as ADFS has it',
        answer: async (id: string, a: string) =>
          sign(await encrypted(signed(id, a), { content: cbc }), '_response', idp),
      },
    ])('sign in: $name', async ({ answer }) => {
      const identity = await signIn({ encryption: ownPair(own) }, answer);
      expect(identity).toMatchObject({ subject: 'user-4711', username: 'ada' });
      expect(identity.attributes.groups).toEqual(['ops', 'R&D']);
    });

    const invalid: readonly {
      readonly name: string;
      readonly reason: RegExp;
      readonly answer: (id: string, assertionId: string) => Promise<string>;
      readonly hasNoKey?: boolean;
    }[] = [
      {
        name: 'without a key here',
        reason: /no key for it.*--encrypted-assertions/,
        answer: async (id, a) => encrypted(signed(id, a)),
        hasNoKey: true,
      },
      {
        name: 'that nobody has signed (S46)',
        reason: /does not prove/,
        answer: async (id, a) => encrypted(writeResponse(id, { assertionId: a })),
      },
      {
        name: 'signed by a stranger (S46)',
        reason: /does not prove/,
        answer: async (id, a) => encrypted(sign(writeResponse(id, { assertionId: a }), a, attacker)),
      },
      {
        name: 'in a response that a stranger has signed (S46)',
        reason: /does not prove/,
        answer: async (id, a) => sign(await encrypted(signed(id, a)), '_response', attacker),
      },
      {
        name: 'by AES-CBC that nobody has signed',
        reason: /encrypted in a way that is not accepted/,
        answer: async (id, a) => encrypted(signed(id, a), { content: cbc }),
      },
      {
        name: 'with the key by PKCS #1 v1.5, signed or not',
        reason: /encrypted in a way that is not accepted/,
        answer: async (id, a) =>
          sign(
            await encrypted(signed(id, a), { transport: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5' }),
            '_response',
            idp,
          ),
      },
      {
        name: 'for another key',
        reason: /cannot be decrypted/,
        answer: async (id, a) => encrypted(signed(id, a), { to: attacker }),
      },
      {
        name: 'that were changed on the way',
        reason: /cannot be decrypted/,
        answer: async (id, a) =>
          (await encrypted(signed(id, a))).replace(
            /(<\/?[a-z:]*CipherValue>)(.{8})([^<]*)(<\/[a-z:]*CipherValue>\s*<\/[a-z:]*CipherData>\s*<\/xenc:EncryptedData>)/s,
            '$1AAAAAAAA$3$4',
          ),
      },
      {
        name: 'with a document type inside (S48)',
        reason: /document type/,
        answer: async (id, a) =>
          encrypted(signed(id, a), { alter: (text) => `<!DOCTYPE a [<!ENTITY b "c">]>${text}` }),
      },
      {
        name: 'with a comment in the name (S46)',
        reason: /comments/,
        answer: async (id, a) =>
          encrypted(signed(id, a), { alter: (text) => text.replace('user-4711', 'user<!---->-4711') }),
      },
      {
        name: 'with another assertion around the signed one (S46)',
        reason: /exactly one assertion/,
        answer: async (id, a) =>
          encrypted(signed(id, a), {
            alter: (text) =>
              `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_evil" Version="2.0">${text}</saml:Assertion>`,
          }),
      },
      {
        name: 'beside a second encrypted one (S46)',
        reason: /exactly one assertion/,
        answer: async (id, a) =>
          (await encrypted(signed(id, a))).replace(
            /<saml:EncryptedAssertion>.*<\/saml:EncryptedAssertion>/s,
            '$&$&',
          ),
      },
      {
        name: 'meant for another application (S47)',
        reason: /another application/,
        answer: async (id, a) =>
          encrypted(
            signed(id, a, {
              conditions:
                '<saml:AudienceRestriction><saml:Audience>urn:other</saml:Audience></saml:AudienceRestriction>',
            }),
          ),
      },
    ];
    test.each(invalid)('are refused: $name', async ({ answer, reason, hasNoKey }) => {
      const work = signIn(hasNoKey ? {} : { encryption: ownPair(own) }, answer);
      expect((await errorOf(work)).message).toMatch(reason);
    });
  });

  describe('a subject from an attribute', () => {
    const transient =
      '<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient">_today</saml:NameID>';
    const asked = { subjectAttribute: 'uid' };

    test('Shibboleth: the NameID changes with each session, and a logout names it', async () => {
      const identity = await signIn(asked, (id, a) => signed(id, a, { nameId: transient }));
      expect(identity.subject).toBe('ada');
      expect(identity.session).toMatchObject({ id: 'session-7', name: '_today' });
      expect(JSON.parse(identity.session!.hint!)).toMatchObject({ value: '_today' });
    });

    test('ADFS: there is no NameID, so nothing a logout could name', async () => {
      const identity = await signIn(asked, (id, a) => signed(id, a, { nameId: '' }));
      expect(identity.subject).toBe('ada');
      expect(identity.session).toEqual({ id: 'session-7' });
      const logout = {
        binding: 'redirect',
        url: 'https://idp.example/out',
        replyUrl: 'https://idp.example/out',
      } as const;
      const message = await connector({ metadata: { logout }, signing: ownPair(own) }).beginLogout!({
        subject: identity.subject,
        session: identity.session!,
        logoutId: 'logout-0123456789',
        returnUrl: 'https://console.example/login/saml/corp/logout',
      });
      expect(message).toBeUndefined();
    });

    test.each([
      { name: 'no value of it', attribute: 'eduPersonPrincipalName', nameId: transient },
      { name: 'two values of it', attribute: 'groups', nameId: transient },
      { name: 'a name that every object inherits', attribute: 'constructor', nameId: transient },
    ])('$name names nobody (S45)', async ({ attribute, nameId }) => {
      const work = signIn({ subjectAttribute: attribute }, (id, a) => signed(id, a, { nameId }));
      expect((await errorOf(work)).message).toMatch(/does not have exactly one value of the attribute/);
    });

    test('without it, a NameID of this session alone is refused with what to do', async () => {
      const work = signIn({}, (id, a) => signed(id, a, { nameId: transient }));
      expect((await errorOf(work)).message).toMatch(/--subject-attribute/);
    });
  });

  test('a response signed as a whole does not lend its signature to another assertion (S46)', async () => {
    const work = signIn({}, (id, a) => {
      const whole = sign(writeResponse(id, { assertionId: a }), '_response', idp);
      const { evil } = takeApart(sign(writeResponse(id), '_assertion', idp));
      return whole.replace(/<saml:Assertion .*<\/saml:Assertion>/s, evil);
    });
    expect((await errorOf(work)).message).toMatch(/does not prove/);
  });

  test('a request by HTTP-POST is signed inside, not deflated, and carries the RelayState', async () => {
    const post = connector({ metadata: { signOnBinding: 'post' }, signing: ownPair(own) });
    const stateId = 'attempt-0123456789';
    const message = await post.begin({ stateId, callbackUrl, reauthenticate: true });
    if (message.method !== 'POST') throw new Error('not by a form');
    expect(message.location).toBe(signOnUrl);
    expect(message.fields.RelayState).toBe(stateId);
    const xml = Buffer.from(message.fields.SAMLRequest!, 'base64').toString();
    expect(xml).toContain(`AssertionConsumerServiceURL="${callbackUrl}"`);
    expect(xml).toContain('ForceAuthn="true"');
    expect(xml).toContain('rsa-sha256');
    expect(xml).toContain(message.secrets.requestId);
  });
});
