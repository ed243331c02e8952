/** The buttons in rows of lists: whom they are for, what each does, and what it leaves as it is. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningConsole } from '../helpers/console.ts';
import { callApi, foreignForms, hiddenIn, personWith, sendForm } from '../helpers/management.ts';
import { type MapMember, startMapMember } from '../helpers/map-member.ts';
import { until } from '../helpers/store.ts';
import {
  newSessionOf,
  signInAs,
  startWithTwoAdministrators,
  type TwoAdministrators,
} from '../helpers/two-administrators.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let members: readonly MapMember[] = [];
let started: TwoAdministrators;
let console: RunningConsole;
let ada: UserAgent;
/** Has asked for what waits for approval. */
let bob: UserAgent;
/** Reads all of these lists and changes nothing. */
let reader: UserAgent;

/** Each has a person. */
const roles = {
  ListReader: ['sessions', 'members', 'jobs', 'approvals'].map((object) => `api:${object}:read`),
  Ender: ['api:sessions:read', 'api:sessions:write'],
  Drainer: ['api:members:read', 'api:members:write'],
  Orders: ['svc:map:orders:read'],
};

beforeAll(async () => {
  members = await Promise.all([0, 1].map(() => startMapMember(() => 'a value')));
  const addresses = members.map(({ port }) => `http://127.0.0.1:${port}`);
  const env = { CONSOLE_MEMBERS: addresses.join(','), CONSOLE_APPROVALS_REQUIRE: 'updateRole' };
  started = await startWithTwoAdministrators(env, async (before) => {
    for (const [role, permissions] of Object.entries(roles)) {
      await callApi(before, 'POST', '/roles', { id: role, permissions });
      await personWith(before, `is-${role.toLowerCase()}`, [role]);
    }
  });
  ({ console, ada, bob } = started);
  reader = await signInAs(console, 'is-listreader');
});
afterAll(async () => {
  for (const member of members) member.release();
  await started?.close();
  await Promise.all(members.map((member) => member.close()));
});

/** A list whose rows have a button. */
interface Kind {
  readonly name: string;
  readonly list: string;
  readonly label: { readonly en: string; readonly de: string };
  readonly act: string;
  /** What asks before it does anything has a page with this title. */
  readonly question?: RegExp;
  /** Makes one, with a button in its row. @returns the address of its page */
  readonly make: (id: string) => Promise<string>;
  /** What the button could change of it. */
  readonly stateOf: (href: string) => Promise<unknown>;
}

const idOf = (href: string) => href.split('/').at(-1)!;
const read = (path: string) => callApi(console, 'GET', path) as Promise<Record<string, unknown>>;

const kinds: readonly Kind[] = [
  {
    name: 'machine clients',
    list: '/access/clients',
    label: { en: 'Try it', de: 'Ausprobieren' },
    act: 'try',
    async make(id) {
      await callApi(console, 'POST', '/clients', { id, scopes: ['svc:map:orders:read'] });
      return `/access/clients/${id}`;
    },
    stateOf: async (href) => read(`/clients/${idOf(href)}`),
  },
  {
    name: 'sessions',
    list: '/access/sessions',
    label: { en: 'End', de: 'Beenden' },
    act: 'end',
    question: /^End this session of /,
    make: async () => `/access/sessions/${await newSessionOf(console, 'is-orders')}`,
    stateOf: async (href) => (await read(`/sessions/${idOf(href)}`)).user,
  },
  {
    name: 'members',
    list: '/cluster/members',
    label: { en: 'Drain', de: 'Entlasten' },
    act: 'drain',
    make: async () => `/cluster/members/${encodeURIComponent(`127.0.0.1:${members[0]!.port}`)}`,
    stateOf: async (href) => (await read(`/members/${idOf(href)}`)).isDrained,
  },
  {
    name: 'jobs',
    list: '/observe/jobs',
    label: { en: 'Stop', de: 'Abbrechen' },
    act: 'stop',
    question: /^Stop: /,
    async make(id) {
      for (const member of members) member.hold();
      const keys = Array.from({ length: 40 }, (_, n) => `key-${n}`);
      const job = (await callApi(console, 'POST', `/maps/${id}/readings`, { keys })) as { id: string };
      return `/observe/jobs/${job.id}`;
    },
    async stateOf(href) {
      const { state } = await read(`/jobs/${idOf(href)}`);
      return ['queued', 'running'].includes(String(state)) ? 'goes on' : state;
    },
  },
  {
    name: 'approvals',
    list: '/access/approvals',
    label: { en: 'Approve', de: 'Freigeben' },
    act: 'approve',
    question: /^Approve: /,
    make: askedForBy,
    stateOf: async (href) => [(await read(`/approvals/${idOf(href)}`)).state, await read('/roles/Orders')],
  },
];

