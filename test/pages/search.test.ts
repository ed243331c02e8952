/** `/observe/search` in a browser without script: everything that one may see, by name, id, or what is to be done. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineToken, type RunningConsole } from '../helpers/console.ts';
import { callApi, personWith, startWithAdmin } from '../helpers/management.ts';
import { createUserAgent, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  await callApi(console, 'POST', '/clients', { id: 'billing', scopes: ['svc:map:orders:read'] });
  await callApi(console, 'POST', '/users', { id: 'orson', displayName: 'Orson <b>Welles</b>' });
  await callApi(console, 'POST', '/roles', { id: 'OrdersReader', permissions: ['svc:map:orders:read'] });
}, 30_000);
afterAll(() => console?.stop());

const searchHref = (text: string, go = '') => `/observe/search?q=${encodeURIComponent(text)}${go}`;
const enter = async (agent: UserAgent, text: string) => agent.get(searchHref(text, '&go=best'));
/** Where Enter in the bar of every page leads. */
const led = async (agent: UserAgent, text: string) => (await enter(agent, text)).headers.location;

describe('what is typed', () => {
  test('finds things of each kind by how their name begins, and says which kind', async () => {
    const text = textOf(await ada.get(searchHref('or')));
    expect(text).toMatch(/Users Orson <b>Welles<\/b> orson/);
    expect(text).toMatch(/Roles OrdersReader/);
    expect(text).toMatch(/Maps orders/);
    expect(text).toMatch(/Settings CONSOLE_/);
  });

  test('finds settings by their meaning and pages by their title', async () => {
    const page = await ada.get(searchHref('signing keys'));
    expect(page.body).toContain('href="/settings/keys"');
    expect(page.body).toContain('href="/settings/keys?do=rotate"');
    expect((await ada.get(searchHref('CONSOLE_URL'))).body).toContain('href="/settings#CONSOLE_URL"');
  });

  test('opens by Enter what is called just so, and only that', async () => {
    expect(await led(ada, 'billing')).toBe('/access/clients/billing');
    expect(await led(ada, 'ORSON')).toBe('/access/users/orson');
    const several = await enter(ada, 'or');
    expect([several.status, titleOf(several)]).toEqual([200, 'Search']);
  });

  test('leads to pages that there are', async () => {
    const provider = {
      id: 'staff',
      kind: 'ldap',
      url: 'ldaps://ldap.example',
      dnTemplate: 'uid={username},dc=x',
      defaultRole: 'Viewer',
    };
    await callApi(console, 'POST', '/identity-providers', provider);
    const texts = ['a', 'o', 's', 'c', 'add', 'rotate billing', 'remove orson', 'disable billing', '127'];
    const pages = await Promise.all(texts.map((text) => ada.get(searchHref(text))));
    const hrefs = pages.flatMap(({ body }) =>
      [...body.matchAll(/<li><a href="([^"]+)"><bdi>/g)].map(([, href]) => href!.replaceAll('&amp;', '&')),
    );
    expect(hrefs.length).toBeGreaterThan(30);
    // What the cluster cannot do now is 409, and says why.
    for (const href of new Set(hrefs)) {
      expect([href, [200, 409].includes((await ada.get(href)).status)]).toEqual([href, true]);
    }
  });

  test('says that nothing is called so', async () => {
    expect(textOf(await enter(ada, 'nobody <i>here'))).toContain(
      'Nothing that you may see is called “ nobody <i>here ”',
    );
  });

  test('finds what can be done: the page that asks comes first', async () => {
    expect(await led(ada, 'rotate billing')).toBe('/access/clients/billing?do=rotate');
    expect(await led(ada, 'end sessions of orson')).toBe('/access/users/orson?do=end-sessions');
    expect(await led(ada, 'hot backup')).toBe('/cluster/operations?do=backup');
    const page = await ada.follow(await enter(ada, 'rotate billing'));
    expect([page.status, titleOf(page)]).toEqual([200, 'Rotate the secret of billing']);
  });

  test('opens an entry by map and key, without reading it before its page does', async () => {
    const reads = () => console.log().filter(({ event }) => event === 'map.entry.read').length;
    const before = reads();
    expect(await led(ada, 'orders/a 1')).toBe('/cluster/maps/orders/a%201');
    expect(reads()).toBe(before);
  });
});

