/** `/access/roles` and `/access/sessions` in a browser without script. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
import { authorize, dashboard, redeem, userinfo } from '../helpers/sign-in.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
});
afterAll(() => console?.stop());

describe('roles', () => {
  async function add(id: string, fields: Record<string, string>) {
    const form = await ada.get('/access/roles?do=new');
    return sendForm(ada, form, 'new', {
      id,
      description: '',
      idempotencyKey: hiddenIn(form, 'idempotencyKey')!,
      ...fields,
    });
  }

  test('are narrowed by the API: by the beginning of a name, and to built-in ones or the others', async () => {
    await callApi(console, 'POST', '/roles', { id: 'AdminHelper', permissions: ['svc:health:read'] });
    const found = async (query: string) =>
      ((await callApi(console, 'GET', `/roles?${query}`)) as { items: { id: string }[] }).items.map(
        ({ id }) => id,
      );
    expect(await found('q=adm')).toEqual(['Admin', 'AdminHelper']);
    expect(await found('q=adm&builtIn=false')).toEqual(['AdminHelper']);
    expect(await found('builtIn=true')).toEqual(['Admin', 'Viewer', 'MetricsViewer']);
    await expect(callApi(console, 'GET', '/roles?builtIn=maybe')).rejects.toThrow(/^400/);
    await callApi(console, 'DELETE', '/roles/AdminHelper');
  });

  test('are filtered on their page by the beginning of a name and by their kind, in its files too', async () => {
    await callApi(console, 'POST', '/roles', { id: 'AdminHelper', permissions: ['svc:health:read'] });
    const rowsOf = async (query: string) => {
      const { body } = await ada.get(`/access/roles?${query}`);
      return [...body.matchAll(/<th scope="row"[^>]*><a href="\/access\/roles\/([^"]*)"/g)].map(
        ([, id]) => id,
      );
    };
    expect(await rowsOf('q=adm')).toEqual(['Admin', 'AdminHelper']);
    expect(await rowsOf('q=adm&builtIn=false')).toEqual(['AdminHelper']);
    expect(await rowsOf('builtIn=true')).toEqual(['Admin', 'Viewer', 'MetricsViewer']);
    const page = await ada.get('/access/roles?q=adm&builtIn=false');
    expect(page.body).toContain('<input id="q" name="q" type="search" value="adm"');
    expect(textOf(page)).toContain('Kind: Custom');
    expect(page.body).toContain('href="/access/roles.csv?q=adm&amp;builtIn=false"');
    const file = JSON.parse((await ada.get('/access/roles.json?q=adm&builtIn=false')).body);
    expect(file.items).toMatchObject([{ id: 'AdminHelper' }]);
    await callApi(console, 'DELETE', '/roles/AdminHelper');
  });

  test('are listed with what they open and who has them', async () => {
    const list = await ada.get('/access/roles');
    expect(textOf(list)).toContain('Reads and changes everything, on the cluster and here.');
    expect(list.body).toContain('href="/access/users?role=Admin"');
    expect(textOf(await ada.get('/access/users?role=Admin'))).toContain(admin.username);
  });

  test('are added, edited and removed, and what they open changes with the next call', async () => {
    const added = await ada.follow(await add('OrdersReader', { maps: 'orders-*', 'map:read': 'on' }));
    expect(textOf(added)).toContain('May read map “orders-*”. Nothing else.');
    await personWith(console, 'reader', ['OrdersReader']);
    const page = await ada.get('/access/roles/OrdersReader');
    expect(page.body).toContain('href="/access/users/reader"');
    // One user has it, who loses something: the page says so first.
    const fields = { description: 'Reads carts', maps: 'carts', 'map:read': 'on' };
    expect(textOf(await sendForm(ada, page, 'save', fields))).toContain(
      'One user has it, and loses svc:map:',
    );
    const saved = await ada.follow(await sendForm(ada, page, 'save', { ...fields, users: '1' }));
    expect(textOf(saved)).toContain('May read map “carts”. Nothing else.');
    const late = await sendForm(ada, page, 'save', { description: 'Late', maps: 'x', 'map:read': 'on' });
    expect([late.status, textOf(late).includes('This has changed meanwhile')]).toEqual([400, true]);
    const question = await ada.get('/access/roles/OrdersReader?do=remove');
    expect(textOf(question)).toContain('It is taken from one user, at once.');
    const done = await ada.follow(await sendForm(ada, question, 'remove', { typed_name: 'OrdersReader' }));
    expect(textOf(done)).toContain('The role is removed.');
    expect(textOf(await ada.get('/access/users/reader'))).toContain('Has no role');
  });

  test('are copied from one that there is', async () => {
    await add('Source', { 'access:wan:write': 'on' });
    const form = await ada.get('/access/roles?do=new&from=Source');
    expect(form.body).toMatch(/name="access:wan:write" type="checkbox" checked/);
    expect((await ada.get('/access/roles?do=new&from=Nobody')).status).toBe(404);
  });

  describe('that are built in are copied, as far as a role of one’s own can have the same', () => {
    const copyOf = (id: string) => `/access/roles?do=new&from=${id}`;
    /** What the form of the page would send as it stands. */
    const standing = ({ body }: Reply): Record<string, string> => ({
      ...Object.fromEntries(
        [...body.matchAll(/<input id="[^"]*" name="([^"]*)" type="checkbox" checked/g)].map(([, name]) => [
          name,
          'on',
        ]),
      ),
      maps: '',
      queues: '',
      scopes: /<textarea[^>]* name="scopes"[^>]*>\n?([^<]*)</.exec(body)?.[1] ?? '',
    });
    const addAs = async (agent: UserAgent, form: Reply, id: string) =>
      sendForm(agent, form, 'new', {
        id,
        description: '',
        from: hiddenIn(form, 'from')!,
        ...standing(form),
      });
    const pagesOf = async (agent: UserAgent) => {
      const { body } = await agent.get('/');
      const [column = ''] = /<nav[^>]*aria-label="Pages".*?<\/nav>/s.exec(body) ?? [];
      return [...column.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!);
    };

    test.each([
      {
        role: 'Viewer',
        leftOut:
          'api:access:read, api:audit:read, api:configuration:read, api:jobs:read, api:operations:read',
        lost: ['/cluster/operations', '/access/effective', '/observe/audit', '/observe/jobs'],
      },
      // By that permission one may ask a member for its configuration, too.
      { role: 'MetricsViewer', leftOut: 'api:members:read', lost: ['/cluster/members'] },
    ])('$role: its people open nothing that $role does not', async ({ role, leftOut, lost }) => {
      const page = await ada.get(`/access/roles/${role}`);
      expect(page.body).toContain(`href="/access/roles?do=new&amp;from=${role}"`);
      const form = await ada.get(copyOf(role));
      expect(titleOf(form)).toBe('Add role');
      expect(textOf(form)).toContain(`Filled in is what ${role} opens.`);
      expect(textOf(form)).toContain('the numbers at /metrics');
      expect(textOf(form)).toContain(`Left out: ${leftOut} .`);
      const added = await ada.follow(await addAs(ada, form, `Like${role}`));
      expect(textOf(added)).toContain('The role is added.');
      const [own, copied] = await Promise.all([
        pagesOf(await personWith(console, `own-${role.toLowerCase()}`, [role])),
        pagesOf(await personWith(console, `copied-${role.toLowerCase()}`, [`Like${role}`])),
      ]);
      expect(copied.length).toBeGreaterThan(0);
      expect(copied.filter((href) => !own.includes(href))).toEqual([]);
      expect(own.filter((href) => !copied.includes(href))).toEqual(lost);
    });

    test('Admin: with every permission, and without what only Admin counts for', async () => {
      const form = await ada.get(copyOf('Admin'));
      expect(textOf(form)).toContain('to count as the administrator who must remain');
      expect(textOf(form)).not.toContain('Left out:');
      await ada.follow(await addAs(ada, form, 'LikeAdmin'));
      const { permissions } = (await callApi(console, 'GET', '/roles/LikeAdmin')) as {
        permissions: readonly string[];
      };
      expect(permissions).toEqual([
        ...['svc:cluster:read', 'svc:cluster:write', 'svc:health:read', 'svc:data:read', 'svc:data:write'],
        ...['svc:wan:read', 'svc:wan:write', 'svc:cp:read', 'svc:cp:write', 'svc:persistence:write'],
        ...['api:*:read', 'api:*:write'],
      ]);
      const deputy = await personWith(console, 'deputy', ['LikeAdmin']);
      expect(await pagesOf(deputy)).toEqual(await pagesOf(ada));
    });

    test('whoever may add no role neither sees it nor gets the form', async () => {
      const viewer = await personWith(console, 'looks-only', ['Viewer']);
      expect((await viewer.get('/access/roles/Viewer')).body).not.toContain('do=new');
      expect((await viewer.get(copyOf('Viewer'))).status).toBe(403);
    });

    test('nobody copies more than they have: it is refused, and the form says the same again', async () => {
      await callApi(console, 'POST', '/roles', {
        id: 'Keeper',
        permissions: ['api:roles:read', 'api:roles:write', 'svc:health:read'],
      });
      const keeper = await personWith(console, 'keeper', ['Keeper']);
      const form = await keeper.get(copyOf('Viewer'));
      const refused = await addAs(keeper, form, 'TooMuch');
      expect(refused.status).toBe(400);
      expect(textOf(refused)).toContain('Nobody gives or changes what has more than they have');
      expect(textOf(refused)).toContain('Filled in is what Viewer opens.');
      expect(hiddenIn(refused, 'from')).toBe('Viewer');
      expect((await ada.get('/access/roles/TooMuch')).status).toBe(404);
    });

    test('says so in German', async () => {
      const form = await ada.get(copyOf('Viewer'), { 'accept-language': 'de' });
      expect(textOf(form)).toContain('Eingetragen ist, was Viewer öffnet.');
      expect(textOf(form)).toContain('Weggelassen: api:access:read');
      const page = await ada.get('/access/roles/Viewer', { 'accept-language': 'de' });
      expect(page.body).toContain('>Kopieren</a>');
    });
  });

  test('that are built in stay as they are', async () => {
    const page = await ada.get('/access/roles/Admin');
    expect(page.body).not.toContain('value="save"');
    const viewers = textOf(await ada.get('/access/roles/Viewer'));
    expect(viewers).toMatch(/Calls to the members Cluster: read; Health: read; .*Effective access/);
    const csrf = hiddenIn(page, 'csrf')!;
    const changed = await ada.post('/access/roles/Admin', {
      csrf,
      do: 'save',
      description: '',
      maps: 'x',
      'map:read': 'on',
    });
    expect(changed.status).toBe(400);
    const removed = await ada.post('/access/roles/Admin', { csrf, do: 'remove', typed_name: 'Admin' });
    expect([removed.status, textOf(removed).includes('built in')]).toEqual([400, true]);
  });

  test.each([
    { id: 'Admin', maps: 'x', error: 'id' },
    { id: 'not a name', maps: 'x', error: 'id' },
    { id: 'y'.repeat(1001), maps: 'x', error: 'id' },
    { id: 'Empty', maps: '', error: 'scopes' },
    { id: 'Unknown', maps: '', scopes: 'svc:nothing:read', error: 'scopes' },
  ])('are refused where $error is wrong, and what was typed stays', async ({ id, maps, scopes = '' }) => {
    const refused = await add(id, {
      maps,
      scopes,
      ...(maps && { 'map:read': 'on' }),
      description: '<b>مرحبا 🚀</b>',
    });
    expect(refused.status).toBe(400);
    expect(titleOf(refused)).toMatch(/^Problem/);
    expect(refused.body).toContain('value="&lt;b>مرحبا 🚀&lt;/b>"');
    expect((await ada.get('/access/roles')).body).not.toContain('مرحبا');
  });

  test('are shown to a Viewer, who changes none', async () => {
    const agent = await personWith(console, 'viewer', ['Viewer']);
    const page = await agent.get('/access/roles/Source');
    expect(page.status).toBe(200);
    expect(page.body).not.toContain('value="save"');
    const csrf = hiddenIn(page, 'csrf')!;
    for (const name of ['save', 'remove']) {
      const reply = await agent.post('/access/roles/Source', {
        csrf,
        do: name,
        typed_name: 'Source',
        maps: 'x',
        'map:read': 'on',
      });
      expect(reply.status).toBe(403);
    }
    expect((await agent.get('/access/roles?do=new')).status).toBe(403);
    expect((await agent.get('/access/roles/Source?do=remove')).status).toBe(403);
    expect((await agent.get('/access/sessions')).status).toBe(403);
  });

  test.each(foreignForms)('change by no form $name (S31)', async ({ fields, headers }) => {
    const csrf = hiddenIn(await ada.get('/access/roles/Source'), 'csrf')!;
    const reply = await ada.post(
      '/access/roles/Source',
      { csrf, do: 'remove', typed_name: 'Source', ...fields },
      headers,
    );
    expect(reply.status).toBe(403);
    expect((await ada.get('/access/roles/Source')).status).toBe(200);
  });
});