/** A change of a role that waits. @param description  as it would be */
async function askedForBy(description: string, agent = bob): Promise<string> {
  const form = await agent.get('/access/roles/Orders');
  const fields = { description, maps: 'orders', 'map:read': 'on' };
  const asked = await agent.follow(await sendForm(agent, form, 'save', fields));
  return new URL(asked.url).pathname;
}

/** The row that leads there. */
function rowOf({ body }: Reply, href: string): string {
  const row = body.split('<tr').find((part) => part.includes(`href="${href}"`));
  expect(row, `a row with ${href}`).toBeDefined();
  return row!.split('</tr>')[0]!;
}

/** The name of the button of a row; what is written on it, it begins with. */
function buttonIn(row: string): string | undefined {
  const cell = /<td class="act">(.*?)<\/td>/s.exec(row)?.[1];
  if (!cell) return undefined;
  const name = textOf({ body: / aria-label="([^"]*)"/.exec(cell)?.[1] ?? '' } as Reply);
  expect(name.startsWith(textOf({ body: cell } as Reply).trim())).toBe(true);
  return name;
}

const buttonsOf = (page: Reply) => page.body.split('<tr').flatMap((row) => buttonIn(row) ?? []);

describe.each(kinds)('the button of $name', ({ list, label, act, question, make, stateOf, name }) => {
  const own = name.replace(' ', '-');
  let href: string;
  beforeAll(async () => {
    href = await make(`${own}-one`);
    if (name === 'members') return;
    // Another one, so that there are two buttons: of the same, they are told apart by the second.
    await delay(1_000);
    await make(`${own}-other`);
  });
  afterAll(() => {
    for (const member of members) member.release();
  });

  test('stands in each row, and says in English and in German what it acts on, of each another thing', async () => {
    for (const [language, word] of Object.entries(label)) {
      const page = await ada.get(list, { 'Accept-Language': language });
      const buttons = buttonsOf(page);
      expect(buttons.length).toBeGreaterThanOrEqual(2);
      expect(new Set(buttons).size).toBe(buttons.length);
      expect(buttons.every((button) => button.startsWith(`${word}: `))).toBe(true);
      expect(buttonIn(rowOf(page, href))).toMatch(new RegExp(`^${word}: .+`));
    }
  });

  // Nobody reads machine clients and may not try them.
  const isForSome = name !== 'machine clients';
  if (isForSome)
    test('is not there for who may read them and no more', async () => {
      const page = await reader.get(list);
      expect(rowOf(page, href)).toContain(href);
      expect([page.status, buttonsOf(page)]).toEqual([200, []]);
      const before = await stateOf(href);
      const csrf = hiddenIn(await reader.get('/account'), 'csrf')!;
      expect((await reader.post(href, { csrf, do: act })).status).toBe(403);
      if (question) expect((await reader.get(`${href}?do=${act}`)).status).toBe(403);
      expect(await stateOf(href)).toEqual(before);
    });

  if (question)
    test('asks first, and has changed nothing by then', async () => {
      const before = await stateOf(href);
      const row = rowOf(await ada.get(list), href);
      expect(row).toContain(`href="${href}?do=${act}"`);
      const asked = await ada.get(`${href}?do=${act}`);
      expect([asked.status, titleOf(asked)]).toEqual([200, expect.stringMatching(question!)]);
      expect(await stateOf(href)).toEqual(before);
    });

  test.each(foreignForms)('changes nothing by a form $name (S31)', async ({ fields, headers }) => {
    const before = await stateOf(href);
    const csrf = hiddenIn(await ada.get('/account'), 'csrf')!;
    const reply = await ada.post(href, { csrf, do: act, ...fields }, headers);
    expect(reply.status).toBe(403);
    expect(await stateOf(href)).toEqual(before);
  });

  test('leads who is not signed in to the sign-in', async () => {
    const before = await stateOf(href);
    const reply = await createUserAgent(console.url).post(href, { do: act });
    expect([303, 401, 403]).toContain(reply.status);
    expect(await stateOf(href)).toEqual(before);
  });
});

