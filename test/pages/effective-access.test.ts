/** `/access/effective`, and the decision that opens a call, in a browser without script. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { admin, type RunningConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personPassword,
  personWith,
  sendForm,
  startWithAdmin,
} from '../helpers/management.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

const href = '/access/effective';
const secret = 'fjord-0123456789-abcdefghij-KLMNOP-42';
const entry = '/svc/rest/maps/orders/7';
const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
let console: RunningConsole;
let ada: UserAgent;
let viewer: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  for (const id of ['billing', 'shipping', 'foreign', 'untouched', 'counted'])
    await callApi(console, 'POST', '/clients', { id, secret, scopes: ['svc:map:orders:read'] });
  const permissions = ['svc:map:orders:write'];
  await callApi(console, 'POST', '/roles', { id: 'OrdersKeeper', permissions });
  await callApi(console, 'POST', '/users', { id: 'grace', password: personPassword });
  viewer = await personWith(console, 'viewer', ['Viewer']);
}, 30_000);
afterAll(async () => {
  await console?.stop();
  await found?.close();
});

async function scopesOf(client: string): Promise<readonly string[]> {
  return ((await callApi(console, 'GET', `/clients/${client}`)) as { scopes: string[] }).scopes;
}

async function put(client: string, scope: string) {
  const granted = await fetch(`${console.url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${token}` };
  return fetch(console.url + entry, { method: 'POST', headers, body: 'x' });
}

/** @returns the address of the decision */
async function deniedCall(client: string): Promise<string> {
  const { decision_id: id } = (await (await put(client, 'svc:map:orders:read')).json()) as {
    decision_id: string;
  };
  await console.waitFor(
    () => console.log().some(({ decisionId }) => decisionId === id),
    'the entry of the denial',
  );
  const decision = `/observe/decisions/${id}`;
  // The index of the audit follows its file.
  await expect.poll(async () => (await ada.get(decision)).status, { timeout: 5_000 }).toBe(200);
  return decision;
}

const rowOf = ({ body }: Reply, id: string) =>
  new RegExp(`<tr>(?:(?!</tr>).)*>${id}<.*?</tr>`, 's')
    .exec(body)![0]
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

describe('the grid', () => {
  test('of roles says of each what it may call', async () => {
    const page = await ada.get(`${href}?show=roles`);
    expect(titleOf(page)).toBe('Effective access');
    expect(rowOf(page, 'Admin')).not.toContain('No');
    expect(rowOf(page, 'OrdersKeeper')).toContain('orders');
    expect(rowOf(page, 'OrdersKeeper')).not.toContain('Yes');
    expect(page.body).toContain('href="/access/roles/OrdersKeeper"');
  });

  test('of machine clients leads from a cell to why it is so', async () => {
    expect(rowOf(await ada.get(href), 'shipping')).toContain('orders');
    const page = await ada.get(`${href}?show=clients&q=bill`);
    expect(rowOf(page, 'billing')).toMatch(/^ ?billing No No No orders No/);
    expect(page.body).not.toContain('>shipping<');
    const cell = /href="(\/access\/effective\?[^"]*client=billing[^"]*orders[^"]*)"/.exec(page.body)![1]!;
    const why = await ada.get(cell.replaceAll('&amp;', '&').split('#')[0]!);
    expect(textOf(why)).toMatch(/billing may GET \/svc\/rest\/maps\/orders\/a-key/);
  });

  test('is filtered by who, by call and by member, and the address keeps all of that', async () => {
    const page = await ada.get(`${href}?show=clients&q=bill&call=map:read`);
    expect(rowOf(page, 'billing')).toMatch(/^ ?billing orders ?$/);
    expect(page.body).toMatch(/<option value="map:read" selected/);
    const [, member] = /<select id="member"[^>]*>.*?<option value="([^"]+)"/s.exec(page.body) ?? [];
    expect(member).toMatch(/^[\w.[\]:-]+:\d+$/);
    const roles = await ada.get(
      `${href}?${new URLSearchParams({ show: 'roles', call: 'wan:read', member: member! })}`,
    );
    // The embedded member has this group off.
    expect(rowOf(roles, 'Admin')).toContain(`Yes, but not at ${member}`);
    const elsewhere = await ada.get(`${href}?show=roles&call=wan:read&member=10.9.9.9:5701`);
    expect(rowOf(elsewhere, 'Admin')).toMatch(/^ ?Admin Yes ?$/);
  });

  test('of users has those who may nothing, too', async () => {
    expect(rowOf(await ada.get(`${href}?show=users`), 'grace')).toMatch(/^ ?grace( No)+ ?$/);
  });
});

