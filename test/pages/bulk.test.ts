/** Acts on many things of a list, as a browser without script sees them: what can be undone at once, the rest after a question. */
import { randomUUID } from 'node:crypto';
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
import { type Fields, formsOf, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin({ env: { CONSOLE_API_CHANGE_RATE: '0' } }));
}, 30_000);
afterAll(() => console?.stop());

const add = async (...ids: readonly string[]) => {
  for (const id of ids) await callApi(console, 'POST', '/users', { id, roles: [] });
};
const statusOf = async (id: string) =>
  ((await callApi(console, 'GET', `/users/${id}`)) as { readonly status: string }).status;
const picked = (...ids: readonly string[]): Fields =>
  Object.fromEntries(ids.map((id) => [`pick:${id}`, 'on']));
const asking = (act: string, fields: Fields, agent = ada, list = '/access/users') =>
  agent.get(`${list}?${new URLSearchParams({ ...fields, do: act })}`);
/** The form of the list, with its boxes: what can be undone is done by it. */
const selectionIn = (page: Reply, list = '/access/users') =>
  formsOf(page.body).find(({ action, hidden }) => action === list && hidden.formKey !== undefined)!;
const send = async (act: string, fields: Fields, agent = ada, list = '/access/users') => {
  const page = await agent.get(`${list}?${new URLSearchParams({ limit: '1', ...filterOf(fields) })}`);
  return agent.post(list, { ...selectionIn(page, list).hidden, ...fields, do: act });
};
const filterOf = ({ q }: Fields): Readonly<Record<string, string>> => (q === undefined ? {} : { q });
const act = async (name: string, fields: Fields, agent = ada, list = '/access/users') =>
  agent.follow(await send(name, fields, agent, list));
/** The form of the page that asks. */
const formIn = (page: Reply, list = '/access/users') =>
  formsOf(page.body).find(({ action }) => action === list)!;
const confirm = async (page: Reply, fields: Fields = {}, agent = ada, list = '/access/users') =>
  agent.follow(await agent.post(list, { ...formIn(page, list).hidden, ...fields }));

describe('a list', () => {
  test('has a box for each row, of a form that stands elsewhere, and the acts', async () => {
    await add('boxed');
    const page = await ada.get('/access/users?q=boxed');
    expect(page.body).toMatch(/<form id="selection" method="post" action="\/access\/users"/);
    expect(page.body).toMatch(
      /type="checkbox" form="selection" name="pick:boxed" value="on" aria-label="Select boxed"/,
    );
    for (const act of ['disable', 'enable', 'end-sessions', 'remove'])
      expect(page.body).toContain(`name="do" value="${act}"`);
    // This page is all that the filter finds.
    expect(page.body).not.toContain('name="all"');
  });

  test('has no boxes for who may read it and change nothing', async () => {
    await callApi(console, 'POST', '/roles', {
      id: 'Reader',
      permissions: ['api:users:read', 'api:roles:read'],
    });
    const nora = await personWith(console, 'nora', ['Reader']);
    const page = await nora.get('/access/users');
    expect([page.status, page.body.includes('pick:'), page.body.includes('id="selection"')]).toEqual([
      200,
      false,
      false,
    ]);
    const refused = await asking('end-sessions', picked('boxed'), nora);
    expect(refused.status).toBe(403);
    const csrf = hiddenIn(await nora.get('/account'), 'csrf')!;
    const sent = await nora.post('/access/users', { csrf, do: 'disable', ...picked('boxed') });
    expect([sent.status, await statusOf('boxed')]).toEqual([403, 'invited']);
  });

  test('has no box for a role that is built in', async () => {
    await callApi(console, 'POST', '/roles', { id: 'Custom', permissions: ['svc:health:read'] });
    const page = await ada.get('/access/roles');
    expect([page.body.includes('name="pick:Custom"'), page.body.includes('name="pick:Admin"')]).toEqual([
      true,
      false,
    ]);
  });
});

