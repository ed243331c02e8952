/** Many keys of a map on pages: a job that outlives them, shown live, and gone on with no longer for who may not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personPassword,
  personWith,
  sendForm,
  startWithAdmin,
} from '../helpers/management.ts';
import { type MapMember, startMapMember } from '../helpers/map-member.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';
import { openStream, type StreamEvent } from './live-support.ts';

const mapHref = (map: string) => `/cluster/maps/${encodeURIComponent(map)}`;
const range = (n: number) => `order-[1-${n}]`;
const valueFor = (key: string) => (/[13579]$/.test(key) ? `value of ${key}` : undefined);

let member: MapMember;
let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  member = await startMapMember(valueFor);
  ({ console, ada } = await startWithAdmin({
    env: { CONSOLE_MEMBERS: `http://127.0.0.1:${member.port}` },
  }));
});
afterAll(async () => {
  await console?.stop();
  await member?.close();
});

const get = async (agent: UserAgent, map: string, keys: string): Promise<Reply> =>
  sendForm(agent, await agent.get(mapHref(map)), 'get', { keys });
const begun = async (agent: UserAgent, map: string, keys: string): Promise<string> => {
  const reply = await get(agent, map, keys);
  expect(reply.status).toBe(303);
  expect(reply.headers.location).toMatch(new RegExp(`^${mapHref(map)}/readings/job_[0-9a-f]{32}$`));
  return reply.headers.location!;
};
/** A reading whose first keys the member has been asked for, and does not answer. */
const held = async (agent: UserAgent, map: string): Promise<string> => {
  member.hold();
  const before = member.asked().length;
  const href = await begun(agent, map, range(60));
  await until(async () => member.asked().length > before, 'the first keys');
  return href;
};
const countOf = async () =>
  ((await callApi(console, 'GET', '/jobs?kind=read-map-entries&limit=1')) as { count: { value: number } })
    .count.value;

