import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, freePort, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { authorizationPath, callbackOf } from '../helpers/sign-in.ts';
import {
  createUserAgent,
  formsOf,
  type Reply,
  textOf,
  titleOf,
  type UserAgent,
} from '../helpers/user-agent.ts';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console?.stop());

const newAgent = () => createUserAgent(console.url);

/** The sign-in page of the console and the one of an application. */
const pages: Record<string, (agent: UserAgent) => Promise<Reply>> = {
  '/login': (agent) => agent.get('/login'),
  '/login/:uid': async (agent) => agent.follow(await agent.get(authorizationPath())),
};

describe.each(Object.keys(pages))('the form of %s (S31)', (path) => {
  const open = pages[path]!;
  const without = (agent: UserAgent, name: string) => agent.cookies.delete(name);
  const tricks: Record<string, (agent: UserAgent) => Promise<Reply>> = {
    'without the cookie': async (agent) => {
      const page = await open(agent);
      without(agent, 'console_csrf');
      return agent.submit(page, admin);
    },
    'with the cookie of another browser': async (agent) => {
      const page = await open(agent);
      const other = newAgent();
      await other.get('/login');
      agent.cookies.set('console_csrf', other.cookies.get('console_csrf')!);
      return agent.submit(page, admin);
    },
    'with the token of another browser': async (agent) => {
      const page = await open(agent);
      const [form] = formsOf((await newAgent().get('/login')).body);
      return agent.submit(page, { ...admin, csrf: form!.hidden.csrf! });
    },
    'without a token': async (agent) => agent.submit(await open(agent), { ...admin, csrf: '' }),
    'with a token in other letters': async (agent) =>
      agent.submit(await open(agent), { ...admin, csrf: 'é'.repeat(43) }),
    'with a long token': async (agent) =>
      agent.submit(await open(agent), { ...admin, csrf: 'x'.repeat(5000) }),
    'with another Origin': async (agent) =>
      agent.submit(await open(agent), admin, { headers: { origin: 'https://evil.example' } }),
    'with Origin null': async (agent) =>
      agent.submit(await open(agent), admin, { headers: { origin: 'null' } }),
    'with the Origin of an application': async (agent) =>
      agent.submit(await open(agent), admin, { headers: { origin: 'http://localhost:9021' } }),
    'from a cross-site page': async (agent) =>
      agent.submit(await open(agent), admin, { headers: { 'sec-fetch-site': 'cross-site' } }),
    'from a page of the same site': async (agent) =>
      agent.submit(await open(agent), admin, { headers: { 'sec-fetch-site': 'same-site' } }),
  };

  test.each(Object.keys(tricks))('%s is 403 csrf_failed and signs nobody in (S31)', async (name) => {
    const agent = newAgent();
    const reply = await tricks[name]!(agent);
    expect(reply.status).toBe(403);
    expect(textOf(reply)).toContain('csrf_failed');
    expect(agent.cookies.has('console_session')).toBe(false);
    expect(callbackOf(await agent.get(authorizationPath({ prompt: 'none' }))).get('error')).toBe(
      'login_required',
    );
  });

  test('without Origin and fetch metadata the token alone decides', async () => {
    const agent = newAgent();
    const page = await open(agent);
    const [form] = formsOf(page.body);
    const body = new URLSearchParams({ ...form!.hidden, ...admin }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const reply = await agent.send('POST', new URL(form!.action, page.url).href, { headers, body });
    expect(reply.status).toBe(303);
  });

  test.each([
    ['JSON', 'application/json', JSON.stringify(admin), 400],
    ['a repeated name', 'application/x-www-form-urlencoded', 'username=ada&username=eve&password=p', 400],
    ['a body without end', 'application/x-www-form-urlencoded', `username=${'u'.repeat(70_000)}`, 413],
  ])('%s is refused', async (_name, type, body, status) => {
    const agent = newAgent();
    const [form] = formsOf((await open(agent)).body);
    const reply = await agent.send('POST', form!.action, { headers: { 'content-type': type }, body });
    expect(reply.status).toBe(status);
  });
});

describe('an interaction address (S31)', () => {
  test.each(['GET', 'POST'])('%s in another browser is 403 csrf_failed (S31)', async (method) => {
    const page = await pages['/login/:uid']!(newAgent());
    const [form] = formsOf(page.body);
    const other = newAgent();
    const own = formsOf((await other.get('/login')).body)[0]!;
    const reply =
      method === 'GET'
        ? await other.get(page.url)
        : await other.post(form!.action, { ...own.hidden, ...admin });
    expect(reply.status).toBe(403);
    expect(textOf(reply)).toContain('csrf_failed');
    expect(textOf(reply)).toContain('Start it again from the application');
    expect(other.cookies.has('console_session')).toBe(false);
  });

  test('a victim cannot be led into a sign-in that somebody else began (S31)', async () => {
    const attacker = newAgent();
    const begun = await attacker.get(authorizationPath());
    const victim = newAgent();
    await victim.signIn();
    const resume = begun.headers.location!.replace('/login/', '/oauth2/authorize/');
    const reply = await victim.get(resume);
    expect([reply.status, reply.headers.location]).toEqual([400, undefined]);
    expect(titleOf(reply)).toBe('Problem: This sign-in is over');
  });

  test.each(['/login/callback', '/login/callback/consent', '/login/nothing', '/login/saml'])(
    '%s is no sign-in that could be taken over',
    async (path) => {
      expect((await newAgent().get(path)).status).toBeGreaterThanOrEqual(403);
    },
  );
});

describe('where a sign-in ends (S35)', () => {
  const targets = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '\\\\evil.example',
    'javascript:1',
  ];
  const names = ['return_to', 'returnTo', 'next', 'redirect', 'redirect_uri', 'continue', 'url', 'target'];

  test.each(targets)('%s in any parameter is not followed (S35)', async (target) => {
    const agent = newAgent();
    const query = new URLSearchParams(names.map((name) => [name, target]));
    const page = await agent.get(`/login?${query}`);
    expect(page.body).not.toContain('evil.example');
    const reply = await agent.post(`/login?${query}`, {
      ...formsOf(page.body)[0]!.hidden,
      ...Object.fromEntries(names.map((name) => [name, target])),
      ...admin,
    });
    expect([reply.status, reply.headers.location]).toEqual([303, '/']);
    expect((await agent.get(`/login?${query}`)).headers.location).toBe('/');
  });
});