describe('what is selected', () => {
  test('is asked about where others are disturbed: who, how many and what it means to them, and in other ways', async () => {
    await add('ask-1', 'ask-2');
    const sent = await send('end-sessions', { q: 'ask-', ...picked('ask-1', 'ask-2') });
    // The question has an address.
    const { pathname, searchParams } = new URL(sent.headers.location!, console.url);
    expect([sent.status, pathname, Object.fromEntries(searchParams)]).toEqual([
      303,
      '/access/users',
      { q: 'ask-', 'pick:ask-1': 'on', 'pick:ask-2': 'on', do: 'end-sessions' },
    ]);
    const page = await ada.follow(sent);
    expect(titleOf(page)).toBe('End all sessions of 2 users');
    const text = textOf(page);
    expect(text).toContain('Selected: ask-1, ask-2.');
    expect(text).toContain('They are signed out of this console');
    expect(text).toContain('npx console user end-sessions ask-1 npx console user end-sessions ask-2');
    expect(text).toContain('/api/v1/jobs/bulk-acts');
    expect(textOf(await confirm(page))).toContain('2 done.');
  });

  test('is done to each at once where it can be undone, and the list comes back with its filter and the message', async () => {
    await add('done-1', 'done-2', 'done-3');
    const page = await act('disable', { q: 'done-', ...picked('done-1', 'done-2') });
    expect(new URL(page.url).searchParams.get('q')).toBe('done-');
    expect(textOf(page)).toContain(
      'Disable 2 users 2 done. They cannot sign in until they are enabled again; their sessions and tokens end.',
    );
    expect([await statusOf('done-1'), await statusOf('done-2'), await statusOf('done-3')]).toEqual([
      'disabled',
      'disabled',
      'invited',
    ]);
    const entries = console
      .log()
      .filter(({ event, target }) => event === 'user.disabled' && /^done-/.test(String(target)));
    expect(entries.map(({ target, via, actorKind }) => [target, via, actorKind])).toEqual([
      ['done-1', 'page', 'user'],
      ['done-2', 'page', 'user'],
    ]);
  });

  test('is not disabled by an address alone', async () => {
    await add('address-1');
    const page = await asking('disable', picked('address-1'));
    expect([page.status, titleOf(page), await statusOf('address-1')]).toEqual([200, 'Users', 'invited']);
  });

  test('of which some are refused says which and why, and the others are done', async () => {
    await add('partly-1', 'partly-2');
    const list = selectionIn(await ada.get('/access/users?q=partly-'));
    await callApi(console, 'DELETE', '/users/partly-2');
    const picks = picked('partly-1', 'partly-2', 'nobody-here', 'ada');
    const page = await ada.follow(
      await ada.post('/access/users', { ...list.hidden, ...picks, do: 'disable' }),
    );
    const text = textOf(page);
    expect(text).toContain('ada : This is your own account: have another administrator disable it');
    expect(text).toContain('1 done.');
    expect(text).toContain('3 were refused:');
    expect(page.body).toContain('class="message careful outcome"');
    expect(page.body).toContain('href="/access/users/nobody-here"');
    expect(text).toMatch(/partly-2 : There is no user of this name\./);
    expect([await statusOf('partly-1'), await statusOf('ada')]).toEqual(['disabled', 'active']);
    const job = /href="(\/observe\/jobs\/job_\w+)"/.exec(page.body)![1]!;
    const told = await ada.get(job);
    expect([titleOf(told), textOf(told)]).toEqual([
      'Disable users',
      expect.stringMatching(/Done, but for 3 Result 1 done\. 3 were refused: .*Begun by ada /),
    ]);
    expect(textOf(await ada.get('/observe/jobs'))).toMatch(
      /Disable users Done, but for 3 4 of 4 things ada /,
    );
  });

  test('is removed only with the word typed, and is not when another number is', async () => {
    await add('rm-1', 'rm-2');
    const asked = await asking('remove', picked('rm-1', 'rm-2'));
    expect(titleOf(asked)).toBe('Remove 2 users');
    const wrong = await ada.post('/access/users', { ...formIn(asked).hidden, typed_name: 'remove 3' });
    expect([wrong.status, await statusOf('rm-1')]).toEqual([400, 'invited']);
    expect(textOf(wrong)).toContain('Selected: rm-1, rm-2.');
    const page = await confirm(wrong, { typed_name: 'remove 2' });
    expect(textOf(page)).toContain('2 done.');
    await expect(statusOf('rm-1')).rejects.toThrow('404');
  });

  test('sent twice is one job, and with other rows another one', async () => {
    await add('twice', 'thrice');
    const { hidden } = selectionIn(await ada.get('/access/users'));
    const disable = (id: string) => ada.post('/access/users', { ...hidden, ...picked(id), do: 'disable' });
    const [first, again] = await Promise.all([disable('twice'), disable('twice')]);
    const other = await disable('thrice');
    expect([first.status, again.status, other.status]).toEqual([303, 303, 303]);
    expect(again.headers.location).toBe(first.headers.location);
    expect(other.headers.location).not.toBe(first.headers.location);
    expect([await statusOf('twice'), await statusOf('thrice')]).toEqual(['disabled', 'disabled']);
    const asked = await asking('end-sessions', picked('twice'));
    const [one, same] = [
      await ada.post('/access/users', formIn(asked).hidden),
      await ada.post('/access/users', formIn(asked).hidden),
    ];
    expect([one.status, same.headers.location]).toEqual([303, one.headers.location]);
  });
});

