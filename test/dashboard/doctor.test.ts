import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

beforeAll(async () => {
  issuer = await startTestIssuer();
  dashboard = await startDashboard({ env: { APP_SECURITY_OPENIDP_ISSUERURL: issuer.url } });
});
afterAll(async () => {
  await dashboard.stop();
  await issuer.stop();
});

function request(changes: Record<string, unknown> = {}, typ = 'doctor+jwt'): Promise<string> {
  const claims = {
    iss: issuer.url,
    aud: 'application-dashboard',
    iat: seconds(),
    exp: seconds() + 60,
    jti: randomUUID(),
  };
  return issuer.sign({ ...claims, ...changes }, { typ });
}

async function ask(token: string, type = 'application/jwt') {
  const response = await fetch(`${dashboard.url}/doctor`, {
    method: 'POST',
    headers: { 'Content-Type': type },
    body: token,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test('the console is told what is seen from here', async () => {
  const { status, body } = await ask(await request());
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      issuerUrl: issuer.url,
      jwksUri: issuer.jwksUri,
      requireHttps: false,
      audience: `${issuer.url}/svc`,
      addresses: [dashboard.url],
      now: expect.any(Number),
      keySet: { kids: ['RS256', 'ES256', 'EdDSA'] },
      discovery: { issuer: issuer.url },
    },
  });
  expect(Math.abs(Number(body.now) - Date.now())).toBeLessThan(30_000);
});

test.each<[string, () => Promise<string>]>([
  ['nothing at all', async () => ''],
  ['no token', async () => 'let-me-in'],
  ['another typ', () => request({}, 'JWT')],
  ['a licence update', () => request({}, 'licence+jwt')],
  ['another issuer', () => request({ iss: 'http://other.example' })],
  ['another audience', () => request({ aud: 'other' })],
  ['expired', () => request({ exp: seconds() - 1 })],
  ['no exp', () => request({ exp: undefined })],
  ['no jti', () => request({ jti: undefined })],
  ['ten minutes old', () => request({ iat: seconds() - 600 })],
  ['ten minutes ahead', () => request({ iat: seconds() + 600, exp: seconds() + 700 })],
  ['a scope', () => request({ scope: 'openid' })],
  ['an access token', () => issuer.sign(accessClaims(issuer.url))],
])('%s is told nothing (S2)', async (_name, make) => {
  const { status, body } = await ask(await make());
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
  expect(JSON.stringify(body)).not.toContain(issuer.url);
});

test('a token of somebody else by the name of a key here is told nothing (S2)', async () => {
  const other = await startTestIssuer();
  try {
    const claims = { iss: issuer.url, aud: 'application-dashboard', jti: randomUUID() };
    const token = await other.sign({ ...claims, iat: seconds(), exp: seconds() + 60 }, { typ: 'doctor+jwt' });
    expect((await ask(token)).status).toBe(400);
  } finally {
    await other.stop();
  }
});

test('a request counts once', async () => {
  const token = await request();
  expect((await ask(token)).status).toBe(200);
  expect((await ask(token)).status).toBe(400);
});

test('another media type, and another method, are refused', async () => {
  expect((await ask(await request(), 'text/plain')).status).toBe(415);
  expect((await fetch(`${dashboard.url}/doctor`)).status).toBe(405);
});
