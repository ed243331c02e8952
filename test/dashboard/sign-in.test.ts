import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineToken, waitFor } from '../helpers/console.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';
import { addPerson, type Pair, people, startDashboard, startPair } from './support.ts';

let pair: Pair;

beforeAll(async () => {
  pair = await startPair();
  await addPerson(pair.console, people.viewer);
  await addPerson(pair.console, people.metricsViewer);
  await addPerson(pair.console, people.nobody);
});
afterAll(() => pair.stop());

/** Its port is part of the name: localhost has one jar for all of them. */
const sessionCookie = () => `dashboard_session_${new URL(pair.dashboard.url).port}`;

describe('the way in', () => {
  test('code, PKCE, state and nonce; a session cookie of an own name; a new id with every sign-in', async () => {
    const visit = newBrowser();
    const toConsole = await visit.toConsole();
    expect(Object.fromEntries(toConsole.searchParams)).toMatchObject({
      client_id: 'application-dashboard',
      response_type: 'code',
      redirect_uri: `${pair.dashboard.url}/login/callback`,
      scope: 'openid profile email offline_access',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    const callback = await visit.atConsole(toConsole, people.admin);
    const signedIn = await visit.dashboard.get(callback);
    expect([signedIn.status, signedIn.headers.location]).toEqual([303, '/']);
    expect(signedIn.setCookies).toEqual([
      expect.stringMatching(/^dashboard_session_\d+=[\w-]{32}; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const first = visit.dashboard.cookies.get(sessionCookie())?.value;

    const page = await visit.dashboard.get('/');
    expect(textOf(page)).toContain('Cluster healthy');
    await visit.signInAgain();
    const second = visit.dashboard.cookies.get(sessionCookie())?.value;
    expect(second).not.toBe(first);
    const old = await newBrowser().dashboard.get('/', { cookie: `${sessionCookie()}=${first}` });
    expect(old.headers.location).toBe('/login');
  });

  test.each<[string, (callback: URL, visit: BrowserSession) => Promise<Reply>]>([
    ['another browser (S43)', (callback) => newBrowser().dashboard.get(callback.href)],
    [
      'a state that nobody gave (S43)',
      (callback, { dashboard }) => dashboard.get(changed(callback, 'state', 'other')),
    ],
    ['no state (S43)', (callback, { dashboard }) => dashboard.get(changed(callback, 'state', undefined))],
    [
      'another iss (S43)',
      (callback, { dashboard }) => dashboard.get(changed(callback, 'iss', 'http://other.example')),
    ],
    ['no iss (S43)', (callback, { dashboard }) => dashboard.get(changed(callback, 'iss', undefined))],
    [
      'a code that was not given',
      (callback, { dashboard }) => dashboard.get(changed(callback, 'code', 'x'.repeat(43))),
    ],
    [
      'the answer at the silent address',
      (callback, { dashboard }) => dashboard.get(`/login/callback${callback.search}&code=again`),
    ],
    [
      'an answer of the silent address',
      async (_callback, visit) => {
        const silent = await visit.dashboard.get('/login/silent');
        const answer = new URL(silent.headers.location!).searchParams;
        return visit.dashboard.get(`/login/callback?code=a&state=${answer.get('state')}`);
      },
    ],
  ])('refuses %s, and nobody is signed in', async (_name, send) => {
    const visit = newBrowser();
    const callback = await visit.atConsole(await visit.toConsole(), people.admin);
    const reply = await send(new URL(callback), visit);
    expect([reply.status, titleOf(reply)]).toEqual([400, 'The sign-in did not succeed']);
    expect(reply.setCookies.join()).not.toContain('dashboard_session');
    expect(visit.dashboard.cookies.has(sessionCookie())).toBe(false);
  });

  test('an answer works once (S43)', async () => {
    const visit = newBrowser();
    const callback = await visit.atConsole(await visit.toConsole(), people.admin);
    expect((await visit.dashboard.get(callback)).status).toBe(303);
    expect((await visit.dashboard.get(callback)).status).toBe(400);
  });

  test("the console's error is shown, and not as markup", async () => {
    const visit = newBrowser();
    const state = (await visit.toConsole()).searchParams.get('state');
    const answer = new URLSearchParams({
      error: 'access_denied',
      error_description: '<b>no</b>',
      state: state!,
      iss: pair.console.url,
    });
    const reply = await visit.dashboard.get(`/login/callback?${answer}`);
    expect(reply.status).toBe(400);
    expect(textOf(reply)).toContain('The console answered "access_denied" (<b>no</b>).');
    expect(reply.body).not.toContain('<b>no');
  });

  test('who is signed in at the console is signed in here without a page', async () => {
    const visit = newBrowser();
    await visit.console.signIn(people.admin);
    const callback = await visit.console.follow(await visit.console.get((await visit.toConsole()).href));
    expect(callback.headers.location).toContain(`${pair.dashboard.url}/login/callback?code=`);
  });
});

describe('what a role sees', () => {
  test('an administrator: everything, and may offer items', async () => {
    const { dashboard } = await newBrowser().signedIn(people.admin);
    const done = await dashboard.submit(
      await dashboard.get('/'),
      { item: 'a job' },
      { action: '/queues/offer' },
    );
    expect(done.status).toBe(303);
    expect(textOf(await dashboard.get('/'))).toContain('1 item');
  });

  test('a viewer: queue sizes, and is told which role may offer items', async () => {
    const { dashboard } = await newBrowser().signedIn(people.viewer);
    const page = await dashboard.get('/');
    expect(textOf(page)).toMatch(/jobs .* items? /);
    expect(textOf(page)).toContain('The role Admin may offer items.');
    expect(page.body).not.toContain('action="/queues/offer"');
    const forced = await dashboard.post('/queues/offer', { csrf: csrfOf(page), queue: 'jobs', item: 'x' });
    expect(forced.status).toBe(403);
    expect(textOf(forced)).toContain('Nothing was offered to jobs. This call needs the scope svc:data:write');
    expect(textOf(forced)).toContain('The role Admin opens it.');
  });

  test('a metrics viewer: health and members; for queues the role that opens them, in the words of the console', async () => {
    const { dashboard } = await newBrowser().signedIn(people.metricsViewer);
    const text = textOf(await dashboard.get('/'));
    expect(text).toContain('Cluster healthy');
    expect(text).toContain('127.0.0.1:');
    expect(text).toContain(
      'The role Viewer opens this. This call needs the scope svc:data:read or a role that includes it.',
    );
    const decision = /href="([^"]*\/observe\/decisions\/[^"]+)"/.exec((await dashboard.get('/')).body)?.[1];
    expect(decision).toMatch(new RegExp(`^${pair.console.url}/observe/decisions/[\\w.-]{10,}$`));
    expect(text).toContain("the console's record of this call, what it lacked, and what would open it");
  });

  test('somebody without a role: nothing but the roles that open it', async () => {
    const { dashboard } = await newBrowser().signedIn(people.nobody);
    const page = await dashboard.get('/');
    expect([page.status, textOf(page)]).toEqual([
      200,
      expect.stringContaining('The role MetricsViewer opens this.'),
    ]);
    expect(page.body).not.toContain('<svg');
    expect(textOf(await dashboard.get('/account'))).toContain('Roles None');
  });

  test('what a token does not open is asked for once with it, not with every look', async () => {
    const known = denials().find(({ method }) => method === 'POST')?.actor;
    const person = { ...people.metricsViewer, username: 'mona' };
    await addPerson(pair.console, person);
    const { dashboard } = await newBrowser().signedIn(person);
    for (const queue of ['first', 'second']) {
      await dashboard.submit(await dashboard.get('/'), { queue }, { action: '/queues/watch' });
    }
    const csrf = csrfOf(await dashboard.get('/'));
    await dashboard.post('/queues/offer', { csrf, queue: 'jobs', item: 'the last call' });
    const isNewOffer = ({ method, actor }: Record<string, unknown>) => method === 'POST' && actor !== known;
    const last = await waitFor(() => denials().findLast(isNewOffer), 'the last error');
    const own = denials().filter(({ actor, method }) => actor === last.actor && method === 'GET');
    expect(own).toHaveLength(['jobs', 'first', 'second'].length);
  });
});

describe('forms', () => {
  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['no token (S31)', { csrf: '' }, {}],
    ['the token of another session (S31)', { csrf: 'x'.repeat(32) }, {}],
    ['another origin (S31)', {}, { origin: 'http://other.example' }],
    ['an origin of null (S31)', {}, { origin: 'null' }],
    ['another site (S31)', {}, { 'sec-fetch-site': 'cross-site' }],
  ])('are refused with %s, and nothing changes', async (_name, fields, headers) => {
    const { dashboard } = await newBrowser().signedIn(people.viewer);
    const csrf = csrfOf(await dashboard.get('/'));
    const watch = await dashboard.post('/queues/watch', { csrf, queue: 'others', ...fields }, headers);
    expect([watch.status, titleOf(watch)]).toEqual([403, 'The form could not be trusted']);
    const logout = await dashboard.post('/logout', { csrf, ...fields }, headers);
    expect(logout.status).toBe(403);
    const page = await dashboard.get('/');
    expect(page.status).toBe(200);
    expect(textOf(page)).not.toContain('others');
  });

  test('a queue can be shown and hidden; its name is escaped (S52)', async () => {
    const { dashboard } = await newBrowser().signedIn(people.viewer);
    const name = '<i>a/b</i>';
    await dashboard.submit(await dashboard.get('/'), { queue: name }, { action: '/queues/watch' });
    const page = await dashboard.get('/');
    expect(page.body).toContain(
      `<a href="${pair.console.url}/cluster/queues/${encodeURIComponent(name)}">&lt;i>a/b&lt;/i></a>`,
    );
    expect(page.body).not.toContain('<i>');
    await dashboard.post('/queues/hide', { csrf: csrfOf(page), queue: name });
    expect(textOf(await dashboard.get('/'))).not.toContain('a/b');
  });

  test('an entry of a map can be shown and hidden; map, key and value are escaped (S52)', async () => {
    const { dashboard } = await newBrowser().signedIn(people.admin);
    const entry = { map: 'notes', key: '<i>1/2</i>' };
    const show = async (shown: Record<string, string>) =>
      dashboard.submit(await dashboard.get('/'), shown, { action: '/entries/watch' });
    expect((await show(entry)).status).toBe(303);
    expect(textOf(await dashboard.get('/'))).toContain('The map has no entry of this key.');
    await put(`notes/${encodeURIComponent(entry.key)}`, '<i>a note</i>');
    const page = await looksUntil(dashboard, '<i>a note</i>');
    expect(textOf(page)).toContain('<i>a note</i> text/plain, 13 bytes');
    expect(page.body).not.toContain('<i>');
    expect(page.body).toContain(`${pair.console.url}/cluster/maps/notes/${encodeURIComponent(entry.key)}`);
    const refused = await show({ map: 'notes', key: 'a\u0000b' });
    expect([refused.status, textOf(refused)]).toEqual([400, expect.stringContaining('visible characters')]);
    await dashboard.post('/entries/hide', { csrf: csrfOf(page), ...entry });
    expect(textOf(await dashboard.get('/'))).not.toContain('a note');
  });

  test('an entry that is a number has a plot; a large one and one of bytes are opened at the console', async () => {
    const { dashboard } = await newBrowser().signedIn(people.viewer);
    await put('numbers/stock', '1200.5');
    await put('numbers/large', 'x'.repeat(100_000));
    await put('numbers/bytes', Uint8Array.of(0, 255, 1));
    for (const key of ['stock', 'large', 'bytes'])
      await dashboard.submit(await dashboard.get('/'), { map: 'numbers', key }, { action: '/entries/watch' });
    const page = await looksUntil(dashboard, '1,200.5');
    expect(page.body).toContain('aria-label="numbers / stock, now 1200.5, between 1200.5 and 1200.5"');
    expect(textOf(page)).toContain('100,000 bytes; open it at the console to see it');
    expect(textOf(page)).toContain('3 bytes; open it at the console to see it');
  });

  test('the period of the plots stays until another one is chosen', async () => {
    const { dashboard } = await newBrowser().signedIn(people.viewer);
    const chosen = async (path: string) =>
      /href="\/\?period=(\w+)" aria-current/.exec((await dashboard.get(path)).body)?.[1];
    expect(await chosen('/')).toBe('5min');
    expect(await chosen('/?period=24h')).toBe('24h');
    expect(await chosen('/')).toBe('24h');
    expect(await chosen('/?period=century')).toBe('5min');
  });

  test('a form of more than 64 KiB is refused', async () => {
    const { dashboard } = await newBrowser().signedIn(people.viewer);
    const reply = await dashboard.post('/queues/watch', {
      csrf: csrfOf(await dashboard.get('/')),
      queue: 'x'.repeat(70_000),
    });
    expect(reply.status).toBe(413);
  });
});

describe('pages', () => {
  test('every page has the headers (S51)', async () => {
    const { dashboard } = await newBrowser().signedIn(people.viewer);
    for (const path of ['/', '/account', '/nothing', '/silent-refresh.html']) {
      const { headers } = await dashboard.get(path);
      const policy = headers['content-security-policy'];
      expect(policy, path).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy, path).toContain(
        path.endsWith('.html') ? "frame-ancestors 'self'" : "frame-ancestors 'none'",
      );
      expect(headers, path).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
      });
    }
  });

  test('a session cookie that is there twice is none (S33)', async () => {
    const { dashboard } = await newBrowser().signedIn(people.viewer);
    const id = dashboard.cookies.get(sessionCookie())?.value;
    const twice = await newBrowser().dashboard.get('/', {
      cookie: `${sessionCookie()}=${id}; ${sessionCookie()}=${id}`,
    });
    expect(twice.headers.location).toBe('/login');
  });

  test('a forged Host moves nothing; another spelling of loopback is led to the address (S24)', async () => {
    const { dashboard } = newBrowser();
    const forged = await dashboard.get('/login', { host: 'evil.example' });
    expect(new URL(forged.headers.location!).searchParams.get('redirect_uri')).toBe(
      `${pair.dashboard.url}/login/callback`,
    );
    const malformed = await dashboard.get('/?state=x', { host: 'a@b[' });
    expect(malformed.headers.location).toBe('/login');
    const spelled = await dashboard.get('/account', {
      host: new URL(pair.dashboard.url).host.replace('localhost', '127.0.0.1'),
    });
    expect(spelled.headers.location).toBe(`${pair.dashboard.url}/`);
  });
});

