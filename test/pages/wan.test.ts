/** `/cluster/wan` in a browser without script, on an embedded member that replicates to nobody. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import type { RunningConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personWith,
  sendForm,
  startWithAdmin,
} from '../helpers/management.ts';
import { createUserAgent, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

const listHref = '/cluster/wan';
const href = `${listHref}/atlantic/london`;
let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin({ env: { MEMBER_CONFIG: writeMemberConfig() } }));
}, 30_000);
afterAll(() => console?.stop());

async function publishers() {
  const { items } = (await callApi(console, 'GET', '/wan')) as {
    items: readonly { id: string; last: { what: string } }[];
  };
  return items;
}

async function lastDone(id = 'atlantic/london'): Promise<string | undefined> {
  return (await publishers()).find((one) => one.id === id)?.last.what;
}

test('knows no publisher at first, and opens one by its names', async () => {
  const list = await ada.get(listHref);
  expect([titleOf(list), textOf(list).includes('No publisher is known yet.')]).toEqual([
    'WAN replication',
    true,
  ]);
  const opened = await ada.get(`${listHref}?replication=atlantic&publisher=london`);
  expect([opened.status, opened.headers.location]).toEqual([303, href]);
  expect(textOf(await ada.get(href))).toContain('Nothing from here');
  expect(await publishers()).toEqual([]);
});

test('pauses at once, and Undo resumes', async () => {
  const paused = await ada.follow(await sendForm(ada, await ada.get(href), 'pause'));
  expect(textOf(paused)).toContain('Paused: changes are queued and not sent.');
  expect(await lastDone()).toBe('paused');
  const resumed = await ada.follow(await sendForm(ada, paused, 'resume'));
  expect(textOf(resumed)).toMatch(/It sends again\..*Last act Resumed/);
  expect(textOf(await ada.get(listHref))).toMatch(/atlantic\/london Sending at 1 member Resumed/);
});

test('stops after a question, and clears by the names typed', async () => {
  const stopped = await ada.follow(await sendForm(ada, await ada.get(`${href}?do=stop`), 'stop'));
  expect(textOf(stopped)).toContain('Stopped: changes are neither queued nor sent.');
  const question = await ada.get(`${href}?do=clear`);
  const refused = await sendForm(ada, question, 'clear', { typed_name: 'london' });
  expect([refused.status, await lastDone()]).toEqual([400, 'stopped']);
  const cleared = await sendForm(ada, question, 'clear', { typed_name: 'atlantic/london' });
  expect(textOf(await ada.follow(cleared))).toContain('The queues of the publisher are empty.');
  expect(await lastDone()).toBe('cleared');
  expect(textOf(await ada.get(listHref))).toMatch(/atlantic\/london Stopped at 1 member Queues cleared/);
  // Each with when, and where.
  expect(textOf(await ada.get(href))).toMatch(/Queue emptied 127\.0\.0\.1:\d+ Stopped (?!Never).* (?!Never)/);
  await ada.follow(await sendForm(ada, await ada.get(href), 'resume'));
});

test('synchronizes, and says how far that is or why that is not known', async () => {
  const question = await ada.get(`${href}?do=sync`);
  const begun = await ada.follow(await sendForm(ada, question, 'sync', { map: '' }));
  expect(textOf(begun)).toContain('The synchronization has begun.');
  expect(textOf(begun)).toMatch(/Last sync: progress (Started|In progress|Finished|Failed|Not known)/);
});

test('adds a publisher, once per form', async () => {
  const question = await ada.get(`${listHref}?do=new`);
  const fields = { replication: 'atlantic', cluster: 'paris', endpoints: '127.0.0.1:2', publisher: '' };
  const added = await sendForm(ada, question, 'new', fields);
  expect([added.status, textOf(added).includes('Added: paris.')]).toEqual([200, true]);
  expect(textOf(await sendForm(ada, question, 'new', fields))).toContain('Added: paris.');
  expect(await lastDone('atlantic/paris')).toBe('added');
  const again = await sendForm(ada, await ada.get(`${listHref}?do=new`), 'new', fields);
  expect(textOf(again)).toContain('Nothing was added. Already there: paris.');
});

describe('says what is wrong, and does nothing', () => {
  test.each([
    { name: 'nothing', fields: {} },
    { name: 'no endpoints', fields: { replication: 'atlantic', cluster: 'rome', endpoints: '' } },
    {
      name: 'a replication of 1,000 characters',
      fields: { replication: 'x'.repeat(1000), cluster: 'rome', endpoints: 'a:1' },
    },
    {
      name: 'a script for endpoints',
      fields: { replication: 'atlantic', cluster: 'rome', endpoints: '<script>alert(1)</script>' },
    },
  ])('where $name is added', async ({ fields }) => {
    const before = await publishers();
    const reply = await sendForm(ada, await ada.get(`${listHref}?do=new`), 'new', fields);
    expect([reply.status, reply.body.includes('<script>alert')]).toEqual([400, false]);
    expect(await publishers()).toEqual(before);
  });

  test('beside each field of what is added, all of it at once', async () => {
    const question = await ada.get(`${listHref}?do=new`);
    const empty = textOf(await sendForm(ada, question, 'new', { publisher: 'p' }));
    for (const label of ['WAN replication', 'Name of the other cluster', 'Its members'])
      expect(empty.split(`Fill in “${label}”.`)).toHaveLength(3);
    expect(empty).toContain('Nothing was done.');
    const spaced = await sendForm(ada, question, 'new', {
      replication: 'a b',
      cluster: 'rome',
      endpoints: 'a:1',
    });
    expect(spaced.body).toContain('<a href="#replication">It has 1 to 200 characters');
  });

  test.each(['nobody', '<script>alert(1)</script>', 'مرحبا', '🚀', 'x'.repeat(200)])(
    'where a publisher is named %.20j, which no member has',
    async (name) => {
      const before = await publishers();
      const page = await ada.get(`${listHref}/atlantic/${encodeURIComponent(name)}`);
      expect([page.status, page.body.includes('<script>alert')]).toEqual([200, false]);
      const reply = await sendForm(ada, page, 'pause');
      expect([404, 409]).toContain(reply.status);
      expect(reply.body).not.toContain('<script>alert');
      expect(await publishers()).toEqual(before);
    },
  );
});

test('is for those who may', async () => {
  const viewer = await personWith(console, 'viewer', ['Viewer']);
  const page = await viewer.get(href);
  expect([page.status, page.body.includes('name="do"'), page.body.includes('?do=')]).toEqual([
    200,
    false,
    false,
  ]);
  const csrf = hiddenIn(page, 'csrf')!;
  for (const name of ['pause', 'resume', 'stop', 'clear', 'sync', 'check']) {
    const reply = await viewer.post(href, { csrf, do: name, typed_name: 'atlantic/london', map: 'm' });
    expect([name, reply.status]).toEqual([name, 403]);
  }
  const added = { csrf, do: 'new', replication: 'a', idempotencyKey: 'a-key-of-this-form' };
  expect((await viewer.post(listHref, added)).status).toBe(403);
  const metrics = await personWith(console, 'metrics', ['MetricsViewer']);
  expect((await metrics.get(listHref)).status).toBe(403);
  const nobody = await createUserAgent(console.url).get(href);
  expect([nobody.status, nobody.headers.location]).toEqual([303, '/login']);
});

test.each(foreignForms)('is not changed by a form $name (S31)', async ({ fields, headers }) => {
  const before = await publishers();
  const csrf = hiddenIn(await ada.get(href), 'csrf')!;
  expect((await ada.post(href, { csrf, do: 'pause', ...fields }, headers)).status).toBe(403);
  expect(await publishers()).toEqual(before);
});
