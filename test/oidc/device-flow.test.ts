/** Sign-in of a program without a browser (RFC 8628), with the browser of the person beside it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

const grant = 'urn:ietf:params:oauth:grant-type:device_code';
let console: RunningConsole;
let directory: string;
let skewSeconds = 0;
let agent: UserAgent;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'device-flow-'));
  writeFileSync(join(directory, 'clock'), '0');
  const clock = pathToFileURL(join(import.meta.dirname, 'movable-clock.mjs')).href;
  console = await startConsole({
    env: { NODE_OPTIONS: `--import ${clock}`, TEST_CLOCK_FILE: join(directory, 'clock') },
  });
});
afterAll(async () => {
  await console.stop();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(() => {
  agent = createUserAgent(console.url);
});

/** Moves the console's clock. */
function wait(seconds: number): void {
  skewSeconds += seconds;
  writeFileSync(join(directory, 'clock'), String(skewSeconds));
}

interface Codes {
  readonly device_code: string;
  readonly user_code: string;
  readonly [member: string]: unknown;
}

async function post(path: string, fields: Record<string, string>) {
  const reply = await fetch(console.url + path, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

const authorize = (fields: Record<string, string> = {}) =>
  post('/oauth2/device_authorization', { client_id: 'console-cli', scope: 'openid profile', ...fields });

async function started(): Promise<Codes> {
  const { status, body } = await authorize();
  expect(status).toBe(200);
  return body as Codes;
}

const poll = ({ device_code }: Codes, fields: Record<string, string> = {}) =>
  post('/oauth2/token', { grant_type: grant, client_id: 'console-cli', device_code, ...fields });

const typed = async (userCode: string): Promise<Reply> =>
  agent.submit(await agent.get('/device'), { user_code: userCode });

/** Up to the end, with a sign-in on the way where this browser has no session. */
async function allow(page: Reply): Promise<Reply> {
  const next = await agent.follow(await agent.submit(page, { confirm: 'yes' }));
  return titleOf(next).includes('signed in') ? next : agent.follow(await agent.submit(next, admin));
}

function claimsOf(token: unknown): Record<string, unknown> {
  return JSON.parse(Buffer.from(String(token).split('.')[1]!, 'base64url').toString());
}

const atApi = async (token: unknown, path = '/api/v1/roles') =>
  (await fetch(console.url + path, { headers: { Authorization: `Bearer ${token}` } })).status;

describe('a person who signs a program in', () => {
  test('types its code, is asked, signs in, and the program has a token for the admin API alone', async () => {
    const codes = await started();
    expect(codes).toEqual({
      device_code: expect.stringMatching(/^[\w-]{40,}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${console.url}/device`,
      verification_uri_complete: `${console.url}/device?user_code=${codes.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    expect((await poll(codes)).body.error).toBe('authorization_pending');

    const question = await typed(codes.user_code);
    expect(textOf(question)).toContain('Console command line');
    expect(textOf(question)).toContain(codes.user_code);
    const end = await allow(question);
    expect([end.status, titleOf(end)]).toEqual([200, 'The program is signed in']);
    expect(end.headers['content-security-policy']).toContain("script-src 'none'");

    wait(6);
    const { status, body } = await poll(codes);
    expect([status, body.token_type]).toEqual([200, 'Bearer']);
    expect(claimsOf(body.access_token)).toMatchObject({
      aud: `${console.url}/api`,
      client_id: 'console-cli',
      roles: ['Admin'],
      preferred_username: admin.username,
    });
    expect(await atApi(body.access_token)).toBe(200);
    expect(await atApi(body.access_token, '/svc/rest/cluster')).toBe(401);

    const refreshed = await post('/oauth2/token', {
      ...{ grant_type: 'refresh_token', client_id: 'console-cli', refresh_token: String(body.refresh_token) },
    });
    expect(refreshed.status).toBe(200);
    expect(await atApi(refreshed.body.access_token)).toBe(200);
    const audited = console.log().filter(({ clientId }) => clientId === 'console-cli');
    expect(audited.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['authorization.granted', 'token.issued']),
    );
    expect(audited.filter(({ event }) => event === 'token.refused')).toEqual([]);
  });

  test('the code may stand in the address, is compared by a person, and small letters will do', async () => {
    await agent.signIn();
    const codes = await started();
    const page = await agent.get(`/device?user_code=${codes.user_code}`);
    expect(page.body).toContain(`value="${codes.user_code}"`);
    expect(page.body).not.toContain('<script');
    const question = await agent.submit(page, { user_code: codes.user_code.toLowerCase().replace('-', ' ') });
    expect(textOf(question)).toContain(`as ${admin.username}`);
    expect(titleOf(await allow(question))).toBe('The program is signed in');
    expect((await poll(codes)).status).toBe(200);
  });

  test('denies it, and the program is told', async () => {
    const codes = await started();
    const end = await agent.submit(await typed(codes.user_code), { abort: 'yes' });
    expect(titleOf(end)).toBe('The program was not signed in');
    expect(await poll(codes)).toMatchObject({ status: 400, body: { error: 'access_denied' } });
    expect(titleOf(await typed(codes.user_code))).toMatch(/^Problem/);
  });

  test('signs out, and the program is signed out too', async () => {
    const codes = await started();
    await allow(await typed(codes.user_code));
    const { body } = await poll(codes);
    const home = await agent.get('/account');
    await agent.follow(await agent.submit(home, {}, { action: '/connect/logout/confirm' }));
    expect(await atApi(body.access_token)).toBe(401);
    const refresh = { grant_type: 'refresh_token', client_id: 'console-cli' };
    const refreshed = await post('/oauth2/token', { ...refresh, refresh_token: String(body.refresh_token) });
    expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });
});

describe('the program', () => {
  test('that asks too soon is told to slow down (RFC 8628 §3.5)', async () => {
    const codes = await started();
    expect((await poll(codes)).body.error).toBe('authorization_pending');
    expect(await poll(codes)).toMatchObject({ status: 400, body: { error: 'slow_down' } });
    const later = await waitFor(async () => {
      const { body } = await poll(codes);
      return body.error !== 'slow_down' && body.error;
    });
    expect(later).toBe('authorization_pending');
  });

  test('that waits too long starts anew, and so does the person', async () => {
    const codes = await started();
    wait(601);
    expect((await poll(codes)).body.error).toMatch(/^(expired_token|invalid_grant)$/);
    expect(textOf(await typed(codes.user_code))).toMatch(/no such code|has expired/);
  });

  test.each([
    { name: 'another client', fields: { client_id: 'application-dashboard' }, error: 'unauthorized_client' },
    { name: 'the members', fields: { resource: 'MEMBERS' }, error: 'invalid_target' },
    { name: 'a scope that it does not have', fields: { scope: 'svc:health:read' }, error: 'invalid_scope' },
  ])('gets no code for $name', async ({ fields, error }) => {
    const resource = fields.resource && { resource: `${console.url}/svc` };
    const { status, body } = await authorize({ ...fields, ...resource });
    expect([status, body.error]).toEqual([400, error]);
  });

  test.each(['user_code', 'page:'])('gets nothing for what the person knows (%s)', async (what) => {
    const codes = await started();
    const plain = codes.user_code.replace('-', '');
    await allow(await typed(codes.user_code));
    const guess = what === 'page:' ? `page:${plain}` : plain;
    const { status, body } = await poll({ ...codes, device_code: guess });
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
    expect((await poll(codes)).status).toBe(200);
  });
});

describe('a code', () => {
  test('is good for one sign-in', async () => {
    const codes = await started();
    await allow(await typed(codes.user_code));
    expect(textOf(await typed(codes.user_code))).toContain('used already');
    const first = await poll(codes);
    expect(first.status).toBe(200);
    expect(await poll(codes), 'an answer that was lost').toEqual(first);
    wait(12);
    const again = await poll(codes);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    expect(await atApi(first.body.access_token), 'a stolen code ends what it gave').toBe(401);
  });

  test('is not taken from another site, nor without the page', async () => {
    const codes = await started();
    const page = await agent.get('/device');
    const foreign = await agent.submit(
      page,
      { user_code: codes.user_code },
      { headers: { origin: 'https://x.example' } },
    );
    expect(foreign.status).toBe(403);
    const bare = await createUserAgent(console.url).post('/device', {
      user_code: codes.user_code,
      confirm: 'yes',
    });
    expect(bare.status).toBe(403);
    expect((await poll(codes)).body.error).toBe('authorization_pending');
  });

  test('is not guessed: after ten wrong ones even the right one has to wait', async () => {
    const codes = await started();
    const wrong: Reply[] = [];
    for (let page = await typed('BBBB-BBBB'); page.status !== 429; page = await typed('BBBB-BBBB')) {
      expect([page.status, titleOf(page)]).toEqual([400, 'Problem: Sign a program in']);
      wrong.push(page);
    }
    expect(wrong.length).toBeGreaterThan(5);
    expect(wrong.length).toBeLessThanOrEqual(10);
    const refused = await typed(codes.user_code);
    expect([refused.status, Number(refused.headers['retry-after'])]).toEqual([429, expect.any(Number)]);
    expect((await poll(codes)).body.error).toBe('authorization_pending');
  });
});

test('discovery names it', async () => {
  const metadata = await (await fetch(`${console.url}/.well-known/oauth-authorization-server`)).json();
  expect(metadata).toMatchObject({
    device_authorization_endpoint: `${console.url}/oauth2/device_authorization`,
    grant_types_supported: expect.arrayContaining([grant]),
  });
});

/** For what goes by a clock that nobody can move. */
async function waitFor<T>(ask: () => Promise<T | false>): Promise<T> {
  for (;;) {
    const found = await ask();
    if (found !== false) return found;
    await delay(200);
  }
}
