/** Clients that prove who they are by a key instead of a secret (RFC 7523, `private_key_jwt`). */
import { randomUUID } from 'node:crypto';
import { decodeJwt, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi, startWithAdmin } from '../helpers/management.ts';
import { authorize, verifier } from '../helpers/sign-in.ts';
import type { UserAgent } from '../helpers/user-agent.ts';

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const algs = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'] as const;

interface KeyPair {
  readonly alg: string;
  readonly publicJwk: JWK;
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  readonly privateJwk: JWK;
}

let console: RunningConsole;
let ada: UserAgent;
let key: KeyPair;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  key = await newKey('ES256');
  await addMachine('batch', [key.publicJwk]);
}, 30_000);
afterAll(() => console?.stop());

async function newKey(alg: string, kid?: string): Promise<KeyPair> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const named = kid === undefined ? {} : { kid };
  return {
    alg,
    privateKey,
    publicJwk: { ...(await exportJWK(publicKey)), ...named },
    privateJwk: { ...(await exportJWK(privateKey)), ...named },
  };
}

async function addMachine(id: string, keys: readonly JWK[], at = console): Promise<Client> {
  const body = { id, jwks: { keys }, scopes: ['svc:map:orders:read'] };
  return (await callApi(at, 'POST', '/clients', body)) as Client;
}

interface Client {
  readonly secret: string | null;
  readonly secrets: readonly unknown[];
  readonly authMethods: readonly string[];
  readonly jwks: { readonly keys: readonly JWK[] } | null;
}

type Said = Readonly<Record<string, unknown>>;

/** Signed by {@link key} for the client `batch`, unless something else is said; undefined leaves a claim out. */
function assertionOf(
  changes: Said = {},
  by: KeyPair = key,
  header: object = {},
  at = console,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const usual = { iss: 'batch', sub: 'batch', aud: at.url, iat: now, exp: now + 60, jti: randomUUID() };
  return new SignJWT({ ...usual, ...changes } as JWTPayload)
    .setProtectedHeader({ alg: by.alg, ...header })
    .sign(by.privateKey);
}

type Form = Readonly<Record<string, string>>;

