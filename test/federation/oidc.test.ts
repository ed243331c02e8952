import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOidcConnector } from '../../console/federation/oidc/connector.ts';
import type { OidcSettings } from '../../console/federation/providers/schema.ts';
import { Secret } from '../../platform/secret.ts';
import {
  callbackUrl,
  errorOf,
  loopbackOutbound,
  type RunningProvider,
  replyOf,
  signInAt,
  signInBy,
  startProvider,
} from './support.ts';

const secret = new Secret('a secret of 32 characters or more: +%&=');
const none = { method: 'none' } as const;
const registered = { redirect_uris: [callbackUrl], scope: 'openid email profile groups' };

let provider: RunningProvider;
let generous: RunningProvider;
const logins = new Map<string, OidcSettings['authentication']>();
beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const [jwk, publicJwk] = await Promise.all([exportJWK(privateKey), exportJWK(publicKey)]);
  logins.set('basic', { method: 'client_secret_basic', secret });
  logins.set('post', { method: 'client_secret_post', secret });
  logins.set('key', {
    method: 'private_key_jwt',
    key: new Secret(JSON.stringify({ ...jwk, alg: 'ES256', kid: 'one' })),
  });
  logins.set('public', { method: 'none' });
  const clients = [...logins].map(([id, { method }]) => ({
    ...registered,
    client_id: id,
    token_endpoint_auth_method: method,
    ...(method.startsWith('client_secret') ? { client_secret: secret.reveal() } : {}),
    ...(method === 'private_key_jwt'
      ? { jwks: { keys: [{ ...publicJwk, alg: 'ES256', kid: 'one', use: 'sig' }] } }
      : {}),
  }));
  [provider, generous] = await Promise.all([
    startProvider({ clients }),
    startProvider({ clients, conformIdTokenClaims: false }),
  ]);
});
afterAll(() => Promise.all([provider?.close(), generous?.close()]));

const mine = { stateId: 'mine', callbackUrl, reauthenticate: false };
const connect = ({ issuer = provider.issuer, outbound = loopbackOutbound(), now = Date.now } = {}) =>
  createOidcConnector({ config: { issuer, clientId: 'public', authentication: none }, outbound, now });

describe('a sign-in at an OpenID provider that nobody here wrote', () => {
  test.each(['basic', 'post', 'key', 'public'])('by a client that proves itself by: %s', async (clientId) => {
    const identity = await signInBy(provider, { clientId, authentication: logins.get(clientId)! });
    expect(identity).toMatchObject({ subject: 'ada', username: 'ada', name: 'Ada Lovelace' });
  });

  test('takes e-mail, name and groups from userinfo where the ID token lacks them', async () => {
    const outbound = loopbackOutbound();
    const scopes = ['email', 'profile', 'groups'];
    const identity = await signInBy(
      provider,
      { clientId: 'public', authentication: none, scopes },
      { outbound },
    );
    expect(outbound.asked).toContain('GET /me');
    expect(identity.email).toBe('ada@corp.example');
    expect(identity.attributes.groups).toEqual(['operators', 'cn=admins,dc=example']);
    expect(identity.session?.hint?.split('.')).toHaveLength(3);
  });

  test('asks for no userinfo when the ID token says it all', async () => {
    const outbound = loopbackOutbound();
    const identity = await signInBy(generous, { clientId: 'public', authentication: none }, { outbound });
    expect(identity.email).toBe('ada@corp.example');
    expect(outbound.asked).not.toContain('GET /me');
  });

  test('asks for userinfo when a role rule reads a claim that the ID token lacks', async () => {
    const outbound = loopbackOutbound();
    const config = { clientId: 'public', authentication: none, claims: ['groups'] };
    await signInBy(generous, config, { outbound });
    expect(outbound.asked).toContain('GET /me');
  });

  test('can demand that the person proves again who they are', async () => {
    const config = { clientId: 'public', authentication: none };
    const identity = await signInBy(provider, config, { reauthenticate: true });
    expect(Number(identity.attributes.auth_time?.[0])).toBeGreaterThan(0);
  });

  test('asks for the metadata once for several sign-ins, and again after ten minutes', async () => {
    const outbound = loopbackOutbound();
    let time = 1_000_000;
    const connector = connect({ outbound, now: () => time });
    const begin = () => connector.begin(mine);
    await Promise.all([begin(), begin()]);
    time += 599_000;
    await begin();
    expect(outbound.asked).toHaveLength(1);
    time += 1000;
    await begin();
    expect(outbound.asked).toHaveLength(2);
  });

  test('goes on with what it knows while the provider is away', async () => {
    const passing = await startProvider({ clients: [{ ...registered, client_id: 'x', client_secret: 'y' }] });
    let time = 1_000_000;
    const outbound = loopbackOutbound();
    const connector = connect({ issuer: passing.issuer, outbound, now: () => time });
    await connector.begin(mine);
    await passing.close();
    time += 600_000;
    expect((await connector.begin(mine)).location).toContain(passing.issuer);
    expect(outbound.asked).toHaveLength(2);
  });

  test('works by addresses set by hand, without discovery', async () => {
    const outbound = loopbackOutbound();
    const { issuer } = provider;
    const endpoints = {
      authorization: `${issuer}/auth`,
      token: `${issuer}/token`,
      keys: `${issuer}/jwks`,
      userinfo: `${issuer}/me`,
      sendsIssuer: true,
    };
    const config = { clientId: 'public', authentication: none, endpoints };
    const identity = await signInBy(provider, config, { outbound });
    expect(identity.subject).toBe('ada');
    expect(outbound.asked).toEqual(['POST /token', 'GET /jwks', 'GET /me']);
  });
});

describe('what a provider that nobody here wrote refuses', () => {
  test('a wrong client secret is told as a wrong registration, without the secret', async () => {
    const authentication = { method: 'client_secret_basic', secret: new Secret('wrong') } as const;
    const rejection = await errorOf(signInBy(provider, { clientId: 'basic', authentication }));
    expect(rejection.status).toBe(503);
    expect(rejection.message).toContain('registration');
  });

  test('a code that was redeemed already (S43)', async () => {
    const connector = connect();
    const { location, secrets } = await connector.begin(mine);
    const reply = await signInAt(provider, location);
    expect((await connector.finish(reply, secrets)).subject).toBe('ada');
    expect(await errorOf(connector.finish(reply, secrets))).toMatchObject({ status: 400 });
  });

  test.each([
    ['another verifier (S43)', { verifier: 'v'.repeat(43) }, 400],
    ['another nonce (S43)', { nonce: 'another' }, 401],
    ['another state (S43)', { state: 'another' }, 400],
  ])('%s', async (_name, other, status) => {
    const connector = connect();
    const { location, secrets } = await connector.begin(mine);
    const reply = await signInAt(provider, location);
    expect(await errorOf(connector.finish(reply, { ...secrets, ...other }))).toMatchObject({ status });
  });

  test.each([
    ['access_denied', 403],
    ['login_required', 403],
    ['temporarily_unavailable', 503],
    ['<script>', 403],
  ])('an answer that is an error: %s', async (error, status) => {
    const outbound = loopbackOutbound();
    const connector = connect({ outbound });
    const { secrets } = await connector.begin(mine);
    const query = new URLSearchParams({
      error,
      error_description: 'call 555',
      state: 'mine',
      iss: provider.issuer,
    });
    const rejection = await errorOf(connector.finish(replyOf(`${callbackUrl}?${query}`), secrets));
    expect(rejection.status).toBe(status);
    expect(rejection.message).not.toMatch(/script|555/);
    expect(outbound.asked).not.toContain('POST /token');
  });
});
