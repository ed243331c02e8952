/** Lists are sorted by the heads of their columns, and on a phone by a box; both are links and forms, without script. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ListedPage, listed } from '../../console/pages/listed-pages.ts';
import type { RunningConsole } from '../helpers/console.ts';
import { callApi, startWithAdmin } from '../helpers/management.ts';
import type { UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;
beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  for (const id of ['beta', 'alpha', 'gamma']) {
    await callApi(console, 'POST', '/clients', { id: `m-${id}`, scopes: ['svc:health:read'] });
    const redirectUris = [`https://${id}.example.com/callback`];
    await callApi(console, 'POST', '/applications', { id: `a-${id}`, redirectUris });
    await callApi(console, 'POST', '/roles', { id: `r-${id}`, permissions: ['svc:health:read'] });
    await callApi(console, 'POST', '/users', { id: `u-${id}`, roles: ['Viewer'] });
    await callApi(console, 'POST', '/identity-providers', {
      id: `p-${id}`,
      name: { alpha: 'Zeta', beta: 'Eta', gamma: 'Theta' }[id],
      kind: 'oidc',
      issuer: `https://${id}.example`,
      clientId: 'console',
      clientAuth: 'none',
      defaultRole: 'Viewer',
    });
  }
});
afterAll(() => console?.stop());

const headsOf = (body: string) =>
  [...body.matchAll(/<th scope="col"([^>]*)><a href="[^"]*" class="sort">/g)].map(([, attributes]) => ({
    direction: /aria-sort="(\w+)"/.exec(attributes!)?.[1],
  }));

const sortable = Object.values<ListedPage>(listed).filter(({ sorts }) => sorts !== undefined);

describe.each(sortable)('$href', ({ href, sorts }) => {
  test('each order that it has is one that its page can be asked for', async () => {
    for (const name of Object.keys(sorts!)) {
      for (const [sort, direction] of [
        [name, 'ascending'],
        [`-${name}`, 'descending'],
      ] as const) {
        const { status, body } = await ada.get(`${href}?sort=${sort}`);
        expect(status).toBe(200);
        // A list with nothing in it has no columns.
        if (!body.includes('<th scope="col"')) continue;
        expect(headsOf(body).filter((head) => head.direction !== undefined)).toMatchObject([{ direction }]);
        expect(body).toMatch(new RegExp(`<option value="${sort}" selected`));
      }
    }
  });

  test('an order that there is not is passed over', async () => {
    const { status, body } = await ada.get(`${href}?sort=colour`);
    expect(status).toBe(200);
    expect(headsOf(body)).toEqual(headsOf((await ada.get(href)).body));
  });
});

describe.each([
  { href: '/access/clients', sort: 'id', ids: ['m-alpha', 'm-beta', 'm-gamma'] },
  { href: '/access/applications', sort: 'id', ids: ['a-alpha', 'a-beta', 'a-gamma'] },
  { href: '/access/roles', sort: 'id', ids: ['r-alpha', 'r-beta', 'r-gamma'] },
  { href: '/access/users', sort: 'id', ids: ['u-alpha', 'u-beta', 'u-gamma'] },
  { href: '/access/identity-providers', sort: 'name', ids: ['p-beta', 'p-gamma', 'p-alpha'] },
])('$href by $sort', ({ href, sort, ids }) => {
  const rowsOf = (body: string) =>
    ids
      .map((id) => [id, body.indexOf(`href="${href}/${id}"`)] as const)
      .sort(([, a], [, b]) => a - b)
      .map(([id]) => id);

  test('stands so, and turned round', async () => {
    expect(rowsOf((await ada.get(`${href}?sort=${sort}`)).body)).toEqual(ids);
    expect(rowsOf((await ada.get(`${href}?sort=-${sort}`)).body)).toEqual(ids.toReversed());
  });

  test('in its files too', async () => {
    const { body } = await ada.get(`${href}.json?sort=-${sort}`);
    const found = (JSON.parse(body).items as readonly { id: string }[]).map(({ id }) => id);
    expect(found.filter((id) => ids.includes(id))).toEqual(ids.toReversed());
  });
});

test('the audit is read from its oldest entry on', async () => {
  const entriesOf = (body: string) =>
    [...body.matchAll(/<th scope="row"><a href="(\/observe\/audit\/[^"]+)"/g)].map(([, href]) => href!);
  const { body } = await ada.get('/observe/audit?sort=createdAt');
  expect(headsOf(body)).toEqual([{ direction: 'ascending' }]);
  const oldest = entriesOf(body).slice(0, 10);
  expect(oldest).toHaveLength(10);
  // Whoever reads it leaves an entry, so that the newest are others by then.
  const newest = await ada.get('/observe/audit');
  expect(headsOf(newest.body)).toEqual([{ direction: 'descending' }]);
  expect(entriesOf(newest.body).slice(-10).reverse()).toEqual(oldest);
});
