import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createUserAgent, type UserAgent } from '../helpers/user-agent.ts';
import {
  accessClaims,
  type RunningDashboard,
  seconds,
  startDashboard,
  startTestIssuer,
  type TestIssuer,
} from './support.ts';

let issuer: TestIssuer;
let dashboard: RunningDashboard;
let person: UserAgent;
const event = 'http://schemas.openid.net/event/backchannel-logout';

beforeAll(async () => {
  issuer = await startTestIssuer();
  dashboard = await startDashboard({ env: { APP_SECURITY_OPENIDP_ISSUERURL: issuer.url } });
});
afterAll(async () => {
  await dashboard.stop();
  await issuer.stop();
});
beforeEach(async () => {
  person = await signIn('paula', 'session-1');
});

test.each<[string, Record<string, unknown>]>([
  ['sid and sub', { sid: 'session-1', sub: 'paula' }],
  ['sid alone', { sid: 'session-1', sub: undefined }],
  ['sub alone', { sid: undefined, sub: 'paula' }],
])('a logout token with %s ends the session', async (_name, changes) => {
  const reply = await send(await issuer.sign({ ...claims(), ...changes }, { typ: 'logout+jwt' }));
  expect(reply).toMatchObject({ status: 200, cache: 'no-store', text: '' });
  expect(await isSignedIn(person)).toBe(false);
});

test('typ JWT is taken too, as older providers send it', async () => {
  expect((await send(await issuer.sign(claims()))).status).toBe(200);
  expect(await isSignedIn(person)).toBe(false);
});

test.each<[string, Record<string, unknown>]>([
  ['another sid of the same person', { sid: 'session-2' }],
  ['another person', { sub: 'peter', sid: undefined }],
  ['the sid with another person', { sub: 'peter' }],
])('%s leaves this session alone', async (_name, changes) => {
  expect((await send(await issuer.sign({ ...claims(), ...changes }))).status).toBe(200);
  expect(await isSignedIn(person)).toBe(true);
});

