/** The history of things of Access, and putting back what was changed, in a browser without script. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personWith,
  sendForm,
  startWithAdmin,
} from '../helpers/management.ts';
import { type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  await callApi(console, 'POST', '/roles', { id: 'Clerk', permissions: ['svc:map:orders:read'] });
  await callApi(console, 'POST', '/roles', {
    id: 'Access',
    permissions: ['api:roles:read', 'api:audit:read'],
  });
});
afterAll(() => console?.stop());

/** The last change of a thing that its page offers to put back. */
function putBackHref(page: Reply): string | undefined {
  return /href="([^"]*do=put-back[^"]*)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&');
}

const change = (path: string, body: object) => callApi(console, 'PATCH', path, body);

/** Each as its page shows it, with a change and what undoes it. */
const things = [
  {
    what: 'a role',
    add: ['/roles', { id: 'Baker', permissions: ['svc:map:orders:read'], description: 'Bakes' }],
    page: '/access/roles/Baker',
    api: '/roles/Baker',
    edit: { permissions: ['svc:map:orders:read', 'svc:queue:jobs:offer'], description: null },
    says: /permissions \+ svc:queue:jobs:offer description Bakes –/,
    field: 'permissions',
    former: ['svc:map:orders:read'],
  },
  {
    what: 'a user',
    add: [
      '/users',
      { id: 'grace', roles: ['Viewer'], email: 'grace@example.com', displayName: 'مرحبا <b>🚀' },
    ],
    page: '/access/users/grace',
    api: '/users/grace',
    edit: { roles: ['MetricsViewer'], displayName: 'Grace' },
    says: /Name مرحبا <b>🚀 Grace.*Roles − Viewer \+ MetricsViewer/,
    field: 'displayName',
    former: 'مرحبا <b>🚀',
  },
  {
    what: 'a machine client',
    add: ['/clients', { id: 'billing', scopes: ['svc:map:orders:read'] }],
    page: '/access/clients/billing',
    api: '/clients/billing',
    edit: { scopes: [], tokenAlg: 'ES256' },
    says: /scopes − svc:map:orders:read.*tokenAlg RS256 ES256/,
    field: 'scopes',
    former: ['svc:map:orders:read'],
  },
  {
    what: 'an application',
    add: ['/applications', { id: 'wiki', redirectUris: ['https://wiki.example.com/cb'], firstParty: true }],
    page: '/access/applications/wiki',
    api: '/applications/wiki',
    edit: { maxRoles: ['Viewer'] },
    says: /maxRoles – Viewer/,
    field: 'maxRoles',
    former: null,
  },
  {
    what: 'an identity provider',
    add: [
      '/identity-providers',
      {
        ...{ id: 'corp', kind: 'oidc', name: 'Corp', enabled: false, issuer: 'https://login.corp.example' },
        ...{ clientId: 'console', clientAuth: 'none', roleRules: ['groups=a -> Viewer'] },
      },
    ],
    page: '/access/identity-providers/corp',
    api: '/identity-providers/corp',
    edit: { name: 'Corporation', roleRules: ['groups=b -> Viewer'], defaultRole: 'Viewer' },
    says: /name Corp Corporation.*roleRules − groups=a -> Viewer \+ groups=b -> Viewer/,
    field: 'roleRules',
    former: ['groups=a -> Viewer'],
  },
] as const;

describe.each(things)('$what', ({ add: [path, body], page, api, edit, says, field, former }) => {
  beforeAll(async () => {
    await callApi(console, 'POST', path, body);
    await change(api, edit);
  });
  const stored = async () => (await callApi(console, 'GET', api)) as Record<string, unknown>;

  test('says who has changed it, and what from and to', async () => {
    const text = textOf(await ada.get(page));
    expect(text).toMatch(says);
    expect(text).toMatch(/History .*Added/);
    expect(text).toContain('application-client');
  });

  test('is put back as it was, after a question, and that can be put back in turn', async () => {
    const question = await ada.get(putBackHref(await ada.get(page))!);
    expect(textOf(question)).toMatch(/: from .+ back to .+\./);
    const back = await ada.follow(
      await sendForm(ada, question, 'put-back', { entry: hiddenIn(question, 'entry')! }),
    );
    expect(textOf(back)).toContain('Put back');
    expect((await stored())[field]).toEqual(former);
    // By name, where the entry has the id of the account.
    expect(back.body).toMatch(/href="\/access\/users\/ada"[\s\S]*Put back<\/a>/);
    const again = await ada.get(putBackHref(back)!);
    await sendForm(ada, again, 'put-back', { entry: hiddenIn(again, 'entry')! });
    expect((await stored())[field]).toEqual(edit[field as keyof typeof edit]);
  });

  test('stays as it is where somebody else has changed it meanwhile', async () => {
    const question = await ada.get(putBackHref(await ada.get(page))!);
    await change(api, field === 'roleRules' ? { position: 7 } : { ...edit, ...(await other(field)) });
    const before = await stored();
    const late = await sendForm(ada, question, 'put-back', { entry: hiddenIn(question, 'entry')! });
    expect([late.status, textOf(late).includes('This has changed meanwhile')]).toEqual([400, true]);
    expect(await stored()).toEqual(before);
  });

  test.each(foreignForms)('is put back by no form $name (S31)', async ({ fields, headers }) => {
    const question = await ada.get(putBackHref(await ada.get(page))!);
    const before = await stored();
    const form = { csrf: hiddenIn(question, 'csrf')!, do: 'put-back', entry: hiddenIn(question, 'entry')! };
    const reply = await ada.post(page, { ...form, ...fields }, headers);
    expect(reply.status).toBe(403);
    expect(await stored()).toEqual(before);
  });
});

