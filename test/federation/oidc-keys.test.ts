/** Signing keys of an upstream OpenID provider that change from one moment to the next. */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOidcConnector } from '../../console/federation/oidc/connector.ts';
import { type CraftedProvider, clientId, startCraftedProvider } from './crafted-provider.ts';
import { logoutClaims } from './logout-tokens.ts';
import { callbackUrl, errorOf, loopbackOutbound, replyOf } from './support.ts';

let provider: CraftedProvider;
let laterMs: number;
let connector: ReturnType<typeof createOidcConnector>;
beforeEach(async () => {
  provider = await startCraftedProvider();
  laterMs = 0;
  // It stands still meanwhile: how long the sign-ins of a test take is not what it is about.
  const begunMs = Date.now();
  connector = createOidcConnector({
    config: { issuer: provider.issuer, clientId, authentication: { method: 'none' } },
    outbound: loopbackOutbound(),
    now: () => begunMs + laterMs,
  });
});
afterEach(() => provider.close());

const timesRead = () => provider.asked.filter((path) => path === '/jwks').length;

async function signIn(): Promise<string> {
  const { location, secrets } = await connector.begin({
    stateId: 'state-1',
    callbackUrl,
    reauthenticate: false,
  });
  provider.nonce = new URL(location).searchParams.get('nonce')!;
  const reply = replyOf(`${callbackUrl}?code=code&state=state-1`);
  return (await connector.finish(reply, secrets)).subject;
}

async function logOut(sign: (claims: JWTPayload) => Promise<string> = provider.sign): Promise<unknown> {
  return (await connector.readLogoutToken!(await sign(logoutClaims(provider.issuer)))).subject;
}

const stranger = await generateKeyPair('RS256');
const byStranger = (kid: string) => (claims: JWTPayload) => {
  const { privateKey } = stranger;
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
};

test('whoever signs in after the provider has changed its key is signed in, with one more look (D21)', async () => {
  expect([await signIn(), await signIn(), timesRead()]).toEqual(['ada', 'ada', 1]);
  await provider.changeKey();
  expect([await signIn(), await signIn(), timesRead()]).toEqual(['ada', 'ada', 2]);
});

test('several that come at that moment share the look (D21)', async () => {
  await logOut();
  await provider.changeKey();
  expect(await Promise.all([logOut(), logOut(), logOut()])).toEqual(['ada', 'ada', 'ada']);
  expect(timesRead()).toBe(2);
});

test('a logout token by the new key is taken (D21)', async () => {
  expect([await logOut(), timesRead()]).toEqual(['ada', 1]);
  await provider.changeKey();
  expect([await logOut(), await logOut(), timesRead()]).toEqual(['ada', 'ada', 2]);
});

test('the key that is gone is believed no more (D21)', async () => {
  const old = await provider.sign(logoutClaims(provider.issuer));
  await logOut();
  await provider.changeKey();
  await logOut();
  expect(await errorOf(connector.readLogoutToken!(old))).toMatchObject({ status: 400 });
});

test('however many unknown keys there are, the provider is asked once in five seconds (D21)', async () => {
  provider.forgery = { sign: byStranger('unknown') };
  for (let i = 0; i < 5; i++) expect(await errorOf(signIn())).toMatchObject({ status: 401 });
  expect(timesRead()).toBe(2);
  laterMs += 5000;
  for (let i = 0; i < 5; i++) expect(await errorOf(signIn())).toMatchObject({ status: 401 });
  expect(timesRead()).toBe(3);
  // A clock that is put back does not make it wait for that time to come again.
  laterMs -= 3_600_000;
  provider.forgery = {};
  await provider.changeKey();
  expect(await signIn()).toBe('ada');
});

test('strangers’ logout tokens do not use up the look of those who sign in (D21)', async () => {
  await signIn();
  for (let i = 0; i < 3; i++) await errorOf(logOut(byStranger(`kid-${i}`)));
  await provider.changeKey();
  expect(await signIn()).toBe('ada');
});

test('a provider whose keys are none when they are read again is in trouble, and nobody is signed in (D21)', async () => {
  await signIn();
  await provider.changeKey();
  provider.keys = ['none'];
  expect(await errorOf(signIn())).toMatchObject({ status: 503 });
});

test('an address of keys that is none, or answers with a status that is none, is the provider’s trouble', async () => {
  provider.metadata = { jwks_uri: `${provider.issuer}/token` };
  provider.answer = (res) => res.writeHead(799).end();
  expect(await errorOf(logOut())).toMatchObject({ status: 503 });
  laterMs += 600_000;
  provider.metadata = { jwks_uri: 'none' };
  expect(await errorOf(connector.readLogoutToken!('a.b.c'))).toMatchObject({ status: 503 });
});

test('a key that is too short proves nothing', async () => {
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const pem = short.privateKey.export({ type: 'pkcs8', format: 'pem' });
  provider.keys = [{ ...short.publicKey.export({ format: 'jwk' }), kid: 'short', alg: 'RS256' }];
  const byShort = async (claims: JWTPayload) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'RS256', kid: 'short' })}.${part(claims)}`;
    return `${text}.${sign('sha256', Buffer.from(text), createPrivateKey(pem)).toString('base64url')}`;
  };
  provider.forgery = { sign: byShort };
  expect(await errorOf(signIn())).toMatchObject({ status: 503 });
  expect(await errorOf(logOut(byShort))).toMatchObject({ status: 503 });
});