describe('the way out', () => {
  test('signing out here ends the session at the console, by the ID token', async () => {
    const visit = await newBrowser().signedIn(people.admin);
    expect((await visit.console.get('/account')).status).toBe(200);
    const out = await visit.dashboard.submit(await visit.dashboard.get('/'), {}, { action: '/logout' });
    const { searchParams, pathname } = new URL(out.headers.location!);
    expect(pathname).toBe('/connect/logout');
    expect(searchParams.get('post_logout_redirect_uri')).toBe(`${pair.dashboard.url}/`);
    const back = await visit.console.get(out.headers.location!);
    expect([back.status, back.headers.location]).toEqual([303, `${pair.dashboard.url}/?state=signed-out`]);
    expect(titleOf(await visit.dashboard.get(back.headers.location!))).toBe('Signed out');
    expect((await visit.dashboard.get('/')).headers.location).toBe('/login');
    expect(titleOf(await visit.console.follow(await visit.console.get('/account')))).toMatch(/Sign in/);
  });

  test('signing out at the console ends the session here with the next look', async () => {
    const visit = await newBrowser().signedIn(people.viewer);
    expect((await visit.dashboard.get('/')).status).toBe(200);
    const question = await visit.console.follow(await visit.console.get('/connect/logout'));
    await visit.console.submit(question);
    const address = async () => (await visit.dashboard.get('/')).headers.location;
    await expect.poll(address, { timeout: 5_000 }).toBe('/login');
  });

  test('signing out at the console is told on the back channel, and only this sign-in ends', async () => {
    const visit = await newBrowser().signedIn(people.viewer);
    const other = await newBrowser().signedIn(people.viewer);
    const reported = () =>
      pair.dashboard.log().filter(({ msg }) => msg === 'signed out by the console').length;
    const before = reported();
    await visit.console.submit(await visit.console.follow(await visit.console.get('/connect/logout')));
    await waitFor(() => reported() > before, 'the logout token');
    expect((await visit.dashboard.get('/account')).headers.location).toBe('/login');
    expect((await other.dashboard.get('/account')).status).toBe(200);
  });
});

