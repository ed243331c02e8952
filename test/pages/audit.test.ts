/** `/observe/audit` and `/observe/decisions`: a refusal is followed to what led to it, in a browser without script. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineToken, type RunningConsole } from '../helpers/console.ts';
import { callApi, personWith, startWithAdmin } from '../helpers/management.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;
let decision: string;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  await callApi(console, 'POST', '/clients', { id: 'billing', scopes: ['svc:map:orders:read'] });
  await callApi(console, 'PATCH', '/clients/billing', { scopes: ['svc:map:orders:write'] });
  const token = await machineToken(console, 'app:MetricsViewer');
  const headers = { Authorization: `Bearer ${token}` };
  const refused = await fetch(`${console.url}/svc/rest/maps/orders/1`, { headers });
  decision = ((await refused.json()) as { decision_id: string }).decision_id;
  const hasCome = () => console.log().some(({ decisionId }) => decisionId === decision);
  await console.waitFor(hasCome, 'the entry of the refusal');
});
afterAll(() => console?.stop());

const entryHrefs = ({ body }: Reply) =>
  [...body.matchAll(/href="(\/observe\/audit\/[^"?]+)"/g)].map(([, href]) => href!);

test('is asked by who, what, outcome and object, and each entry says what it changed', async () => {
  const list = await ada.get('/observe/audit?event=client.updated&object=client:billing&outcome=success');
  const [href, ...others] = entryHrefs(list);
  expect(others).toEqual([]);
  expect(list.body).toContain('href="/access/clients/billing"');
  const entry = await ada.get(href!);
  expect(titleOf(entry)).toBe('Client changed');
  expect(entry.body).toContain('href="/observe/audit?event=client.updated"');
  expect(textOf(entry)).toMatch(/scopes svc:map:orders:read svc:map:orders:write/);
  const request = /href="(\/observe\/audit\?joinedBy=[^"]+)"/.exec(entry.body)![1]!;
  expect(entryHrefs(await ada.get(request))).toContain(href);
});

test('leads from a refusal to why, to what would open it, and to the token that it came with', async () => {
  const list = await ada.get('/observe/audit?outcome=denied&event=member.call');
  const entry = await ada.get(entryHrefs(list)[0]!);
  expect(entry.body).toContain(`href="/observe/decisions/${decision}"`);
  const page = await ada.get(`/observe/decisions/${decision}`);
  expect(titleOf(page)).toBe(`Decision ${decision}`);
  const text = textOf(page);
  expect(text).toContain('Missing permission svc:data:read');
  expect(text).toMatch(/The same call with the same token, now Would be refused/);
  expect(text).toMatch(/Story .*Token issued.*Call to a member Refused/);
  // The column beside the page shows where one is.
  expect(page.body).toMatch(/<a href="\/observe\/audit" aria-current="page"/);
});

test('says in words what happened, in the language of the reader, with the code for who looks for it', async () => {
  const english = await ada.get('/observe/audit?event=member.call&outcome=denied');
  expect(english.body).toMatch(/<a href="[^"]+" title="member\.call">Call to a member</);
  const german = await ada.get('/observe/audit?event=member.call&outcome=denied', {
    'Accept-Language': 'de',
  });
  expect(german.body).toMatch(/<a href="[^"]+" title="member\.call">Aufruf an ein Member</);
  const start = await ada.get('/');
  expect(start.body).toMatch(/title="member\.call"><bdi>Call to a member, (?:GET|PUT|POST|DELETE) /);
  expect(start.body).toMatch(/title="client\.updated"><bdi>Client changed, billing</);
});

test('names the console where it has done something by itself, and nobody where it does not know who', async () => {
  await console.waitFor(
    () => console.log().some(({ event }) => event === 'audit.checkpoint'),
    'a check-point',
  );
  const own = textOf(await ada.get('/observe/audit?event=audit.checkpoint'));
  expect(own).toMatch(/Check-point of the audit Success The console/);
  await createUserAgent(console.url).signIn({ username: 'nobody', password: 'wrong password' });
  await expect
    .poll(async () => textOf(await ada.get('/observe/audit?event=login')), { timeout: 5_000 })
    .toContain('Nobody known');
});

test('says in words why, with the code on hover and on the page of the entry', async () => {
  await createUserAgent(console.url)
    .signIn({ username: 'ada', password: 'certainly not hers' })
    .catch(() => {});
  const german = { 'Accept-Language': 'de' };
  for (const [query, code, english, inGerman] of [
    [
      'event=member.call&outcome=denied',
      'insufficient_scope',
      'The access token does not open this',
      'Das Access-Token öffnet das nicht',
    ],
    [
      'event=login&outcome=denied',
      'wrong_credentials',
      'The name or password is wrong',
      'Name oder Passwort ist falsch',
    ],
  ] as const) {
    const list = await ada.get(`/observe/audit?${query}`);
    expect(list.body).toContain(`<bdi title="${code}">${english}</bdi>`);
    const inWords = await ada.get(`/observe/audit?${query}`, german);
    expect(inWords.body).toContain(`<bdi title="${code}">${inGerman}</bdi>`);
    const entry = await ada.get(entryHrefs(list)[0]!);
    expect(textOf(entry)).toContain(`Why ${english} ( ${code} )`);
    const { items } = (await callApi(console, 'GET', `/audit?${query}`)) as { items: { reason: string }[] };
    expect(items[0]!.reason).toBe(code);
    expect((await ada.get(`/observe/audit.csv?${query}`)).body).toContain(code);
  }
  const page = await ada.get(`/observe/decisions/${decision}`, german);
  expect(page.body).toContain('<bdi title="insufficient_scope">Das Access-Token öffnet das nicht</bdi>');
  const start = await ada.get('/', german);
  expect(textOf(start)).toContain('Aufruf an ein Member, GET map orders. Das Access-Token öffnet das nicht');
});

test('has a link for what is asked for most, and says which of them is shown', async () => {
  const { body } = await ada.get('/observe/audit');
  const nav = /<nav class="periods quick"[^>]*>(.*?)<\/nav>/s.exec(body)![1]!;
  const links = [...nav.matchAll(/<a href="([^"]+)"( aria-current="true")?>([^<]+)</g)];
  const hrefs = links.map(([, href]) => href!.replaceAll('&amp;', '&'));
  expect(links.map(([, , , label]) => label)).toEqual([
    ...['All', 'Refusals', 'Failures', 'Sign-ins', 'All changes'],
    ...['Users', 'Roles', 'Clients', 'Identity providers'],
  ]);
  for (const [at, href] of hrefs.entries()) {
    const reply = await ada.get(href);
    expect([href, reply.status]).toEqual([href, 200]);
    const current = [...reply.body.matchAll(/<a href="([^"]+)" aria-current="true">/g)];
    expect(current.map(([, one]) => one!.replaceAll('&amp;', '&'))).toEqual([hrefs[at]]);
  }
  const codesAt = async (href: string) =>
    [...(await ada.get(href)).body.matchAll(/<a href="\/observe\/audit\/[^"]+" title="([^"]+)"/g)].map(
      ([, code]) => code!,
    );
  expect(new Set(await codesAt(hrefs[3]!))).toEqual(new Set(['login']));
  const ofClients = await codesAt(hrefs[7]!);
  expect(ofClients).toContain('client.updated');
  expect(ofClients.every((code) => code.startsWith('client.'))).toBe(true);
});

test('has all changes where the overview leads to, and nothing else; so has the API', async () => {
  const start = await ada.get('/');
  const section = /<section[^>]* id="changes".*?<\/section>/s.exec(start.body)![0];
  const shown = [...section.matchAll(/href="(\/observe\/audit[^"]*)"/g)].map(([, href]) => href!);
  expect(shown[0]).toBe('/observe/audit?changes=true');
  const list = await ada.get(shown[0]!);
  expect(entryHrefs(list).slice(0, shown.length - 1)).toEqual(shown.slice(1));
  expect(list.body).toMatch(/<option value="true" selected[^>]*>All changes</);
  const { items } = (await callApi(console, 'GET', '/audit?changes=true&limit=200')) as {
    items: { id: string; change: object | null }[];
  };
  expect(items.every(({ change }) => change !== null)).toBe(true);
  const all = (await callApi(console, 'GET', '/audit?limit=200')) as { items: typeof items };
  expect(items.map(({ id }) => id)).toEqual(
    all.items.filter(({ change }) => change !== null).map(({ id }) => id),
  );
  expect(items.length).toBeGreaterThan(1);
  const german = await ada.get(shown[0]!, { 'Accept-Language': 'de' });
  expect(german.body).toMatch(/aria-current="true">Alle Änderungen</);
});

test('goes on from page to page', async () => {
  const first = await ada.get('/observe/audit?limit=3');
  expect(entryHrefs(first)).toHaveLength(3);
  const next = /href="(\/observe\/audit\?[^"]*cursor=[^"]*)"/.exec(first.body)![1]!.replaceAll('&amp;', '&');
  const second = await ada.get(next);
  expect(entryHrefs(second)).toHaveLength(3);
  expect(entryHrefs(second).some((href) => entryHrefs(first).includes(href))).toBe(false);
});

test('is closed to a MetricsViewer, who sees no link to it', async () => {
  const agent = await personWith(console, 'mona', ['MetricsViewer']);
  for (const path of ['/observe/audit', `/observe/decisions/${decision}`, '/observe/audit/abcd1234-1']) {
    const reply = await agent.get(path);
    expect([reply.status, textOf(reply).includes(decision)]).toEqual([403, false]);
  }
  expect((await agent.get('/')).body).not.toContain('/observe/audit');
});

test('sends who is not signed in to the sign-in', async () => {
  for (const path of ['/observe', '/observe/audit', `/observe/decisions/${decision}`]) {
    const reply = await createUserAgent(console.url).get(path);
    expect([reply.status, reply.headers.location]).toEqual([303, '/login']);
  }
});

describe('what is asked wrongly', () => {
  test.each([
    { path: '/observe/audit?outcome=maybe', status: 400 },
    { path: '/observe/audit?changes=maybe', status: 400 },
    { path: '/observe/audit?since=yesterday', status: 400 },
    { path: '/observe/audit?cursor=made-up', status: 400 },
    { path: '/observe/audit?limit=0', status: 400 },
    { path: `/observe/audit?actor=${'x'.repeat(1000)}`, status: 400 },
    { path: '/observe/audit?actor=a&actor=b', status: 400 },
    { path: '/observe/audit/not-an-entry', status: 404 },
    { path: '/observe/audit/abcd1234-999999999', status: 404 },
    { path: '/observe/decisions/nobody-knows', status: 404 },
    { path: `/observe/decisions/${'x'.repeat(1000)}`, status: 404 },
  ])('is answered with a clear page: $path', async ({ path, status }) => {
    const reply = await ada.get(path);
    expect([reply.status, titleOf(reply).startsWith('Problem')]).toEqual([status, true]);
    // The sentence below the title says more than that, or is not there.
    expect(reply.body).not.toContain('There is nothing at this address.<');
  });

  test('is text and nothing else, whatever stands in it', async () => {
    for (const actor of ['<script>alert(1)</script>', 'مدير', '👩‍🚀', '"onload="x']) {
      const reply = await ada.get(`/observe/audit?actor=${encodeURIComponent(actor)}`);
      expect(reply.status).toBe(200);
      expect(reply.body).not.toContain('<script>alert');
      expect(textOf(reply)).toContain('Nothing matches this filter.');
    }
  });
});