/** The form of a row, sent as it is. */
async function pressIn(page: Reply, href: string): Promise<Reply> {
  const row = rowOf(page, href);
  expect(row).toContain(`action="${href}"`);
  return ada.post(href, {
    csrf: hiddenIn({ body: row } as Reply, 'csrf')!,
    do: hiddenIn({ body: row } as Reply, 'do')!,
  });
}

describe('a machine client', () => {
  const make = kinds[0]!.make;

  test('is tried from its row: what a token of it would open, and none is given out', async () => {
    const href = await make('tried-in-row');
    const tried = await pressIn(await ada.get('/access/clients'), href);
    expect(tried.status).toBe(200);
    expect(textOf(tried)).toContain('/svc/rest/maps/{mapName}');
    const issued = console.log().filter(({ event }) => event === 'token.issued');
    expect(issued.some(({ clientId }) => clientId === 'tried-in-row')).toBe(false);
  });

  test('that is disabled has no button, and a form of before gets no token', async () => {
    const href = await make('off-in-row');
    const before = await ada.get('/access/clients');
    await callApi(console, 'POST', '/clients/off-in-row/disable');
    expect(buttonIn(rowOf(await ada.get('/access/clients'), href))).toBeUndefined();
    const tried = await pressIn(before, href);
    expect(textOf(tried)).toContain('The client is disabled.');
    expect(textOf(tried)).not.toContain('Goes through');
  });

  test('that was removed meanwhile is not there any more', async () => {
    const href = await make('gone-in-row');
    const before = await ada.get('/access/clients');
    await callApi(console, 'DELETE', '/clients/gone-in-row');
    const tried = await pressIn(before, href);
    expect([tried.status, titleOf(tried)]).toEqual([404, 'Problem: There is nothing at this address']);
  });
});

describe('a session', () => {
  const make = kinds[1]!.make;

  test('is ended by the answer to the question, and one that has ended meanwhile is not there any more', async () => {
    const href = await make('leaving');
    const question = await ada.get(`${href}?do=end`);
    const done = await ada.follow(await sendForm(ada, question, 'end'));
    expect(textOf(done)).toContain('The session has ended.');
    expect((await ada.get(`${href}?do=end`)).status).toBe(404);
    expect((await sendForm(ada, question, 'end')).status).toBe(404);
  });

  test('by which the list is read has no button, and those of others have one', async () => {
    const list = await ada.get('/access/sessions');
    const own = list.body.split('<tr').filter((row) => row.includes('class="tag"'));
    expect(own).toHaveLength(1);
    expect(own[0]).toContain('<bdi>ada</bdi>');
    expect(buttonIn(own[0]!)).toBeUndefined();
    // Of the same person, elsewhere.
    await createUserAgent(console.url).signIn();
    const mine = (await ada.get('/access/sessions?user=ada')).body.split('<tr').map(buttonIn);
    expect(mine.filter((button) => button?.startsWith('End: ada, '))).toHaveLength(1);
  });

  test('of somebody who has more than the reader is offered to nobody’s harm: its end is refused', async () => {
    const ender = await signInAs(console, 'is-ender');
    const { items } = (await read('/sessions?user=bob')) as unknown as { items: { id: string }[] };
    const href = `/access/sessions/${items[0]!.id}`;
    const refused = await sendForm(ender, await ender.get(`${href}?do=end`), 'end');
    expect(refused.status).toBe(400);
    expect(textOf(refused)).toContain('Nobody gives or changes what has more than they have');
    expect(await kinds[1]!.stateOf(href)).toBe('bob');
  });
});

