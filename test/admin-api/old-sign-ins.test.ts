/** What is dangerous wants a sign-in of late (RFC 9470): with real sign-ins, and a clock that is put on. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../console/admin-api/table.ts';
import { exampleOf } from '../../console/description/examples.ts';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { refresh, signInForTokens, type Tokens } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { exampleParams } from './bad-input-columns.ts';
import { apiCaller } from './support.ts';

let console: RunningConsole;
let directory: string;
const setClock = (seconds: number) => writeFile(join(directory, 'clock'), String(seconds));
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'console-clock-'));
  await setClock(0);
  console = await startConsole({
    env: {
      NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, '../oidc/movable-clock.mjs')).href}`,
      TEST_CLOCK_FILE: join(directory, 'clock'),
      CONSOLE_ACCESS_TOKEN_TTL: '3600',
    },
  });
});
afterAll(async () => {
  await console?.stop();
  await rm(directory, { recursive: true, force: true });
});

const signIn = (): Promise<Tokens> =>
  signInForTokens(console, createUserAgent(console.url), { resource: `${console.url}/api` });
const as = (token: string) => apiCaller(console, '', token);
const signInTimeOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).auth_time;

async function addUser(id: string): Promise<void> {
  const add = as(await apiToken(console));
  expect((await add('POST', '/users', { id, roles: [] })).status).toBe(201);
}

test('five minutes after a sign-in only a new one opens what is dangerous (S55)', async () => {
  for (const id of ['gone-at-once', 'stays', 'gone-later']) await addUser(id);
  const tokens = await signIn();
  expect((await as(tokens.access_token)('DELETE', '/users/gone-at-once')).status).toBe(204);

  await setClock(310);
  const old = as(tokens.access_token);
  const refused = await old('DELETE', '/users/stays');
  expect([refused.status, refused.body.code]).toEqual([401, 'reauth_required']);
  expect(refused.headers.get('www-authenticate')).toBe(
    'Bearer error="insufficient_user_authentication", max_age=300',
  );
  const isDenied = (line: Record<string, unknown>) =>
    line.event === 'request.refused' && line.path === '/api/v1/users/stays';
  expect(await console.waitFor(() => console.log().find(isDenied), 'a line of the refusal')).toMatchObject({
    audit: true,
    outcome: 'denied',
    reason: 'reauth_required',
  });
  expect((await old('GET', '/users/stays')).status).toBe(200);
  // What is not dangerous goes on.
  expect((await old('PATCH', '/users/stays', { displayName: 'Still here' })).status).toBe(200);
  // A newer token of the same sign-in is no newer sign-in.
  const renewed = (await refresh(console, tokens.refresh_token)).body.access_token as string;
  expect(signInTimeOf(renewed)).toBe(signInTimeOf(tokens.access_token));
  expect((await as(renewed)('DELETE', '/users/stays')).body.code).toBe('reauth_required');

  const newer = await signIn();
  expect((await as(newer.access_token)('DELETE', '/users/gone-later')).status).toBe(204);
  expect((await as(newer.access_token)('GET', '/users/stays')).status).toBe(200);
});

const dangerous = operations.filter(({ isDangerous }) => isDangerous);

test('there is something dangerous', () => {
  expect(dangerous.length).toBeGreaterThan(20);
});

describe('ten minutes after a sign-in', () => {
  let old: ReturnType<typeof as>;
  beforeAll(async () => {
    const { access_token: token } = await signIn();
    await setClock(910);
    old = as(token);
  });

  test.each(dangerous.map((operation) => [operation.id, operation] as const))(
    '%s wants a new one, whatever it is about (S55)',
    async (_id, operation) => {
      const params = exampleParams(operation);
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(params[name]!),
      );
      const refused = await old(operation.method, path, operation.body && exampleOf(operation.body));
      expect([refused.status, refused.body.code]).toEqual([401, 'reauth_required']);
      expect(refused.headers.get('www-authenticate')).toContain('max_age=300');
    },
  );
});