describe('the administrators', () => {
  const list = '/access/users';
  test('are not all disabled at once: the last one stays, and the message says why', async () => {
    const own = await startWithAdmin({ env: { CONSOLE_API_CHANGE_RATE: '0' } });
    try {
      const eve = await personWith(own.console, 'eve', ['Admin']);
      const page = await act('disable', picked('ada', 'eve'), eve, list);
      const text = textOf(page);
      expect(text).toContain('1 done.');
      expect(text).toContain('1 was refused:');
      expect(text).toContain('eve : This is your own account');
      const { items } = (await callApi(own.console, 'GET', '/users?role=Admin&status=active')) as {
        items: { id: string }[];
      };
      expect(items.map(({ id }) => id)).toEqual(['eve']);
    } finally {
      await own.console.stop();
    }
  }, 30_000);
});

describe('an act that can be undone', () => {
  const undoIn = (page: Reply, action = '/access/users') =>
    formsOf(page.body).find((form) => form.action === action && form.hidden.do === 'undo');
  const undo = async (page: Reply, fields: Fields = {}, agent = ada) =>
    agent.follow(await agent.post('/access/users', { ...undoIn(page)!.hidden, ...fields }));

  test('has an Undo that takes back what it has changed alone, and names what somebody has changed since', async () => {
    await add('und-1', 'und-2', 'und-3', 'und-off');
    await callApi(console, 'POST', '/users/und-off/disable');
    const done = await act('disable', { q: 'und-', ...picked('und-1', 'und-2', 'und-3', 'und-off') });
    expect(textOf(done)).toContain(
      'their sessions and tokens end. It has changed 3: these can be undone, but for those that somebody changes first. Undo',
    );
    await callApi(console, 'PATCH', '/users/und-2', { displayName: 'Changed since' });
    const page = await undo(done);
    expect(new URL(page.url).searchParams.get('q')).toBe('und-');
    const text = textOf(page);
    expect(text).toContain('2 done.');
    expect(text).toContain('1 was refused:');
    expect(text).toMatch(/und-2 : This has changed meanwhile/);
    expect(await Promise.all(['und-1', 'und-2', 'und-3', 'und-off'].map(statusOf))).toEqual([
      'invited',
      'disabled',
      'invited',
      'disabled',
    ]);
    // The page that it was done from says so, and does nothing twice.
    const before = await ada.get(done.url);
    expect([undoIn(before), textOf(before).includes('Undone: see what came of that')]).toEqual([
      undefined,
      true,
    ]);
    expect(textOf(await undo(done))).toContain('Undone: see what came of that');
    expect(await statusOf('und-1')).toBe('invited');
  });

  test('has it on the page of its job, later, for whoever has begun it alone', async () => {
    await add('later-1');
    const eva = await personWith(console, 'eva', ['Admin']);
    const done = await act('disable', picked('later-1'));
    const job = /href="(\/observe\/jobs\/job_\w+)"/.exec(done.body)![1]!;
    expect(undoIn(await eva.get(job), job)).toBeUndefined();
    const page = await ada.get(job);
    const csrf = hiddenIn(await eva.get(job), 'csrf')!;
    await eva.post(job, { csrf, do: 'undo' });
    expect(await statusOf('later-1')).toBe('disabled');
    const undone = await ada.follow(await ada.post(job, undoIn(page, job)!.hidden));
    expect([titleOf(undone), await statusOf('later-1')]).toEqual(['Enable users', 'invited']);
    expect((await ada.get(job)).body).toContain(`href="${new URL(undone.url).pathname}"`);
  });

  test('has none where nothing was changed, or what was done cannot be undone', async () => {
    await add('none-1', 'none-2');
    expect(undoIn(await act('enable', picked('none-1')))).toBeUndefined();
    expect(undoIn(await confirm(await asking('end-sessions', picked('none-1'))))).toBeUndefined();
    const removed = await confirm(await asking('remove', picked('none-2')), { typed_name: 'remove 1' });
    expect([textOf(removed).includes('1 done.'), undoIn(removed)]).toEqual([true, undefined]);
  });

  test('is not undone by who may no longer do the opposite, whose session has ended, or by a foreign form (S31)', async () => {
    await add('may-1');
    await callApi(console, 'POST', '/roles', {
      id: 'Desk',
      permissions: ['api:users:read', 'api:users:write', 'api:roles:read'],
    });
    const [ida, ole] = [
      await personWith(console, 'ida', ['Desk']),
      await personWith(console, 'ole', ['Desk']),
    ];
    const done = await act('disable', picked('may-1'), ida);
    for (const { fields, headers } of foreignForms) {
      const reply = await ida.post('/access/users', { ...undoIn(done)!.hidden, ...fields }, headers);
      expect(reply.status).toBe(403);
    }
    // Of another person it is not spoken.
    const csrf = hiddenIn(await ole.get('/access/users'), 'csrf')!;
    expect((await ole.post('/access/users', { ...undoIn(done)!.hidden, csrf })).status).toBe(404);
    await callApi(console, 'PATCH', '/roles/Desk', { permissions: ['api:users:read', 'api:roles:read'] });
    expect((await ida.post('/access/users', undoIn(done)!.hidden)).status).toBe(403);
    await callApi(console, 'POST', '/users/ida/end-sessions');
    expect((await ida.post('/access/users', undoIn(done)!.hidden)).headers.location).toBe('/login');
    expect(await statusOf('may-1')).toBe('disabled');
  });
});

