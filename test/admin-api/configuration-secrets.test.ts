/** Secrets in descriptions: where they may stand, and that what is wrong with one changes nothing and repeats none. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type ApiCaller, apiCaller } from './support.ts';

const secret = (name: string) => `${name}-hush-0123456789-abcdefghijklmnopqrstuvwxyz`;

let console: RunningConsole;
let call: ApiCaller;
let source: string;
let sources = 0;
beforeAll(async () => {
  console = await startConsole();
  call = apiCaller(console, '', await apiToken(console));
});
afterAll(() => console?.stop());
beforeEach(() => {
  source = `secrets-${sources++}`;
});

const machine = { scopes: ['svc:health:read'] };
const given = (id: string, value: unknown = secret(id)) => ({ id, from: { value } });
const planned = (objects: object) =>
  call('POST', '/configuration/plans', { document: { version: 1, source, ...objects } });
const planOf = (fields: object) => planned({ clients: { [source]: { ...machine, ...fields } } });
const apply = (plan: { readonly body: { readonly id: string } }) =>
  call('POST', `/configuration/plans/${plan.body.id}/apply`);

async function tokenWith(value: string): Promise<number> {
  const response = await fetch(`${console.url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${source}:${value}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  await response.arrayBuffer();
  return response.status;
}

describe('two secrets of a client', () => {
  test('are good, are the same once more, and one that is exchanged ends the one of its id', async () => {
    const both = { secrets: [given('a'), given('b')] };
    expect((await apply(await planOf(both))).status).toBe(200);
    expect([await tokenWith(secret('a')), await tokenWith(secret('b'))]).toEqual([200, 200]);
    expect((await planOf(both)).body).toMatchObject({ steps: [], counts: { unchanged: 1 } });

    const exchanged = await planOf({ secrets: [given('a', secret('next')), given('b')] });
    expect(exchanged.body.steps).toMatchObject([{ action: 'update', changes: { 'secrets/a': 'changed' } }]);
    expect(JSON.stringify(exchanged.body)).not.toContain('hush');
    expect((await apply(exchanged)).status).toBe(200);
    expect(await Promise.all(['next', 'b', 'a'].map((name) => tokenWith(secret(name))))).toEqual([
      200, 200, 401,
    ]);
  });

  test('stay when the description says nothing of secrets any more', async () => {
    await apply(await planOf({ secrets: [given('a')] }));
    expect((await apply(await planOf({ displayName: 'Other' }))).body.counts).toMatchObject({ update: 1 });
    expect(await tokenWith(secret('a'))).toBe(200);
  });
});

describe('a plan is blocked, with none of the secrets in it, by', () => {
  test.each<[string, object, string, RegExp]>([
    ['one that is too short', { secrets: [given('a', 'hush')] }, 'invalid_request', /secret/],
    ['one that is too long', { secrets: [given('a', 'hush'.repeat(300))] }, 'invalid_request', /secret/],
    ['one id for two', { secrets: [given('a'), given('a', secret('b'))] }, 'invalid_request', /another/],
    ['more than two', { secrets: ['a', 'b', 'c'].map((id) => given(id)) }, 'invalid_request', /2 at most/],
    ['an id that is none', { secrets: [given('hush/../a')] }, 'invalid_request', /id/],
    ['an id that is a number', { secrets: [given(7 as never)] }, 'invalid_request', /secrets\.0/],
    ['a value that is a number', { secrets: [given('a', 7)] }, 'invalid_request', /secrets\.0/],
    [
      'a file, which nobody has read',
      { secrets: [{ id: 'a', from: { file: 'x' } }] },
      'invalid_request',
      /from/,
    ],
    ['a member too much', { secrets: [{ ...given('a'), hush: true }] }, 'invalid_request', /secrets\.0/],
    [
      'two places',
      { secrets: [{ id: 'a', from: { value: secret('a'), env: 'A' } }] },
      'invalid_request',
      /secrets\.0/,
    ],
    ['nothing', { secrets: [null] }, 'invalid_request', /secrets\.0/],
    ['text', { secrets: 'hush' }, 'invalid_request', /list/],
    ['an object', { secrets: { a: secret('a') } }, 'invalid_request', /list/],
    [
      'one of a public client',
      { isPublic: true, scopes: ['openid'], redirectUris: ['https://a.example/cb'], secrets: [given('a')] },
      'conflict',
      /./,
    ],
    [
      'one in a field of another kind',
      { displayName: { value: secret('a') } },
      'invalid_request',
      /displayName/,
    ],
  ])('%s', async (_name, fields, code, says) => {
    const plan = await planOf(fields);
    expect(plan.body, JSON.stringify(plan.body)).toMatchObject({
      canApply: false,
      steps: [{ id: source, action: 'blocked', code, reason: expect.stringMatching(says) }],
    });
    expect(JSON.stringify(plan.body)).not.toContain('hush');
    const refused = await apply(plan);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      409,
      expect.not.stringContaining('hush'),
    ]);
    expect((await call('GET', `/clients/${source}`)).status).toBe(404);
    expect(console.stderr()).not.toContain('hush');
  });

  const provider = { kind: 'oidc', issuer: 'https://id.example', clientId: 'console', defaultRole: 'Viewer' };
  test.each<[string, object]>([
    ['secrets of a role', { roles: { r: { permissions: ['svc:health:read'], secrets: [given('a')] } } }],
    ['secrets of a user', { users: { somebody: { roles: ['Viewer'], secrets: [given('a')] } } }],
    [
      'a field that is a secret, as text',
      { identityProviders: { p: { ...provider, clientSecret: secret('p') } } },
    ],
    [
      'a field that is a secret, out of a file that nobody has read',
      { identityProviders: { p: { ...provider, clientSecret: { file: 'hush' } } } },
    ],
  ])('%s', async (_name, objects) => {
    const plan = await planned(objects);
    expect(plan.body, JSON.stringify(plan.body)).toMatchObject({
      canApply: false,
      steps: [{ action: 'blocked', code: 'invalid_request' }],
    });
    expect(JSON.stringify(plan.body)).not.toContain('hush');
    expect((await apply(plan)).status).toBe(409);
  });
});

test('settings are not described: they are those of the process', async () => {
  for (const settings of [{ 'audit.reads': 'sampled' }, { CONSOLE_URL: 'https://other.example' }, {}, null]) {
    const refused = await planned({ settings });
    expect(refused.body).toMatchObject({ code: 'invalid_request', errors: [{ code: 'unknown_member' }] });
  }
});