describe('cookies (S33)', () => {
  const own = (lines: readonly string[]) => lines.map((line) => line.split('; '));

  test('HttpOnly, SameSite=Lax, Path=/, no Domain, and gone with the browser (S33)', async () => {
    const agent = newAgent();
    const page = await agent.get('/login');
    const reply = await agent.submit(page, admin);
    const lines = own([...page.setCookies, ...reply.setCookies]);
    expect(lines.map(([pair]) => pair!.split('=')[0]).sort()).toEqual([
      'console_browser',
      'console_csrf',
      'console_session',
      'console_session.sig',
    ]);
    for (const [pair, ...attributes] of lines) {
      expect(attributes.map((text) => text.toLowerCase()).sort()).toEqual([
        // That somebody has signed in by this browser outlives it (B9).
        ...(pair!.startsWith('console_browser=') ? [expect.stringMatching(/^expires=/)] : []),
        'httponly',
        'path=/',
        'samesite=lax',
      ]);
    }
  });

  test('those of one sign-in are limited to it in time and place (S33)', async () => {
    const agent = newAgent();
    const begun = await agent.get(authorizationPath());
    const lines = own(begun.setCookies);
    expect(lines).toHaveLength(4);
    for (const [, ...attributes] of lines) {
      const text = attributes.join('; ').toLowerCase();
      expect(text).toMatch(/path=\/(login|oauth2\/authorize)\/[\w-]{43}; /);
      expect(text).toContain('httponly');
      expect(text).toContain('samesite=lax');
      expect(text).not.toContain('domain');
    }
  });

  test.each(['console_session', 'console_session.sig'])('%s twice is no session (S33)', async (name) => {
    const agent = newAgent();
    await agent.signIn();
    const cookie = [...agent.cookies].map(([key, { value }]) => `${key}=${value}`).join('; ');
    expect((await newAgent().get('/', { cookie })).status).toBe(200);
    const twice = [
      `${cookie}; ${name}=other`,
      `${name}=other; ${cookie}`,
      `${cookie}; ${name}=${agent.cookies.get(name)!.value}`,
    ];
    for (const header of twice) {
      expect((await newAgent().get('/', { cookie: header })).headers.location).toBe('/login');
      const silent = await newAgent().get(authorizationPath({ prompt: 'none' }), { cookie: header });
      expect(callbackOf(silent).get('error')).toBe('login_required');
    }
  });

  describe('over HTTPS', () => {
    let directory: string;
    let secure: RunningConsole;
    let ca: string;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'console-tls-'));
      const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
      const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
      const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
      execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, ...subject], {
        stdio: 'ignore',
      });
      ca = await readFile(cert, 'utf8');
      const port = await freePort();
      const env = { CONSOLE_URL: `https://localhost:${port}`, CONSOLE_TLS_CERT: cert, CONSOLE_TLS_KEY: key };
      secure = await startConsole({ port, env });
    });
    afterAll(async () => {
      await secure?.stop();
      await rm(directory, { recursive: true, force: true });
    });

    test('__Host- and Secure, HSTS, and the sign-in works (S33, S51)', async () => {
      const agent = createUserAgent(secure.url, { ca });
      const page = await agent.get('/login');
      const reply = await agent.submit(page, admin);
      const lines = own([...page.setCookies, ...reply.setCookies]);
      expect(lines.map(([pair]) => pair!.split('=')[0]).sort()).toEqual([
        '__Host-console_browser',
        '__Host-console_csrf',
        '__Host-console_session',
        '__Host-console_session.sig',
      ]);
      for (const [, ...attributes] of lines) {
        const text = attributes.map((attribute) => attribute.toLowerCase()).sort();
        expect(text.filter((attribute) => !attribute.startsWith('expires='))).toEqual([
          'httponly',
          'path=/',
          'samesite=lax',
          'secure',
        ]);
      }
      expect(page.headers['strict-transport-security']).toBe('max-age=31536000');
      expect((await agent.get('/account')).status).toBe(200);
    });

    test('the cookies of one sign-in are __Secure-, as they have a path (S33)', async () => {
      const agent = createUserAgent(secure.url, { ca });
      const begun = await agent.get(authorizationPath());
      for (const line of begun.setCookies) expect(line).toMatch(/^__Secure-console_\w+(\.sig)?=.*; secure/);
      const end = await agent.follow(await agent.submit(await agent.follow(begun), admin));
      expect(callbackOf(end).get('iss')).toBe(secure.url);
    });
  });
});

