/** `idp test` at an OpenID provider that does everything wrong: each step says what, and none ends in an error of ours. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { exportJWK } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { dryRunOidc } from '../../console/federation/oidc/dry-run.ts';
import { runDrySignIn } from '../../console/federation/providers/dry-sign-in.ts';
import type { OidcProvider } from '../../console/federation/providers/schema.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import { Secret } from '../../platform/secret.ts';
import { oidcProvider } from '../helpers/providers.ts';
import { type CraftedProvider, sendJson, startCraftedProvider } from './crafted-provider.ts';
import { loopbackOutbound } from './support.ts';

const url = 'https://console.example';
const callbackUrl = `${url}/login/callback/it`;
const made = 'a value that the provider made up';

let provider: CraftedProvider;
beforeAll(async () => {
  provider = await startCraftedProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider?.close());

/** Refuses a made-up code of a client that it believes, as a provider should. */
const refusesCode = (res: ServerResponse) => sendJson(res, { error: 'invalid_grant' }, 400);
const redirectsTo = (location: string) => (res: ServerResponse) => res.writeHead(302, { location }).end();

function world() {
  const { artifacts } = createMemoryStorage({ now: Date.now });
  return { url, outbound: loopbackOutbound(), artifacts, randomBytes, now: Date.now };
}

async function dryRun(oidc: Partial<OidcProvider['oidc']> = {}) {
  provider.answer ??= refusesCode;
  const steps = await dryRunOidc(
    oidcProvider('it', 'It', provider.issuer, { scopes: ['email'], ...oidc }),
    world(),
  );
  // What a provider says goes to a terminal: not one of its own words is passed on.
  expect(JSON.stringify(steps)).not.toContain(made);
  const failed = steps.filter(({ ok }) => !ok);
  for (const { advice } of failed) expect(advice).toMatch(/\w/);
  return { steps, failed, step: (name: string) => steps.find(({ step }) => step === name) };
}

/** It alone has failed, with these words. */
async function expectFailed(step: string, said: RegExp, oidc?: Partial<OidcProvider['oidc']>) {
  const { failed } = await dryRun(oidc);
  expect(failed).toEqual([
    { step, ok: false, said: expect.stringMatching(said), advice: expect.any(String) },
  ]);
}

test('every step goes well at one that does everything right: the rows below fail by what they change alone', async () => {
  const { failed, step } = await dryRun();
  expect(failed).toEqual([]);
  expect(step('key set')?.said).toBe('1 of 2 keys can verify RS256');
  expect(step('authorization endpoint')?.said).toBe('shows a page');
  expect(step('token endpoint')?.said).toMatch(/believes this client/);
  provider.authorize = redirectsTo('/sign-in');
  expect((await dryRun()).step('authorization endpoint')?.said).toBe('sends on to a sign-in');
});

test('all steps together have an end at a provider that leaves each without an answer', async () => {
  const answersNot = () => {};
  provider.pages = { '/jwks': answersNot };
  provider.authorize = answersNot;
  provider.answer = answersNot;
  const startedAt = Date.now();
  const steps = await runDrySignIn(
    oidcProvider('it', 'It', provider.issuer, { scopes: ['email'] }),
    undefined,
    world(),
    300,
  );
  // Each of the three may take five seconds of its own.
  expect(Date.now() - startedAt).toBeLessThan(4_500);
  expect(steps.filter(({ ok }) => !ok)).toEqual([
    expect.objectContaining({ step: 'key set', said: expect.stringContaining('it did not answer in time') }),
    expect.objectContaining({ step: 'authorization request' }),
  ]);
});

test('addresses by hand are taken as they are, and nothing is discovered', async () => {
  const { issuer } = provider;
  const { failed, step } = await dryRun({
    endpoints: { authorization: `${issuer}/authorize`, token: `${issuer}/token`, keys: `${issuer}/jwks` },
  });
  expect(failed).toEqual([]);
  expect(step('discovery')?.said).toMatch(/by hand/);
  expect(provider.asked).not.toContain('/.well-known/openid-configuration');
});

