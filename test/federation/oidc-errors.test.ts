/** What an OpenID provider may send that proves nothing: each refused, and nobody comes of it. */
import { generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOidcConnector } from '../../console/federation/oidc/connector.ts';
import { Secret } from '../../platform/secret.ts';
import { type CraftedProvider, clientId, clientSecret, startCraftedProvider } from './crafted-provider.ts';
import { callbackUrl, errorOf, loopbackOutbound, replyOf } from './support.ts';

let provider: CraftedProvider;
beforeAll(async () => {
  provider = await startCraftedProvider();
});
beforeEach(() => provider.reset());
afterAll(() => provider.close());

const connect = (issuer = provider.issuer) =>
  createOidcConnector({
    config: {
      issuer,
      clientId,
      authentication: { method: 'client_secret_post', secret: new Secret(clientSecret) },
    },
    outbound: loopbackOutbound(),
    now: Date.now,
  });

const begin = (connector = connect(), reauthenticate = false) =>
  connector.begin({ stateId: 'state-1', callbackUrl, reauthenticate });

/** Up to the answer that `parameters` make. */
async function signIn(parameters: Readonly<Record<string, string>> = {}, { reauthenticate = false } = {}) {
  const connector = connect();
  const { location, secrets } = await begin(connector, reauthenticate);
  provider.nonce = new URL(location).searchParams.get('nonce')!;
  const query = new URLSearchParams({ code: 'code', state: 'state-1', ...parameters });
  return connector.finish(replyOf(`${callbackUrl}?${query}`), secrets);
}

test('the right ID token of this provider is taken: the rows below fail by what they change alone', async () => {
  expect(await signIn()).toMatchObject({ subject: 'ada' });
});