async function post(path: string, form: Form, headers: Form = {}, at = console) {
  const response = await fetch(at.url + path, {
    method: 'POST',
    headers,
    body: new URLSearchParams(form),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: text === '' ? {} : JSON.parse(text) };
}

function ask(assertion: string, more: Form = {}, headers: Form = {}, at = console) {
  const proof = { client_assertion_type: assertionType, client_assertion: assertion };
  return post('/oauth2/token', { grant_type: 'client_credentials', ...proof, ...more }, headers, at);
}

test('a client that is made with keys has no secret, and says so', async () => {
  const made = await addMachine('another', [key.publicJwk]);
  expect(made).toMatchObject({ secret: null, secrets: [], authMethods: ['private_key_jwt'] });
  expect(made.jwks?.keys).toEqual([key.publicJwk]);
});

test.each(algs)('gets a token by an assertion that is signed with %s', async (alg) => {
  const own = await newKey(alg);
  const id = `by-${alg.toLowerCase()}`;
  await addMachine(id, [own.publicJwk]);
  const { status, json } = await ask(await assertionOf({ iss: id, sub: id }, own), {
    scope: 'svc:map:orders:read',
  });
  expect([status, json.token_type]).toEqual([200, 'Bearer']);
  expect(decodeJwt(json.access_token)).toMatchObject({
    sub: id,
    client_id: id,
    scope: 'svc:map:orders:read',
  });
});

test('the audience may be the token endpoint, and a list of one', async () => {
  for (const aud of [`${console.url}/oauth2/token`, [console.url]])
    expect((await ask(await assertionOf({ aud }))).status).toBe(200);
});

test('an assertion proves who asks once', async () => {
  const assertion = await assertionOf();
  expect((await ask(assertion)).status).toBe(200);
  const { status, json, headers } = await ask(assertion);
  expect([status, json.error]).toEqual([401, 'invalid_client']);
  expect(json.error_description).toBe('the assertion was used before: make a new one for each request');
  expect(headers.get('www-authenticate')).toMatch(/^Basic /);
});

test('two keys, of which none is named, are both good', async () => {
  const [older, newer] = [await newKey('ES256'), await newKey('ES256')];
  await addMachine('moving', [older.publicJwk, newer.publicJwk]);
  for (const one of [older, newer])
    expect((await ask(await assertionOf({ iss: 'moving', sub: 'moving' }, one))).status).toBe(200);
  const neither = await ask(await assertionOf({ iss: 'moving', sub: 'moving' }, await newKey('ES256')));
  expect([neither.status, neither.json.error]).toEqual([401, 'invalid_client']);
});

test('a key that is taken away ends what it has opened, and one that comes beside it ends nothing', async () => {
  const [first, second] = [await newKey('ES256', 'one'), await newKey('ES256', 'two')];
  await addMachine('turning', [first.publicJwk]);
  const said = { iss: 'turning', sub: 'turning' };
  const { json } = await ask(await assertionOf(said, first), { scope: 'svc:map:orders:read' });
  const isActive = async () =>
    (
      await post('/oauth2/introspect', {
        token: json.access_token,
        client_assertion_type: assertionType,
        client_assertion: await assertionOf(said, second, { kid: 'two' }),
      })
    ).json.active;
  await callApi(console, 'PATCH', '/clients/turning', {
    jwks: { keys: [first.publicJwk, second.publicJwk] },
  });
  expect(await isActive()).toBe(true);
  await callApi(console, 'PATCH', '/clients/turning', { jwks: { keys: [second.publicJwk] } });
  expect(await isActive()).toBe(false);
  expect((await ask(await assertionOf(said, first, { kid: 'one' }))).status).toBe(401);
});

describe('refuses, and gives no token', () => {
  const now = () => Math.floor(Date.now() / 1000);
  const cases: readonly (readonly [name: string, claims: () => Said, says: RegExp])[] = [
    ['another audience', () => ({ aud: 'https://elsewhere.example' }), /^the aud of the assertion/],
    [
      'a second audience',
      () => ({ aud: [console.url, 'https://elsewhere.example'] }),
      /^the aud of the assertion/,
    ],
    ['no audience', () => ({ aud: undefined }), /^the aud of the assertion/],
    ['no end', () => ({ exp: undefined }), /^the exp of the assertion/],
    ['an end that was', () => ({ exp: now() - 60 }), /has expired/],
    ['an end far ahead', () => ({ exp: now() + 3600 }), /more than 300 s/],
    ['an end that is text', () => ({ exp: 'tomorrow' }), /^the exp of the assertion/],
    ['a beginning in the future', () => ({ nbf: now() + 120 }), /^the nbf of the assertion/],
    ['a time that is to come', () => ({ iat: now() + 120 }), /in the future/],
    ['no id', () => ({ jti: undefined }), /^the jti of the assertion/],
    ['an empty id', () => ({ jti: '' }), /^the jti of the assertion/],
    ['an id of 1,000 characters', () => ({ jti: 'x'.repeat(1000) }), /^the jti of the assertion/],
    ['another issuer', () => ({ iss: 'another' }), /^the iss of the assertion/],
    [
      'a client that there is not',
      () => ({ iss: 'nobody', sub: 'nobody' }),
      /^client authentication failed$/,
    ],
    [
      'a client without keys',
      () => ({ iss: 'application-client', sub: 'application-client' }),
      /^client authentication failed$/,
    ],
  ];

  test.each(cases)('an assertion with %s', async (_name, claims, says) => {
    const { status, json } = await ask(await assertionOf(claims()));
    expect([status, json.error, json.access_token]).toEqual([401, 'invalid_client', undefined]);
    expect(json.error_description).toMatch(says);
  });

  test('one that another key has signed', async () => {
    const { status, json } = await ask(await assertionOf({}, await newKey('ES256')));
    expect([status, json.error_description]).toEqual([401, 'client authentication failed']);
  });

  test('one that nobody has signed, or that the public key has as a secret', async () => {
    const [, payload] = (await assertionOf()).split('.');
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const secret = new TextEncoder().encode(JSON.stringify(key.publicJwk));
    const forged = await new SignJWT(decodeJwt(await assertionOf()))
      .setProtectedHeader({ alg: 'HS256' })
      .sign(secret);
    for (const one of [`${part({ alg: 'none' })}.${payload}.`, forged])
      expect((await ask(one)).json).toMatchObject({ error: 'invalid_client' });
  });

  test.each(['x', 'a.b.c', '..', '<script>', `${'x'.repeat(9000)}.a.b`, '🚀'])(
    '%# which is none',
    async (assertion) => {
      const { status, json } = await ask(assertion);
      expect([status, json.error]).toEqual([401, 'invalid_client']);
    },
  );

  test('another type of assertion, and none', async () => {
    for (const type of ['urn:ietf:params:oauth:client-assertion-type:saml2-bearer', '']) {
      const { status, json } = await ask(await assertionOf(), { client_assertion_type: type });
      expect([status, json.error]).toEqual([400, 'invalid_request']);
    }
  });

  test('two ways at once, and the id of another client', async () => {
    const other = { client_id: 'another' };
    const basic = { authorization: `Basic ${btoa('batch:x')}` };
    for (const [more, headers] of [
      [{ client_secret: 'x' }, {}],
      [{}, basic],
      [other, {}],
    ] as const) {
      const { status, json } = await ask(await assertionOf(), more, headers);
      expect([status, json.error]).toEqual([400, 'invalid_request']);
    }
  });

  test('a client that is disabled', async () => {
    await addMachine('off', [key.publicJwk]);
    await callApi(console, 'POST', '/clients/off/disable', {});
    expect((await ask(await assertionOf({ iss: 'off', sub: 'off' }))).status).toBe(401);
  });
});

describe('keys are taken as an administrator gives them only when they are', () => {
  const bad: readonly (readonly [string, () => Promise<object> | object])[] = [
    ['none', () => ({ keys: [] })],
    ['six', () => ({ keys: Array(6).fill(key.publicJwk) })],
    ['a private one', () => ({ keys: [key.privateJwk] })],
    ['a secret', () => ({ keys: [{ kty: 'oct', k: 'c2VjcmV0' }] })],
    ['a short RSA key', async () => ({ keys: [await shortRsa()] })],
    ['a curve that is not taken', async () => ({ keys: [(await newKey('ES512')).publicJwk] })],
    ['a point that is none', () => ({ keys: [{ ...key.publicJwk, x: 'AAAA' }] })],
    ['a key to encrypt to', () => ({ keys: [{ ...key.publicJwk, use: 'enc' }] })],
    ['an algorithm of another key', () => ({ keys: [{ ...key.publicJwk, alg: 'RS256' }] })],
    [
      'the same kid twice',
      async () => ({ keys: [{ ...key.publicJwk, kid: 'a' }, (await newKey('ES256', 'a')).publicJwk] }),
    ],
    ['a kid of 1,000 characters', () => ({ keys: [{ ...key.publicJwk, kid: 'x'.repeat(1000) }] })],
    ['a text', () => ({ keys: ['x'] })],
    ['another member', () => ({ keys: [key.publicJwk], url: 'https://elsewhere.example' })],
  ];

  test.each(bad)('not: %s', async (_name, make) => {
    const jwks = await make();
    const refused = callApi(console, 'POST', '/clients', { id: 'refused', jwks });
    await expect(refused).rejects.toThrow(/^400 .*jwks/);
    await expect(refused).rejects.not.toThrow(key.privateJwk.d!);
    await expect(callApi(console, 'GET', '/clients/refused')).rejects.toThrow(/^404/);
  });

  test('not of a public client', async () => {
    const body = {
      id: 'refused',
      isPublic: true,
      redirectUris: ['https://a.example/cb'],
      jwks: { keys: [key.publicJwk] },
    };
    await expect(callApi(console, 'POST', '/clients', body)).rejects.toThrow(/^400 .*public client/);
  });

  test('without what does not belong to a public key', async () => {
    const given = { ...key.publicJwk, x5u: 'https://elsewhere.example', comment: 'mine' };
    expect((await addMachine('plain', [given])).jwks?.keys).toEqual([key.publicJwk]);
  });
});

test('an application redeems its code, refreshes and revokes by assertions', async () => {
  const own = await newKey('RS256');
  const redirect = 'http://localhost:9021/by-key';
  await callApi(console, 'POST', '/applications', {
    id: 'by-key',
    redirectUris: [redirect],
    scopes: ['openid', 'offline_access'],
    firstParty: true,
    jwks: { keys: [own.publicJwk] },
  });
  const proof = async () => ({
    client_assertion_type: assertionType,
    client_assertion: await assertionOf({ iss: 'by-key', sub: 'by-key' }, own),
  });
  const answer = await authorize(ada, {
    client_id: 'by-key',
    redirect_uri: redirect,
    scope: 'openid offline_access',
  });
  const code = answer.get('code')!;
  const grant = { grant_type: 'authorization_code', code, redirect_uri: redirect, code_verifier: verifier };
  const tokens = await post('/oauth2/token', { ...grant, ...(await proof()) });
  expect([tokens.status, decodeJwt(tokens.json.id_token).aud]).toEqual([200, 'by-key']);
  const again = { grant_type: 'refresh_token', refresh_token: tokens.json.refresh_token };
  expect((await post('/oauth2/token', again)).status).toBe(401);
  const refreshed = await post('/oauth2/token', { ...again, ...(await proof()) });
  expect(refreshed.status).toBe(200);
  const revoked = await post('/oauth2/revoke', { token: refreshed.json.refresh_token, ...(await proof()) });
  expect(revoked.status).toBe(200);
});

test('an assertion proves who asks once, whichever worker it comes to', async () => {
  const several = await startConsole({ env: { CONSOLE_WORKERS: '2' } });
  try {
    await addMachine('batch', [key.publicJwk], several);
    const assertion = await assertionOf({}, key, {}, several);
    const all = await Promise.all(
      Array.from({ length: 12 }, () => ask(assertion, {}, { connection: 'close' }, several)),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(401)]);
  } finally {
    await several.stop();
  }
}, 30_000);

async function shortRsa(): Promise<JWK> {
  const { generateKeyPairSync } = await import('node:crypto');
  return generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }) as JWK;
}
