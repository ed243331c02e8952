/** Every management page and every form that the administrator is led to, for everybody else: nothing is shown, changed or told that is not theirs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personPassword,
  personWith,
  startWithAdmin,
} from '../helpers/management.ts';
import { createUserAgent, textOf, type UserAgent } from '../helpers/user-agent.ts';
import { storedIn, unlinked, type WalkedForm, walk } from '../helpers/walk.ts';

/** In names that only administrators may read. */
const secretName = 'Zebra <b>Crossing</b>';
/** What looks at members anew is a question, which a Viewer may ask. */
const asking = '/observe/health';
/** What anybody who is signed in may do for themselves. */
const own = /^\/(?:account|connect|language|settings\/start)(?:\/|$)/;

let console: RunningConsole;
let ada: UserAgent;
const others = new Map<string, UserAgent>();
let pages: readonly string[] = [];
let forms: readonly WalkedForm[] = [];

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  const change = (method: string, path: string, body?: object) => callApi(console, method, path, body);
  await change('POST', '/roles', {
    id: 'Narrow',
    permissions: ['svc:map:orders:read'],
    description: 'Reads orders',
  });
  await change('POST', '/users', { id: 'grace', displayName: secretName, roles: ['Narrow'] });
  await change('POST', '/clients', { id: 'billing', displayName: secretName, scopes: ['svc:health:read'] });
  await change('POST', '/applications', {
    id: 'wiki',
    displayName: secretName,
    redirectUris: ['https://wiki.example.com/callback'],
  });
  await change('POST', '/identity-providers', {
    id: 'corp',
    kind: 'oidc',
    name: 'Corp',
    issuer: 'https://id.example.com',
    clientId: 'console',
    clientSecret: 'a-secret-of-the-provider-that-nobody-reads',
    defaultRole: 'Viewer',
  });
  await change('PUT', '/maps/orders/entries/a1', { value: btoa('{"n":1}'), type: 'application/json' });
  await change('POST', '/queues/jobs/offer', { value: btoa('a job'), type: 'text/plain' });
  others.set('without a role', await personWith(console, 'nobody', []));
  others.set('MetricsViewer', await personWith(console, 'milo', ['MetricsViewer']));
  others.set('Viewer', await personWith(console, 'vera', ['Viewer']));
  others.set('a custom role', await personWith(console, 'nora', ['Narrow']));
  const walked = await walk(ada, unlinked, 2);
  pages = walked.pages;
  // Files are read before the token that comes with them: these have tests of their own.
  forms = walked.forms.filter(({ action, isUpload }) => !own.test(action) && !isUpload);
}, 120_000);
afterAll(() => console?.stop());

const stored = () => storedIn(console);

test('the administrator is led to every page of the map, and to a form for each kind of object', () => {
  expect(pages.length).toBeGreaterThan(80);
  expect(forms.length).toBeGreaterThan(40);
});

describe('a page', () => {
  test('leads who is not signed in to the sign-in, whatever it is, and says nothing', async () => {
    const stranger = createUserAgent(console.url);
    for (const href of pages) {
      const reply = await stranger.get(href);
      expect([href, reply.status, reply.headers.location?.startsWith('/login')]).toEqual([href, 303, true]);
      expect(reply.body).not.toContain('Zebra');
    }
  });

  test.each(['without a role', 'MetricsViewer', 'Viewer', 'a custom role'])(
    'is there or closed for somebody %s, and a closed one says what is missing and nothing else',
    async (who) => {
      const agent = others.get(who)!;
      const open = [];
      for (const href of pages) {
        const reply = await agent.get(href);
        expect([200, 303, 403, 404].includes(reply.status), `${href}: ${reply.status}`).toBe(true);
        // Files of the audit have names as they are, for who observes.
        if (who !== 'Viewer' || !href.startsWith('/observe/audit.'))
          expect(reply.body, href).not.toContain('<b>Crossing');
        if (reply.status === 200) open.push(href);
        if (reply.status === 403) expect(textOf(reply), href).toMatch(/role|scope|permission/i);
        if (who !== 'Viewer' || href.startsWith('/access') || href.startsWith('/settings'))
          expect(reply.body.includes('Zebra'), `${href} for ${who}`).toBe(false);
      }
      const closed = pages.length - open.length;
      expect([open.length > 0, closed > 40]).toEqual([true, true]);
    },
    60_000,
  );
});