/** A change of something else. */
async function other(field: string): Promise<object> {
  if (field === 'permissions') return { description: 'Meanwhile' };
  if (field === 'scopes') return { displayName: 'Meanwhile' };
  if (field === 'maxRoles') return { displayName: 'Meanwhile' };
  return { email: 'meanwhile@example.com' };
}

describe('putting back', () => {
  test('keeps what others have put into the same set since', async () => {
    await change('/roles/Clerk', { permissions: ['svc:map:orders:read', 'svc:map:orders:write'] });
    const question = await ada.get(putBackHref(await ada.get('/access/roles/Clerk'))!);
    await change('/roles/Clerk', {
      permissions: ['svc:map:orders:read', 'svc:map:orders:write', 'svc:health:read'],
    });
    const fresh = await ada.get(question.url.replace(/^https?:\/\/[^/]+/, ''));
    await sendForm(ada, fresh, 'put-back', { entry: hiddenIn(fresh, 'entry')! });
    const { permissions } = (await callApi(console, 'GET', '/roles/Clerk')) as { permissions: string[] };
    expect(permissions.toSorted()).toEqual(['svc:health:read', 'svc:map:orders:read']);
  });

  test('enables again what was disabled, by the operation for that', async () => {
    await callApi(console, 'POST', '/clients/billing/disable');
    const question = await ada.get(putBackHref(await ada.get('/access/clients/billing'))!);
    expect(textOf(question)).toContain('status: from disabled back to active.');
    await sendForm(ada, question, 'put-back', { entry: hiddenIn(question, 'entry')! });
    const { status } = (await callApi(console, 'GET', '/clients/billing')) as { status: string };
    expect(status).toBe('active');
  });

  test.each([
    { name: 'an entry of another thing', entry: async () => entryOf('/access/users/grace') },
    { name: 'no entry', entry: async () => 'abcd1234-999999' },
    { name: 'what is no id', entry: async () => '../../x' },
  ])('does nothing for $name', async ({ entry }) => {
    const page = await ada.get('/access/roles/Clerk');
    const before = await callApi(console, 'GET', '/roles/Clerk');
    const form = {
      csrf: hiddenIn(page, 'csrf')!,
      do: 'put-back',
      entry: await entry(),
      version: hiddenIn(page, 'version')!,
    };
    const reply = await ada.post('/access/roles/Clerk', form);
    expect([303, 404]).toContain(reply.status);
    expect(await callApi(console, 'GET', '/roles/Clerk')).toEqual(before);
  });

  test('finds nothing where the thing was removed meanwhile', async () => {
    await callApi(console, 'POST', '/roles', { id: 'Gone', permissions: ['svc:health:read'] });
    await change('/roles/Gone', { permissions: ['svc:wan:read'] });
    const question = await ada.get(putBackHref(await ada.get('/access/roles/Gone'))!);
    await callApi(console, 'DELETE', '/roles/Gone');
    const reply = await sendForm(ada, question, 'put-back', { entry: hiddenIn(question, 'entry')! });
    expect(reply.status).toBe(404);
  });

  test.each([
    { who: 'a Viewer', roles: ['Viewer'], history: true },
    { who: 'who may read roles and the audit', roles: ['Access'], history: true },
  ])('is not for $who', async ({ roles, history }) => {
    const id = roles[0]!.toLowerCase();
    const agent = await personWith(console, `only-${id}`, roles);
    await change('/roles/Clerk', { description: `for ${id}` });
    const page = await agent.get('/access/roles/Clerk');
    expect([page.status, page.body.includes('id="history"'), putBackHref(page)]).toEqual([
      200,
      history,
      undefined,
    ]);
    const entry = await entryOf('/access/roles/Clerk');
    const address = `/access/roles/Clerk?do=put-back&entry=${entry}`;
    expect((await agent.get(address)).status).toBe(403);
    const form = { csrf: hiddenIn(page, 'csrf')!, do: 'put-back', entry };
    expect((await agent.post('/access/roles/Clerk', form)).status).toBe(403);
  });

  async function entryOf(page: string): Promise<string> {
    return new URL(putBackHref(await ada.get(page))!, console.url).searchParams.get('entry')!;
  }
});
