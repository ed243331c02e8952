/** What an application gets of its users' roles (RFC 9700 §2.3, S96). */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTool, toolDone } from '../helpers/commands.ts';
import { admin, apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import {
  authorizationPath,
  callbackOf,
  redeem,
  refresh,
  signInForTokens,
  userinfo,
} from '../helpers/sign-in.ts';
import { createUserAgent, textOf } from '../helpers/user-agent.ts';
import { eventually } from './support.ts';

let console: RunningConsole;
const password = 'correct-staple-battery-9';
const wikiUri = 'http://localhost:9021/wiki';

beforeAll(async () => {
  console = await startConsole();
  await tool('role', 'add', 'Jobs', '--scope', 'svc:queue:jobs:poll');
  for (const [name, ...roles] of [
    ['vera', 'Viewer', 'Jobs'],
    ['mona', 'MetricsViewer'],
  ] as const) {
    const flags = roles.flatMap((role) => ['--role', role]);
    const args = ['user', 'add', name, ...flags, '--password-file', '-'];
    await toolDone(args, { dataDir: console.dataDir, stdin: password });
  }
  await addWiki('wiki');
});
afterAll(() => console?.stop());

const tool = (...args: string[]) => toolDone(args, { dataDir: console.dataDir });
const agent = () => createUserAgent(console.url);

/** An application of somebody else: people are asked. */
async function addWiki(id: string, ...flags: string[]): Promise<void> {
  const scopes = 'openid profile app:Viewer app:MetricsViewer';
  await tool('client', 'add', id, '--public', '--redirect-uri', wikiUri, '--scope', scopes, ...flags);
  await eventually(async () => (await agent().get(authorizationPath(requestOf(id)))).status === 303, id);
}

const requestOf = (id: string, scope = 'openid profile') => ({ client_id: id, redirect_uri: wikiUri, scope });

/** Through sign-in and consent. */
async function tokensOf(id: string, username = 'ada', scope?: string) {
  const by = agent();
  await by.signIn({ username, password });
  const request = requestOf(id, scope);
  const page = await by.follow(await by.get(authorizationPath(request)));
  const end = page.status === 200 ? await by.follow(await by.submit(page, { decision: 'allow' })) : page;
  const code = callbackOf(end).get('code');
  const { status, body } = await redeem(console, code, { client_id: id, redirect_uri: wikiUri });
  expect([status, body.error]).toEqual([200, undefined]);
  return { ...body, consent: textOf(page) };
}

const rolesOf = (token: string) => decodeJwt(token).roles;
const call = (method: string, path: string, token: string) =>
  fetch(console.url + path, { method, headers: { Authorization: `Bearer ${token}` } });

test('people see the logo of who asks, and their browser loads pictures of no other origin (S51)', async () => {
  const logo = 'https://pictures.example.com/wiki.png?a=1&b=2';
  await addWiki('pictured', '--logo-uri', logo);
  const consentAt = async (id: string) => {
    const by = agent();
    await by.signIn({ username: 'vera', password });
    return by.follow(await by.get(authorizationPath(requestOf(id))));
  };
  const pictured = await consentAt('pictured');
  expect(pictured.body).toContain(
    '<img class="logo" src="https://pictures.example.com/wiki.png?a=1&amp;b=2" alt referrerpolicy="no-referrer"',
  );
  const policy = pictured.headers['content-security-policy'];
  expect(policy).toContain("img-src 'self' https://pictures.example.com;");
  const plain = await consentAt('wiki');
  expect(plain.body).not.toContain('<img class="logo"');
  expect(plain.headers['content-security-policy']).toContain("img-src 'self';");
});

test('an application of somebody else gets no role of an administrator, unless it was said which (B8)', async () => {
  const tokens = await tokensOf('wiki');
  expect(rolesOf(tokens.access_token)).toEqual([]);
  expect(decodeJwt(tokens.access_token)).toMatchObject({ realm_access: { roles: [] } });
  expect(rolesOf(tokens.id_token)).toEqual([]);
  expect((await userinfo(console, tokens.access_token)).body).toMatchObject({
    preferred_username: admin.username,
    roles: [],
  });
  expect((await call('GET', '/svc/rest/cluster', tokens.access_token)).status).toBe(403);
  expect(
    (await call('POST', '/svc/rest/management/cluster/clusterShutdown', tokens.access_token)).status,
  ).toBe(403);
  expect(tokens.consent).toContain('None of your roles go along');
  const withScope = await tokensOf('wiki', 'ada', 'openid app:Viewer');
  expect(rolesOf(withScope.access_token)).toEqual([]);
  expect(withScope.consent).not.toContain('Act as a Viewer');
});

test('the dashboard, which is first-party, gets what its user has (B8)', async () => {
  expect(rolesOf((await signInForTokens(console, agent())).access_token)).toEqual(['Admin']);
});

describe('under a ceiling (B8)', () => {
  beforeAll(() => addWiki('viewing', '--max-role', 'Viewer', '--max-role', 'Jobs'));

  test.each([
    ['ada', 'openid profile', ['Viewer', 'Jobs']],
    ['ada', 'openid', []],
    ['ada', 'openid profile app:Viewer', ['Viewer']],
    ['ada', 'openid app:MetricsViewer', ['MetricsViewer']],
    ['vera', 'openid profile', ['Viewer', 'Jobs']],
    ['mona', 'openid profile', ['MetricsViewer']],
    ['mona', 'openid app:Viewer', []],
  ])('%s gets by %j the roles %j', async (username, scope, roles) => {
    const tokens = await tokensOf('viewing', username, scope);
    expect(rolesOf(tokens.access_token)).toEqual(roles);
    for (const role of roles) expect(tokens.consent).toContain(role);
    expect(tokens.consent).not.toContain('Act with your role Admin');
  });

  test('one that is first-party has one too where it is given', async () => {
    await addWiki('front', '--first-party', '--max-role', 'MetricsViewer');
    expect(rolesOf((await tokensOf('front')).access_token)).toEqual(['MetricsViewer']);
  });

  test('what is granted with profile is not kept by a refresh without it', async () => {
    const tokens = await tokensOf('viewing', 'vera');
    const fewer = await refresh(console, tokens.refresh_token, { client_id: 'viewing', scope: 'openid' });
    expect(rolesOf(fewer.body.access_token)).toEqual([]);
  });
});

test('a ceiling that is lowered counts at once, for tokens that are out and for sign-ins (B8)', async () => {
  await addWiki('lowered', '--max-role', 'Viewer');
  const tokens = await tokensOf('lowered', 'vera');
  expect((await call('GET', '/svc/rest/cluster', tokens.access_token)).status).toBe(200);
  const { stdout } = await tool('client', 'update', 'lowered', '--max-role', 'none');
  expect(stdout).toMatch(/^roles at most +none$/m);
  const isVoid = async () => (await call('GET', '/svc/rest/cluster', tokens.access_token)).status === 401;
  await eventually(isVoid, 'the token to be void');
  const again = await refresh(console, tokens.refresh_token, { client_id: 'lowered' });
  expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
  let roles: unknown;
  const isSignedIn = async () => {
    roles = await tokensOf('lowered', 'vera').then(
      (tokensNow) => rolesOf(tokensNow.access_token),
      () => undefined,
    );
    return roles !== undefined;
  };
  await eventually(isSignedIn, 'the next second');
  expect(roles).toEqual([]);
});

test('one that is raised asks people anew, who have not seen it (B8)', async () => {
  await addWiki('raised');
  const tokens = await tokensOf('raised', 'vera');
  const reply = await fetch(`${console.url}/api/v1/clients/raised`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${await apiToken(console)}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ maxRoles: ['Viewer'] }),
  });
  expect([reply.status, await reply.json()]).toEqual([
    200,
    expect.objectContaining({ maxRoles: ['Viewer'] }),
  ]);
  expect((await refresh(console, tokens.refresh_token, { client_id: 'raised' })).body.error).toBe(
    'invalid_grant',
  );
  // What is allowed within the second of the change is void with what was before it.
  let consent = '';
  const isAllowed = async () => {
    consent = await tokensOf('raised', 'vera').then(
      (again) => again.consent,
      () => '',
    );
    return consent !== '';
  };
  await eventually(isAllowed, 'the next second');
  expect(consent).toContain('Act with your role Viewer');
});

