import { randomBytes } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeProtectedHeader, exportJWK, generateKeyPair } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCipher } from '../../console/keys/encryption.ts';
import { createKeys, keySetMaxAgeSeconds } from '../../console/keys/keys.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import type { KeyRecord, TokenAlg } from '../../console/storage/records.ts';
import {
  type ConsoleOptions,
  type RunningConsole,
  runFailing,
  startConsole,
  usedDataDir,
} from '../helpers/console.ts';
import { withStore } from '../helpers/store.ts';
import {
  basic,
  day,
  eventually,
  keySetOf,
  machineClient,
  post,
  publishedKids,
  registerClients,
  requestScope,
  verify,
  withKeys,
} from './support.ts';

/** A running console follows another process within this time (docs/cli.md). */
const followMs = 1000;

let dataDir: string;
let running: RunningConsole | undefined;

beforeEach(async () => {
  dataDir = await usedDataDir();
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await rm(dataDir, { recursive: true, force: true });
});

async function start(options: ConsoleOptions = {}): Promise<RunningConsole> {
  running = await startConsole({ dataDir, ...options });
  return running;
}

async function newToken(console: RunningConsole, authorization = basic()): Promise<string> {
  const { json } = await requestScope(console, 'openid', authorization);
  return json.access_token;
}

const kidOf = (token: string) => decodeProtectedHeader(token).kid!;

async function isActive(console: RunningConsole, token: string): Promise<boolean> {
  const { json } = await post(console, { path: '/oauth2/introspect', body: `token=${token}` });
  return json.active;
}

/** Next keys that verifiers have had the time to see, so that a rotation takes effect at once. */
async function seasonKeys(ageMs: number): Promise<void> {
  await withStore(dataDir, ({ registry }) =>
    registry.update((transaction) => {
      for (const key of [...transaction.all('keys').values()]) {
        const signs = key.signsFrom === undefined ? {} : { signsFrom: key.signsFrom - ageMs };
        transaction.put('keys', { ...key, publishedAt: key.publishedAt - ageMs, ...signs });
      }
    }),
  );
}

/** On an empty data directory. */
async function startFirst(options: ConsoleOptions = {}): Promise<RunningConsole> {
  await rm(dataDir, { recursive: true });
  return start(options);
}