test('the token of a machine opens no page and is nobody at userinfo (S14)', async () => {
  const headers = { authorization: `Bearer ${await machineToken(console)}` };
  const home = await newAgent().get('/', headers);
  expect([home.status, home.headers.location]).toEqual([303, '/login']);
  const info = await newAgent().get('/userinfo', headers);
  expect(info.status).toBe(403);
});

describe('what pages are sent with (S51)', () => {
  const visits: Record<string, (agent: UserAgent) => Promise<Reply>> = {
    ...pages,
    '/': (agent) => agent.signIn(),
    '/connect/logout': async (agent) => {
      await agent.signIn();
      return agent.get('/connect/logout');
    },
    '/connect/logout/success': (agent) => agent.get('/connect/logout/success'),
    'an error': (agent) => agent.get('/nothing-here'),
    'a refused request': (agent) => agent.get(authorizationPath({ client_id: 'nobody' })),
  };

  test.each(Object.keys(visits))('%s (S51)', async (name) => {
    const page = await visits[name]!(newAgent());
    const policy = String(page.headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        name === '/' ? "script-src 'self'" : "script-src 'none'",
        "object-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy.find((directive) => directive.startsWith('form-action'))).toBe(
      name === '/login/:uid' ? "form-action 'self' http://localhost:9021" : "form-action 'self'",
    );
    expect(page.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    const ownFiles = /<script src="\/static\/[a-z]+\.js\?v=[\w-]+" defer><\/script>/g;
    expect(page.body.replace(ownFiles, '')).not.toMatch(/<script|<style|\son\w+=|style="/);
  });

  test('what was typed is shown escaped (S52)', async () => {
    const agent = newAgent();
    const name = '"><script>alert(1)</script>';
    const reply = await agent.submit(await agent.get('/login'), { username: name, password: 'p' });
    expect(reply.body).not.toContain('<script');
    expect(reply.body).toContain('&quot;>&lt;script>');
  });

  test.each(['/', '/login', '/setup', '/connect/logout', '/static/style.css', '/oauth2/authorize'])(
    'HEAD %s answers like GET, without a body and without harm',
    async (path) => {
      const agent = newAgent();
      const [get, head] = [await agent.get(path), await agent.send('HEAD', path)];
      expect([head.status, head.body]).toEqual([get.status, '']);
    },
  );

  test.each([
    ['PUT', '/login'],
    ['DELETE', '/'],
    ['GET', '/account/password'],
    ['GET', '/connect/logout/confirm'],
  ])('%s %s is 405 with Allow (S50)', async (method, path) => {
    const reply = await newAgent().send(method, path);
    expect(reply.status).toBe(405);
    expect(reply.headers.allow).toBeTruthy();
  });
});

test('no redirect of a sign-in or sign-out may be stored (S51) (D9)', async () => {
  const agent = newAgent();
  const redirects: Reply[] = [];
  const recorded = (reply: Reply) => {
    if (reply.status === 303) redirects.push(reply);
    return reply;
  };
  recorded(await agent.get('/account'));
  recorded(await agent.submit(await agent.get('/login'), admin));
  const start = recorded(await newAgent().get(authorizationPath()));
  expect(start.headers.location).toMatch(/^\/login\/|\/login\/[\w-]+$/);
  // Signed in already: the code goes out at once.
  recorded(await agent.get(authorizationPath()));
  const other = newAgent();
  const page = await other.follow(await other.get(authorizationPath()));
  const resume = recorded(await other.submit(page, admin));
  recorded(await other.get(resume.headers.location!));
  recorded(await other.submit(await other.get('/connect/logout'), {}));
  expect(redirects.length).toBeGreaterThanOrEqual(6);
  for (const { url, headers } of redirects)
    expect([url, headers['cache-control']]).toEqual([url, 'no-store']);
});