test('a custom role that is removed leaves the ceilings, and another of its name is in none (B8)', async () => {
  await tool('role', 'add', 'Brief', '--scope', 'svc:health:read');
  await addWiki('briefly', '--max-role', 'Brief');
  expect(rolesOf((await tokensOf('briefly')).access_token)).toEqual(['Brief']);
  await tool('role', 'remove', '--yes', 'Brief');
  await tool('role', 'add', 'Brief', '--scope', 'svc:cluster:write');
  expect((await tool('client', 'show', 'briefly', '--json')).json().maxRoles).toEqual([]);
});

test.each([
  ['a role that there is not', ['--redirect-uri', wikiUri, '--max-role', 'Boss']],
  ['a machine', ['--scope', 'svc:health:read', '--max-role', 'Viewer']],
  ['none beside another', ['--redirect-uri', wikiUri, '--max-role', 'none', '--max-role', 'Viewer']],
])('%s is refused (S53)', async (_name, flags) => {
  const { code } = await runTool(['client', 'add', 'unfit', ...flags], { dataDir: console.dataDir });
  expect(code).not.toBe(0);
  expect((await runTool(['client', 'show', 'unfit'], { dataDir: console.dataDir })).code).toBe(1);
});

describe('explain (B8)', () => {
  test('tells what a user can do through an application', async () => {
    const explain = (...who: string[]) =>
      runTool(['explain', 'GET', '/svc/rest/cluster', ...who, '--json'], { dataDir: console.dataDir });
    expect((await explain('--user', 'ada', '--client', 'wiki')).json()).toMatchObject({
      isAllowed: false,
      roles: [],
    });
    const viewing = await explain('--user', 'ada', '--client', 'viewing');
    expect(viewing.json()).toMatchObject({ isAllowed: true, roles: ['Viewer', 'Jobs'] });
    expect((await explain('--client', 'viewing')).json()).toMatchObject({ roles: ['Viewer', 'Jobs'] });
    const jobs = await explain('--user', 'mona', '--client', 'viewing', '--scope', 'openid');
    expect(jobs.json()).toMatchObject({ isAllowed: false, roles: [] });
  });

  test('tells the change that lets a role of the user through', async () => {
    const { access_token: token } = await tokensOf('wiki');
    const rejected = (await (await call('GET', '/svc/rest/cluster', token)).json()) as {
      decision_id: string;
    };
    const api = await apiToken(console);
    const reply = await call('GET', `/api/v1/access/explain?decision=${rejected.decision_id}`, api);
    expect(await reply.json()).toMatchObject({
      change: expect.stringMatching(/^Let the application wiki have the role \w+ of its user\.$/),
      command: expect.stringMatching(/^npx console client update wiki --max-role \w+$/),
    });
  });
});