describe('a form', () => {
  test('of nobody who is signed in, of another site, or without a token changes nothing (S31)', async () => {
    const before = await stored();
    for (const { action, hidden } of forms) {
      const stranger = createUserAgent(console.url);
      const alone = await stranger.post(action, hidden);
      expect([action, [303, 401, 403].includes(alone.status)]).toEqual([action, true]);
      if (alone.status === 303) expect(alone.headers.location).toMatch(/^\/login/);
      for (const { fields, headers } of foreignForms) {
        const foreign = await ada.post(action, { ...hidden, ...fields }, headers);
        expect([action, foreign.status]).toEqual([action, 403]);
      }
    }
    expect(await stored()).toEqual(before);
  }, 60_000);

  test.each(['without a role', 'MetricsViewer', 'Viewer', 'a custom role'])(
    'is refused to somebody %s, with a page that says so, and nothing is changed',
    async (who) => {
      const agent = others.get(who)!;
      const csrf = hiddenIn(await agent.get('/account'), 'csrf')!;
      const before = await stored();
      for (const { action, hidden } of forms) {
        const reply = await agent.post(action, { ...hidden, csrf, typed_name: action.split('/').at(-1)! });
        // Who may read values may have them read, and pins what is theirs.
        if (who === 'Viewer' && (action === asking || ['pin', 'get'].includes(hidden.do!))) continue;
        expect([action, hidden.do, [403, 404].includes(reply.status)]).toEqual([action, hidden.do, true]);
        expect(reply.body).not.toContain('<b>Crossing');
      }
      expect(await stored()).toEqual(before);
    },
    60_000,
  );

  test('of a session that has ended meanwhile leads to the sign-in, and changes nothing', async () => {
    const late = await personWith(console, 'late', ['Admin']);
    const csrf = hiddenIn(await late.get('/account'), 'csrf')!;
    await callApi(console, 'POST', '/users/late/end-sessions');
    const before = await stored();
    for (const { action, hidden } of forms) {
      const reply = await late.post(action, { ...hidden, csrf });
      expect([action, reply.status, reply.headers.location?.startsWith('/login')]).toEqual([
        action,
        303,
        true,
      ]);
    }
    expect(await stored()).toEqual(before);
  }, 60_000);

  test.each([
    ['markup', '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>'],
    ['1,000 characters', 'x'.repeat(1000)],
    ['writing from right to left', '\u202eليلى مديرة\u202c'],
    ['a family', '👩‍👩‍👧‍👦'],
    ['control characters', 'ab\u0007\u001b[31m\r\nSet-Cookie: a=b'],
    ['control characters and a NUL', 'a\u0000b\u0007\u001b[31m\r\nSet-Cookie: a=b'],
    ['a path', '../../etc/passwd%00'],
    ['nothing', ''],
  ])(
    'with %s in every field is answered by a page, and nothing of it is markup (S52)',
    async (what, text) => {
      const name = `hostile-${what.replaceAll(/\W+/g, '-')}`;
      let agent = await personWith(console, name, ['Admin']);
      for (const { page, action, hidden, typed: fields } of forms) {
        const typed = Object.fromEntries(fields.map((field) => [field, text]));
        let csrf = hiddenIn(await agent.get('/account'), 'csrf');
        if (csrf === undefined) {
          // One of these forms has ended the session.
          agent = createUserAgent(console.url);
          await agent.signIn({ username: name, password: personPassword });
          csrf = hiddenIn(await agent.get('/account'), 'csrf');
        }
        const reply = await agent.post(action, { ...hidden, ...typed, csrf: csrf! });
        // 502: what the member has said, which has this group of calls switched off.
        expect([page, action, hidden.do, reply.status]).not.toContain(500);
        expect(reply.headers['content-type'] ?? 'text/html', action).toContain('text/html');
        expect(reply.body, action).not.toContain('<script>alert');
        expect(reply.headers['set-cookie']?.toString() ?? '', action).not.toContain('a=b');
      }
    },
    120_000,
  );
});