describe('sessions', () => {
  test('are found by user and application, and ended with what was opened with them', async () => {
    await callApi(console, 'POST', '/users', { id: 'grace', password: personPassword, roles: ['Viewer'] });
    const grace = createUserAgent(console.url);
    const callback = await authorize(grace, {}, { username: 'grace', password: personPassword });
    const { body: tokens } = await redeem(console, callback.get('code'));
    const list = await ada.get(`/access/sessions?user=grace&client=${dashboard.clientId}`);
    expect(list.body).toContain('data-title="Signed in with" class="minor"><bdi>Password</bdi>');
    const href = /href="(\/access\/sessions\/ses_[^"]*)"/.exec(list.body)![1]!;
    expect(list.body).not.toContain(`>${admin.username}</bdi></a></th>`);
    const page = await ada.get(href);
    expect(titleOf(page)).toBe('Session of grace');
    expect(textOf(page)).toContain('Password (pwd)');
    expect(textOf(page)).toContain('End all sessions of grace');
    expect(page.body).toContain('href="/access/users/grace?do=end-sessions"');
    expect(page.body).toContain(`href="/access/applications/${dashboard.clientId}"`);
    const question = await ada.get(`${href}?do=end`);
    expect(textOf(question)).toContain(dashboard.clientId);
    const done = await ada.follow(await sendForm(ada, question, 'end'));
    expect(textOf(done)).toContain('The session has ended.');
    expect((await userinfo(console, tokens.access_token)).status).toBe(401);
    expect((await ada.get(href)).status).toBe(404);
    expect((await sendForm(ada, question, 'end')).status).toBe(404);
  });

  test('are counted, page by page and by filter, without those that have ended', async () => {
    await callApi(console, 'POST', '/users', { id: 'linus', password: personPassword, roles: ['Viewer'] });
    const countOf = async (query: string) => {
      const { count } = (await callApi(console, 'GET', `/sessions?${query}`)) as {
        count: { value: number; isExact: boolean } | null;
      };
      return count;
    };
    const before = (await countOf('limit=1'))!.value;
    for (let n = 0; n < 3; n++)
      await createUserAgent(console.url).signIn({ username: 'linus', password: personPassword });
    const after = { value: before + 3, isExact: true };
    expect([await countOf('limit=1'), await countOf('')]).toEqual([after, after]);
    const ofLinus = { value: 3, isExact: true };
    expect([await countOf('user=linus&limit=2'), await countOf('user=linus')]).toEqual([ofLinus, ofLinus]);
    expect(await countOf('client=nothing')).toEqual({ value: 0, isExact: true });
    expect((await ada.get('/access/sessions?user=linus')).body).toContain('<span class="count">3</span>');
    await callApi(console, 'PATCH', '/users/linus', { roles: ['MetricsViewer'] });
    await callApi(console, 'POST', '/users/linus/end-sessions');
    expect([await countOf('limit=1'), await countOf('user=linus')]).toEqual([
      { value: before, isExact: true },
      { value: 0, isExact: true },
    ]);
    await callApi(console, 'DELETE', '/users/linus');
  });

  test('are gone for their own reader, who is sent to the sign-in', async () => {
    const other = createUserAgent(console.url);
    await other.signIn();
    await callApi(console, 'POST', `/users/${admin.username}/end-sessions`);
    for (const path of ['/access/sessions', '/access/roles', '/access']) {
      const reply = await other.get(path);
      expect([reply.status, reply.headers.location]).toEqual([303, '/login']);
    }
    await ada.signIn();
  });

  test.each(['ses_', 'ses_x', '..', '%00', 'x'.repeat(1000)])(
    'answer the id %j with a page that says there is none',
    async (id) => {
      const reply = await ada.get(`/access/sessions/${id}`);
      expect([404, 400]).toContain(reply.status);
      expect(titleOf(reply)).toMatch(/^Problem/);
    },
  );
});
