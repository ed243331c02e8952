/** A provider's record in the store: its secrets encrypted, and nothing read that is not exactly one. */
import { randomBytes, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  encryptProvider,
  hasOutdatedSecret,
  openProvider,
  ProviderRecordError,
} from '../../console/federation/providers/records.ts';
import type { Provider } from '../../console/federation/providers/schema.ts';
import { createCipher } from '../../console/keys/encryption.ts';
import type { ProviderRecord } from '../../console/storage/records.ts';
import { newSelfSigned } from '../../platform/certificates/self-signed.ts';
import { Secret } from '../../platform/secret.ts';
import { oidcProvider, providerBase } from '../helpers/providers.ts';

const secret = 'marmot-secret-0123456789';
const cipher = createCipher(randomBytes(32));
const noCipher = createCipher(undefined);
const { certificate } = await newSelfSigned('idp.example', { randomBytes, now: Date.now });

const issuer = 'https://idp.example';
const basic = oidcProvider('corp', 'Corp', issuer, {
  authentication: { method: 'client_secret_basic', secret: new Secret(secret) },
});
const saml: Provider = {
  ...providerBase('corp', 'Corp'),
  kind: 'saml',
  saml: {
    metadata: {
      entityId: 'https://idp.example/saml',
      signOnUrl: 'https://idp.example/sign-on',
      certificates: [certificate],
      nameIdFormats: [],
    },
    signing: { key: new Secret(secret), certificate },
  },
};
const directory: Provider = {
  ...providerBase('corp', 'Corp'),
  kind: 'ldap',
  ldap: {
    url: 'ldaps://ldap.example',
    find: {
      by: 'search',
      bindDn: 'cn=console',
      bindPassword: new Secret(secret),
      baseDn: 'dc=example',
      filter: '(uid={username})',
    },
  },
};
const withKey = oidcProvider('corp', 'Corp', issuer, {
  authentication: {
    method: 'private_key_jwt',
    key: new Secret(JSON.stringify({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', d: secret, x: 'x' })),
  },
});

const all = [
  ['a client secret', basic],
  ['a client key', withKey],
  ['a signing key', saml],
  ['a bind password', directory],
] as const;

describe.each(all)('a record with %s', (_what, provider) => {
  test('comes back as it was', () => {
    const copy = openProvider(encryptProvider(provider, cipher), cipher);
    expect(secretOf(copy)).toEqual(secretOf(provider));
    expect(JSON.parse(JSON.stringify(copy))).toEqual(JSON.parse(JSON.stringify(provider)));
    expect(JSON.stringify(copy)).not.toContain(secret);
  });

  test('holds the secret encrypted, and in no other form (S79)', () => {
    const text = JSON.stringify(encryptProvider(provider, cipher));
    expect(text).not.toContain(secret);
    expect(text).toContain('aes-256-gcm:');
    expect(hasOutdatedSecret(encryptProvider(provider, cipher), cipher)).toBe(false);
  });

  test('of before there was an encryption key is read, and known to be outdated (S79)', () => {
    const plaintext = encryptProvider(provider, noCipher);
    expect(hasOutdatedSecret(plaintext, cipher)).toBe(true);
    expect(secretOf(openProvider(plaintext, cipher))).toEqual(secretOf(provider));
  });

  test('of the key before is read by way of the fallback, and known to be outdated (S79)', () => {
    const before = randomBytes(32);
    const record = encryptProvider(provider, createCipher(before));
    const replaced = createCipher(randomBytes(32), before);
    expect(hasOutdatedSecret(record, replaced)).toBe(true);
    const anew = encryptProvider(openProvider(record, replaced), replaced);
    expect(hasOutdatedSecret(anew, replaced)).toBe(false);
    expect(secretOf(openProvider(anew, replaced))).toEqual(secretOf(provider));
    expect(() => openProvider(anew, createCipher(before))).toThrow();
  });

  test('does not open with another key, or under another id (S79)', () => {
    const record = encryptProvider(provider, cipher);
    const others = [createCipher(randomBytes(32)), noCipher];
    for (const other of others) expect(() => openProvider(record, other)).toThrow(ProviderRecordError);
    expect(() => openProvider({ ...record, id: 'other' }, cipher)).toThrow(ProviderRecordError);
  });
});

describe('what is no record is refused, by the name of the field and not by its value', () => {
  const good = encryptProvider(basic, noCipher);
  const ldap = encryptProvider(directory, noCipher);
  const rule = { attribute: 'a', value: 'b', role: 'Admin' };
  const rows: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
    ['no kind', { ...good, kind: undefined }, /kind/],
    ['a foreign kind', { ...good, kind: 'kerberos' }, /kind/],
    ['a field that nobody knows', { ...good, extra: secret }, /as it should be/],
    ['an id that leads elsewhere', { ...good, id: '../admin' }, /id/],
    ['an upper-case id', { ...good, id: 'Corp' }, /id/],
    ['an enabled that is text', { ...good, enabled: 'true' }, /enabled/],
    ['Admin for everybody', { ...good, roleRules: { rules: [], defaultRole: 'Admin' } }, /defaultRole/],
    ['a role that is none', { ...good, roleRules: { rules: [{ ...rule, role: 'admin' }] } }, /role/],
    ['a rule without a value', { ...good, roleRules: { rules: [{ ...rule, value: '' }] } }, /value/],
    [
      'HMAC for ID tokens',
      { ...good, oidc: { ...(good.oidc as object), idTokenAlg: 'HS256' } },
      /idTokenAlg/,
    ],
    ['settings of another kind', { ...good, kind: 'ldap' }, /ldap/],
    [
      'a directory in the clear',
      { ...ldap, ldap: { ...(ldap.ldap as object), url: 'ldap://ldap.example' } },
      /in the clear/,
    ],
    ['a control in the shown name', { ...good, name: 'Corp\u001b[2J' }, /name/],
  ];
  test.each(rows)('%s (S45)', (_what, record, said) => {
    const read = () => openProvider(JSON.parse(JSON.stringify(record)) as ProviderRecord, noCipher);
    expect(read).toThrow(ProviderRecordError);
    expect(read).toThrow(said);
    expect(messageOf(read)).not.toContain(secret);
  });
});

test('a certificate for signing is one that others can read and verify', async () => {
  const pair = await newSelfSigned(`corp at console.example${'.'.repeat(60)}`, {
    randomBytes,
    now: Date.now,
  });
  const read = new X509Certificate(pair.certificate);
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.publicKey.asymmetricKeyDetails?.modulusLength).toBe(3072);
  expect(read.subject).toMatch(/^CN=corp at console.example\.{41}$/);
  expect(Date.parse(read.validFrom)).toBeLessThan(Date.now());
  expect(Date.parse(read.validTo)).toBeGreaterThan(Date.now() + 9 * 365 * 86_400_000);
});

function secretOf(provider: Provider): unknown {
  if (provider.kind === 'saml') return provider.saml.signing?.key.reveal();
  if (provider.kind === 'ldap')
    return provider.ldap.find.by === 'search' && provider.ldap.find.bindPassword.reveal();
  const { authentication } = provider.oidc;
  if (authentication.method === 'none') return undefined;
  return 'key' in authentication ? authentication.key.reveal() : authentication.secret.reveal();
}

function messageOf(read: () => unknown): string {
  try {
    read();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
