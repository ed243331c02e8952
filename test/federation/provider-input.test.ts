/** What an administrator says of a provider: which fields go together, with and without a provider that is there. */
import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { ProviderInputError } from '../../console/federation/errors.ts';
import type { ProviderInput } from '../../console/federation/providers/input-schema.ts';
import { readProviderInput } from '../../console/federation/providers/reading.ts';
import type { Provider } from '../../console/federation/providers/schema.ts';
import { newSelfSigned, type SelfSigned } from '../../platform/certificates/self-signed.ts';

type Kind = Provider['kind'];

const secret = 'marmot-secret-0123456789';
const roleRules = ['groups=ops -> Viewer'];
const oidc = { issuer: 'https://idp.example', clientId: 'console', roleRules };
const search = { bindDn: 'cn=console', bindPassword: secret, baseDn: 'dc=example' };
const ldap = { url: 'ldaps://ldap.example', roleRules, ...search };
const metadata = '<md/>';
const pem = (type: 'pkcs8' | 'spki', { privateKey, publicKey }: ReturnType<typeof pairOf>) =>
  type === 'pkcs8'
    ? privateKey.export({ type, format: 'pem' }).toString()
    : publicKey.export({ type, format: 'pem' }).toString();
const pairOf = (curve: string) => generateKeyPairSync('ec', { namedCurve: curve });
const p256 = pairOf('P-256');
const rsa = (modulusLength: number) =>
  generateKeyPairSync('rsa', { modulusLength })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();

let own: SelfSigned;
/** What new keys of the console are, one after the other: to make real ones takes a second each. */
let pairs: readonly SelfSigned[];
let made = 0;
/** Addresses that were asked for metadata, and who had to have signed them. */
let fetched: string[];
let signers: (string | undefined)[];
beforeAll(async () => {
  pairs = await Promise.all(
    ['one', 'two'].map((name) => newSelfSigned(name, { randomBytes, now: Date.now })),
  );
  own = pairs[0]!;
});

async function read(kind: Kind, input: ProviderInput, before?: Provider, renewsKeys = false) {
  fetched = [];
  signers = [];
  const deps = {
    called: (field: string) => `<${field}>`,
    renewsKeys,
    fetchMetadata: async (url: string) => {
      fetched.push(url);
      return metadata;
    },
    readMetadata: async (_xml: string, certificate?: string) => {
      signers.push(certificate);
      return {
        entityId: 'https://idp.example/saml',
        signOnUrl: 'https://idp.example/sign-on',
        certificates: [own.certificate],
        nameIdFormats: ['urn:persistent'],
      };
    },
    newSigning: async () => pairs[made++ % pairs.length]!,
  };
  return {
    createdAt: 1,
    ...(await readProviderInput({ id: 'corp', kind }, input, deps, before)),
  } as Provider;
}
const added = async (kind: Kind, input: ProviderInput) => read(kind, input);
const oidcOf = (provider: Provider) => (provider as Extract<Provider, { kind: 'oidc' }>).oidc;
const samlOf = (provider: Provider) => (provider as Extract<Provider, { kind: 'saml' }>).saml;
const ldapOf = (provider: Provider) => (provider as Extract<Provider, { kind: 'ldap' }>).ldap;

async function expectRefused(said: RegExp, work: Promise<unknown>) {
  const error: unknown = await work.then(
    () => 'it was taken',
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ message: expect.stringMatching(said) });
  expect(String(error)).not.toContain(secret);
  return error;
}