const unsigned = (claims: JWTPayload) => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.`;
};
const bySecret = (claims: JWTPayload) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(clientSecret));
// Made before the provider is asked for a token, which the console waits five seconds for.
const stranger = await generateKeyPair('RS256');
const byStranger = (kid?: string) => (claims: JWTPayload) => {
  const { privateKey } = stranger;
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...(kid ? { kid } : {}) }).sign(privateKey);
};
const byOtherAlg = (claims: JWTPayload) => provider.signOther(claims);
const past = Math.floor(Date.now() / 1000) - 600;

describe('an ID token that is not what is configured (S44)', () => {
  test.each([
    { name: 'another issuer', claims: { iss: 'https://other.example' } },
    { name: 'the issuer with a slash more', claims: { iss: 'SLASH' } },
    { name: 'another audience', claims: { aud: 'other' } },
    { name: 'no audience', claims: { aud: undefined } },
    { name: 'several audiences without azp', claims: { aud: [clientId, 'other'] } },
    { name: 'several audiences and another azp', claims: { aud: [clientId, 'other'], azp: 'other' } },
    { name: 'one audience and another azp', claims: { azp: 'other' } },
    { name: 'expired', claims: { iat: past - 300, exp: past } },
    { name: 'no end', claims: { exp: undefined } },
    { name: 'not valid yet', claims: { nbf: Math.floor(Date.now() / 1000) + 600 } },
    { name: 'another nonce', claims: { nonce: 'another' } },
    { name: 'no nonce', claims: { nonce: undefined } },
    { name: 'no subject', claims: { sub: undefined } },
    { name: 'alg none', sign: unsigned },
    { name: 'HS256 with the client secret', sign: bySecret },
    { name: 'a key that is not published', sign: byStranger() },
    { name: 'a key that is not published, by the name of one that is', sign: byStranger('published') },
    { name: 'a published key of another algorithm than configured', sign: byOtherAlg },
    { name: 'no token at all', sign: () => 'nonsense' },
  ])('$name', async ({ claims, sign }) => {
    const iss = claims?.iss === 'SLASH' ? { iss: `${provider.issuer}/` } : {};
    provider.forgery = { claims: { ...claims, ...iss }, ...(sign ? { sign } : {}) };
    const error = await errorOf(signIn());
    expect(error.status).toBe(401);
    expect(error.message).not.toContain(provider.issuer);
    expect(provider.asked).not.toContain('/userinfo');
  });

  test('userinfo of somebody else', async () => {
    provider.userinfo = { sub: 'eve', email: 'eve@corp.example' };
    expect(await errorOf(signIn())).toMatchObject({ status: 401 });
  });

  test('userinfo does not replace what the ID token says', async () => {
    provider.forgery = { claims: { groups: ['users'] } };
    provider.userinfo = { sub: 'ada', groups: ['admins'], email: 'ada@corp.example' };
    const { attributes, email } = await signIn();
    expect(attributes.groups).toEqual(['users']);
    expect(email).toBe('ada@corp.example');
  });

  test('an e-mail address that the provider has not verified is left out', async () => {
    provider.forgery = { claims: { email: 'boss@corp.example', email_verified: false } };
    expect((await signIn()).email).toBeUndefined();
  });
});

describe('a person who had to prove again who they are', () => {
  test.each([
    { name: 'was asked, and did not', authTime: past },
    { name: 'was asked, and nothing is said of it', authTime: undefined },
  ])('$name (S44)', async ({ authTime }) => {
    provider.forgery = { claims: { auth_time: authTime } };
    expect(await errorOf(signIn({}, { reauthenticate: true }))).toMatchObject({ status: 401 });
  });

  test('was asked, and did', async () => {
    provider.forgery = { claims: { auth_time: Math.floor(Date.now() / 1000) } };
    expect((await signIn({}, { reauthenticate: true })).subject).toBe('ada');
  });
});

describe('an answer that is not to this request (S43)', () => {
  test.each([
    { name: 'another state', parameters: { state: 'state-2' } },
    { name: 'no state', parameters: { state: '' } },
    { name: 'iss of another provider', parameters: { iss: 'https://other.example' } },
    { name: 'no iss where it is announced', parameters: {}, announced: true },
  ])('$name', async ({ parameters, announced = false }) => {
    provider.metadata = { authorization_response_iss_parameter_supported: announced };
    expect(await errorOf(signIn(parameters))).toMatchObject({ status: 400 });
    expect(provider.asked).not.toContain('/token');
  });

  test('an ID token in the address instead of a code', async () => {
    const error = await errorOf(signIn({ id_token: unsigned({ sub: 'ada' }) }));
    expect(error.status).toBe(401);
    expect(provider.asked).not.toContain('/token');
  });
});

describe('metadata that lead elsewhere', () => {
  test.each([
    { name: 'another issuer (S44)', metadata: { issuer: 'https://other.example' }, status: 401 },
    { name: 'the issuer with a slash more (S44)', metadata: { issuer: 'SLASH' }, status: 401 },
    { name: 'no token endpoint', metadata: { token_endpoint: undefined }, status: 503 },
    { name: 'no key set', metadata: { jwks_uri: undefined }, status: 503 },
    {
      name: 'a script to sign in at',
      metadata: { authorization_endpoint: 'javascript:alert(1)' },
      status: 503,
    },
  ])('$name', async ({ metadata, status }) => {
    provider.metadata = metadata.issuer === 'SLASH' ? { issuer: `${provider.issuer}/` } : metadata;
    expect(await errorOf(begin())).toMatchObject({ status });
  });

  test.each([
    ['the token endpoint', 'token_endpoint'],
    ['the key set', 'jwks_uri'],
    ['userinfo', 'userinfo_endpoint'],
  ])('%s at the metadata service of a cloud is never called (S42)', async (_name, field) => {
    provider.metadata = { [field]: 'http://169.254.169.254/latest' };
    const error = await errorOf(signIn());
    expect(error.status).toBe(503);
    expect(error.message).not.toContain('169.254');
  });

  test('a redirect of the token endpoint is not followed (S42)', async () => {
    provider.answer = (res) => res.writeHead(307, { location: `${provider.issuer}/elsewhere` }).end();
    expect(await errorOf(signIn())).toMatchObject({ status: 503 });
    expect(provider.asked).not.toContain('/elsewhere');
  });
});

test.each([
  ['a page instead of JSON', (res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello')],
  ['a status that nobody knows', (res) => res.writeHead(799).end()],
  ['an error of the server', (res) => res.writeHead(500).end()],
  ['a closed connection', (res) => res.destroy()],
  ['two mebibytes', (res) => res.end('x'.repeat(2 * 1024 * 1024))],
] satisfies [string, NonNullable<CraftedProvider['answer']>][])(
  'a token endpoint that answers with %s is named as the provider’s trouble',
  async (_name, answer) => {
    provider.answer = answer;
    expect(await errorOf(signIn())).toMatchObject({ status: 503 });
  },
);

test('a provider that is not there is told without its address', async () => {
  const gone = await startCraftedProvider();
  await gone.close();
  const error = await errorOf(begin(connect(gone.issuer)));
  expect(error).toEqual({
    status: 503,
    message: 'The identity provider could not be reached: nobody listens there (connection_refused).',
  });
});