describe('a question about a call', () => {
  const question = (fields: Record<string, string>) =>
    ada.get(`${href}?${new URLSearchParams({ method: 'POST', path: entry, ...fields })}`);

  test('is answered with the smallest change, which is made after it was asked about', async () => {
    const answer = await question({ as: 'client', who: 'shipping' });
    expect(textOf(answer)).toMatch(
      /shipping may not POST .*Decided by The call needs .*To open it Add svc:map:orders:write , the smallest: it may write map “orders” then\. It opens nothing else\./,
    );
    // A line to paste.
    expect(answer.body).toContain(
      '<code>npx console client update shipping --add-scope svc:map:orders:write</code>',
    );
    const ask = /href="(\/access\/effective\?do=open[^"]*)"/.exec(answer.body)![1]!.replaceAll('&amp;', '&');
    const form = await ada.get(ask);
    expect(textOf(form)).toContain('shipping may ask for svc:map:orders:write too');
    expect(await scopesOf('shipping')).toEqual(['svc:map:orders:read']);
    const fields = { client: 'shipping', method: 'POST', path: entry };
    const done = await ada.follow(await sendForm(ada, form, 'open', fields));
    expect(textOf(done)).toMatch(/Opened: .* shipping may POST/);
    expect(await scopesOf('shipping')).toEqual(['svc:map:orders:read', 'svc:map:orders:write']);
    expect((await put('shipping', 'svc:map:orders:write')).status).toBe(200);
  });

  test('says how often such calls were refused, the latest with its story, and what the change would have let through', async () => {
    await deniedCall('counted');
    const decision = await deniedCall('counted');
    const id = decision.split('/').at(-1)!;
    const answer = await question({ as: 'client', who: 'counted' });
    const text = textOf(answer);
    expect(text).toMatch(/Refused 2 times, first .*\. The latest: /);
    expect(answer.body).toContain(`href="${decision}"`);
    expect(text).toContain(id);
    expect(text).toMatch(/Story .*Token issued Success counted.*Call to a member Refused counted map orders/);
    expect(text).toMatch(/With svc:map:orders:write 2 calls of the last 7 days would have gone through/);
    expect(text).toContain('Mute 7 days');
    // Of another map nothing was refused.
    const other = await question({ as: 'client', who: 'counted', path: '/svc/rest/maps/elsewhere/7' });
    expect(textOf(other)).toMatch(/counted may not/);
    expect(textOf(other)).not.toContain('The latest');
  });

  test('offers to try again what is open now', async () => {
    const open = await question({ as: 'client', who: 'untouched', method: 'GET' });
    expect(textOf(open)).toMatch(/untouched may GET/);
    const form = /<form[^>]*action="(\/access\/clients\/untouched)".*?<\/form>/s.exec(open.body)!;
    expect(form[0]).toContain('Try again');
    expect(form[0]).toContain(`value="${entry}"`);
    const fields = { csrf: hiddenIn(open, 'csrf')!, do: 'try', path: entry };
    expect(textOf(await ada.post(form[1]!, fields))).toMatch(/Decision Goes through/);
    expect(textOf(await question({ as: 'client', who: 'untouched' }))).not.toContain('Try again');
  });

  test('names members and setting where the group of the call is off, as no permission helps there', async () => {
    const matrix = (await callApi(console, 'GET', '/access/matrix?role=Admin')) as {
      endpoints: {
        methods: string[];
        path: string;
        group: string;
        access: { Admin: { groupOffAt?: string[] } };
      }[];
    };
    const off = matrix.endpoints.find(({ access }) => access.Admin.groupOffAt !== undefined)!;
    const fields = { method: off.methods[0]!, path: off.path.replace(/\{\w+(\.\.\.)?\}/g, 'any') };
    const answer = await question({ as: 'client', who: 'untouched', ...fields });
    // The only member has it off: nothing that this console does opens it.
    expect(textOf(answer)).toContain(
      `No permission opens it: calls of this kind are switched off at every member. network.rest-api.endpoint-groups.${off.group}.enabled in the configuration`,
    );
    expect(textOf(answer)).not.toContain('Open it for untouched');
    const act = new URLSearchParams({ do: 'open', client: 'untouched', ...fields });
    expect(textOf(await ada.get(`${href}?${act}`))).not.toContain('may ask for');
    const other = textOf(await question({ as: 'client', who: 'untouched' }));
    expect(other).toContain('Open it for untouched');
    expect(other).not.toContain('No permission opens it');
  });

  test('about a person offers a role, the narrowest first', async () => {
    const ask = new URLSearchParams({ do: 'open', user: 'grace', method: 'POST', path: entry });
    const form = await ada.get(`${href}?${ask}`);
    expect(form.body).toMatch(/<option value="OrdersKeeper" selected/);
    const fields = { user: 'grace', method: 'POST', path: entry, role: 'OrdersKeeper' };
    await ada.follow(await sendForm(ada, form, 'open', fields));
    expect(await callApi(console, 'GET', '/users/grace')).toMatchObject({ roles: ['OrdersKeeper'] });
  });

  test.each([
    { name: 'somebody whom there is not', fields: { who: 'nobody' } },
    { name: 'a script', fields: { who: '<script>alert(1)</script>' } },
    { name: 'a path outside', fields: { who: 'billing', path: '/elsewhere' } },
    { name: 'a path of 8,000 characters', fields: { who: 'billing', path: `/svc/${'x'.repeat(8000)}` } },
    { name: 'right-to-left', fields: { who: 'مرحبا', path: '/svc/rest/maps/٥/🚀' } },
    { name: 'a method that there is not', fields: { who: 'billing', method: '<b>' } },
  ])('about $name is answered, and changes nothing', async ({ fields }) => {
    const page = await question({ as: 'client', ...fields });
    expect([200, 400]).toContain(page.status);
    expect(page.body).not.toContain('<script>alert');
    expect(textOf(page)).toMatch(/may not|Problem/);
  });
});