describe('a new provider is refused with the field that is wrong', () => {
  const key = { clientAuth: 'private_key_jwt' };
  const rows: readonly (readonly [string, Kind, () => ProviderInput, RegExp])[] = [
    ['no issuer', 'oidc', () => ({ ...oidc, issuer: undefined, clientAuth: 'none' }), /<issuer> is missing/],
    ['no client id', 'oidc', () => ({ ...oidc, clientId: undefined }), /<clientId> is missing/],
    ['no client authentication', 'oidc', () => oidc, /<clientSecret>, <clientKey>, or <clientAuth> none/],
    [
      'a method in the words of the standard',
      'oidc',
      () => ({ ...oidc, clientAuth: 'client_secret_basic' }),
      /basic, post/,
    ],
    [
      'no secret',
      'oidc',
      () => ({ ...oidc, clientAuth: 'post' }),
      /<clientSecret> is missing: .* <clientAuth> post/,
    ],
    ['no key', 'oidc', () => ({ ...oidc, ...key }), /<clientKey> is missing: .* private_key_jwt/],
    ['a key id without a key', 'oidc', () => ({ ...oidc, clientKeyId: 'one' }), /<clientKey> is missing/],
    [
      'a key id of nobody',
      'oidc',
      () => ({ ...oidc, clientAuth: 'none', clientKeyId: 'one' }),
      /<clientKeyId> does not go/,
    ],
    [
      'a secret of nobody',
      'oidc',
      () => ({ ...oidc, clientAuth: 'none', clientSecret: secret }),
      /<clientSecret> does not go/,
    ],
    [
      'a key of nobody',
      'oidc',
      () => ({ ...oidc, clientAuth: 'none', clientKey: secret }),
      /<clientKey> does not go/,
    ],
    [
      'a key where a secret belongs',
      'oidc',
      () => ({ ...oidc, clientAuth: 'basic', clientKey: secret }),
      /<clientKey> does not go/,
    ],
    [
      'a secret where a key belongs',
      'oidc',
      () => ({ ...oidc, ...key, clientSecret: secret }),
      /<clientSecret> does not go/,
    ],
    [
      'a secret and a key',
      'oidc',
      () => ({ ...oidc, clientSecret: secret, clientKey: secret }),
      /do not go together/,
    ],
    ['a key that is none', 'oidc', () => ({ ...oidc, clientKey: secret }), /is no private key/],
    ['half a JWK', 'oidc', () => ({ ...oidc, clientKey: `{"d":"${secret}"` }), /not valid JSON/],
    [
      'a JWK of nothing',
      'oidc',
      () => ({ ...oidc, clientKey: `{"kty":"RSA","d":"${secret}"}` }),
      /is no private key/,
    ],
    ['a public key', 'oidc', () => ({ ...oidc, clientKey: pem('spki', p256) }), /is no private key/],
    [
      'a public JWK',
      'oidc',
      () => ({ ...oidc, clientKey: JSON.stringify(p256.publicKey.export({ format: 'jwk' })) }),
      /is no private key/,
    ],
    [
      'a weak key',
      'oidc',
      () => ({ ...oidc, clientKey: rsa(1024) }),
      /RSA of 2048 bits or more, P-256 or Ed25519/,
    ],
    [
      'a key of another curve',
      'oidc',
      () => ({ ...oidc, clientKey: pem('pkcs8', pairOf('P-384')) }),
      /P-256 or Ed25519/,
    ],
    [
      'an algorithm that anybody can sign by (S44)',
      'oidc',
      () => ({ ...oidc, clientAuth: 'none', idTokenAlg: 'none' }),
      /<idTokenAlg> is one of/,
    ],
    [
      'an algorithm with a shared key (S44)',
      'oidc',
      () => ({ ...oidc, clientAuth: 'none', idTokenAlg: 'HS256' }),
      /<idTokenAlg> is one of/,
    ],
    [
      'no address of the keys',
      'oidc',
      () => ({ ...oidc, clientAuth: 'none', tokenEndpoint: 'https://idp.example/t' }),
      /<authorizationEndpoint>|<jwksUri>/,
    ],
    [
      'a field of a directory',
      'oidc',
      () => ({ ...oidc, clientAuth: 'none', baseDn: 'dc=a' }),
      /<baseDn> is for ldap providers; this one is oidc/,
    ],
    [
      'a field of SAML',
      'ldap',
      () => ({ ...ldap, metadata }),
      /<metadata> is for saml providers; this one is ldap/,
    ],
    [
      'a field of OpenID Connect',
      'saml',
      () => ({ roleRules, metadata, clientId: 'c' }),
      /<clientId> is for oidc providers; this one is saml/,
    ],
    ['no metadata', 'saml', () => ({ roleRules }), /<metadataUrl> or <metadata>/],
    [
      'metadata twice',
      'saml',
      () => ({ roleRules, metadata, metadataUrl: 'https://idp.example/md' }),
      /do not go together/,
    ],
    [
      'a certificate for metadata by hand',
      'saml',
      () => ({ roleRules, metadata, metadataCertificate: own.certificate }),
      /goes with <metadataUrl>/,
    ],
    [
      'a certificate without metadata',
      'saml',
      () => ({ roleRules, metadataCertificate: own.certificate }),
      /goes with <metadataUrl>/,
    ],
    [
      'a certificate that is none',
      'saml',
      () => ({ roleRules, metadataUrl: 'https://idp.example/md', metadataCertificate: own.key }),
      /<metadataCertificate> is no certificate/,
    ],
    [
      'a name that the provider does not give',
      'saml',
      () => ({ roleRules, metadata, nameIdFormat: 'urn:transient' }),
      /none of those that the provider offers: urn:persistent/,
    ],
    ['no address', 'ldap', () => ({ ...ldap, url: undefined }), /<url> is missing/],
    [
      'no search',
      'ldap',
      () => ({ url: ldap.url, roleRules }),
      /<bindDn>, <bindPassword>, <baseDn> are missing; <dnTemplate>/,
    ],
    ['half a search', 'ldap', () => ({ ...ldap, baseDn: undefined }), /<baseDn> is missing; <dnTemplate>/],
    [
      'a template and a search',
      'ldap',
      () => ({ ...ldap, dnTemplate: 'uid={username}' }),
      /<dnTemplate> and <bindDn> do not go together/,
    ],
    [
      'an authority in the clear',
      'ldap',
      () => ({ ...ldap, url: 'ldap://ldap.example', ca: own.certificate }),
      /<ca> is for encrypted connections/,
    ],
    ['an authority that is none', 'ldap', () => ({ ...ldap, ca: 'nobody' }), /<ca> holds no certificates/],
    ['an authority that is a key', 'ldap', () => ({ ...ldap, ca: own.key }), /<ca> holds no certificates/],
    [
      'one of two authorities broken',
      'ldap',
      () => ({ ...ldap, ca: own.certificate + own.certificate.replace('MII', 'AAA') }),
      /<ca> holds no certificates/,
    ],
    [
      'a group filter without groups',
      'ldap',
      () => ({ ...ldap, groupFilter: '(a=b)' }),
      /<groupFilter> is for a group search/,
    ],
    [
      'a group name without groups',
      'ldap',
      () => ({ ...ldap, groupNameAttribute: 'cn' }),
      /<groupNameAttribute> is for a group search/,
    ],
    [
      'groups by what nobody is in',
      'ldap',
      () => ({ ...ldap, groupBaseDn: 'ou=g', groupAttribute: 'owner' }),
      /<groupAttribute> is one of/,
    ],
    [
      'a rule without a value (S45)',
      'ldap',
      () => ({ ...ldap, roleRules: ['memberOf= -> Admin'] }),
      /no value after the =/,
    ],
    [
      'Admin for everybody (S45)',
      'ldap',
      () => ({ ...ldap, defaultRole: 'Admin' }),
      /Admin cannot be the default role/,
    ],
    [
      'a default role that is none (S45)',
      'ldap',
      () => ({ ...ldap, defaultRole: 'a b' }),
      /default role "a b" is none/,
    ],
  ];
  test.each(rows)('%s', async (_what, kind, input, said) => {
    await expectRefused(said, added(kind, definedOf(input())));
    expect(fetched, 'nothing is asked').toEqual([]);
  });

  test('as an error of what was said, not of the console', async () => {
    const error = await expectRefused(/<issuer>/, added('oidc', { clientId: 'console' }));
    expect(error).toBeInstanceOf(ProviderInputError);
  });
});