test('what is too long for an address is asked about by a form', async () => {
  const ids = Array.from({ length: 100 }, (_, n) => `long-${'n'.repeat(55)}-${n}`);
  await add(...ids);
  const list = await ada.get('/access/users?q=long-&limit=100');
  const form = selectionIn(list);
  const asked = await ada.post(form.action, { ...form.hidden, do: 'end-sessions', ...picked(...ids) });
  expect([asked.status, titleOf(asked)]).toEqual([200, 'End all sessions of 100 users']);
  const { hidden } = formsOf(asked.body).find((one) => one.hidden.idempotencyKey !== undefined)!;
  const ended = await ada.post('/access/users', hidden);
  const sent = await ada.post(form.action, { ...form.hidden, do: 'disable', ...picked(...ids) });
  for (const reply of [ended, sent]) {
    expect(reply.status).toBe(303);
    const job = new URL(reply.headers.location!, console.url).searchParams.get('job')!;
    await console.waitFor(
      () =>
        console
          .log()
          .some(({ event, changes }) => event === 'bulk_act.ended' && JSON.stringify(changes).includes(job)),
      'its end',
    );
  }
  expect(await statusOf(ids[99]!)).toBe('disabled');
}, 30_000);

describe('all that the filter finds', () => {
  test('is meant, and not the page alone', async () => {
    const ids = Array.from({ length: 7 }, (_, n) => `all-${n}`);
    await add(...ids);
    const list = await ada.get('/access/users?q=all-&limit=3');
    expect(list.body).toMatch(/name="all" type="checkbox" value="true"/);
    const asked = await asking('end-sessions', { q: 'all-', all: 'true' });
    expect(titleOf(asked)).toBe('End all sessions of 7 users');
    expect(textOf(await confirm(asked))).toContain('7 done.');
    const page = await act('disable', { q: 'all-', all: 'true' });
    expect(textOf(page)).toContain('Disable 7 users 7 done.');
    expect(new Set(await Promise.all(ids.map(statusOf)))).toEqual(new Set(['disabled']));
  });

  test('is left alone when there are more by then than were asked about', async () => {
    await add('grow-1', 'grow-2');
    const asked = await asking('remove', { q: 'grow-', all: 'true' });
    await add('grow-3');
    const page = await confirm(asked, { typed_name: 'remove 2' });
    expect(textOf(page)).toContain('More are found by now');
    expect([await statusOf('grow-1'), await statusOf('grow-3')]).toEqual(['invited', 'invited']);
  });

  test('is left alone at once too when there are more by then than the list has said', async () => {
    const view = (id: string) => callApi(console, 'POST', '/users', { id, roles: ['Viewer'] });
    for (const id of ['more-1', 'more-2', 'more-3']) await view(id);
    const list = await ada.get('/access/users?role=Viewer&limit=2');
    expect(textOf(list)).toContain('All 3 Disable');
    await view('more-4');
    const { hidden } = selectionIn(list);
    const page = await ada.follow(await ada.post('/access/users', { ...hidden, all: 'true', do: 'disable' }));
    expect(textOf(page)).toContain('More are found by now');
    expect(await statusOf('more-1')).toBe('invited');
  });

  test('of machine clients leaves applications out', async () => {
    await callApi(console, 'POST', '/clients', { id: 'mix-machine', scopes: [] });
    await callApi(console, 'POST', '/applications', {
      id: 'mix-app',
      redirectUris: ['https://a.example.com/cb'],
    });
    const list = '/access/clients';
    const page = await act('disable', { q: 'mix-', all: 'true' }, ada, list);
    expect(textOf(page)).toContain('Disable 1 machine client 1 done. They get no tokens');
    const statuses = await Promise.all(
      ['/clients/mix-machine', '/applications/mix-app'].map((path) => callApi(console, 'GET', path)),
    );
    expect(statuses.map((one) => (one as { status: string }).status)).toEqual(['disabled', 'active']);
  });
});