describe('discovery', () => {
  const discovery = '/.well-known/openid-configuration';
  test.each<[string, (res: ServerResponse) => unknown, RegExp]>([
    ['that is not found', (res) => sendJson(res, {}, 404), /the answer was 404/],
    ['that leads elsewhere (S42)', redirectsTo('http://169.254.169.254/'), /the answer was 302/],
    ['that is a page', (res) => res.end(`<title>${made}</title>`), /no JSON object/],
    ['that is a list', (res) => sendJson(res, [made]), /no JSON object/],
    ['that is nothing', (res) => sendJson(res, null), /no JSON object/],
    [
      'that breaks off',
      (res) => res.writeHead(200, { 'content-length': '9' }).write('{') && res.destroy(),
      /./,
    ],
    ['of more than 1 MiB (S42)', (res) => sendJson(res, { long: 'x'.repeat(1_048_577) }), /./],
  ])('%s ends the run there', async (_what, answer, said) => {
    provider.pages = { [discovery]: answer };
    const { steps } = await dryRun();
    expect(steps).toEqual([
      {
        step: 'discovery',
        ok: false,
        said: expect.stringMatching(said),
        advice: expect.stringMatching(/--issuer/),
      },
    ]);
  });

  test.each<[string, unknown]>([
    ['no issuer', undefined],
    ['an issuer that is a list', ['https://idp.example']],
    ['an issuer that is none', null],
  ])('with %s ends the run there (S44)', async (_what, issuer) => {
    provider.metadata = { issuer };
    const { steps, step } = await dryRun();
    expect([steps.length, step('issuer')]).toMatchObject([
      2,
      { ok: false, said: expect.stringMatching(/nothing/) },
    ]);
  });

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['no token endpoint', { token_endpoint: undefined }, 'token_endpoint'],
    ['keys in a file', { jwks_uri: 'file:///etc/passwd' }, 'jwks_uri'],
    [
      'a sign-in that runs script',
      { authorization_endpoint: 'javascript:alert(1)' },
      'authorization_endpoint',
    ],
    ['a sign-in that is an object', { authorization_endpoint: {} }, 'authorization_endpoint'],
    [
      'neither keys nor sign-in',
      { jwks_uri: 7, authorization_endpoint: '' },
      'authorization_endpoint, jwks_uri',
    ],
  ])('with %s asks nothing more', async (_what, metadata, named) => {
    provider.metadata = metadata;
    const { failed } = await dryRun();
    expect(failed.map(({ step, said }) => [step, said])).toEqual([
      ['endpoints', `${named}: missing, or not https`],
    ]);
    expect(provider.asked).toEqual([discovery]);
  });

  test.each<[string, Readonly<Record<string, unknown>>, string, string]>([
    [
      'algorithm',
      { id_token_signing_alg_values_supported: ['none'] },
      'id_token_signing_alg_values_supported',
      'RS256',
    ],
    [
      'client authentication',
      { token_endpoint_auth_methods_supported: [] },
      'token_endpoint_auth_methods_supported',
      'none',
    ],
    ['scope', { scopes_supported: ['openid'] }, 'scopes_supported', 'email'],
    ['PKCE', { code_challenge_methods_supported: ['plain'] }, 'code_challenge_methods_supported', 'S256'],
  ])('that does not offer the %s says so', async (_what, metadata, step, missing) => {
    provider.metadata = metadata;
    await expectFailed(step, new RegExp(`does not offer ${missing}$`));
  });

  test('that offers what is no list is not held against it', async () => {
    provider.metadata = { scopes_supported: 'openid', code_challenge_methods_supported: null };
    expect((await dryRun()).failed).toEqual([]);
  });
});