test('a stop answers what is under way and exits with 0', async () => {
  const dashboard = await startDashboard({ env: { APP_SECURITY_OPENIDP_ISSUERURL: pair.console.url } });
  await waitFor(() => dashboard.output().includes('ready'), 'ready');
  expect((await fetch(`${dashboard.url}/ready`)).status).toBe(200);
  expect(await dashboard.stop()).toBe(0);
});

test('neither tokens nor codes nor cookies are in the log (S85)', () => {
  expect(pair.dashboard.log().some(({ msg }) => msg === 'signed in')).toBe(true);
  expect(pair.dashboard.output()).not.toMatch(/eyJ[\w-]+\.eyJ|code=|dashboard_session_\d+=|state=/);
});

interface BrowserSession {
  /** One browser: its cookies at the dashboard and at the console. */
  readonly dashboard: UserAgent;
  readonly console: UserAgent;
  toConsole(): Promise<URL>;
  /** From the authorization request through the login page. @returns the callback address */
  atConsole(request: URL, person: { readonly username: string; readonly password: string }): Promise<string>;
  signInAgain(): Promise<void>;
  signedIn(person: { readonly username: string; readonly password: string }): Promise<BrowserSession>;
}

function newBrowser(): BrowserSession {
  const dashboard = createUserAgent(pair.dashboard.url);
  const console = createUserAgent(pair.console.url);
  const visit: BrowserSession = {
    dashboard,
    console,
    async toConsole() {
      const { headers } = await dashboard.get('/login');
      return new URL(headers.location!);
    },
    async atConsole(request, person) {
      const page = await console.follow(await console.get(request.href));
      const end = page.status === 200 ? await console.follow(await console.submit(page, person)) : page;
      return end.headers.location!;
    },
    async signInAgain() {
      const end = await console.follow(await console.get((await visit.toConsole()).href));
      await dashboard.get(end.headers.location!);
    },
    async signedIn(person) {
      const reply = await dashboard.get(await visit.atConsole(await visit.toConsole(), person));
      if (reply.headers.location !== '/') throw new Error(`not signed in: ${reply.status} ${reply.body}`);
      return visit;
    },
  };
  return visit;
}

function changed(address: URL, name: string, value: string | undefined): string {
  const copy = new URL(address);
  if (value === undefined) copy.searchParams.delete(name);
  else copy.searchParams.set(name, value);
  return copy.href;
}

/** An entry of a map, as a machine puts it. */
async function put(path: string, body: string | Uint8Array<ArrayBuffer>): Promise<void> {
  const response = await fetch(`${pair.console.url}/svc/rest/maps/${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await machineToken(pair.console)}`, 'Content-Type': 'text/plain' },
    body,
  });
  expect(response.status).toBe(200);
}

/** Looks within a second of each other are one. */
async function looksUntil(dashboard: UserAgent, text: string): Promise<Reply> {
  let page = await dashboard.get('/');
  const look = async () => {
    page = await dashboard.get('/');
    return textOf(page);
  };
  await expect.poll(look, { timeout: 5_000 }).toContain(text);
  return page;
}

function csrfOf({ body }: Reply): string {
  return /name="csrf" value="([\w-]+)"/.exec(body)![1]!;
}

/** Lines in the log of the console about calls that a token did not open. */
function denials(): Record<string, unknown>[] {
  return pair.console.log().filter(({ reason }) => reason === 'insufficient_scope');
}