describe('refused, and nobody is signed out:', () => {
  const foreignKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  test.each<[string, (good: Record<string, unknown>) => Promise<string> | string]>([
    ['no token (S41)', () => ''],
    ['letters (S41)', () => 'abc'],
    ['a line end behind it (S41)', async (good) => `${await issuer.sign(good)}\n`],
    ['a blank in it (S41)', async (good) => (await issuer.sign(good)).replace(/\.(?=[^.]*$)/, '. ')],
    [
      'alg none (S41)',
      (good) => `${encode({ alg: 'none', typ: 'logout+jwt', kid: 'RS256' })}.${encode(good)}.`,
    ],
    ['a foreign key (S41)', (good) => issuer.sign(good, {}, foreignKey)],
    ['an unknown kid (S41)', (good) => issuer.sign(good, { kid: 'other' })],
    ['another typ (S41)', (good) => issuer.sign(good, { typ: 'at+jwt' })],
    ['another issuer (S41)', (good) => issuer.sign({ ...good, iss: 'http://other.example' })],
    ['another audience (S41)', (good) => issuer.sign({ ...good, aud: `${issuer.url}/svc` })],
    ['no iat (S41)', (good) => issuer.sign({ ...good, iat: undefined })],
    ['an old iat (S41)', (good) => issuer.sign({ ...good, iat: seconds() - 400 })],
    [
      'an iat of tomorrow (S41)',
      (good) => issuer.sign({ ...good, iat: seconds() + 86_400, exp: seconds() + 90_000 }),
    ],
    ['expired (S41)', (good) => issuer.sign({ ...good, exp: seconds() - 1 })],
    ['no exp (S41)', (good) => issuer.sign({ ...good, exp: undefined })],
    ['no jti (S41)', (good) => issuer.sign({ ...good, jti: undefined })],
    ['an empty jti (S41)', (good) => issuer.sign({ ...good, jti: '' })],
    ['no events (S41)', (good) => issuer.sign({ ...good, events: undefined })],
    ['another event (S41)', (good) => issuer.sign({ ...good, events: { 'http://other.example/event': {} } })],
    ['an event that is no object (S41)', (good) => issuer.sign({ ...good, events: { [event]: true } })],
    ['neither sub nor sid (S41)', (good) => issuer.sign({ ...good, sub: undefined, sid: undefined })],
    ['a nonce (S41)', (good) => issuer.sign({ ...good, nonce: 'n' })],
    ['an access token (S41)', () => issuer.sign({ ...accessClaims(issuer.url), sub: 'paula' })],
  ])('%s', async (_name, make) => {
    const reply = await send(await make(claims()));
    expect(reply).toMatchObject({ status: 400, cache: 'no-store' });
    expect(JSON.parse(reply.text)).toEqual({
      error: 'invalid_request',
      error_description: expect.any(String),
    });
    expect(await isSignedIn(person)).toBe(true);
  });

  test('a token that was sent before (S41)', async () => {
    const token = await issuer.sign(claims(), { typ: 'logout+jwt' });
    expect((await send(token)).status).toBe(200);
    const again = await signIn('paula', 'session-1');
    const reply = await send(token);
    expect(reply).toMatchObject({ status: 400, cache: 'no-store' });
    expect(reply.text).toContain('it was sent before');
    expect(await isSignedIn(again)).toBe(true);
  });

  test.each([
    ['JSON (S41)', 'application/json', (token: string) => JSON.stringify({ logout_token: token })],
    ['the field twice (S41)', form, (token: string) => `logout_token=${token}&logout_token=${token}`],
    [
      'more than 64 KiB (S41)',
      form,
      (token: string) => `logout_token=${token}&filling=${'x'.repeat(70_000)}`,
    ],
  ])('%s', async (_name, type, make) => {
    const reply = await post(type, make(await issuer.sign(claims())));
    expect(reply).toMatchObject({ status: 400, cache: 'no-store' });
    expect(JSON.parse(reply.text).error).toBe('invalid_request');
    expect(await isSignedIn(person)).toBe(true);
  });

  test('a GET (S41)', async () => {
    const token = await issuer.sign(claims());
    const response = await fetch(`${dashboard.url}/logout/backchannel?logout_token=${token}`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await isSignedIn(person)).toBe(true);
  });
});

const form = 'application/x-www-form-urlencoded';

function claims(): Record<string, unknown> {
  return {
    iss: issuer.url,
    aud: 'application-dashboard',
    sub: 'paula',
    sid: 'session-1',
    iat: seconds(),
    exp: seconds() + 120,
    jti: randomUUID(),
    events: { [event]: {} },
  };
}

function send(token: string) {
  return post(form, new URLSearchParams({ logout_token: token }).toString());
}

async function post(type: string, body: string) {
  const response = await fetch(`${dashboard.url}/logout/backchannel`, {
    method: 'POST',
    headers: { 'Content-Type': type },
    body,
  });
  return {
    status: response.status,
    cache: response.headers.get('cache-control'),
    text: await response.text(),
  };
}

/** The whole code flow, with the test's issuer in the place of the console. */
async function signIn(subject: string, sid: string): Promise<UserAgent> {
  const agent = createUserAgent(dashboard.url);
  const request = new URL((await agent.get('/login')).headers.location!);
  const nonce = request.searchParams.get('nonce');
  issuer.nextSignIn({ subject, sid, nonce });
  const answer = new URLSearchParams({
    code: 'code',
    state: request.searchParams.get('state')!,
    iss: issuer.url,
  });
  const reply = await agent.get(`/login/callback?${answer}`);
  if (reply.status !== 303) throw new Error(`not signed in: ${reply.body}`);
  return agent;
}

/** Without a look at the cluster, which this issuer does not have. */
async function isSignedIn(agent: UserAgent): Promise<boolean> {
  return (await agent.get('/account')).status === 200;
}
