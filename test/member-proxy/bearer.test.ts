import { createHmac, generateKeyPairSync, KeyObject } from 'node:crypto';
import { exportSPKI, generateKeyPair } from 'jose';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createBearerCheck } from '../../access-tokens/bearer.ts';
import { startProxy, startRecorder, type TestProxy } from './servers.ts';
import {
  audience,
  issuer,
  keySet,
  makeKey,
  signToken,
  type TestKey,
  type TokenParts,
  tokenFor,
} from './tokens.ts';

const seconds = () => Math.floor(Date.now() / 1000);
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

let member: Awaited<ReturnType<typeof startRecorder>>;
let proxy: TestProxy;

beforeAll(async () => {
  member = await startRecorder();
  proxy = await startProxy({ members: [member.address] });
});
afterAll(async () => {
  await proxy.close();
  await member.close();
});
afterEach(() => {
  member.seen.length = 0;
});

const call = (token: string) =>
  fetch(`${proxy.address}/svc/rest/cluster`, { headers: { authorization: `Bearer ${token}` } });

/** Signs anything with HMAC, as a forger does who takes a public key for a secret. */
function signHmac(alg: string, secret: string | Buffer, payload: unknown): string {
  const input = `${encode({ alg, kid: proxy.key.kid, typ: 'JWT' })}.${encode(payload)}`;
  const hash = `sha${alg.slice(2)}`;
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`;
}

function adminClaims() {
  const iat = seconds();
  const registered = { iss: issuer, sub: 'u', aud: audience, jti: 'forged', iat, exp: iat + 300 };
  return { ...registered, client_id: 'c', scope: '', roles: ['Admin'] };
}

const admin = (parts: TokenParts = {}) => ({ ...parts, claims: { roles: ['Admin'], ...parts.claims } });

interface Forgery {
  readonly name: string;
  readonly make: () => Promise<string> | string;
}

const forgeries: readonly Forgery[] = [
  {
    name: 'another key under the same kid (S2)',
    make: async () => signToken({ ...(await makeKey('ES256')), kid: proxy.key.kid }, admin()),
  },
  {
    name: 'alg none without a signature (S2)',
    make: () => `${encode({ alg: 'none', kid: proxy.key.kid, typ: 'JWT' })}.${encode(adminClaims())}.`,
  },
  {
    name: 'alg none, spelt None (S2)',
    make: () => `${encode({ alg: 'None', kid: proxy.key.kid, typ: 'JWT' })}.${encode(adminClaims())}.`,
  },
  {
    name: 'alg none over a good signature (S2)',
    make: async () => {
      const [, payload, signature] = (await signToken(proxy.key, admin())).split('.');
      return `${encode({ alg: 'none', kid: proxy.key.kid, typ: 'JWT' })}.${payload}.${signature}`;
    },
  },
  ...['HS256', 'HS384', 'HS512'].map((alg) => ({
    name: `${alg} keyed with the public key as PEM (S2)`,
    make: async () => signHmac(alg, await exportSPKI(proxy.key.publicKey), adminClaims()),
  })),
  {
    name: 'HS256 keyed with the public key as DER (S2)',
    make: () => {
      const der = KeyObject.from(proxy.key.publicKey).export({ type: 'spki', format: 'der' });
      return signHmac('HS256', der, adminClaims());
    },
  },
  {
    name: 'an alg that is not on the list (S2)',
    make: async () => {
      const { privateKey } = await generateKeyPair('ES384');
      return signToken({ ...proxy.key, privateKey }, admin({ header: { alg: 'ES384' } }));
    },
  },
  {
    name: 'an alg of the list that is not the key’s (S2)',
    make: async () => {
      const { privateKey } = await generateKeyPair('RS256');
      return signToken({ ...proxy.key, privateKey }, admin({ header: { alg: 'RS256' } }));
    },
  },
  { name: 'an unknown kid (S2)', make: () => signToken(proxy.key, admin({ header: { kid: 'other' } })) },
  { name: 'no kid (S2)', make: () => signToken(proxy.key, admin({ header: { kid: undefined } })) },
  {
    name: 'an unknown crit (S2)',
    make: () => signToken(proxy.key, admin({ header: { crit: ['urn:x'], 'urn:x': true } })),
  },
  {
    name: 'a payload changed after signing (S2)',
    make: async () => {
      const [header, , signature] = (await signToken(proxy.key)).split('.');
      return `${header}.${encode(adminClaims())}.${signature}`;
    },
  },
  { name: 'another issuer (S3)', make: () => signToken(proxy.key, admin({ claims: { iss: `${issuer}/` } })) },
  {
    name: 'another audience (S3)',
    make: () => signToken(proxy.key, admin({ claims: { aud: 'urn:other' } })),
  },
  {
    name: 'an audience that only contains ours as text (S3)',
    make: () => signToken(proxy.key, admin({ claims: { aud: `${audience}:x` } })),
  },
  { name: 'expired (S3)', make: () => signToken(proxy.key, admin({ claims: { exp: seconds() - 1 } })) },
  {
    name: 'not valid yet (S3)',
    make: () => signToken(proxy.key, admin({ claims: { nbf: seconds() + 60 } })),
  },
  {
    name: 'issued in the future (S3)',
    make: () => signToken(proxy.key, admin({ claims: { iat: seconds() + 60 } })),
  },
  { name: 'exp as text (S3)', make: () => signToken(proxy.key, admin({ claims: { exp: '9999999999' } })) },
  ...['iss', 'sub', 'aud', 'client_id', 'scope', 'iat', 'exp', 'jti'].map((claim) => ({
    name: `no ${claim} (S1)`,
    make: () => signToken(proxy.key, admin({ claims: { [claim]: undefined } })),
  })),
  { name: 'an empty sub (S1)', make: () => signToken(proxy.key, admin({ claims: { sub: '' } })) },
  { name: 'a jti that is no text (S1)', make: () => signToken(proxy.key, admin({ claims: { jti: 7 } })) },
  { name: 'another typ (S1)', make: () => signToken(proxy.key, admin({ header: { typ: 'secevent+jwt' } })) },
  { name: 'no typ (S1)', make: () => signToken(proxy.key, admin({ header: { typ: undefined } })) },
  {
    name: 'an ID token (S3)',
    make: () =>
      signToken(proxy.key, {
        claims: { aud: 'client-1', client_id: undefined, scope: undefined, jti: undefined, at_hash: 'x' },
      }),
  },
  {
    name: 'an ID token that has every claim of an access token (S3)',
    make: () => signToken(proxy.key, admin({ claims: { nonce: 'n', at_hash: 'x' } })),
  },
  {
    name: 'a logout token (S3)',
    make: () =>
      signToken(
        proxy.key,
        admin({
          header: { typ: 'logout+jwt' },
          claims: { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } },
        }),
      ),
  },
  {
    name: 'a logout token under the typ of an access token (S3)',
    make: () =>
      signToken(
        proxy.key,
        admin({ claims: { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } } }),
      ),
  },
  { name: 'not a JWT (S2)', make: () => 'abc' },
  { name: 'five parts (S2)', make: () => 'a.b.c.d.e' },
  { name: 'a header that is no JSON (S2)', make: () => 'e30x.e30.AA' },
];

test.each(forgeries)('$name is 401 invalid_token and reaches no member', async ({ make }) => {
  const token = await make();
  const reply = await call(token);
  expect(reply.status).toBe(401);
  expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", error_description="/);
  expect(reply.headers.get('content-type')).toBe('application/problem+json');
  expect(reply.headers.get('cache-control')).toBe('no-store');
  const problem = await reply.text();
  expect(JSON.parse(problem)).toMatchObject({
    code: 'invalid_token',
    status: 401,
    request_id: 'request-1',
    decision_id: proxy.records.at(-1)!.decisionId,
  });
  expect(problem).not.toContain(token);
  expect(member.seen).toEqual([]);
});

test.each(['jku', 'x5u'])('a %s in the header is 401 and nothing is fetched (S2)', async (name) => {
  const attacker = await startRecorder();
  const forger = await makeKey('ES256', 'forged');
  const token = await signToken(forger, admin({ header: { [name]: `${attacker.address}/jwks` } }));
  expect((await call(token)).status).toBe(401);
  expect(attacker.seen).toEqual([]);
  expect(member.seen).toEqual([]);
  await attacker.close();
});

test.each(['jwk', 'x5c', 'jku', 'x5u'])(
  'a %s in the header is 401 even over a good signature (S2)',
  async (name) => {
    const value =
      name === 'jwk' ? await proxy.keys.publicJwk(proxy.key) : name === 'x5c' ? ['MIIB'] : 'https://a/';
    expect((await call(await signToken(proxy.key, admin({ header: { [name]: value } })))).status).toBe(401);
    expect(member.seen).toEqual([]);
  },
);

test.each([
  { name: 'typ JWT', parts: {} },
  { name: 'typ at+jwt', parts: { header: { typ: 'at+jwt' } } },
  { name: 'several audiences', parts: { claims: { aud: ['urn:other', audience] } } },
  { name: 'a clock 20 s behind', parts: { claims: { nbf: seconds() + 20, iat: seconds() + 20 } } },
  { name: 'an empty scope', parts: { claims: { scope: '' } } },
])('accepts $name', async ({ parts }) => {
  expect((await call(await signToken(proxy.key, admin(parts)))).status).toBe(200);
  expect(member.seen).toHaveLength(1);
});

test.each(['RS256', 'ES256', 'EdDSA'] as const)('accepts %s, with keys of either kind', async (alg) => {
  const key = await makeKey(alg);
  const token = await signToken(key);
  for (const publicKey of [key.publicKey, KeyObject.from(key.publicKey)]) {
    const check = checkWith({ findKey: () => publicKey });
    expect(await check.check(token)).toMatchObject({ subject: 'user-1', clientId: 'client-1' });
  }
});

test('a key of another type under the right name is 401, not an error (S2)', async () => {
  const { publicKey } = generateKeyPairSync('ed25519');
  const { check } = checkWith({ findKey: () => publicKey });
  const token = await signToken(await makeKey('ES256'));
  await expect(check(token)).rejects.toMatchObject({ problem: { code: 'invalid_token' } });
});

test('a remembered token answers at once and is not verified again', async () => {
  const key = await makeKey('ES256');
  const { findKey } = keySet(key);
  const { check } = checkWith({ findKey });
  const token = await signToken(key);
  const first = check(token);
  expect(first).toBeInstanceOf(Promise);
  const caller = await first;
  expect(check(token)).toBe(caller);
});

test('a remembered token ends with its exp (S3)', async () => {
  const key = await makeKey('ES256');
  let time = Date.now();
  const { check } = checkWith({ findKey: keySet(key).findKey, now: () => time });
  const token = await signToken(key, { claims: { exp: seconds() + 10 } });
  await check(token);
  time += 11_000;
  expect(() => check(token)).toThrowError(
    expect.objectContaining({ problem: expect.objectContaining({ status: 401 }) }),
  );
});

test('a remembered token dies with its key (S5)', async () => {
  const allowed = await tokenFor(proxy.key, 'Admin');
  const other = await startProxy({ members: [member.address] });
  const token = await tokenFor(other.key, 'Admin');
  const send = () => fetch(`${other.address}/svc/health`, { headers: { authorization: `Bearer ${token}` } });
  expect((await send()).status).toBe(200);
  other.keys.withdraw(other.key.kid);
  member.seen.length = 0;
  expect((await send()).status).toBe(401);
  expect(member.seen).toEqual([]);
  expect((await call(allowed)).status).toBe(200);
  await other.close();
});

test('a remembered token dies with its revocation, and a new one of it is refused too (S5)', async () => {
  const key = await makeKey('EdDSA');
  const revoked = new Set<string>();
  const asked = vi.fn(({ jti }: { jti: string }) => revoked.has(jti));
  const { check } = checkWith({ findKey: keySet(key).findKey, isRevoked: asked });
  const token = await signToken(key, { claims: { jti: 'j', iat: 1_700_000_000 } });
  await check(token);
  expect(asked).toHaveBeenCalledWith({ jti: 'j', sub: 'user-1', clientId: 'client-1', iat: 1_700_000_000 });
  check(token);
  revoked.add('j');
  expect(() => check(token)).toThrow('not valid');
  const again = await signToken(key, { claims: { jti: 'j' } });
  await expect(check(again)).rejects.toThrow('not valid');
});

test('remembers at most as many tokens as told, and forgets none of the rules', async () => {
  const key = await makeKey('EdDSA');
  const { check } = checkWith({ findKey: keySet(key).findKey, maxRemembered: 10 });
  const tokens = await Promise.all(Array.from({ length: 30 }, () => signToken(key)));
  for (const token of tokens) {
    await check(token);
  }
  const remembered = tokens.filter((token) => !(check(token) instanceof Promise));
  expect(remembered.length).toBeGreaterThan(0);
  expect(remembered.length).toBeLessThanOrEqual(10);
});

test('a failing key look-up is an error of ours, not of the token', async () => {
  const key: TestKey = await makeKey('ES256');
  const { check } = checkWith({
    findKey: () => {
      throw new Error('the key set is broken');
    },
  });
  await expect(check(await signToken(key))).rejects.toThrow('the key set is broken');
});

function checkWith(deps: Partial<Parameters<typeof createBearerCheck>[0]>) {
  return createBearerCheck({
    issuer,
    audience,
    findKey: () => undefined,
    isRevoked: () => false,
    now: Date.now,
    ...deps,
  });
}