describe('keys of a map', () => {
  test('up to twenty have an address, and more are read by a job', async () => {
    const few = await get(ada, 'orders', range(20));
    expect([few.status, few.headers.location]).toEqual([
      303,
      `${mapHref('orders')}?keys=order-%5B1-20%5D#entries`,
    ]);
    expect(textOf(await ada.get(few.headers.location!))).toMatch(
      /order-19 text\/plain 17 bytes order-20 No entry/,
    );
    const one = await get(ada, 'orders', ' order-1 ');
    expect(one.headers.location).toBe(`${mapHref('orders')}/order-1`);

    const page = await ada.get(await begun(ada, 'orders', range(50)));
    expect([page.status, titleOf(page)]).toEqual([200, 'Keys of orders']);
    const text = textOf(page);
    expect(text).toContain('25 entries were found. 25 keys have no entry.');
    expect(text).toMatch(/State Done Read 50 of 50 /);
    expect(text).toMatch(/order-1 text\/plain 16 bytes order-2 No entry order-3 text\/plain 16 bytes/);
    expect(page.body).toContain(`href="${mapHref('orders')}/order-50"`);
    expect(page.body).not.toContain('value of');
    expect(page.body).not.toContain('data-live');
    expect(textOf(await ada.get(mapHref('orders')))).toMatch(/Read by jobs .* Done 50 of 50/);
  });

  test('more than twenty in an address begin nothing: they wait in the form', async () => {
    const before = await countOf();
    const page = await ada.get(`${mapHref('orders')}?keys=${encodeURIComponent(range(21))}`);
    expect([page.status, page.body.includes('order-[1-21]'), page.body.includes('order-21')]).toEqual([
      200,
      true,
      false,
    ]);
    expect(await countOf()).toBe(before);
  });

  test('that are few and long are read by a job too', async () => {
    const long = ['א', '🗝️', 'z'].map((letter) => `${letter.repeat(900 / letter.length)}`);
    const page = await ada.get(await begun(ada, 'long', long.join('\n')));
    expect(textOf(page)).toContain('0 entries were found. 3 keys have no entry.');
    for (const key of long) expect(page.body).toContain(`>${key}<`);
  });

  test.each([
    ['none', ' \n ', 'Type a key, or several with a line each.'],
    ['more than a hundred', range(101), 'At most 100 keys are read at once.'],
    ['a range of a million', 'order-[1-999999999]', 'At most 100 keys are read at once.'],
    ['a range that goes backwards', 'order-[9-1]', 'Type a key, or several with a line each.'],
    [
      'HTML among them',
      `${range(30)}\n<img src=x onerror=alert(1)>`,
      'Nothing was read: <img src=x onerror=alert(1)> can be no key.',
    ],
    [
      'one of 1,001 characters',
      `${range(30)}\n${'k'.repeat(1001)}`,
      `Nothing was read: ${'k'.repeat(60)}… can be no key.`,
    ],
  ])('of %s begin nothing, and what was typed stays', async (_what, keys, said) => {
    const before = await countOf();
    const reply = await get(ada, 'orders', keys);
    expect(reply.status).toBe(400);
    expect(textOf(reply)).toContain(said);
    expect(reply.body).not.toContain('<img src=x');
    expect(reply.body).toContain(keys.trim().split('\n')[0]);
    expect(await countOf()).toBe(before);
  });

  test('sent twice with one form are read once', async () => {
    const page = await ada.get(mapHref('twice'));
    const send = () => sendForm(ada, page, 'get', { keys: range(30) });
    const [one, other] = [await send(), await send()];
    expect(other.headers.location).toBe(one.headers.location);
  });

  test.each(foreignForms)('sent $name begin nothing (S31)', async ({ fields, headers }) => {
    const before = await countOf();
    const page = await ada.get(mapHref('orders'));
    const asked = { csrf: hiddenIn(page, 'csrf')!, do: 'get', keys: range(30), ...fields };
    const reply = await ada.post(mapHref('orders'), asked, headers);
    expect([reply.status, await countOf()]).toEqual([403, before]);
    const href = await held(ada, 'orders');
    const stop = { csrf: hiddenIn(page, 'csrf')!, do: 'stop', ...fields };
    expect((await ada.post(href, stop, headers)).status).toBe(403);
    member.release();
    await until(async () => textOf(await ada.get(href)).includes('State Done'), 'the end of the reading');
  });
});

