import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';
import {
  authorizationPath,
  callbackOf,
  dashboard,
  type Parameters,
  refresh,
  signInForTokens,
} from '../helpers/sign-in.ts';
import { addClient, copyUser, countUsers, editUser, thirdParty, until, withStore } from '../helpers/store.ts';
import { createUserAgent, formsOf, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
  await addClient(console.dataDir);
});
afterAll(() => console?.stop());

const newAgent = () => createUserAgent(console.url);
const ask = (changes: Parameters, agent: UserAgent = newAgent()) => agent.get(authorizationPath(changes));

describe('where the answer goes', () => {
  test.each([
    ['a host that continues', 'http://localhost.evil.example:9021/login/callback'],
    ['a host below another', 'http://evil.example/localhost:9021/login/callback'],
    ['a user name before the host', 'http://localhost:9021@evil.example/login/callback'],
    ['a user name for the host', 'http://evil@localhost:9021/login/callback'],
    ['another port', 'http://localhost:9022/login/callback'],
    ['no port', 'http://localhost/login/callback'],
    ['another scheme', 'https://localhost:9021/login/callback'],
    ['a longer path', 'http://localhost:9021/login/callback/more'],
    ['a slash at the end', 'http://localhost:9021/login/callback/'],
    ['dot segments', 'http://localhost:9021/login/../login/callback'],
    ['encoded dot segments', 'http://localhost:9021/login/%2e%2e/login/callback'],
    ['another case of the path', 'http://localhost:9021/Login/callback'],
    ['another case of the host', 'http://LOCALHOST:9021/login/callback'],
    ['a query', 'http://localhost:9021/login/callback?next=evil'],
    ['an empty query', 'http://localhost:9021/login/callback?'],
    ['a fragment', 'http://localhost:9021/login/callback#here'],
    ['an empty fragment', 'http://localhost:9021/login/callback#'],
    ['a backslash', 'http://localhost:9021\\@evil.example/login/callback'],
    ['an encoded letter', 'http://localhost:9021/login/%63allback'],
    ['a space before it', ' http://localhost:9021/login/callback'],
    ['a line break behind it', 'http://localhost:9021/login/callback\r\nX-Evil: 1'],
    ['a script', 'javascript:alert(1)'],
    ['the address of another application', 'http://localhost:9021/wallboard/callback'],
  ])('%s gets a page with 400 and no redirect (S16)', async (_name, redirectUri) => {
    for (const more of [{}, { prompt: 'none' }, { response_type: 'token' }]) {
      const reply = await ask({ redirect_uri: redirectUri, ...more });
      expect([reply.status, reply.headers.location]).toEqual([400, undefined]);
      expect(titleOf(reply)).toBe('Problem: The application asks to send you somewhere else');
      expect(reply.setCookies).toEqual([]);
    }
  });

  test.each([
    ['an unknown client', { client_id: 'nobody' }, 'This application is not known here'],
    ['no client', { client_id: undefined }, 'The application asked in a way that is not understood'],
    ['no redirect_uri', { redirect_uri: undefined }, 'The application asked in a way that is not understood'],
    ['a machine client', { client_id: 'application-client' }, 'The application asks to send you'],
  ])('%s gets a page with 400 and no redirect (S16)', async (_name, changes, title) => {
    const reply = await ask(changes);
    expect([reply.status, reply.headers.location]).toEqual([400, undefined]);
    expect(titleOf(reply)).toContain(title);
    expect(textOf(reply)).toContain('Tell those who run it');
  });

  test('who asks for JSON gets the same error as problem details (S16)', async () => {
    const reply = await newAgent().get(authorizationPath({ client_id: 'nobody' }), { accept: '*/*' });
    expect(reply.status).toBe(400);
    expect(reply.headers['content-type']).toContain('application/problem+json');
    expect(JSON.parse(reply.body)).toMatchObject({ code: 'invalid_client', status: 400 });
  });

  test('a repeated redirect_uri is not chosen from (S16)', async () => {
    const reply = await newAgent().get(
      `${authorizationPath()}&redirect_uri=${encodeURIComponent('http://evil.example/')}`,
    );
    expect([reply.status, reply.headers.location]).toEqual([400, undefined]);
  });
});

