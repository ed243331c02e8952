/** Tokens that are bound to a key (RFC 9449): at the token endpoint, and at every place of the console that takes tokens. */
import { createHmac } from 'node:crypto';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTool, toolDone } from '../helpers/commands.ts';
import { admin, clientSecret, nextKeysOf, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type ClientKey, encodePart, makeProof, newClientKey, type ProofParts } from '../helpers/dpop.ts';
import { authorizationPath, authorize, dashboard, redeem, verifier } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { basic, eventually, post, type Reply, verify } from './support.ts';

const grant = 'grant_type=client_credentials';

let console: RunningConsole;
let key: ClientKey;
let other: ClientKey;
const tokenUrl = () => `${console.url}/oauth2/token`;

beforeAll(async () => {
  console = await startConsole();
  [key, other] = [await newClientKey(), await newClientKey()];
  await nextKeysOf(console);
});
afterAll(() => console.stop());

const proofFor = (parts: Partial<ProofParts> = {}, by = key) => makeProof(by, { url: tokenUrl(), ...parts });

/** Client credentials with this in the DPoP field. */
function ask(proof: string, options: { body?: string; authorization?: string } = {}): Promise<Reply> {
  return post(console, { body: grant, headers: { DPoP: proof }, ...options });
}

/** What a machine adds for the admin API. */
function resourceFor(path: string): string {
  return path.startsWith('/api/') ? `&resource=${encodeURIComponent(`${console.url}/api`)}` : '';
}

async function boundToken(body = grant, by = key): Promise<string> {
  const reply = await ask(await proofFor({}, by), { body });
  expect(reply.status, reply.text).toBe(200);
  return reply.json.access_token;
}