describe('an id that is pasted', () => {
  test('of a refusal leads to its story', async () => {
    const token = await machineToken(console, 'app:MetricsViewer');
    const url = `${console.url}/hazelcast/rest/maps/payments/1`;
    const refused = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    const { decision_id: decision } = (await refused.json()) as { decision_id: string };
    expect(await led(ada, decision)).toBe(`/observe/decisions/${decision}`);
  });

  test('of a session leads to the session, and of a request to what the audit has of it', async () => {
    const { items } = (await callApi(console, 'GET', '/sessions')) as { items: { id: string }[] };
    const [{ id }] = items as [{ id: string }];
    expect(await led(ada, id)).toBe(`/access/sessions/${encodeURIComponent(id)}`);
    const { items: entries } = (await callApi(console, 'GET', '/audit?object=client:billing')) as {
      items: { requestId: string }[];
    };
    const requestId = entries.at(-1)!.requestId;
    expect(await led(ada, requestId)).toBe(`/observe/audit?joinedBy=${encodeURIComponent(requestId)}`);
  });
});

describe('who may', () => {
  test('a Viewer finds what a Viewer may see: no people, no clients, no acts', async () => {
    const viewer = await personWith(console, 'viewer', ['Viewer']);
    const text = textOf(await viewer.get(searchHref('or')));
    expect(text).toMatch(/Maps orders/);
    expect(text).not.toMatch(/Orson|CONSOLE_/);
    expect((await enter(viewer, 'rotate billing')).status).toBe(200);
    expect(textOf(await viewer.get(searchHref('billing')))).toContain('Nothing that you may see is called');
    expect((await viewer.get(searchHref('shut down'))).body).not.toContain('do=shut-down');
  });

  test('a custom role finds what it may read', async () => {
    const permissions = ['api:users:read'];
    await callApi(console, 'POST', '/roles', { id: 'Desk', permissions });
    const desk = await personWith(console, 'desk', ['Desk']);
    expect(await led(desk, 'orson')).toBe('/access/users/orson');
    expect(await led(desk, 'billing')).toBeUndefined();
  });

  test('nobody without a role, and nobody without a session', async () => {
    const nobody = await personWith(console, 'nobody', []);
    expect((await nobody.get(searchHref('or'))).status).toBe(403);
    const reply = await createUserAgent(console.url).get(searchHref('or'));
    expect([reply.status, reply.headers.location]).toEqual([303, '/login']);
  });
});

describe('any text', () => {
  test.each([
    ['markup', '<script>alert(1)</script>'],
    ['right to left', 'مرحبا‮'],
    ['an emoji', '👩‍🚀/🪐'],
    ['control characters', 'a\u0000b\u0007c'],
    ['a path', '../../etc/passwd'],
    ['an address elsewhere', '//evil.example/x'],
    ['as long as it may be', 'x'.repeat(256)],
  ])('is looked for as it is: %s', async (_name, text) => {
    const page = await ada.get(searchHref(text));
    expect(page.status).toBe(200);
    expect(page.body).not.toContain('<script>alert');
    const { location = '/' } = (await enter(ada, text)).headers;
    expect(new URL(location, console.url).origin).toBe(new URL(console.url).origin);
  });

  test('of more than 256 characters is too long', async () => {
    const page = await ada.get(searchHref('x'.repeat(1000)));
    expect([page.status, textOf(page)]).toEqual([400, expect.stringContaining('This is too long')]);
  });
});

describe('the frame of every page', () => {
  test('has the box, the letters of its pages, and the keys as a file of our own', async () => {
    const { body } = await ada.get('/access/users');
    expect(body).toMatch(/<form method="get" action="\/observe\/search" class="bar-search">/);
    expect(body).toMatch(/href="\/access\/users"[^>]* data-go="u"/);
    expect(body).toMatch(/<script src="\/static\/keys\.js\?v=[\w-]+" defer/);
    expect(textOf(await ada.get('/observe/search'))).toMatch(/What to type .*Keys .*g u Users/);
  });
});
