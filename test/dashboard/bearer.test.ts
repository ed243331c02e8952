import { generateKeyPairSync } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort, machineToken, startConsole } from '../helpers/console.ts';
import {
  accessClaims,
  type Pair,
  type RunningDashboard,
  seconds,
  startDashboard,
  startPair,
  startTestIssuer,
  type TestIssuer,
} from './support.ts';

describe('with the tokens of a console', () => {
  let pair: Pair;

  beforeAll(async () => {
    pair = await startPair();
  });
  afterAll(() => pair.stop());

  test('an administrator machine reads metrics by its own token', async () => {
    const { status, body } = await call(pair.dashboard, '/api/v1/metrics', await machineToken(pair.console));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      cluster: { members: [{ isLocal: true }], connections: expect.any(Number) },
      health: { clusterState: 'ACTIVE', isSafe: true },
      queues: { jobs: 0 },
    });
  });

  test('a part that a token does not open says which role would', async () => {
    const token = await machineToken(pair.console, 'app:MetricsViewer');
    const { body } = await call(pair.dashboard, '/api/v1/metrics', token);
    expect(body).toMatchObject({
      health: { clusterState: 'ACTIVE' },
      queues: { jobs: { refused: { status: 403, scope: 'svc:data:read', role: 'Viewer' } } },
    });
  });

  test('a revoked token is refused, although its signature holds', async () => {
    const token = await machineToken(pair.console);
    const revoked = await fetch(`${pair.console.url}/oauth2/revoke`, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${btoa('application-client:test-secret-0123456789-abcdefghij-klmnop')}`,
      },
      body: new URLSearchParams({ token }),
    });
    expect(revoked.status).toBe(200);
    const { status, body, challenge } = await call(pair.dashboard, '/api/v1/metrics', token);
    expect({ status, code: body.code, challenge }).toEqual({
      status: 401,
      code: 'invalid_token',
      challenge: 'Bearer error="invalid_token"',
    });
  });
});

test('the key set address is where this process reaches the console, whatever browsers call it', async () => {
  const port = await freePort();
  const issuer = `http://console.invalid:${port}`;
  const here = `http://127.0.0.1:${port}`;
  const console = await startConsole({
    port,
    env: { CONSOLE_URL: issuer, CONSOLE_ALLOW_INSECURE_HTTP: 'true' },
  });
  const dashboard = await startDashboard({
    env: { APP_SECURITY_OPENIDP_ISSUERURL: issuer, APP_SECURITY_OPENIDP_JWKS_URI: `${here}/oauth2/jwks` },
  });
  try {
    expect((await fetch(`${dashboard.url}/ready`)).status).toBe(200);
    const { status, body } = await call(dashboard, '/api/v1/metrics', await machineToken({ url: here }));
    expect([status, body.health]).toEqual([200, expect.objectContaining({ isSafe: true })]);
    const login = await fetch(`${dashboard.url}/login`, { redirect: 'manual' });
    expect(login.headers.get('location')).toMatch(/^http:\/\/console\.invalid:/);
  } finally {
    await dashboard.stop();
    await console.stop();
  }
});

describe('with tokens that no console makes', () => {
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

  test.each([
    ['RS256', 'JWT'],
    ['ES256', 'JWT'],
    ['EdDSA', 'at+jwt'],
  ])('takes %s with typ %s', async (alg, typ) => {
    const { status, body } = await call(
      dashboard,
      '/api/v1/me',
      await issuer.sign(accessClaims(issuer.url), { alg, typ }),
    );
    expect({ status, subject: body.subject, roles: body.roles }).toEqual({
      status: 200,
      subject: 'somebody',
      roles: ['Viewer'],
    });
  });

  const foreignKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const none = { alg: 'none', typ: 'JWT', kid: 'RS256' };

  test.each<[string, (good: Record<string, unknown>) => Promise<string> | string]>([
    ['alg none (S2)', (good) => `${encode(none)}.${encode(good)}.`],
    ['an HMAC (S2)', (good) => `${encode({ ...none, alg: 'HS256' })}.${encode(good)}.c2lnbmF0dXJl`],
    ['an unknown kid (S2)', (good) => issuer.sign(good, { kid: 'other' })],
    ['no kid (S2)', (good) => issuer.sign(good, { kid: undefined as unknown as string })],
    ['a foreign key under a known kid (S2)', (good) => issuer.sign(good, {}, foreignKey)],
    ['jku to a foreign key set (S2)', (good) => issuer.sign(good, { jku: `${issuer.url}/evil` }, foreignKey)],
    ['a changed payload (S2)', async (good) => tamper(await issuer.sign(good))],
    ['another issuer (S3)', (good) => issuer.sign({ ...good, iss: 'http://other.example' })],
    ['an issuer with a slash more (S3)', (good) => issuer.sign({ ...good, iss: `${issuer.url}/` })],
    ['another audience (S3)', (good) => issuer.sign({ ...good, aud: 'application-dashboard' })],
    ['expired (S3)', (good) => issuer.sign({ ...good, exp: seconds() - 1 })],
    ['not valid yet (S3)', (good) => issuer.sign({ ...good, nbf: seconds() + 60 })],
    ['no expiry (S3)', (good) => issuer.sign({ ...good, exp: undefined })],
    ['no jti (S3)', (good) => issuer.sign({ ...good, jti: undefined })],
    ['typ of a logout token (S3)', (good) => issuer.sign(good, { typ: 'logout+jwt' })],
    ['no typ (S3)', (good) => issuer.sign(good, { typ: undefined as unknown as string })],
    ['a nonce, as an ID token has (S3)', (good) => issuer.sign({ ...good, nonce: 'n' })],
    ['events, as a logout token has (S3)', (good) => issuer.sign({ ...good, events: {} })],
    ['a binding to a key (S3)', (good) => issuer.sign({ ...good, cnf: { jkt: 'A'.repeat(43) } })],
    ['no token at all but letters', () => 'abc'],
  ])('refuses %s with 401 invalid_token, and asks nobody for more', async (_name, make) => {
    const { status, body, challenge } = await call(
      dashboard,
      '/api/v1/me',
      await make(accessClaims(issuer.url)),
    );
    expect({ status, code: body.code, challenge }).toEqual({
      status: 401,
      code: 'invalid_token',
      challenge: 'Bearer error="invalid_token"',
    });
    expect(body.subject).toBeUndefined();
    expect(issuer.otherRequests).toEqual([]);
  });

  test.each<[string, { cookie?: boolean; authorization?: string[] }, string, number, string]>([
    ['nothing (S61)', {}, '', 401, 'Bearer'],
    ['a token in the query (S61)', {}, 'access_token', 401, 'Bearer'],
    ['a token in the cookie (S61)', { cookie: true }, '', 401, 'Bearer'],
    ['Basic (S61)', { authorization: ['Basic YTpi'] }, '', 400, 'Bearer error="invalid_request"'],
    [
      'two tokens in one field (S61)',
      { authorization: ['Bearer a b'] },
      '',
      400,
      'Bearer error="invalid_request"',
    ],
    [
      'the field twice (S61)',
      { authorization: ['TOKEN', 'TOKEN'] },
      '',
      400,
      'Bearer error="invalid_request"',
    ],
  ])('refuses %s', async (_name, { cookie, authorization }, query, status, challenge) => {
    const token = await issuer.sign(accessClaims(issuer.url));
    const path = query ? `/api/v1/me?${query}=${token}` : '/api/v1/me';
    const fields = authorization?.map((value) => value.replace('TOKEN', `Bearer ${token}`));
    const reply = await raw(dashboard, path, {
      ...(fields ? { Authorization: fields } : {}),
      ...(cookie ? { Cookie: `access_token=${token}` } : {}),
    });
    expect({ status: reply.status, challenge: reply.challenge }).toEqual({ status, challenge });
    expect(reply.text).not.toContain('somebody');
  });

  test('a key set that cannot be read makes 503, not 401', async () => {
    const lonely = await startDashboard({ env: { APP_SECURITY_OPENIDP_ISSUERURL: 'http://127.0.0.1:9' } });
    try {
      const { status, body } = await call(lonely, '/api/v1/me', await issuer.sign(accessClaims(issuer.url)));
      expect({ status, code: body.code }).toEqual({ status: 503, code: 'console_unreachable' });
      expect((await fetch(`${lonely.url}/live`)).status).toBe(200);
      expect((await fetch(`${lonely.url}/ready`)).status).toBe(503);
    } finally {
      await lonely.stop();
    }
  });

  test('no token is in the log (S85)', () => {
    expect(dashboard.log().length).toBeGreaterThan(0);
    expect(dashboard.output()).not.toMatch(/eyJ[\w-]+\.eyJ/);
  });
});

async function call({ url }: RunningDashboard, path: string, token: string) {
  const response = await fetch(url + path, {
    headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
  });
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body, challenge: response.headers.get('www-authenticate') };
}

/** A request with fields that a client library would not send. */
function raw({ url }: RunningDashboard, path: string, headers: Record<string, string | string[]>) {
  return new Promise<{ status: number | undefined; challenge: string | undefined; text: string }>(
    (resolve, reject) => {
      const list = Object.entries(headers).flatMap(([name, values]) =>
        [values].flat().flatMap((value) => [name, value]),
      );
      const { host } = new URL(url);
      const sent = request(
        url + path,
        { headers: ['Host', host, 'Accept', 'application/json', ...list] as never },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part) => {
            text += part;
          });
          response.on('end', () =>
            resolve({ status: response.statusCode, challenge: response.headers['www-authenticate'], text }),
          );
        },
      );
      sent.on('error', reject).end();
    },
  );
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function tamper(token: string): string {
  const [header, payload, signature] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString());
  return [header, encode({ ...claims, roles: ['Admin'] }), signature].join('.');
}