describe('a reading', () => {
  test('is asked for by who may read values, and seen by nobody else (S49)', async () => {
    await callApi(console, 'POST', '/roles', { id: 'Queues', permissions: ['api:queues:read'] });
    const [vera, walt, nora] = await Promise.all([
      personWith(console, 'vera', ['Viewer']),
      personWith(console, 'walt', ['Viewer']),
      personWith(console, 'nora', ['Queues']),
    ]);
    const href = await begun(vera, 'own', range(30));
    expect(textOf(await vera.get(href))).toContain('15 entries were found.');
    for (const agent of [walt, ada]) {
      expect((await agent.get(href)).status).toBe(404);
      expect((await agent.get(mapHref('own'))).body).not.toContain('/readings/');
      const csrf = hiddenIn(await agent.get(mapHref('own')), 'csrf')!;
      expect((await agent.post(href, { csrf, do: 'stop' })).status).toBe(404);
    }
    const csrf = hiddenIn(await nora.get('/account'), 'csrf')!;
    const refused = await nora.post(mapHref('own'), { csrf, do: 'get', keys: range(30) });
    expect([refused.status, (await nora.get(href)).status]).toEqual([403, 403]);
  });

  const partOf = ({ data }: StreamEvent) =>
    (data.parts as { readonly reading?: string } | undefined)?.reading ?? '';

  test('that goes on is shown live, in the bar and among the jobs, and is stopped', async () => {
    const href = await held(ada, 'live');
    const page = await ada.get(href);
    expect(textOf(page)).toContain('Entries are being read. It goes on when this page is closed.');
    expect(page.body).toMatch(/data-live=.*\/static\/live\.js/s);
    expect(page.body).toContain('<noscript>');
    const id = href.split('/').at(-1)!;
    expect(textOf(await ada.get('/observe/jobs'))).toMatch(/Reading of keys of map \S+ Running/);
    expect(textOf(await ada.get(`/observe/jobs/${id}`))).toMatch(
      /reading entries .*Progress 0 of 60 keys Time left Not known yet .*After a restart Is interrupted/,
    );
    await until(async () => /One job runs/.test(textOf(await ada.get('/'))), 'the job in the bar');
    const own = await openStream(console.url, ada, href);
    await own.until((event) => partOf(event).includes('Entries are being read.'));
    const stopped = await sendForm(ada, page, 'stop');
    expect(stopped.headers.location).toBe(`${href}?done=stop`);
    member.release();
    const last = await own.until((event) => partOf(event).includes('were not reached.'));
    expect(partOf(last)).toContain('<bdi>order-1</bdi>');
    own.leave();
    const after = textOf(await ada.get(href));
    expect(after).toMatch(/4 entries were found. 4 keys have no entry. 52 were not reached. .*State Stopped/);
    expect(textOf(await ada.get(`/observe/jobs/${id}`))).toMatch(/To the entries/);
    // A stop of what has ended does nothing.
    expect((await sendForm(ada, page, 'stop')).status).toBe(303);
  }, 60_000);

  test('goes on when its person signs out, and what it found waits for them', async () => {
    const zoe = await personWith(console, 'zoe', ['Viewer']);
    const href = await held(zoe, 'left');
    await callApi(console, 'POST', '/users/zoe/end-sessions');
    expect((await zoe.get(href)).headers.location).toBe('/login');
    member.release();
    const again = createUserAgent(console.url);
    await again.signIn({ username: 'zoe', password: personPassword });
    await until(async () => textOf(await again.get(href)).includes('30 entries were found.'), 'the end');
  });

  test.each([
    ['is disabled', (id: string) => callApi(console, 'POST', `/users/${id}/disable`)],
    ['has no role any more', (id: string) => callApi(console, 'PATCH', `/users/${id}`, { roles: [] })],
  ])('goes on no further when its person %s', async (what, change) => {
    const id = what.replaceAll(' ', '-');
    const agent = await personWith(console, id, ['Viewer']);
    const href = await held(agent, 'rights');
    await change(id);
    const asked = member.asked().length;
    member.release();
    const job = `/observe/jobs/${href.split('/').at(-1)}`;
    await until(async () => textOf(await ada.get(job)).includes('State Failed'), 'the end of the job');
    const text = textOf(await ada.get(job));
    expect(text).toMatch(/Who has asked for this is here no longer\.|This needs the role Viewer/);
    expect(text).toContain('8 of 60 keys');
    expect(member.asked()).toHaveLength(asked);
  });

  test('in German says the same', async () => {
    const href = await begun(ada, 'deutsch', range(30));
    const page = await ada.get(href, { 'Accept-Language': 'de' });
    expect(titleOf(page)).toBe('Schlüssel von deutsch');
    expect(textOf(page)).toContain('15 Einträge wurden gefunden. 15 Schlüssel haben keinen Eintrag.');
  });
});

test('a member that is away in the middle is said of each key', async () => {
  const other = await startMapMember(valueFor);
  const alone = await startConsole({ env: { CONSOLE_MEMBERS: `http://127.0.0.1:${other.port}` } });
  try {
    const agent = createUserAgent(alone.url);
    await agent.signIn();
    other.hold();
    const href = await begun(agent, 'away', range(24));
    await until(async () => other.asked().length > 0, 'the first keys');
    other.breakOff();
    await until(
      async () => textOf(await agent.get(href)).includes('24 could not be read.'),
      'the end',
      30_000,
    );
    expect(textOf(await agent.get(href))).toContain('Done, but for 24');
  } finally {
    await alone.stop();
    await other.close();
  }
}, 60_000);
