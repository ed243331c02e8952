/** Hashes as other programs made them: each of these was computed by the program that it is named for. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashFromAuth0 } from '../../console/accounts/password-hashes/from-auth0.ts';
import { hashFromKeycloak } from '../../console/accounts/password-hashes/from-keycloak.ts';
import { hashFromLdap } from '../../console/accounts/password-hashes/from-ldap.ts';
import {
  costOfHash,
  decoyOf,
  needsReplacing,
  readHash,
  verifyHash,
} from '../../console/accounts/password-hashes/hashes.ts';
import { recordImportedHashes } from '../../console/accounts/password-hashes/imported-hashes.ts';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';
import { copyUser, editUser, until, withStore } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { medianRatios, spreadOf } from './even-times.ts';

const password = 'the tram was late again';
const salt = 'AAECAwQFBgcICQoLDA0ODw==';
const sha256 = 'AVTBJGhbY2kH6LH4MhFg1zcURfjgRAdJV45cT0KdVRogf3ouUk8FO1a8+EFwCa2vrfWG4jUSpXbm7RG9y/AJ2g==';
const keycloak = (algorithm: string, hashIterations: number, value: string, more: object = {}) => ({
  type: 'password',
  secretData: JSON.stringify({ value, salt, additionalParameters: {} }),
  credentialData: JSON.stringify({ hashIterations, algorithm, additionalParameters: more }),
});
const ofNode = {
  algorithm: 'scrypt',
  hash: {
    value:
      '755f4b22cda7ecf0cf9fc2e472e11358293c2dfeb9ccf6550031548d995ba8d6ca5fd7e74f220234ae10db34812d7103d388b228fb6118f75d24f30b6ae61967',
    encoding: 'hex',
  },
  salt: { value: 'a-salt-of-text', encoding: 'utf8' },
  keylen: 64,
  cost: 16_384,
  blockSize: 8,
  parallelization: 1,
};

const known = [
  ['bcrypt of PHP', () => readHash('$2y$10$87eU7.IojqFKYnELryoQJO2pgvzpaxH3fljjPRLLp2dH/8vW1x0gu')],
  [
    'Argon2i of PHP',
    () =>
      readHash(
        '$argon2i$v=19$m=4096,t=2,p=2$SGFGVEk3djdZUnhCU1dHOQ$HZMk5dY/KbkFq+zmCeAP6Y8+IRCBIytsqYVB6wqes00',
      ),
  ],
  [
    'Argon2 of OpenLDAP',
    () =>
      hashFromLdap(
        '{ARGON2}$argon2i$v=19$m=4096,t=3,p=1$9I+Txyi9HvyLXwZ/mDFeRg$5c/nNRmPaHyxrqScDwZJ7oCJAjgYC92RTtVfiNfxcM0',
      ),
  ],
  [
    'bcrypt in a directory',
    () => hashFromLdap('{CRYPT}$2y$10$87eU7.IojqFKYnELryoQJO2pgvzpaxH3fljjPRLLp2dH/8vW1x0gu'),
  ],
  [
    'PBKDF2 in a directory',
    () =>
      hashFromLdap(
        `{PBKDF2-SHA256}27500$${salt.replace(/=+$/, '')}$${sha256.replaceAll('+', '.').replace(/=+$/, '')}`,
      ),
  ],
  ['PBKDF2 of Keycloak', () => hashFromKeycloak(keycloak('pbkdf2-sha256', 27_500, sha256))],
  [
    'PBKDF2 with SHA-1 of Keycloak',
    () =>
      hashFromKeycloak(
        keycloak(
          'pbkdf2',
          20_000,
          'KBhaDomSYjr+OdLj4RucjuQqmb0WOSt0jnP3Jvl6K3nN0LB2TSiDShfd+XUwIAEHjrZzSa9IlChMlmj6jX2ckw==',
        ),
      ),
  ],
  [
    'PBKDF2 with SHA-512 of Keycloak',
    () =>
      hashFromKeycloak(
        keycloak(
          'pbkdf2-sha512',
          30_000,
          '3HStdpMEKcmZZ1lY4dF6sJpRaqgsk2bwTTYYm3Pla0uS/r47hyu/uvSce4IRbEEnFvuuRTNdHOuHJ9dHsZenVA==',
        ),
      ),
  ],
  [
    'PBKDF2 in the PHC format',
    () => readHash(`$pbkdf2-sha256$i=27500,l=64$${salt.slice(0, 22)}$${sha256.slice(0, 86)}`),
  ],
  [
    'PBKDF2 of passlib',
    () => readHash(`$pbkdf2-sha256$27500$${salt.slice(0, 22)}$${sha256.slice(0, 86).replaceAll('+', '.')}`),
  ],
  [
    'PBKDF2 of Django',
    () => readHash('pbkdf2_sha256$26000$seasalt123456789$tstUX1SFl4W2jsBl60saeMz3a+Bpyez2r7DynEN0JgE='),
  ],
  [
    'scrypt in the PHC format',
    () => readHash(`$scrypt$ln=14,r=8,p=1$${salt.slice(0, 22)}$VFdRsFhQfD78/aTxv+JTrpfBr5Q1+Zgpv0E4T4/N5rI`),
  ],
  ['scrypt of Node in the form of Auth0', () => hashFromAuth0(ofNode)],
  [
    'bcrypt in the form of Auth0',
    () =>
      hashFromAuth0({
        algorithm: 'bcrypt',
        hash: { value: '$2b$10$87eU7.IojqFKYnELryoQJO2pgvzpaxH3fljjPRLLp2dH/8vW1x0gu' },
      }),
  ],
] as const;

test.each(known)('%s is the password, and another is not', async (_name, read) => {
  const stored = read();
  expect(await verifyHash(stored, password)).toBe(true);
  expect(await verifyHash(stored, `${password}!`)).toBe(false);
  expect(readHash(stored)).toBe(stored);
  expect(needsReplacing(stored)).toBe(true);
  const decoy = decoyOf(stored);
  expect(costOfHash(decoy)).toBe(costOfHash(stored));
  expect(await verifyHash(decoy, password)).toBe(false);
});

test('scrypt of Firebase is the password of its own example', async () => {
  const stored = readHash(
    '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
  );
  expect(await verifyHash(stored, 'user1password')).toBe(true);
  expect(await verifyHash(stored, 'user2password')).toBe(false);
  expect(await verifyHash(decoyOf(stored), 'user1password')).toBe(false);
});

describe('what is not taken (S25, S26)', () => {
  const digest = 'A'.repeat(43);
  const half = salt.slice(0, 22);
  test.each([
    ['bcrypt that takes minutes', () => readHash(`$2b$31$${'a'.repeat(53)}`), 'costs too much'],
    ['bcrypt that is cut', () => readHash('$2b$10$abc'), 'is not whole'],
    ['bcrypt of a variant with a fault', () => readHash(`$2x$10$${'a'.repeat(53)}`), 'is not whole'],
    [
      'PBKDF2 that takes minutes',
      () => readHash(`$pbkdf2-sha256$i=999999999,l=32$${half}$${digest}`),
      'costs too much',
    ],
    [
      'PBKDF2 with few iterations',
      () => readHash(`$pbkdf2-sha256$i=10,l=32$${half}$${digest}`),
      'is too weak',
    ],
    ['PBKDF2 of MD5', () => readHash(`$pbkdf2-md5$i=10000,l=32$${half}$${digest}`), 'digest other than'],
    [
      'PBKDF2 of another length than it says',
      () => readHash(`$pbkdf2-sha256$i=10000,l=64$${half}$${digest}`),
      'another length',
    ],
    [
      'scrypt that takes gigabytes',
      () => readHash(`$scrypt$ln=24,r=8,p=1$${half}$${digest}`),
      'costs too much',
    ],
    [
      'scrypt with a large block',
      () => readHash(`$scrypt$ln=17,r=32,p=1$${half}$${digest}`),
      'costs too much',
    ],
    [
      'scrypt without its block size',
      () => readHash(`$scrypt$ln=14,p=1$${half}$${digest}`),
      'lacks the parameter r',
    ],
    [
      'Argon2 that takes gigabytes',
      () => readHash(`$argon2id$v=19$m=4194304,t=1,p=1$${half}$${digest}`),
      'costs too much',
    ],
    [
      'Argon2 that takes minutes',
      () => readHash(`$argon2id$v=19$m=262144,t=60,p=1$${half}$${digest}`),
      'costs too much',
    ],
    [
      'Argon2 of an unknown version',
      () => readHash(`$argon2id$v=20$m=4096,t=2,p=1$${half}$${digest}`),
      'version 20',
    ],
    [
      'Argon2 with further data',
      () => readHash(`$argon2id$v=19$m=4096,t=2,p=1,x=1$${half}$${digest}`),
      'not known',
    ],
    ['a salt that is none', () => readHash(`$argon2id$v=19$m=4096,t=2,p=1$AAAA$${digest}`), 'salt'],
    ['a digest that is none', () => readHash(`$argon2id$v=19$m=4096,t=2,p=1$${half}$AAAA`), 'digest'],
    ['a digest that is not base64', () => readHash(`$argon2id$v=19$m=4096,t=2,p=1$${half}$!!!!`), 'base64'],
    ['an MD5 digest', () => readHash('5f4dcc3b5aa765d61d8327deb882cf99'), 'fast digest'],
    ['SHA-crypt', () => readHash('$6$salt$digest'), 'SHA-crypt'],
    ['a password', () => readHash(password), 'no known form'],
    ['a text without end', () => readHash(`$2b$10$${'a'.repeat(5000)}`), 'characters'],
    ['a salted SHA-1 digest', () => hashFromLdap('{SSHA}DkMTwBl+a/3DQTxCYEApdUtNXGgdUac3'), 'is too weak'],
    ['a salted SHA-512 digest', () => hashFromLdap(`{SSHA512}${digest}`), 'is too weak'],
    ['a password of a directory', () => hashFromLdap(password), 'scheme in braces'],
    ['a scheme of nobody', () => hashFromLdap('{ROT13}uryyb'), 'not known'],
    [
      'MD5 in the form of Auth0',
      () => hashFromAuth0({ algorithm: 'md5', hash: { value: 'x' } }),
      'is too weak',
    ],
    [
      'scrypt whose cost is no power of two',
      () => hashFromAuth0({ ...ofNode, cost: 16_000 }),
      'power of two',
    ],
    ['a credential without data', () => hashFromKeycloak({ type: 'password' }), 'secretData'],
    [
      'an algorithm that a plug-in brought',
      () => hashFromKeycloak(keycloak('sha3', 1, sha256)),
      'algorithm other than',
    ],
  ])('%s', (_name, read, why) => {
    expect(read).toThrow(why);
  });
});

describe('at a sign-in', () => {
  let console: RunningConsole;
  beforeAll(async () => {
    console = await startConsole({ env: { CONSOLE_TRUSTED_PROXIES: '127.0.0.1,::1' } });
  });
  afterAll(() => console?.stop());

  const signIn = async (username: string, typed: string, address = '192.0.2.1') => {
    const agent = createUserAgent(console.url, { headers: { 'x-forwarded-for': address } });
    const page = await agent.get('/login');
    const start = performance.now();
    const { status } = await agent.submit(page, { username, password: typed });
    return { status, ms: performance.now() - start };
  };
  const hashOf = (username: string) =>
    withStore(console.dataDir, async ({ records }) => (await records.userByName(username))?.passwordHash);

  test.each([
    ['bcrypt', known[0][1]()],
    ['PBKDF2', known[5][1]()],
    ['scrypt', known[11][1]()],
    ['Argon2i', known[1][1]()],
  ])('a password hashed by %s opens once, and is hashed anew by it (S25)', async (name, stored) => {
    const username = `from-${name.toLowerCase()}`;
    await copyUser(console, admin.username, username);
    await editUser(console, username, (user) => ({ ...user, passwordHash: stored }));
    expect((await signIn(username, `${password}!`)).status).toBe(401);
    expect(await hashOf(username)).toBe(stored);
    expect((await signIn(username, password)).status).toBe(303);
    await until(async () => (await hashOf(username)) !== stored, 'another hash');
    expect(await hashOf(username)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await signIn(username, password)).status).toBe(303);
  });

  test('nobody takes less time than somebody whose hash costs much (S28)', async () => {
    const slow = '$2b$11$87eU7.IojqFKYnELryoQJO2pgvzpaxH3fljjPRLLp2dH/8vW1x0gu';
    await withStore(console.dataDir, ({ registry }) => recordImportedHashes(registry, [slow]));
    const names = { nobody: 'nobody', own: 'own', imported: 'slow' };
    let address = '';
    const ratios = await medianRatios({
      kinds: ['imported', 'nobody', 'own'],
      // A name has ten tries in vain, and an address fifty.
      rounds: 9,
      least: 0.7,
      async begin(batch) {
        address = `198.51.100.${batch}`;
        for (const kind of ['nobody', 'own', 'imported'] as const) names[kind] = `${kind}-${batch}`;
        for (const name of [names.own, names.imported]) await copyUser(console, admin.username, name);
        await editUser(console, names.imported, (user) => ({ ...user, passwordHash: slow }));
      },
      async time(kind) {
        const { ms, status } = await signIn(names[kind], 'wrong-staple-battery-1', address);
        expect(status).toBe(401);
        return ms;
      },
    });
    expect(spreadOf(ratios), JSON.stringify([...ratios])).toBeGreaterThan(0.7);
  });
});