describe('requests that are told to the application', () => {
  const s256 = { code_challenge_method: 'S256' };
  test.each([
    ['S17', 'response_type=token', { response_type: 'token' }, 'unsupported_response_type'],
    ['S17', 'response_type=id_token', { response_type: 'id_token', nonce: 'n' }, 'unsupported_response_type'],
    ['S17', 'a hybrid type', { response_type: 'code id_token', nonce: 'n' }, 'unsupported_response_type'],
    ['S17', 'response_type=none', { response_type: 'none' }, 'unsupported_response_type'],
    ['S17', 'no response_type', { response_type: undefined }, 'invalid_request'],
    ['S18', 'no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['S18', 'PKCE plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['S18', 'PKCE without a method', { code_challenge_method: undefined }, 'invalid_request'],
    ['S18', 'a short challenge', { ...s256, code_challenge: 'abc' }, 'invalid_request'],
    ['S11', 'an unknown scope', { scope: 'openid everything' }, 'invalid_scope'],
    ['S11', 'a misspelt role scope', { scope: 'openid app:viewer' }, 'invalid_scope'],
    ['S11', 'a scope of others', { scope: 'openid svc:data:write' }, 'invalid_scope'],
    ['S11', 'a tab between scopes', { scope: 'openid\tprofile' }, 'invalid_scope'],
    ['S12', 'another resource', { resource: 'urn:other' }, 'invalid_target'],
    ['S21', 'request', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['prompt', 'prompt=none without a session', { prompt: 'none' }, 'login_required'],
    ['prompt', 'prompt=none beside another', { prompt: 'none login' }, 'invalid_request'],
    ['prompt', 'an unknown prompt', { prompt: 'dance' }, 'invalid_request'],
    ['max_age', 'a max_age that is none', { max_age: 'soon' }, 'invalid_request'],
  ])('%s, S20: %s comes back as %s with iss and state', async (_number, _name, changes, error) => {
    const reply = await ask(changes);
    // Without `code` the answer belongs into the fragment.
    const answer = new URL(reply.headers.location ?? 'http://no-redirect.invalid/');
    const parameters = new URLSearchParams(answer.search || answer.hash.slice(1));
    expect(answer.origin).toBe(dashboard.address);
    expect(Object.fromEntries(parameters)).toMatchObject({ error, iss: console.url, state: 'some-state' });
    expect(parameters.has('code')).toBe(false);
  });

  test('more than one space between scopes of a sign-in, and of a refresh, does no harm (D19)', async () => {
    const tokens = await signInForTokens(console, newAgent(), { scope: ' openid  app:Viewer   profile ' });
    expect(tokens.scope).toBe('openid app:Viewer profile');
    const { body } = await refresh(console, tokens.refresh_token, { scope: 'openid  app:Viewer ' });
    expect(body.scope).toBe('openid app:Viewer');
    for (const scope of ['  ', 'openid  app:viewer', 'openid \t profile']) {
      expect(callbackOf(await ask({ scope, prompt: 'none' })).get('error')).toBe('invalid_scope');
    }
  });

  test('request_uri is refused and nothing is fetched (S21)', async () => {
    const seen: string[] = [];
    const server = createServer((req, res) => {
      seen.push(req.url ?? '');
      res.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const reply = await ask({ request_uri: `http://127.0.0.1:${port}/request` });
      expect(callbackOf(reply).get('error')).toBe('request_uri_not_supported');
      expect(seen).toEqual([]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test.each([
    'some "quoted" <state> & more',
    "it's",
    'línea',
    'a\r\nSet-Cookie: evil=1',
    '%0d%0a',
    'a+b c',
    '{}',
  ])('state %j comes back byte for byte (S20)', async (state) => {
    const rejected = await ask({ state, response_type: 'token' });
    const inFragment = new URLSearchParams(new URL(rejected.headers.location!).hash.slice(1));
    expect(inFragment.get('state')).toBe(state);
    const agent = newAgent();
    await agent.signIn();
    const answered = await ask({ state }, agent);
    expect(Object.fromEntries(callbackOf(answered))).toMatchObject({ state, iss: console.url });
    for (const reply of [rejected, answered]) {
      expect(reply.headers.location).toMatch(/^[\x21-\x7e]+$/);
      expect(reply.setCookies.join()).not.toContain('evil');
    }
  });

  test('an answer that a page posts is escaped, and only its own script runs (S20, S51)', async () => {
    const agent = newAgent();
    await agent.signIn();
    const state = '"><script>alert(1)</script>';
    const page = await ask({ state, response_mode: 'form_post' }, agent);
    const [form] = formsOf(page.body);
    expect(form).toMatchObject({ action: dashboard.redirectUri, hidden: { state, iss: console.url } });
    expect(page.body).not.toContain('alert(1)</script>');
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none';script-src 'sha256-[\w+/=]+';base-uri 'none';frame-ancestors 'none'$/,
    );
  });

  test('a form is answered with 303 all the way to the application (S22)', async () => {
    const agent = newAgent();
    const page = await agent.follow(await agent.get(authorizationPath()));
    const sent = await agent.submit(page, admin);
    const resumed = await agent.get(sent.headers.location!);
    expect([sent.status, resumed.status]).toEqual([303, 303]);
    expect(callbackOf(resumed).get('code')).toBeTruthy();
  });
});

describe('sessions and prompts', () => {
  test('prompt=none with a session gives a code and no page', async () => {
    const agent = newAgent();
    await agent.signIn();
    const silent = { prompt: 'none', redirect_uri: 'http://localhost:9021/silent-refresh.html' };
    const reply = await ask(silent, agent);
    expect(reply.headers.location).toMatch(/^http:\/\/localhost:9021\/silent-refresh\.html\?code=/);
  });

  test.each([{ prompt: 'login' }, { max_age: '0' }])('%j asks for the password again', async (changes) => {
    const agent = newAgent();
    await agent.signIn();
    const page = await agent.follow(await ask(changes, agent));
    expect(titleOf(page)).toBe('Confirm it’s you');
    expect(page.body).toMatch(/name="username"[^>]*value="ada"/);
    const end = await agent.follow(await agent.submit(page, admin));
    expect(callbackOf(end).get('code')).toBeTruthy();
    expect(callbackOf(await ask({ ...changes, prompt: 'none' }, agent)).get('error')).toBe(
      'max_age' in changes ? 'login_required' : null,
    );
  });

  test('login_hint is typed in already, and escaped', async () => {
    const agent = newAgent();
    const page = await agent.follow(await ask({ login_hint: '"><b>bob' }, agent));
    expect(page.body).toContain('value="&quot;>&lt;b>bob"');
  });

  test('a session whose account is removed is none, and authorize asks anew (S34)', async () => {
    await copyUser(console, 'ada', 'brief');
    const agent = newAgent();
    await agent.signIn({ ...admin, username: 'brief' });
    const users = await countUsers(console);
    await editUser(console, 'brief', () => undefined);
    await until(async () => (await countUsers(console)) < users, 'brief to be gone');
    expect(callbackOf(await ask({ prompt: 'none' }, agent)).get('error')).toBe('login_required');
    expect(titleOf(await agent.follow(await ask({}, agent)))).toBe('Sign in');
    expect((await agent.get('/account')).headers.location).toBe('/login');
  });

  test('an account that goes between its sign-in and the answer is refused, and that is no failure (S34)', async () => {
    await copyUser(console, 'ada', 'late');
    const agent = newAgent();
    const page = await agent.follow(await agent.get(authorizationPath()));
    const halfway = await agent.submit(page, { ...admin, username: 'late' });
    expect(halfway.status).toBe(303);
    const users = await countUsers(console);
    await editUser(console, 'late', () => undefined);
    await until(async () => (await countUsers(console)) < users, 'late to be gone');
    const resumed = callbackOf(await agent.get(halfway.headers.location!));
    expect([resumed.get('error'), resumed.get('code')]).toEqual(['access_denied', null]);
    expect(callbackOf(await ask({ prompt: 'none' }, agent)).get('error')).toBe('login_required');
  });
});

describe('consent', () => {
  const wallboard = { client_id: thirdParty.id, redirect_uri: thirdParty.redirectUris[0] };

  test('a client of others is asked for, once for each session and scope', async () => {
    const agent = newAgent();
    await agent.signIn();
    expect(callbackOf(await ask({ ...wallboard, prompt: 'none' }, agent)).get('error')).toBe(
      'consent_required',
    );
    const page = await agent.follow(await ask({ ...wallboard, scope: 'openid app:Viewer' }, agent));
    expect(titleOf(page)).toBe('Allow wallboard to use your account?');
    expect(textOf(page)).toContain('http://localhost:9021');
    expect(textOf(page)).toMatch(/Act as a Viewer\. Reads cluster information/);
    expect(textOf(page)).not.toContain('New');
    const allowed = await agent.follow(await agent.submit(page, { decision: 'allow' }));
    expect(callbackOf(allowed).get('code')).toBeTruthy();
    const silent = { ...wallboard, scope: 'openid app:Viewer', prompt: 'none' };
    expect(callbackOf(await ask(silent, agent)).get('code')).toBeTruthy();
    const more = { ...wallboard, scope: 'openid app:Viewer app:MetricsViewer' };
    expect(callbackOf(await ask({ ...more, prompt: 'none' }, agent)).get('error')).toBe('consent_required');
    expect(textOf(await agent.follow(await ask(more, agent)))).toContain('New');
  });

  test('who is asked without a role scope is told which roles go along, under the ceiling (B8)', async () => {
    const agent = newAgent();
    await agent.signIn();
    const page = await agent.follow(await ask({ ...wallboard, scope: 'openid profile' }, agent));
    expect(textOf(page)).toContain('Act with your role Viewer. Reads cluster information');
    expect(textOf(page)).toContain('It can act so at the members of the cluster, and not here.');
    expect(textOf(page)).not.toContain('Admin');
    const signedIn = await agent.follow(await ask({ ...wallboard, scope: 'openid' }, agent));
    expect(textOf(signedIn)).toContain('None of your roles go along');
    expect(textOf(signedIn)).not.toMatch(/Act (with|as)/);
  });

  test('a consent without the form, or from elsewhere, grants nothing (S31)', async () => {
    const agent = newAgent();
    await agent.signIn();
    const page = await agent.follow(await ask(wallboard, agent));
    const [form] = formsOf(page.body);
    const rejected = await Promise.all([
      agent.post(form!.action, { decision: 'allow' }),
      agent.submit(page, { decision: 'allow' }, { headers: { origin: 'http://evil.example' } }),
      createUserAgent(console.url).post(form!.action, { ...form!.hidden, decision: 'allow' }),
    ]);
    expect(rejected.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(callbackOf(await ask({ ...wallboard, prompt: 'none' }, agent)).get('error')).toBe(
      'consent_required',
    );
  });

  test('who denies goes back with access_denied', async () => {
    const agent = newAgent();
    await agent.signIn();
    const page = await agent.follow(await ask(wallboard, agent));
    const denied = callbackOf(await agent.follow(await agent.submit(page, { decision: 'deny' })));
    expect(Object.fromEntries(denied)).toMatchObject({
      error: 'access_denied',
      state: 'some-state',
      iss: console.url,
    });
    expect(denied.has('code')).toBe(false);
  });
});

describe('what the tokens of a person allow', () => {
  const rolesOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).roles as string[];

  test('all roles without a role scope, and no more than asked with one', async () => {
    const all = await signInForTokens(console, newAgent());
    const one = await signInForTokens(console, newAgent(), { scope: 'openid app:MetricsViewer' });
    expect(rolesOf(all.access_token)).toEqual(['Admin']);
    expect(rolesOf(one.access_token)).toEqual(['MetricsViewer']);
  });
});

test('anonymous requests leave nothing but sign-ins that expire within ten minutes', async () => {
  const countSessions = () =>
    withStore(console.dataDir, async ({ artifacts }) => (await artifacts.list('Session', 1000)).length);
  const before = await countSessions();
  await Promise.all(Array.from({ length: 60 }, () => ask({})));
  await Promise.all(Array.from({ length: 60 }, () => newAgent().get('/connect/logout')));
  await Promise.all(Array.from({ length: 60 }, () => newAgent().get('/login')));
  await withStore(console.dataDir, async ({ artifacts }) => {
    const limit = Date.now() / 1000 + 600;
    const interactions = await artifacts.list('Interaction', 1000);
    expect(interactions.length).toBeGreaterThanOrEqual(60);
    expect(interactions.every(({ artifact }) => (artifact.expiresAt ?? Infinity) <= limit)).toBe(true);
  });
  expect(await countSessions()).toBeLessThanOrEqual(before);
});