describe('keys', () => {
  const rsa = async (modulusLength: number) => ({
    ...(await exportJWK(generateKeyPairSync('rsa', { modulusLength }).publicKey)),
    alg: 'RS256',
  });
  test.each<[string, () => unknown, RegExp]>([
    ['none', () => ({ keys: [] }), /none of 0 keys/],
    ['no list', () => ({ keys: { kid: made } }), /none of 0 keys/],
    ['what is no key', () => ({ keys: [null, 7, made, {}] }), /none of 4 keys/],
    ['a weak key', async () => ({ keys: [await rsa(1024)] }), /none of 1 keys/],
    [
      'a key for encryption',
      async () => ({ keys: [{ ...(await rsa(2048)), use: 'enc' }] }),
      /none of 1 keys/,
    ],
    ['a secret', () => ({ keys: [{ kty: 'oct', k: 'c2VjcmV0', alg: 'HS256' }] }), /none of 1 keys/],
    ['a list', () => [], /no JSON object/],
  ])('that are %s can verify nothing (S44)', async (_what, published, said) => {
    const body = await published();
    provider.pages = { '/jwks': (res) => sendJson(res, body) };
    await expectFailed('key set', said);
  });

  test('that are not served can verify nothing', async () => {
    provider.pages = { '/jwks': (res) => sendJson(res, {}, 500) };
    await expectFailed('key set', /the answer was 500/);
  });
});

describe('the authorization endpoint', () => {
  test.each<[string, (res: ServerResponse) => unknown, RegExp]>([
    ['refuses', (res) => res.writeHead(400).end(made), /^refuses with 400$/],
    ['knows no scope', redirectsTo(`${callbackUrl}?error=invalid_scope`), /^refuses: invalid_scope$/],
    [
      'knows no client',
      redirectsTo(`${callbackUrl}?error=unauthorized_client&state=1`),
      /unauthorized_client$/,
    ],
    [
      'refuses in words of its own',
      redirectsTo(`${callbackUrl}?error=%1b%5b2J`),
      /something that is no error code/,
    ],
    ['sends to what is no address', redirectsTo('http://['), /no address/],
    ['breaks off', (res) => res.destroy(), /./],
  ])('that %s is told', async (_what, answer, said) => {
    provider.authorize = answer;
    await expectFailed('authorization endpoint', said);
  });
});

describe('the token endpoint', () => {
  const secret = { method: 'client_secret_basic', secret: new Secret('marmot-0123456789') } as const;
  const error =
    (code: string, status = 400) =>
    (res: ServerResponse) =>
      sendJson(res, { error: code }, status);
  const challenge = (res: ServerResponse) =>
    res.writeHead(401, { 'www-authenticate': `Basic realm="${made}"` }).end();
  test.each<[string, (res: ServerResponse) => unknown, RegExp]>([
    ['does not know the client', error('invalid_client', 401), /does not believe this client/],
    ['does not let the client', error('unauthorized_client'), /does not believe this client/],
    ['asks for credentials', challenge, /does not believe this client/],
    [
      'does not understand the request',
      error('invalid_request'),
      /answers invalid_request to a made-up code/,
    ],
    ['has trouble', error('server_error', 500), /no OpenID Connect/],
    ['says what is no code', error(made), /answers something that is no error code/],
    ['answers with a page', (res) => res.end(made), /no OpenID Connect/],
    ['leads elsewhere (S42)', redirectsTo('http://169.254.169.254/'), /./],
    ['breaks off', (res) => res.destroy(), /./],
  ])('that %s is told', async (_what, answer, said) => {
    provider.answer = answer;
    await expectFailed('token endpoint', said, { authentication: secret });
  });

  test('that takes a made-up code is the worst of all', async () => {
    // Everything else about its answer is right, the nonce too.
    const nonces: string[] = [];
    provider.answer = async (res) => {
      const iat = Math.floor(Date.now() / 1000);
      const claims = {
        iss: provider.issuer,
        sub: 'ada',
        aud: 'console',
        iat,
        exp: iat + 60,
        nonce: nonces[0]!,
      };
      sendJson(res, { access_token: 'a', token_type: 'Bearer', id_token: await provider.sign(claims) });
    };
    provider.authorize = (res) => {
      nonces.push(new URL(res.req.url!, provider.issuer).searchParams.get('nonce')!);
      res.end();
    };
    await expectFailed('token endpoint', /takes a made-up code/);
  });
});
