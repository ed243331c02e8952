/** Every management page and every form that the administrator is led to, for everybody else: nothing is shown, changed or told that is not theirs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { siteMap } from '../../console/pages/site-map.ts';
import type { RunningConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personPassword,
  personWith,
  startWithAdmin,
} from '../helpers/management.ts';
import { createUserAgent, formsOf, textOf, type UserAgent } from '../helpers/user-agent.ts';

/** In names that only administrators may read. */
const secretName = 'Zebra <b>Crossing</b>';
/** Of one shape, so many pages are looked at. */
const mostOfShape = 2;
const mostPages = 400;
/** Files are read before the token that comes with them: these have tests of their own. */
const uploads = /\/(?:logo|value)$/;
/** What looks at members anew is a question, which a Viewer may ask. */
const asking = '/observe/health';
/** What anybody who is signed in may do for themselves. */
const own = /^\/(?:account|connect|language|settings\/start)(?:\/|$)/;

interface FoundForm {
  readonly page: string;
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
  /** What is typed or chosen. */
  readonly fields: readonly string[];
}

let console: RunningConsole;
let ada: UserAgent;
const others = new Map<string, UserAgent>();
let pages: readonly string[] = [];
let forms: readonly FoundForm[] = [];

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
  ({ pages, forms } = await crawl());
}, 120_000);
afterAll(() => console?.stop());

/** Ids and keys in the path make no other page. */
function shapeOf(href: string): string {
  const [path = '', query = ''] = href.split('?');
  const names = [...new URLSearchParams(query)].map(([name, value]) =>
    name === 'do' ? `do=${value}` : name,
  );
  return `${path.replace(/[^/]*[\d.:%_][^/]*/g, '*')}?${names.sort().join('&')}`;
}

/** From every page of the map, along the links. */
async function crawl(): Promise<{ pages: readonly string[]; forms: readonly FoundForm[] }> {
  const waiting = [
    ...siteMap.flatMap(({ href, pages: some }) => [href, ...some.map((page) => page.href)]),
    ...[
      '/cluster/maps/orders/a1',
      '/cluster/queues/jobs',
      // Where what is selected leads.
      '/access/users?do=disable&pick%3Agrace=on',
      '/access/users?do=remove&pick%3Agrace=on',
      '/access/users?do=end-sessions&all=true',
      '/access/clients?do=enable&pick%3Abilling=on',
      '/access/applications?do=remove&pick%3Awiki=on',
      '/access/roles?do=remove&pick%3ANarrow=on',
      '/access/sessions?do=end&all=true',
      '/access/clients/billing',
      '/settings/api/console',
    ],
  ];
  const shapes = new Map<string, number>();
  const seen = new Set<string>();
  const found = new Map<string, FoundForm>();
  for (let href = waiting.shift(); href !== undefined && seen.size < mostPages; href = waiting.shift()) {
    const shape = shapeOf(href);
    const count = shapes.get(shape) ?? 0;
    if (seen.has(href) || count >= mostOfShape || /^\/(?:static|api|language|connect)\//.test(href)) continue;
    shapes.set(shape, count + 1);
    seen.add(href);
    const page = await ada.get(href);
    if (page.status === 303) continue;
    expect([href, page.status]).toEqual([href, 200]);
    if (!page.headers['content-type']?.startsWith('text/html')) continue;
    for (const { action, hidden: own, acts } of formsOf(page.body)) {
      const fields = fieldsOf(page.body, action);
      // Of several buttons the first: all of a list are of one operation.
      const hidden = acts[0] === undefined ? own : { ...own, do: acts[0] };
      if (hidden.csrf !== undefined)
        found.set(`${shapeOf(action)} ${hidden.do}`, { page: href, action, hidden, fields });
    }
    for (const [, link = ''] of page.body.matchAll(/<a\b[^>]* href="(\/[^"#]*)/g))
      waiting.push(link.replaceAll('&amp;', '&'));
  }
  return {
    pages: [...seen],
    forms: [...found.values()].filter(({ action }) => !own.test(action) && !uploads.test(action)),
  };
}

/** Of all forms of a page that go to one address: one that does not know a field passes over it. */
function fieldsOf(html: string, action: string): readonly string[] {
  const own = html
    .split('<form')
    .filter((part) => part.includes(`action="${action.replaceAll('&', '&amp;')}"`));
  const named = own.flatMap((part) => [
    ...part.split('</form>')[0]!.matchAll(/<(?:input|textarea|select)\b([^>]*)/g),
  ]);
  const visible = named
    .map(([, attributes = '']) => attributes)
    .filter((attributes) => !attributes.includes('type="hidden"'));
  return [...new Set(visible.flatMap((attributes) => / name="([^"]*)"/.exec(attributes)?.[1] ?? []))];
}

/** All that a form could have changed. */
async function stored(): Promise<unknown> {
  const read = (path: string) => callApi(console, 'GET', path);
  const lists = [
    '/users',
    '/roles',
    '/clients',
    '/applications',
    '/identity-providers',
    '/keys',
    '/jobs',
    '/backups',
  ];
  const { items } = (await read('/maps/orders/entries/a1').then((entry) => ({ items: entry }))) as {
    items: unknown;
  };
  const all = await Promise.all(lists.map((path) => read(`${path}?limit=200`)));
  const queue = await read('/queues/jobs');
  // A person who signs in is another version of themselves.
  return JSON.parse(
    JSON.stringify([items, all, queue], (name, value) =>
      [
        'lastSignInAt',
        'lastUsedAt',
        'lastUsedFrom',
        'tokensLastHour',
        'updatedAt',
        'lastCallOn',
        'sources',
        // Figures of the last hour.
        'callsPerSecond',
        'hitShare',
        'meanValueBytes',
        'offersPerSecond',
        'pollsPerSecond',
        'pollsWaiting',
      ].includes(name)
        ? undefined
        : value,
    ),
  );
}

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
    ['control characters', 'a\u0000b\u0007\u001b[31m\r\nSet-Cookie: a=b'],
    ['a path', '../../etc/passwd%00'],
    ['nothing', ''],
  ])(
    'with %s in every field is answered by a page, and nothing of it is markup (S52)',
    async (what, text) => {
      const name = `hostile-${what.replaceAll(/\W+/g, '-')}`;
      let agent = await personWith(console, name, ['Admin']);
      for (const { page, action, hidden, fields } of forms) {
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