describe('a machine', () => {
  test('without a proof gets a bearer token as ever', async () => {
    const { json } = await post(console, { body: grant });
    expect(json.token_type).toBe('Bearer');
    expect(decodeJwt(json.access_token)).not.toHaveProperty('cnf');
  });

  test.each(['ES256', 'EdDSA', 'RS256', 'PS256'])(
    'with a %s proof gets a token that is bound to its key',
    async (alg) => {
      const own = await newClientKey(alg);
      const reply = await ask(await proofFor({}, own));
      expect([reply.status, reply.json.token_type, reply.json.expires_in]).toEqual([200, 'DPoP', 300]);
      const { payload } = await verify(console, reply.json.access_token);
      expect(payload).toMatchObject({
        cnf: { jkt: own.thumbprint },
        sub: 'application-client',
        roles: ['Admin'],
      });
    },
  );

  test('may write the address in another way that means the same', async () => {
    for (const htu of [
      `${tokenUrl()}?x=1#y`,
      tokenUrl().replace('http://localhost', 'HTTP://LOCALHOST'),
      tokenUrl().replace('token', '%74oken'),
      tokenUrl().replace('/oauth2/', '/svc/../oauth2/'),
    ]) {
      const reply = await ask(await proofFor({ claims: { htu } }));
      expect([reply.status, htu]).toEqual([200, htu]);
    }
  });

  test('is told the algorithms by discovery', async () => {
    const metadata = await (await fetch(`${console.url}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({
      dpop_signing_alg_values_supported: ['ES256', 'EdDSA', 'Ed25519', 'RS256', 'PS256'],
    });
  });
});

const seconds = () => Math.floor(Date.now() / 1000);

test.each([0, 5, 9, 10])('a proof that is %i s ahead is taken, as FAPI 2.0 wants it (D7)', async (ahead) => {
  expect((await ask(await proofFor({ claims: { iat: seconds() + ahead } }))).status).toBe(200);
});

/** What a client sends that proves nothing. */
const badProofs: readonly { readonly name: string; readonly make: () => Promise<string> | string }[] = [
  { name: 'an empty field', make: () => '' },
  { name: 'no JWT', make: () => 'proof' },
  { name: 'two proofs', make: async () => `${await proofFor()}, ${await proofFor()}` },
  { name: 'a huge proof', make: () => proofFor({ claims: { pad: 'x'.repeat(9_000) } }) },
  { name: 'no signature', make: async () => `${(await proofFor()).split('.').slice(0, 2).join('.')}.` },
  { name: 'a signature by another key', make: () => proofFor({ header: { jwk: other.publicJwk } }) },
  {
    name: 'a changed payload',
    make: async () => {
      const [header, , signature] = (await proofFor()).split('.');
      return `${header}.${encodePart({ htm: 'POST', htu: tokenUrl(), iat: seconds(), jti: 'x' })}.${signature}`;
    },
  },
  { name: 'a payload that is no JSON', make: async () => signed(encodePart('{')) },
  { name: 'a payload that is null', make: async () => signed(encodePart('null')) },
  { name: 'the typ of an access token', make: () => proofFor({ header: { typ: 'JWT' } }) },
  { name: 'no typ', make: () => proofFor({ header: { typ: undefined } }) },
  { name: 'alg none', make: () => unsigned('none') },
  { name: 'an HMAC keyed with the public key', make: () => unsigned('HS256') },
  { name: 'an alg that is not on the list', make: async () => proofFor({}, await newClientKey('ES384')) },
  { name: 'an alg that is a property of every object', make: () => unsigned('constructor') },
  {
    name: 'the alg of another kind of key',
    make: () => proofFor({ header: { jwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } } }),
  },
  { name: 'no jwk', make: () => proofFor({ header: { jwk: undefined } }) },
  { name: 'a jwk that is null', make: () => proofFor({ header: { jwk: null } }) },
  { name: 'a private key in the jwk', make: () => proofFor({ header: { jwk: key.privateJwk } }) },
  {
    name: 'a symmetric key in the jwk',
    make: () => proofFor({ header: { jwk: { kty: 'oct', k: 'AAAA' } } }),
  },
  {
    name: 'a point off the curve',
    make: () => proofFor({ header: { jwk: { ...key.publicJwk, y: key.publicJwk.x } } }),
  },
  {
    name: 'another spelling of the key',
    make: () => proofFor({ header: { jwk: { ...key.publicJwk, x: `${key.publicJwk.x}=` } } }),
  },
  { name: 'an RSA key of 1024 bits', make: weakRsa },
  { name: 'an unknown crit header', make: () => proofFor({ header: { crit: ['b64x'], b64x: true } }) },
  { name: 'no htm', make: () => proofFor({ claims: { htm: undefined } }) },
  { name: 'another method', make: () => proofFor({ method: 'GET' }) },
  { name: 'the method in lower case', make: () => proofFor({ method: 'post' }) },
  { name: 'no htu', make: () => proofFor({ claims: { htu: undefined } }) },
  { name: 'another path', make: () => proofFor({ url: `${console.url}/oauth2/introspect` }) },
  { name: 'the path in capitals', make: () => proofFor({ url: `${console.url}/OAUTH2/token` }) },
  { name: 'a trailing slash', make: () => proofFor({ url: `${tokenUrl()}/` }) },
  { name: 'another host', make: () => proofFor({ url: 'http://evil.example/oauth2/token' }) },
  { name: 'another port', make: () => proofFor({ url: 'http://localhost:1/oauth2/token' }) },
  { name: 'another scheme', make: () => proofFor({ url: tokenUrl().replace('http:', 'https:') }) },
  { name: 'credentials in the address', make: () => proofFor({ url: tokenUrl().replace('//', '//a:b@') }) },
  { name: 'a path alone', make: () => proofFor({ url: '/oauth2/token' }) },
  { name: 'an htu that is a list', make: () => proofFor({ claims: { htu: [tokenUrl()] } }) },
  { name: 'a proof of two minutes ago', make: () => proofFor({ claims: { iat: seconds() - 120 } }) },
  { name: 'a proof that is 25 s ahead (D7)', make: () => proofFor({ claims: { iat: seconds() + 25 } }) },
  { name: 'a proof of the next minute', make: () => proofFor({ claims: { iat: seconds() + 60 } }) },
  { name: 'no iat', make: () => proofFor({ claims: { iat: undefined } }) },
  { name: 'an iat that is a text', make: () => proofFor({ claims: { iat: String(seconds()) } }) },
  { name: 'no jti', make: () => proofFor({ claims: { jti: undefined } }) },
  { name: 'an empty jti', make: () => proofFor({ claims: { jti: '' } }) },
  { name: 'a huge jti', make: () => proofFor({ claims: { jti: 'x'.repeat(129) } }) },
  { name: 'a nonce that nobody gave out', make: () => proofFor({ claims: { nonce: 'n' } }) },
];

/** A proof with a good header and a payload of one's own, signed with the right key. */
async function signed(payload: string): Promise<string> {
  const header = encodePart({ typ: 'dpop+jwt', alg: 'ES256', jwk: key.publicJwk });
  const signature = await crypto.subtle.sign(
    { name: 'ECDSA', hash: 'SHA-256' },
    key.privateKey,
    Buffer.from(`${header}.${payload}`),
  );
  return `${header}.${payload}.${Buffer.from(signature).toString('base64url')}`;
}

/** With a signature by HMAC, or by none that counts. */
function unsigned(alg: string): string {
  const header = encodePart({ typ: 'dpop+jwt', alg, jwk: key.publicJwk });
  const payload = encodePart({ htm: 'POST', htu: tokenUrl(), iat: seconds(), jti: alg });
  const mac = createHmac('sha256', JSON.stringify(key.publicJwk)).update(`${header}.${payload}`);
  return `${header}.${payload}.${mac.digest('base64url')}`;
}

/** jose signs with no such key. */
async function weakRsa(): Promise<string> {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const pair = await crypto.subtle.generateKey(
    { ...algorithm, modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]) },
    true,
    ['sign', 'verify'],
  );
  const { kty, n, e } = await crypto.subtle.exportKey('jwk', pair.publicKey);
  const input = [
    encodePart({ typ: 'dpop+jwt', alg: 'RS256', jwk: { kty, n, e } }),
    encodePart({ htm: 'POST', htu: tokenUrl(), iat: seconds(), jti: 'weak' }),
  ].join('.');
  const signature = await crypto.subtle.sign(algorithm, pair.privateKey, Buffer.from(input));
  return `${input}.${Buffer.from(signature).toString('base64url')}`;
}

describe.each(badProofs)('$name in the DPoP field (S2)', ({ make }) => {
  test('is invalid_dpop_proof, explained, and no token', async () => {
    const { status, json, headers } = await ask(await make());
    expect([status, json.error, json.access_token]).toEqual([400, 'invalid_dpop_proof', undefined]);
    expect(json.error_description).toMatch(/DPoP/);
    expect(json.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

test('a proof counts once (S2)', async () => {
  const proof = await proofFor();
  expect((await ask(proof)).status).toBe(200);
  const again = await ask(proof);
  expect([again.status, again.json.error]).toEqual([400, 'invalid_dpop_proof']);
  expect(again.json.error_description).toContain('used before');
  expect((await ask(await proofFor())).status).toBe(200);
});

test('a second proof with the jti of another is refused, and the same jti by another key is not (S2)', async () => {
  const claims = { jti: 'the-same' };
  expect((await ask(await proofFor({ claims }))).status).toBe(200);
  expect((await ask(await proofFor({ claims: { ...claims, pad: 1 } }))).status).toBe(400);
  expect((await ask(await proofFor({ claims }, other))).status).toBe(200);
});

test('a wrong secret is invalid_client, whatever the proof (S8)', async () => {
  const reply = await ask(await proofFor(), { authorization: basic('application-client', 'wrong') });
  expect([reply.status, reply.json.error]).toEqual([401, 'invalid_client']);
});

describe('a client that is registered with --dpop', () => {
  let secret: string;
  const tool = (args: string[]) => toolDone(args, { dataDir: console.dataDir });
  const authorization = () => basic('bound', secret);
  const body = `${grant}&scope=app%3AViewer`;

  beforeAll(async () => {
    const added = await tool(['client', 'add', 'bound', '--scope', 'app:Viewer', '--dpop', '--json']);
    secret = added.json<{ secret: string }>().secret;
    await eventually(
      async () => (await post(console, { body, authorization: authorization() })).status !== 401,
      'the console knows the client',
    );
  });

  test('gets no bearer token, and is told why (S2)', async () => {
    const { status, json } = await post(console, { body, authorization: authorization() });
    expect([status, json.error, json.access_token]).toEqual([400, 'invalid_dpop_proof', undefined]);
    expect(json.error_description).toContain('send a DPoP proof');
  });

  test('gets a bound one with a proof', async () => {
    const { status, json } = await ask(await proofFor(), { body, authorization: authorization() });
    expect([status, json.token_type]).toEqual([200, 'DPoP']);
  });

  test('is shown as such', async () => {
    expect((await tool(['client', 'show', 'bound', '--json'])).json()).toMatchObject({
      dpop: true,
    });
    expect((await tool(['client', 'show', 'bound'])).stdout).toContain('bound to a key (DPoP)');
  });

  test('may be let off, and when it is held to it again its bearer tokens are void', async () => {
    await tool(['client', 'update', 'bound', '--no-dpop']);
    let bearer = '';
    await eventually(async () => {
      const { json } = await post(console, { body, authorization: authorization() });
      bearer = json.access_token ?? '';
      return bearer !== '';
    }, 'a bearer token');
    const cluster = () =>
      fetch(`${console.url}/svc/rest/cluster`, { headers: { Authorization: `Bearer ${bearer}` } });
    expect((await cluster()).status).toBe(200);
    await tool(['client', 'update', 'bound', '--dpop']);
    await eventually(async () => (await cluster()).status === 401, 'the bearer token is void');
    expect((await post(console, { body, authorization: authorization() })).status).toBe(400);
  });

  test('neither and both flags are wrong usage', async () => {
    for (const flags of [[], ['--dpop', '--no-dpop']]) {
      const { code, stderr } = await runTool(['client', 'update', 'bound', ...flags], {
        dataDir: console.dataDir,
      });
      expect([code, stderr.includes('either --dpop or --no-dpop')]).toEqual([2, true]);
    }
  });

  test('a client of the settings is changed there', async () => {
    const { code } = await runTool(['client', 'update', 'application-client', '--dpop'], {
      dataDir: console.dataDir,
    });
    expect(code).toBe(1);
  });
});

describe.each([
  { path: '/svc/rest/cluster', who: 'machine' as const, code: 200, headers: {} },
  { path: '/api/v1/identity-providers', who: 'machine' as const, code: 200, headers: {} },
  { path: '/api/v1/access/matrix', who: 'machine' as const, code: 200, headers: {} },
  // Named by a proxy, it is not from this machine.
  { path: '/metrics', who: 'machine' as const, code: 200, headers: { Via: '1.1 proxy' } },
  { path: '/userinfo', who: 'person' as const, code: 200, headers: {} },
])('$path', ({ path, who, code, headers: extra }) => {
  let token: string;
  const url = () => console.url + path;
  const get = (headers: Record<string, string>) => fetch(url(), { headers: { ...extra, ...headers } });

  beforeAll(async () => {
    token =
      who === 'machine' ? await boundToken(grant + resourceFor(path)) : (await personTokens()).access_token;
  });

  test('takes a bound token with a proof', async () => {
    const DPoP = await makeProof(key, { method: 'GET', url: url(), token });
    const reply = await get({ Authorization: `DPoP ${token}`, DPoP });
    expect([reply.status, await reply.text()]).toEqual([code, expect.any(String)]);
  });

  test('refuses it as a bearer token, with and without a proof (S2)', async () => {
    const DPoP = await makeProof(key, { method: 'GET', url: url(), token });
    for (const headers of [{}, { DPoP }]) {
      const reply = await get({ Authorization: `Bearer ${token}`, ...headers });
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toMatch(/^DPoP error="invalid_token".*algs="ES256 /);
      expect(await reply.text()).toContain('invalid_token');
    }
  });

  test.each([
    ['no proof', async () => undefined],
    ['a proof by another key', () => makeProof(other, { method: 'GET', url: url(), token })],
    ['a proof without ath', () => makeProof(key, { method: 'GET', url: url() })],
    ['a proof for another address', () => makeProof(key, { method: 'GET', url: tokenUrl(), token })],
    ['a proof for another method', () => makeProof(key, { method: 'POST', url: url(), token })],
  ])('refuses it with %s (S2)', async (_name, make) => {
    const DPoP = await make();
    const reply = await get({ Authorization: `DPoP ${token}`, ...(DPoP && { DPoP }) });
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toMatch(/^DPoP error="invalid_(token|dpop_proof)"/);
  });

  test('refuses a proof that came before (S2)', async () => {
    const DPoP = await makeProof(key, { method: 'GET', url: url(), token });
    expect((await get({ Authorization: `DPoP ${token}`, DPoP })).status).toBe(code);
    const again = await get({ Authorization: `DPoP ${token}`, DPoP });
    expect([again.status, await again.text()]).toEqual([401, expect.stringContaining('used before')]);
  });

  test.each([
    ['nothing', undefined, 401, /^Bearer$/],
    ['another scheme', 'Basic eDp5', 401, /^Bearer$/],
    ['Bearer without a token', 'Bearer', 400, /^Bearer error="invalid_request"/],
    ['DPoP without a token', 'DPoP', 400, /^DPoP error="invalid_request".*algs="ES256 /],
    ['DPoP and two tokens', 'DPoP a b', 400, /^DPoP error="invalid_request".*algs="ES256 /],
    ['Bearer and no token of here', 'Bearer a.b.c', 401, /^Bearer error="invalid_token"/],
    ['DPoP and no token of here', 'DPoP a.b.c', 401, /^DPoP error="invalid_token".*algs="ES256 /],
  ])('answers %s in the scheme that was used (S61)', async (_name, authorization, status, challenge) => {
    const reply = await get(authorization === undefined ? {} : { Authorization: authorization });
    expect(reply.status).toBe(status);
    expect(reply.headers.get('www-authenticate')).toMatch(challenge);
  });
});

describe('what a bound token does not open is told in its own scheme (S49, S60)', () => {
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    const added = await toolDone(['client', 'add', 'small', '--scope', 'svc:health:read', '--json'], {
      dataDir: console.dataDir,
    });
    const authorization = basic('small', added.json<{ secret: string }>().secret);
    const body = `${grant}&scope=svc:health:read`;
    await eventually(
      async () => (await post(console, { body, authorization })).status !== 401,
      'the console knows the client',
    );
    const api = `${grant}${resourceFor('/api/')}`;
    for (const [surface, asked] of Object.entries({ svc: body, api })) {
      const reply = await ask(await proofFor(), { body: asked, authorization });
      tokens.set(surface, reply.json.access_token);
    }
  });

  test.each([
    { path: '/svc/rest/maps/m/k', reported: 'scope="svc:data:read"' },
    { path: '/api/v1/roles', reported: 'scope="api:roles:read"' },
    { path: '/api/v1/access/explain?decision=x', reported: 'scope="api:access:read"' },
    { path: '/api/v1/revocations', reported: 'scope="api:revocations:read"' },
    { path: '/metrics', reported: 'scope="app:MetricsViewer"' },
    { path: '/userinfo', reported: 'a person' },
  ])('at $path', async ({ path, reported }) => {
    const url = console.url + path;
    const token = tokens.get(path.startsWith('/api/') ? 'api' : 'svc')!;
    const DPoP = await makeProof(key, { method: 'GET', url, token });
    // Named by a proxy, it is not from this machine.
    const headers = { Via: '1.1 proxy', Authorization: `DPoP ${token}`, DPoP };
    const rejected = await fetch(url, { headers });
    expect(rejected.status).toBe(403);
    const challenge = rejected.headers.get('www-authenticate');
    expect(challenge).toMatch(/^DPoP error="insufficient_scope".*algs="ES256 /);
    expect(challenge).toContain(reported);
  });
});

describe('introspection and revocation', () => {
  test('tell a bound token by its type and key', async () => {
    const token = await boundToken();
    const { json } = await post(console, { path: '/oauth2/introspect', body: `token=${token}` });
    expect(json).toMatchObject({ active: true, token_type: 'DPoP', cnf: { jkt: key.thumbprint } });
  });

  test('end it like any other', async () => {
    const token = await boundToken();
    expect((await post(console, { path: '/oauth2/revoke', body: `token=${token}` })).status).toBe(200);
    const url = `${console.url}/svc/rest/cluster`;
    const DPoP = await makeProof(key, { method: 'GET', url, token });
    const reply = await fetch(url, { headers: { Authorization: `DPoP ${token}`, DPoP } });
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/^DPoP error="invalid_token"/),
    ]);
  });
});

async function personForm(form: Record<string, string>, by: ClientKey | undefined): Promise<Reply> {
  const headers: Record<string, string> = by ? { DPoP: await proofFor({}, by) } : {};
  const body = new URLSearchParams({ client_id: dashboard.clientId, ...form }).toString();
  return post(console, { authorization: undefined, headers, body });
}

async function personTokens() {
  const callback = await authorize(createUserAgent(console.url));
  const reply = await personForm(codeForm(callback.get('code')!), key);
  expect(reply.status, reply.text).toBe(200);
  return reply.json as { access_token: string; refresh_token: string; token_type: string };
}

function codeForm(code: string) {
  return {
    grant_type: 'authorization_code',
    redirect_uri: dashboard.redirectUri,
    code_verifier: verifier,
    code,
  };
}

describe('a person at a public client', () => {
  test('gets bound tokens for a code with a proof, and renews them with the same key only', async () => {
    const tokens = await personTokens();
    expect(tokens.token_type).toBe('DPoP');
    expect(decodeJwt(tokens.access_token)).toMatchObject({ cnf: { jkt: key.thumbprint }, roles: ['Admin'] });
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    for (const by of [undefined, other]) {
      const rejected = await personForm(form, by);
      expect([rejected.status, rejected.json.error], 'RFC 9449 §5').toEqual([400, 'invalid_grant']);
    }
    const renewed = await personForm(form, key);
    expect([renewed.status, renewed.json.token_type]).toEqual([200, 'DPoP']);
    expect(decodeJwt(renewed.json.access_token)).toMatchObject({ cnf: { jkt: key.thumbprint } });
    const stolen = await personForm({ ...form, refresh_token: renewed.json.refresh_token }, other);
    expect([stolen.status, stolen.json.error]).toEqual([400, 'invalid_grant']);
  });

  test('gets bearer tokens without a proof, as ever', async () => {
    const callback = await authorize(createUserAgent(console.url));
    const { json } = await personForm(codeForm(callback.get('code')!), undefined);
    expect(json.token_type).toBe('Bearer');
    expect(decodeJwt(json.access_token)).not.toHaveProperty('cnf');
  });

  test.each([
    ['a proof for another address', () => proofFor({ url: `${console.url}/oauth2/authorize` })],
    ['an old proof', () => proofFor({ claims: { iat: seconds() - 120 } })],
    ['two proofs', async () => `${await proofFor()}, ${await proofFor()}`],
  ])('%s does not use up the code (S19)', async (_name, make) => {
    const code = (await authorize(createUserAgent(console.url))).get('code')!;
    const body = new URLSearchParams({ client_id: dashboard.clientId, ...codeForm(code) }).toString();
    const rejected = await post(console, { authorization: undefined, headers: { DPoP: await make() }, body });
    expect([rejected.status, rejected.json.error]).toEqual([400, 'invalid_dpop_proof']);
    expect((await redeem(console, code)).status).toBe(200);
  });

  test('a code that was asked for with dpop_jkt is good with that key only (S19)', async () => {
    for (const [by, status] of [
      [undefined, 400],
      [other, 400],
      [key, 200],
    ] as const) {
      const callback = await authorize(createUserAgent(console.url), { dpop_jkt: key.thumbprint });
      expect((await personForm(codeForm(callback.get('code')!), by)).status).toBe(status);
    }
  });
});

test('an application that is registered with --dpop gets tokens for a code with a proof only (S19)', async () => {
  const app = { client_id: 'bound-app', redirect_uri: dashboard.redirectUri };
  await toolDone(
    [
      'client',
      'add',
      app.client_id,
      '--public',
      '--first-party',
      '--dpop',
      '--redirect-uri',
      app.redirect_uri,
    ],
    { dataDir: console.dataDir },
  );
  await eventually(
    async () => (await fetch(console.url + authorizationPath(app), { redirect: 'manual' })).status === 303,
    'the console knows the application',
  );
  const code = (await authorize(createUserAgent(console.url), app)).get('code')!;
  const rejected = await personForm({ ...codeForm(code), ...app }, undefined);
  expect([rejected.status, rejected.json.error]).toEqual([400, 'invalid_dpop_proof']);
  const good = await personForm({ ...codeForm(code), ...app }, key);
  expect([good.status, good.json.token_type]).toEqual([200, 'DPoP']);
  const renewal = { ...app, grant_type: 'refresh_token', refresh_token: good.json.refresh_token };
  const bare = await personForm(renewal, undefined);
  expect([bare.status, bare.json.error]).toEqual([400, 'invalid_dpop_proof']);
});

describe('openid-client', () => {
  const execute = [client.allowInsecureRequests];

  test('gets a bound token for a machine, and calls a member with it', async () => {
    const configuration = await client.discovery(
      new URL(console.url),
      'application-client',
      undefined,
      client.ClientSecretBasic(clientSecret),
      { execute },
    );
    const DPoP = client.getDPoPHandle(configuration, await client.randomDPoPKeyPair());
    const tokens = await client.clientCredentialsGrant(configuration, {}, { DPoP });
    expect(tokens.token_type).toBe('dpop');
    const map = new URL(`${console.url}/svc/rest/maps/dpop/one`);
    const call = (method: string, body?: string) =>
      client.fetchProtectedResource(configuration, tokens.access_token, map, method, body, undefined, {
        DPoP,
      });
    expect((await call('POST', 'bound')).status).toBe(200);
    expect(await (await call('GET')).text()).toBe('bound');
    // The library refuses the challenge that a bearer call with this token gets.
    await expect(
      client.fetchProtectedResource(configuration, tokens.access_token, map, 'GET'),
    ).rejects.toMatchObject({ status: 401 });
  });

  test.each(['ES256', 'Ed25519', 'RS256', 'PS256'])(
    'signs a person in with a key for %s, renews, and calls',
    async (alg) => {
      const configuration = await client.discovery(
        new URL(console.url),
        dashboard.clientId,
        undefined,
        client.None(),
        { execute },
      );
      const DPoP = client.getDPoPHandle(configuration, await client.randomDPoPKeyPair(alg));
      const agent = createUserAgent(console.url);
      const pkceCodeVerifier = client.randomPKCECodeVerifier();
      const path = authorizationPath({
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        dpop_jkt: await DPoP.calculateThumbprint(),
      });
      const page = await agent.follow(await agent.get(path));
      const end = await agent.follow(await agent.submit(page, admin));
      const tokens = await client.authorizationCodeGrant(
        configuration,
        new URL(end.headers.location!),
        { pkceCodeVerifier, expectedState: 'some-state' },
        undefined,
        { DPoP },
      );
      expect(tokens.token_type).toBe('dpop');
      const { sub } = tokens.claims()!;
      expect(await client.fetchUserInfo(configuration, tokens.access_token, sub, { DPoP })).toMatchObject({
        sub,
      });
      const renewed = await client.refreshTokenGrant(configuration, tokens.refresh_token!, undefined, {
        DPoP,
      });
      const reply = await client.fetchProtectedResource(
        configuration,
        renewed.access_token,
        new URL(`${console.url}/svc/rest/cluster`),
        'GET',
        undefined,
        undefined,
        { DPoP },
      );
      expect(reply.status).toBe(200);
      await expect(client.refreshTokenGrant(configuration, renewed.refresh_token!)).rejects.toMatchObject({
        error: 'invalid_grant',
      });
    },
  );
});