describe('what is not said stays as it is', () => {
  test('at an OpenID provider, its way of proving itself too', async () => {
    const before = await added('oidc', {
      ...oidc,
      clientSecret: secret,
      clientAuth: 'post',
      scopes: ['groups'],
    });
    const renamed = await read('oidc', { name: 'Renamed' }, before);
    expect(renamed).toEqual({ ...before, name: 'Renamed' });
    const { authentication } = oidcOf(await read('oidc', { clientSecret: 'another' }, before));
    expect(authentication).toMatchObject({ method: 'client_secret_post' });
    expect('secret' in authentication && authentication.secret.reveal()).toBe('another');
    const moved = oidcOf(await read('oidc', { clientAuth: 'basic' }, before)).authentication;
    expect(moved.method === 'client_secret_basic' && moved.secret.reveal()).toBe(secret);
    await expectRefused(/<clientKey> is missing/, read('oidc', { clientAuth: 'private_key_jwt' }, before));
  });

  test.each([
    ['P-256', () => pem('pkcs8', p256), 'ES256'],
    ['P-256 as a JWK', () => JSON.stringify(p256.privateKey.export({ format: 'jwk' })), 'ES256'],
    ['RSA', () => rsa(2048), 'RS256'],
    [
      'Ed25519',
      () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      'EdDSA',
    ],
  ])(
    'a key: %s has the algorithm that it is for, and is there until another comes',
    async (_what, key, alg) => {
      const before = await added('oidc', { ...oidc, clientKey: key(), clientKeyId: 'one' });
      const { authentication } = oidcOf(before);
      expect(
        authentication.method === 'private_key_jwt' && JSON.parse(authentication.key.reveal()),
      ).toMatchObject({
        alg,
        kid: 'one',
      });
      expect(oidcOf(await read('oidc', { clientAuth: 'private_key_jwt' }, before)).authentication).toBe(
        authentication,
      );
      await expectRefused(/<clientKey> is missing/, read('oidc', { clientKeyId: 'two' }, before));
      await expectRefused(/<clientSecret> is missing/, read('oidc', { clientAuth: 'basic' }, before));
      const open = await read('oidc', { clientAuth: 'none' }, before);
      expect(oidcOf(open).authentication).toEqual({ method: 'none' });
      await expectRefused(/<clientSecret> is missing/, read('oidc', { clientAuth: 'basic' }, open));
    },
  );

  test('at a directory, however people are found', async () => {
    const before = await added('ldap', {
      ...ldap,
      groupBaseDn: 'ou=groups',
      groupAttribute: 'MEMBERUID',
      startTls: false,
    });
    expect(ldapOf(before)).toMatchObject({
      find: { by: 'search', filter: '(&(objectClass=person)(uid={username}))' },
      groups: { baseDn: 'ou=groups', memberAttribute: 'memberUid' },
    });
    expect(await read('ldap', {}, before)).toEqual(before);
    const template = await read('ldap', { dnTemplate: 'uid={username},dc=example' }, before);
    expect(ldapOf(template).find).toEqual({ by: 'template', dn: 'uid={username},dc=example' });
    expect(ldapOf(await read('ldap', { name: 'N' }, template)).find).toEqual(ldapOf(template).find);
    // The password went with the search.
    await expectRefused(
      /<bindPassword> is missing/,
      read('ldap', { bindDn: 'cn=a', baseDn: 'dc=b' }, template),
    );
    const moved = await read('ldap', { groupFilter: '(a=b)' }, before);
    expect(ldapOf(moved).groups).toEqual({
      baseDn: 'ou=groups',
      memberAttribute: 'memberUid',
      filter: '(a=b)',
    });
    await expectRefused(
      /<ca> is for encrypted/,
      read(
        'ldap',
        { url: 'ldap://a', startTls: false },
        await added('ldap', { ...ldap, ca: own.certificate }),
      ),
    );
  });

  test('at a SAML provider: metadata are pinned, and fetched for a new address or certificate alone (S46)', async () => {
    const address = 'https://idp.example/md';
    const before = await added('saml', { roleRules, metadataUrl: address });
    expect([fetched, signers]).toEqual([[address], [undefined]]);
    expect(await read('saml', { name: 'Renamed' }, before)).toEqual({ ...before, name: 'Renamed' });
    expect(fetched).toEqual([]);
    const pinned = await read('saml', { metadataCertificate: own.certificate }, before);
    const certificate = new X509Certificate(own.certificate).toString();
    expect([fetched, signers]).toEqual([[address], [certificate]]);
    expect(samlOf(pinned).metadataCertificate).toBe(certificate);
    await read('saml', { metadataUrl: 'https://idp.example/new' }, pinned);
    expect([fetched, signers], 'the pinned certificate holds for a new address').toEqual([
      ['https://idp.example/new'],
      [certificate],
    ]);
    // By hand, nothing is fetched again: neither address nor certificate is left behind.
    const byHand = samlOf(await read('saml', { metadata }, pinned));
    expect([byHand.metadataUrl, byHand.metadataCertificate, fetched]).toEqual([undefined, undefined, []]);
  });

  test('keys that were made for a SAML provider are made anew on request alone', async () => {
    const before = await added('saml', { roleRules, metadata, signRequests: true });
    const keyOf = (provider: Provider) => samlOf(provider).signing?.certificate;
    expect(keyOf(before)).toContain('CERTIFICATE');
    expect(samlOf(before).encryption).toBeUndefined();
    expect(keyOf(await read('saml', { signRequests: true }, before))).toBe(keyOf(before));
    const renewed = keyOf(await read('saml', { signRequests: true }, before, true));
    expect(renewed).toContain('CERTIFICATE');
    expect(renewed).not.toBe(keyOf(before));
    expect(keyOf(await read('saml', { name: 'N' }, before, true))).toBe(keyOf(before));
    expect(keyOf(await read('saml', { signRequests: false }, before))).toBeUndefined();
  });
});

/** Without what is undefined: no such member was said. */
function definedOf(input: ProviderInput): ProviderInput {
  return JSON.parse(JSON.stringify(input));
}