describe('rotation', () => {
  test('while tokens are requested and verified, none is refused, and no key signs before it is published (S5)', async () => {
    await registerClients(dataDir, [machineClient('curve', { tokenAlg: 'ES256' })]);
    await seasonKeys(day);
    const console = await start();
    const cached = keySetOf(console); // as a verifier keeps it, from before the rotation
    const first = await newToken(console);
    await verify(console, first, cached);

    const seen = new Set(await publishedKids(console));
    const signers = new Set<string>();
    let rounds = 0;
    let isRotated = false;
    const rotated = withKeys(dataDir, {}, (keys) => keys.rotate()).then(() => {
      isRotated = true;
    });
    let roundsAfter = 0;
    while (roundsAfter < 40 || signers.size < 4) {
      if (isRotated) roundsAfter++;
      if (rounds++ > 2000) throw new Error('the rotation never took effect');
      const tokens = await Promise.all([newToken(console), newToken(console, basic('curve'))]);
      for (const token of tokens) {
        expect(seen).toContain(kidOf(token));
        signers.add(kidOf(token));
        await verify(console, token, cached);
      }
      expect(await isActive(console, tokens[0]!)).toBe(true);
      expect(await isActive(console, first)).toBe(true);
      for (const kid of await publishedKids(console)) seen.add(kid);
    }
    await rotated;
    expect([...signers].filter((kid) => kid.startsWith('rs256-'))).toHaveLength(2);
    expect([...signers].filter((kid) => kid.startsWith('es256-'))).toHaveLength(2);
    await verify(console, first);
  });

  test('the next key of every algorithm is in the key set before any rotation (S5)', async () => {
    const console = await startFirst();
    await eventually(async () => (await publishedKids(console)).length === 6, 'the next keys');
    const kids = await publishedKids(console);
    expect(kids.map((kid) => kid.split('-')[0])).toEqual([
      'rs256',
      'es256',
      'eddsa',
      'rs256',
      'es256',
      'eddsa',
    ]);
    expect(kidOf(await newToken(console))).toBe(kids[0]);
  });

  test('a next key that verifiers cannot have seen yet waits (S5)', async () => {
    const console = await startFirst();
    await eventually(async () => (await publishedKids(console)).length === 6, 'the next keys');
    const before = kidOf(await newToken(console));
    const from = await withKeys(dataDir, {}, (keys) => keys.rotate());
    expect(from).toBeGreaterThan(Date.now() + (keySetMaxAgeSeconds - 30) * 1000);
    await withStore(dataDir, async ({ registry }) => {
      const waiting = [...registry.all('keys').values()].filter(({ signsFrom }) => signsFrom === from);
      expect(waiting).not.toEqual([]);
    });
    expect(kidOf(await newToken(console))).toBe(before);
  });

  test('an old key is kept until its last token has expired, and no longer (S5)', async () => {
    await seasonKeys(day);
    const console = await start();
    const token = await newToken(console);
    const kept = { longestTokenLifeSeconds: 3 };
    const from = await withKeys(dataDir, kept, (keys) => keys.rotate());
    await eventually(async () => kidOf(await newToken(console)) !== kidOf(token), 'the new key');

    const gone = async () => !(await publishedKids(console)).includes(kidOf(token));
    while (Date.now() < from + 2500) {
      expect(await gone()).toBe(false);
      expect(await isActive(console, token)).toBe(true);
    }
    await eventually(gone, 'the end of the old key');
    expect(Date.now()).toBeGreaterThanOrEqual(from + 3000);
    expect(await isActive(console, token)).toBe(false);
  });

  test('--now gives up every key at once, the next ones too, and voids what they signed (S5)', async () => {
    await seasonKeys(day);
    const console = await start();
    await withKeys(dataDir, {}, (keys) => keys.rotate()); // one more key on leave
    await eventually(async () => (await publishedKids(console)).length === 9, 'the regular rotation');
    const old = await publishedKids(console);
    const token = await newToken(console);
    await withKeys(dataDir, {}, (keys) => keys.rotate({ isEmergency: true }));
    const took = await eventually(async () => !(await isActive(console, token)), 'the void token');
    expect(took).toBeLessThanOrEqual(followMs);

    const now = await publishedKids(console);
    expect(now.filter((kid) => old.includes(kid))).toEqual([]);
    const fresh = await newToken(console);
    await verify(console, fresh);
    expect(await isActive(console, fresh)).toBe(true);
    const rejected = await fetch(`${console.url}/svc/rest/cluster`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(rejected.status).toBe(401);
  });

  test('two processes on one store follow each other within a second (S5)', async () => {
    await seasonKeys(day);
    const console = await start();
    for (let turn = 0; turn < 3; turn++) {
      const before = kidOf(await newToken(console));
      await withKeys(dataDir, {}, (keys) => keys.rotate({ isEmergency: true }));
      const changed = async () => kidOf(await newToken(console)) !== before;
      expect(await eventually(changed, 'the other key')).toBeLessThanOrEqual(followMs);
    }
  });

  test('keys older than CONSOLE_KEY_ROTATION_DAYS are rotated by the running console (S5)', async () => {
    await seasonKeys(8 * day);
    const before = await withKeys(dataDir, {}, async (keys) => keys.published().map(({ key }) => key.kid));
    const console = await start({ env: { CONSOLE_KEY_ROTATION_DAYS: '7' } });
    await eventually(async () => kidOf(await newToken(console)) === before[3], 'the rotation by age');
    await eventually(async () => (await publishedKids(console)).length === 9, 'keys to come next');
    expect(await publishedKids(console)).toEqual(expect.arrayContaining(before));
  });

  test('keys and tokens survive a restart', async () => {
    const first = await start();
    const port = first.port;
    await eventually(async () => (await publishedKids(first)).length === 6, 'the next keys');
    const token = await newToken(first);
    const kids = await publishedKids(first);
    await first.stop();
    const second = await start({ port });
    expect(await publishedKids(second)).toEqual(kids);
    await verify(second, token);
    expect(await isActive(second, token)).toBe(true);
  });
});

describe('the schedule, by a clock of its own', () => {
  let time = Date.UTC(2030, 0, 1);
  const minute = 60_000;
  const life = 3600;

  function ownKeys() {
    const { registry } = createMemoryStorage();
    const deps = { registry, cipher: createCipher(undefined), rotationDays: 90 };
    return createKeys({ ...deps, now: () => time, longestTokenLifeSeconds: life });
  }
  const states = (keys: ReturnType<typeof ownKeys>) =>
    keys.published().flatMap(({ key, state }) => (key.alg === 'RS256' ? `${key.kid} ${state}` : []));

  test('published, then signing, then only verifying, then gone (S5)', async () => {
    const keys = ownKeys();
    await keys.prepare();
    await keys.maintain();
    const [a, b] = keys.published().flatMap(({ key }) => (key.alg === 'RS256' ? key.kid : []));
    expect(states(keys)).toEqual([`${a} signing`, `${b} next`]);

    const from = await keys.rotate();
    expect(from).toBe(time + keySetMaxAgeSeconds * 1000);
    expect(await keys.rotate()).toBe(from); // asked for once more, it is the same rotation
    expect(states(keys)).toEqual([`${a} signing`, `${b} next`]);

    const at = async (moment: number) => {
      time = moment;
      await keys.prepare();
      return states(keys);
    };
    expect(await at(from - 1)).toEqual([`${a} signing`, `${b} next`]);
    expect(await at(from)).toEqual([`${b} signing`, `${a} retired`]);
    expect(keys.signing('RS256').kid).toBe(b);
    expect(await at(from + life * 1000 - 1)).toEqual([`${b} signing`, `${a} retired`]);
    expect(await at(from + life * 1000)).toEqual([`${b} signing`]);
    expect(keys.find(a!)).toBeUndefined();
    keys.close();
  });

  test('by age, and not before (S5)', async () => {
    const keys = ownKeys();
    await keys.prepare();
    await keys.maintain();
    const before = states(keys);
    time += 90 * day - minute;
    await keys.maintain();
    expect(states(keys)).toEqual(before);
    time += 2 * minute;
    await keys.maintain();
    const [signing, next, retired] = states(keys);
    expect([signing, retired]).toEqual([
      before[1]!.replace('next', 'signing'),
      before[0]!.replace('signing', 'retired'),
    ]);
    expect(next).toMatch(/ next$/);
    keys.close();
  });

  test('an emergency in the middle of a rotation leaves no earlier key behind (S5)', async () => {
    const keys = ownKeys();
    await keys.prepare();
    await keys.maintain();
    await keys.rotate();
    const before = keys.published().map(({ key }) => key.kid);
    expect(await keys.rotate({ isEmergency: true })).toBe(time);
    const after = keys.published().map(({ key }) => key.kid);
    expect(after).toHaveLength(6);
    expect(after.filter((kid) => before.includes(kid))).toEqual([]);
    keys.close();
  });
});

const registryText = () => readFile(join(dataDir, 'registry.json'), 'utf8');
/** Members of a private JWK, as JSON text within JSON text too. */
const privateMember = /\\*"(d|p|q|dp|dq|qi)\\*":/;

describe('keys at rest', () => {
  const encryptionKey = randomBytes(32).toString('base64');

  test('with CONSOLE_ENCRYPTION_KEY the store holds no private key in clear (S79)', async () => {
    const console = await startFirst({ env: { CONSOLE_ENCRYPTION_KEY: encryptionKey } });
    await eventually(async () => (await publishedKids(console)).length === 6, 'the next keys');
    const text = await registryText();
    expect(text).not.toMatch(privateMember);
    expect(text.match(/aes-256-gcm:/g)!.length).toBeGreaterThanOrEqual(6);
    expect(text).not.toContain(encryptionKey);
    expect((await stat(join(dataDir, 'registry.json'))).mode & 0o777).toBe(0o600);
    await verify(console, await newToken(console));
    expect(console.stderr()).not.toContain('CONSOLE_ENCRYPTION_KEY is unset');
  });

  test('without one the start warns, and is refused in strict mode (S79)', async () => {
    const console = await start();
    expect(await registryText()).toMatch(privateMember);
    const warned = () =>
      console
        .log()
        .some(
          ({ level, msg }) => level === 'warn' && String(msg).includes('CONSOLE_ENCRYPTION_KEY is unset'),
        );
    await console.waitFor(warned, 'the warning');
    await console.stop();
    running = undefined;
    const strict = await runFailing({ dataDir, env: { CONSOLE_STRICT: 'true' } });
    expect(strict.code).toBe(78);
    expect(strict.stderr).toContain('CONSOLE_ENCRYPTION_KEY is unset');
  });

  test('an encryption key that is set later encrypts what is there, and no token dies of it (S79)', async () => {
    const first = await start();
    const { port } = first;
    await eventually(async () => (await publishedKids(first)).length === 6, 'the next keys');
    const token = await newToken(first);
    const kids = await publishedKids(first);
    await first.stop();
    expect(await registryText()).toMatch(privateMember);

    const second = await start({ port, env: { CONSOLE_ENCRYPTION_KEY: encryptionKey } });
    const text = await registryText();
    expect(text).not.toMatch(privateMember);
    const { settings } = JSON.parse(text) as { settings: Record<string, { id: string; value: string }> };
    // That one names the installation to whoever may see it, and opens nothing.
    const secrets = Object.values(settings).filter(({ id }) => id !== 'installation-id');
    expect(secrets.length).toBeGreaterThan(0);
    for (const { value } of secrets) expect(value).toMatch(/^aes-256-gcm:/);
    expect(await publishedKids(second)).toEqual(kids);
    expect(await isActive(second, token)).toBe(true);
  });

  test('another encryption key takes its place by way of the fallback, and no token dies of it (S79)', async () => {
    const next = randomBytes(32).toString('base64');
    const first = await startFirst({ env: { CONSOLE_ENCRYPTION_KEY: encryptionKey } });
    const { port } = first;
    await eventually(async () => (await publishedKids(first)).length === 6, 'the next keys');
    const token = await newToken(first);
    const kids = await publishedKids(first);
    await first.stop();
    const before = await registryText();

    const env = { CONSOLE_ENCRYPTION_KEY: next };
    const second = await start({ port, env: { ...env, CONSOLE_ENCRYPTION_KEY_FALLBACK: encryptionKey } });
    expect(await isActive(second, token)).toBe(true);
    await second.stop();
    const sealed = (text: string) => text.match(/aes-256-gcm:[\w-]+/g)!;
    const kept = new Set(sealed(before));
    expect(sealed(await registryText()).filter((one) => kept.has(one))).toEqual([]);

    const third = await start({ port, env });
    expect(await publishedKids(third)).toEqual(kids);
    expect(await isActive(third, token)).toBe(true);
    expect(third.stderr()).not.toContain(encryptionKey);
    await third.stop();
    running = undefined;
    const old = await runFailing({ dataDir, env: { CONSOLE_ENCRYPTION_KEY: encryptionKey } });
    expect(old.stderr).toContain('encrypted with another one');
  });

  test('a fallback without an encryption key is refused (S79)', async () => {
    const { code, stderr } = await runFailing({
      dataDir,
      env: { CONSOLE_ENCRYPTION_KEY_FALLBACK: encryptionKey },
    });
    expect(code).toBe(78);
    expect(stderr).toContain('CONSOLE_ENCRYPTION_KEY_FALLBACK goes with CONSOLE_ENCRYPTION_KEY');
  });

  test.each([
    {
      name: 'another encryption key',
      key: randomBytes(32).toString('base64'),
      says: 'encrypted with another one',
    },
    { name: 'no encryption key', key: undefined, says: 'set CONSOLE_ENCRYPTION_KEY' },
  ])(
    'with $name an encrypted store is refused in one sentence, and stays as it is (S79)',
    async ({ key, says }) => {
      const console = await start({ env: { CONSOLE_ENCRYPTION_KEY: encryptionKey } });
      await eventually(async () => (await publishedKids(console)).length === 6, 'the next keys');
      await console.stop();
      running = undefined;
      const before = await registryText();
      const { code, stdout, stderr } = await runFailing({ dataDir, env: { CONSOLE_ENCRYPTION_KEY: key } });
      expect(code).toBe(78);
      expect(stdout).not.toContain('console ready');
      const said = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
      expect(said).toEqual([expect.stringContaining(says)]);
      expect(await registryText()).toBe(before);
    },
  );

  test.each(['short', 'a'.repeat(64), Buffer.alloc(32).toString('base64'), 'x'.repeat(43)])(
    'the encryption key "%s" is refused (S4)',
    async (key) => {
      const { code, stderr } = await runFailing({ dataDir, env: { CONSOLE_ENCRYPTION_KEY: key } });
      expect(code).toBe(78);
      expect(stderr).toContain('CONSOLE_ENCRYPTION_KEY');
      expect(stderr).not.toContain(key.length > 20 ? key : 'CONSOLE_ENCRYPTION_KEY=short');
    },
  );

  test('a sealed key that was moved to another record does not open (S79)', () => {
    const cipher = createCipher(randomBytes(32));
    const sealed = cipher.encrypt('text', 'signing key a');
    expect(cipher.open(sealed, 'signing key a')).toBe('text');
    expect(() => cipher.open(sealed, 'signing key b')).toThrow(/cannot be opened/);
    const altered = `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`;
    expect(() => cipher.open(altered, 'signing key a')).toThrow(/cannot be opened/);
  });
});

describe('keys that must not sign', () => {
  /** RFC 8037 appendix A.1. */
  const printedEd25519 = {
    kty: 'OKP',
    crv: 'Ed25519',
    d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  };
  /** RFC 7515 appendix A.3. */
  const printedP256 = {
    kty: 'EC',
    crv: 'P-256',
    x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
    y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI',
  };

  async function libraryDevelopmentKey(): Promise<object> {
    const path = new URL('../../node_modules/oidc-provider/lib/consts/dev_keystore.js', import.meta.url);
    const { default: keystore } = await import(path.href);
    return keystore.keys[0];
  }

  async function generated(alg: string, options = {}): Promise<object> {
    const { privateKey } = await generateKeyPair(alg, { extractable: true, ...options });
    return exportJWK(privateKey);
  }

  test.each<{ name: string; alg: TokenAlg; jwk: () => Promise<unknown>; says: string }>([
    { name: "the library's development key", alg: 'RS256', jwk: libraryDevelopmentKey, says: 'is a sample' },
    { name: 'the P-256 key of RFC 7515', alg: 'ES256', jwk: async () => printedP256, says: 'is a sample' },
    {
      name: 'the Ed25519 key of RFC 8037',
      alg: 'EdDSA',
      jwk: async () => printedEd25519,
      says: 'is a sample',
    },
    { name: 'a P-384 key', alg: 'ES256', jwk: () => generated('ES384'), says: 'is not a key for ES256' },
    {
      name: 'an RSA key for ES256',
      alg: 'ES256',
      jwk: () => generated('RS256'),
      says: 'is not a key for ES256',
    },
    {
      name: 'half a key',
      alg: 'ES256',
      jwk: async () => ({ ...printedP256, d: undefined }),
      says: 'cannot be read',
    },
    {
      name: 'no key at all',
      alg: 'RS256',
      jwk: async () => ({ kty: 'oct', k: 'c2VjcmV0' }),
      says: 'cannot be read',
    },
  ])('$name in the store is refused at the start (S4)', async ({ alg, jwk, says }) => {
    await expectRejected(alg, await jwk(), says);
  });

  test('an RSA key of 1024 bits in the store is refused at the start (S4)', async () => {
    const { generateKeyPairSync } = await import('node:crypto');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    await expectRejected('RS256', privateKey.export({ format: 'jwk' }), 'has 1024 bits');
  });

  async function expectRejected(alg: TokenAlg, jwk: unknown, says: string): Promise<void> {
    const record: KeyRecord = {
      id: 'brought-along',
      alg,
      privateJwk: JSON.stringify(jwk),
      publishedAt: Date.now() - day,
      signsFrom: Date.now() - day,
    };
    await withStore(dataDir, ({ registry }) =>
      registry.update((transaction) => transaction.put('keys', record)),
    );
    const { code, stdout, stderr } = await runFailing({ dataDir });
    expect(code).toBe(1);
    expect(stdout).not.toContain('console ready');
    expect(stderr).toContain(`Signing key brought-along of the store ${says}`);
    expect(stderr).not.toMatch(/\n {4}at /);
    const { d } = jwk as { d?: string };
    if (d !== undefined) expect(stderr).not.toContain(d);
  }
});