describe('a member', () => {
  const { make, stateOf } = kinds[2]!;

  test('is drained from its row at once, and its message has Undo, which is all that it takes', async () => {
    const href = await make('');
    const list = await ada.get('/cluster/members');
    const drained = await ada.follow(await pressIn(list, href));
    expect(await stateOf(href)).toBe(true);
    expect(textOf(drained)).toContain('Drained: it gets no calls any more');
    expect(textOf(drained)).toContain('Undo');
    const other = await ada.get('/cluster/members', { 'Accept-Language': 'de' });
    expect(buttonIn(rowOf(other, href))).toMatch(/^Entlastung beenden: 127\.0\.0\.1:\d+$/);
    const undone = await ada.follow(await sendForm(ada, drained, 'undrain'));
    expect([await stateOf(href), textOf(undone).includes('It gets calls again.')]).toEqual([false, true]);
  });

  test('that nobody knows any more is not drained', async () => {
    const csrf = hiddenIn(await ada.get('/cluster/members'), 'csrf')!;
    const reply = await ada.post('/cluster/members/127.0.0.1%3A1', { csrf, do: 'drain' });
    expect([reply.status, titleOf(reply)]).toEqual([404, 'Problem: There is nothing at this address']);
  });
});

describe('a job', () => {
  const { make, stateOf } = kinds[3]!;

  test('is stopped by the answer to the question; over, it has no button, and says that it is over', async () => {
    const href = await make('stopped-in-row');
    const question = await ada.get(`${href}?do=stop`);
    const done = await ada.follow(await sendForm(ada, question, 'stop'));
    expect(textOf(done)).toContain('It stops as soon as the current step is done.');
    for (const member of members) member.release();
    await until(async () => (await stateOf(href)) === 'cancelled', 'its end');
    expect(buttonIn(rowOf(await ada.get('/observe/jobs'), href))).toBeUndefined();
    const late = await sendForm(ada, question, 'stop');
    expect([late.status, textOf(late).includes('This job is over.')]).toEqual([400, true]);
  });
});

describe('a change that waits', () => {
  const { stateOf } = kinds[4]!;

  test('has no button for who has asked for it, who cannot approve it in any other way either', async () => {
    const href = await askedForBy('of my own');
    expect(buttonIn(rowOf(await ada.get('/access/approvals'), href))).toMatch(/^Approve: /);
    expect(buttonIn(rowOf(await bob.get('/access/approvals'), href))).toBeUndefined();
    const before = await stateOf(href);
    expect((await bob.get(`${href}?do=approve`)).body).not.toContain('name="do" value="approve"');
    const csrf = hiddenIn(await bob.get('/account'), 'csrf')!;
    await bob.post(href, { csrf, do: 'approve' });
    expect(await stateOf(href)).toEqual(before);
  });

  test('is made by the answer to the question; rejected meanwhile, it is not', async () => {
    const [made, rejected] = [await askedForBy('made in a row'), await askedForBy('not made')];
    const done = await ada.follow(await sendForm(ada, await ada.get(`${made}?do=approve`), 'approve'));
    expect(textOf(done)).toContain('Approved: the change is made.');
    expect(await read('/roles/Orders')).toMatchObject({ description: 'made in a row' });
    const question = await ada.get(`${rejected}?do=approve`);
    const taken = await bob.get(`${rejected}?do=reject`);
    await sendForm(bob, taken, 'reject', { reason: '' });
    const late = await sendForm(ada, question, 'approve');
    expect([303, 400]).toContain(late.status);
    expect(await read('/roles/Orders')).toMatchObject({ description: 'made in a row' });
    expect(buttonIn(rowOf(await ada.get('/access/approvals'), rejected))).toBeUndefined();
  });
});

test('who has left meanwhile does nothing with the button of a list that is still open', async () => {
  const late = await signInAs(console, 'is-drainer');
  const href = await kinds[2]!.make('');
  const list = await late.get('/cluster/members');
  const csrf = hiddenIn({ body: rowOf(list, href) } as Reply, 'csrf')!;
  await callApi(console, 'POST', '/users/is-drainer/end-sessions');
  const reply = await late.post(href, { csrf, do: 'drain' });
  expect([reply.status, reply.headers.location?.startsWith('/login')]).toEqual([303, true]);
  expect(await kinds[2]!.stateOf(href)).toBe(false);
});