describe('other lists', () => {
  test('end sessions, say whose, and leave the others', async () => {
    const [one, two] = [await personWith(console, 'ses-one', []), await personWith(console, 'ses-two', [])];
    const { items } = (await callApi(console, 'GET', '/sessions?user=ses-one')) as {
      items: { id: string }[];
    };
    const list = '/access/sessions';
    const asked = await asking('end', { ...picked(items[0]!.id), user: '' }, ada, list);
    expect([titleOf(asked), textOf(asked).includes('Selected: ses-one.')]).toEqual(['End 1 session', true]);
    const page = await confirm(asked, {}, ada, list);
    expect(textOf(page)).toContain('1 done.');
    expect([(await one.get('/account')).status, (await two.get('/account')).status]).toEqual([303, 200]);
  });

  test('mark the session by which they are read, and say so before it is ended', async () => {
    const nina = await personWith(console, 'ses-nina', ['Admin']);
    const list = '/access/sessions';
    const sessionsOf = async (user: string) =>
      ((await callApi(console, 'GET', `/sessions?user=${user}`)) as { items: { id: string }[] }).items[0]!.id;
    const [own, other] = [await sessionsOf('ses-nina'), await sessionsOf('ada')];
    const page = textOf(await nina.get(list));
    expect(page.match(/This one/g)).toHaveLength(1);
    expect(page).toContain('ses-nina This one');
    const careful = 'Careful: this session of yours is among them.';
    expect(textOf(await asking('end', picked(own, other), nina, list))).toContain(careful);
    expect(textOf(await asking('end', picked(other), nina, list))).not.toContain(careful);
    const yours = 'It is yours: you are signed out here';
    expect(textOf(await nina.get(`${list}/${own}?do=end`))).toContain(yours);
    expect(textOf(await nina.get(`${list}/${other}?do=end`))).not.toContain(yours);
  });

  test.each([
    ['roles', '/roles', { permissions: ['svc:health:read'] }, 'Remove 2 roles'],
    ['clients', '/clients', { scopes: [] }, 'Remove 2 machine clients'],
    [
      'applications',
      '/applications',
      { redirectUris: ['https://a.example.com/cb'] },
      'Remove 2 applications',
    ],
  ] as const)('remove %s', async (name, path, fields, title) => {
    const [one, two] = [`Gone-${name}-1`, `Gone-${name}-2`];
    for (const id of [one, two]) await callApi(console, 'POST', path, { id, ...fields });
    const list = `/access/${name}`;
    const asked = await asking('remove', picked(one, two), ada, list);
    expect(titleOf(asked)).toBe(title);
    const page = await confirm(asked, { typed_name: 'remove 2' }, ada, list);
    expect(textOf(page)).toContain('2 done.');
    await expect(callApi(console, 'GET', `${path}/${one}`)).rejects.toThrow('404');
  });
});

