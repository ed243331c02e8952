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

const licence = { id: 'L-1', holder: 'Example & Co', edition: 'Enterprise', expiresAt: 1_900_000_000 };

test('there is none at first; the newest that was signed is kept, an older one acknowledged', async () => {
  expect((await current()).status).toBe(404);
  const issuedAt = seconds() - 10;
  expect(await send(await update({ iat: issuedAt }))).toEqual({
    status: 200,
    body: { id: 'L-1', kept: true },
  });
  const later = await update({ licence: { ...licence, id: 'L-2' } });
  expect((await send(later)).body).toEqual({ id: 'L-2', kept: true });
  expect((await send(await update({ iat: issuedAt }))).body).toEqual({ id: 'L-1', kept: false });
  expect((await send(later)).body).toEqual({ id: 'L-2', kept: true });
  expect((await current()).body).toMatchObject({ ...licence, id: 'L-2' });
});

test.each<[string, () => Promise<string>]>([
  ['another typ', () => update({}, 'JWT')],
  ['another issuer', () => update({ iss: 'http://other.example' })],
  ['another audience', () => update({ aud: 'other' })],
  ['expired', () => update({ exp: seconds() - 1 })],
  ['no exp', () => update({ exp: undefined })],
  ['no licence', () => update({ licence: undefined })],
  ['a licence without a holder', () => update({ licence: { ...licence, holder: undefined } })],
  ['a licence with a date for its end', () => update({ licence: { ...licence, expiresAt: '2030-01-01' } })],
  ['an access token', () => issuer.sign(accessClaims(issuer.url))],
])('refuses %s, and keeps what there is', async (_name, make) => {
  const before = (await current()).body;
  const { status, body } = await send(await make());
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
  expect((await current()).body).toEqual(before);
});

test('another media type is refused', async () => {
  expect((await send(await update({}), 'text/plain')).status).toBe(415);
});

function update(changes: Record<string, unknown>, typ = 'licence+jwt'): Promise<string> {
  const claims = {
    iss: issuer.url,
    aud: 'application-dashboard',
    iat: seconds(),
    exp: seconds() + 60,
    jti: randomUUID(),
  };
  return issuer.sign({ ...claims, licence, ...changes }, { typ });
}

async function send(token: string, type = 'application/jwt') {
  const response = await fetch(`${dashboard.url}/licence`, {
    method: 'POST',
    headers: { 'Content-Type': type },
    body: token,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function current() {
  const response = await fetch(`${dashboard.url}/api/v1/licence`, {
    headers: { Authorization: `Bearer ${await issuer.sign(accessClaims(issuer.url))}` },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