describe.skipIf(!found)(`on a phone, in Chromium${reason ? ` (${reason})` : ''}`, () => {
  test('a row opens what is said of a call as a page, from which a link leads back', async () => {
    const context = await browser.newContext({
      ...{ baseURL: console.url, viewport: { width: 390, height: 844 }, javaScriptEnabled: false },
    });
    const page = await context.newPage();
    await page.goto('/login');
    await page.fill('[name=username]', admin.username);
    await page.fill('[name=password]', admin.password);
    await page.click('main button[type=submit]');
    await page.waitForURL((url) => url.pathname !== '/login');
    await page.goto(`${href}?show=clients&q=bill`);
    const grid = page.getByRole('table', { name: 'Effective access' });
    expect(await grid.isVisible()).toBe(true);
    await grid.getByRole('link', { name: 'orders' }).click();
    await page.getByText('billing may').waitFor();
    expect(await grid.isVisible()).toBe(false);
    expect(await page.locator('#path').isVisible()).toBe(false);
    await page.getByRole('link', { name: 'All calls' }).click();
    await grid.waitFor();
    await context.close();
  });
});

describe('a decision', () => {
  test('says how often, what opens it, and what that would have let through; then the call goes through', async () => {
    await deniedCall('billing');
    const decision = await deniedCall('billing');
    const page = await ada.get(decision);
    const text = textOf(page);
    expect(text).toMatch(/Caller billing .*Missing permission svc:data:write How often \d+ times, first/);
    expect(text).toMatch(/With svc:map:orders:write \d+ calls of the last 7 days would have gone through/);
    const form = await ada.get(`${decision}?do=open`);
    const done = await ada.follow(await sendForm(ada, form, 'open'));
    expect(textOf(done)).toMatch(
      /Opened: .*With a token for all that the caller may ask for Would go through/,
    );
    expect(done.body).not.toContain('?do=open');
    expect((await put('billing', 'svc:map:orders:write')).status).toBe(200);
    const changes = console
      .log()
      .filter(({ event, target }) => event === 'client.updated' && target === 'billing');
    expect(changes.at(-1)).toMatchObject({ outcome: 'success', via: 'page' });
  });

  test.each(foreignForms)('opens nothing by a form $name (S31)', async ({ fields, headers }) => {
    const decision = await deniedCall('foreign');
    const csrf = hiddenIn(await ada.get(`${decision}?do=open`), 'csrf')!;
    expect((await ada.post(decision, { csrf, do: 'open', ...fields }, headers)).status).toBe(403);
    expect(await scopesOf('foreign')).toEqual(['svc:map:orders:read']);
  });

  test('that nobody knows is said to be none', async () => {
    expect((await ada.get('/observe/decisions/nobody?do=open')).status).not.toBe(500);
  });
});

describe('who may', () => {
  test('a Viewer sees what roles may, and of nobody more', async () => {
    const page = await viewer.get(`${href}?show=clients&client=untouched&method=POST&path=${entry}`);
    expect([page.status, page.body.includes('untouched'), page.body.includes('name="path"')]).toEqual([
      200,
      false,
      false,
    ]);
    const csrf = hiddenIn(page, 'csrf')!;
    const fields = { csrf, do: 'open', client: 'untouched', method: 'POST', path: entry };
    expect((await viewer.post(href, fields)).status).toBe(403);
    expect(await scopesOf('untouched')).toEqual(['svc:map:orders:read']);
  });

  test('nobody without a session', async () => {
    const reply = await createUserAgent(console.url).get(href);
    expect([reply.status, reply.headers.location]).toEqual([303, '/login']);
  });
});