describe('what cannot be', () => {
  test('is nothing selected: the list says so', async () => {
    const page = await act('disable', { q: 'a' });
    expect([page.status, textOf(page).includes('Nothing was selected')]).toEqual([200, true]);
    expect(page.body).toContain('role="alert"');
  });

  test('is a filter that finds nothing, for all', async () => {
    const page = await ada.follow(await asking('remove', { q: 'nobody-at-all', all: 'true' }));
    expect(textOf(page)).toContain('the filter finds nothing');
  });

  test('is ten thousand at once, or ids that are none', async () => {
    const csrf = hiddenIn(await ada.get('/account'), 'csrf')!;
    const many = picked(...Array.from({ length: 10_000 }, (_, n) => `u${n}`));
    expect((await ada.post('/access/users', { csrf, do: 'disable', ...many })).status).toBe(413);
    const some = picked(...Array.from({ length: 201 }, (_, n) => `u${n}`));
    const refused = await ada.follow(await ada.post('/access/users', { csrf, do: 'disable', ...some }));
    expect(textOf(refused)).toContain('200 can be selected at most');
    const long = await ada.follow(
      await ada.post('/access/users', { csrf, do: 'disable', ...picked('x'.repeat(257)) }),
    );
    expect(textOf(long)).toContain('200 can be selected at most');
    const hostile = '<script>alert(1)</script>"\'\u0000../../x';
    const asked = await asking('end-sessions', picked(hostile));
    expect([asked.status, asked.body.includes('<script>alert')]).toEqual([200, false]);
    const page = await confirm(asked, { ...picked(hostile), idempotencyKey: randomUUID() });
    expect([page.body.includes('<script>alert'), textOf(page).includes('1 was refused:')]).toEqual([
      false,
      true,
    ]);
  });

  test('is a count that somebody else has written', async () => {
    await add('count-1', 'count-2');
    const asked = await asking('end-sessions', { q: 'count-', all: 'true' });
    const { hidden } = formIn(asked);
    for (const count of ['1', '-1', '0', 'NaN', '1e9', '99999']) {
      const reply = await ada.post('/access/users', { ...hidden, count, idempotencyKey: randomUUID() });
      expect([count, reply.status]).toEqual([count, 303]);
      if (count === '1') expect(textOf(await ada.follow(reply))).toContain('More are found by now');
    }
  });

  test.each(foreignForms)('is a form $name (S31)', async ({ fields, headers }) => {
    await add('foreign').catch(() => {});
    const asked = await asking('remove', picked('foreign'));
    const confirmed = { ...formIn(asked).hidden, typed_name: 'remove 1' };
    const { hidden } = selectionIn(await ada.get('/access/users'));
    for (const form of [confirmed, { ...hidden, ...picked('foreign'), do: 'disable' }]) {
      const reply = await ada.post('/access/users', { ...form, ...fields }, headers);
      expect([reply.status, await statusOf('foreign')]).toEqual([403, 'invited']);
    }
  });

  test('is the outcome of somebody else: the list shows none', async () => {
    await add('whose');
    const page = await act('disable', picked('whose'));
    const job = new URL(page.url).searchParams.get('job')!;
    const other = await personWith(console, 'other-admin', ['Admin']);
    for (const id of [job, 'job_0', '../x']) {
      const list = await other.get(`/access/users?job=${encodeURIComponent(id)}`);
      expect([list.status, list.body.includes('outcome-title')]).toEqual([200, false]);
    }
  });
});

test('who may change users and see no jobs is told the outcome all the same', async () => {
  await callApi(console, 'POST', '/roles', {
    id: 'Keeper',
    permissions: ['api:users:read', 'api:users:write', 'api:roles:read'],
  });
  const kim = await personWith(console, 'kim', ['Keeper']);
  await add('kept');
  const page = await act('disable', picked('kept', 'nobody'), kim);
  expect(textOf(page)).toContain('1 done.');
  expect(textOf(page)).toContain('1 was refused:');
  expect(page.body).not.toContain('/observe/jobs/');
});

test('asks an administrator whose sign-in is old for the password before it removes', async () => {
  const late = await personWith(console, 'late-admin', ['Admin']);
  await add('old-1');
  const asked = await asking('remove', picked('old-1'), late);
  // Of late: no password is asked for.
  expect(asked.body).not.toContain('current_password');
  const page = await confirm(asked, { typed_name: 'remove 1', current_password: personPassword }, late);
  expect(textOf(page)).toContain('1 done.');
});
