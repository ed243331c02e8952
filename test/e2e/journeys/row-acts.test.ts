/** The button of a row, in real browsers: by mouse, by keyboard alone and without script; and rows are as high with it as without. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../../helpers/browser.ts';
import { admin, type RunningConsole } from '../../helpers/console.ts';
import { callApi, personWith, sendForm } from '../../helpers/management.ts';
import { type MapMember, startMapMember } from '../../helpers/map-member.ts';
import { until } from '../../helpers/store.ts';
import {
  newSessionOf,
  startWithTwoAdministrators,
  type TwoAdministrators,
} from '../../helpers/two-administrators.ts';
import type { UserAgent } from '../../helpers/user-agent.ts';
import type { Tab } from './tab.ts';
import { describeTravellers, enginesOf, type Traveller } from './travellers.ts';
import { createVisitor, type Visitor } from './visitor.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
let members: readonly MapMember[] = [];
let started: TwoAdministrators;
let console: RunningConsole;
/** Asks for what waits for approval. */
let bob: UserAgent;

beforeAll(async () => {
  members = await Promise.all([0, 1].map(() => startMapMember(() => 'a value')));
  const addresses = members.map(({ port }) => `http://127.0.0.1:${port}`);
  const env = { CONSOLE_MEMBERS: addresses.join(','), CONSOLE_APPROVALS_REQUIRE: 'updateRole' };
  started = await startWithTwoAdministrators(env, async (before) => {
    await personWith(before, 'guest', ['Viewer']);
  });
  ({ console, bob } = started);
});
afterAll(async () => {
  for (const member of members) member.release();
  await found?.close();
  await started?.close();
  await Promise.all(members.map((member) => member.close()));
});

const stateOf = async (path: string, field: string) =>
  ((await callApi(console, 'GET', path)) as Readonly<Record<string, unknown>>)[field];

/** A job that goes on until the members are let. @returns its id */
async function startJob(map: string): Promise<string> {
  for (const member of members) member.hold();
  const keys = Array.from({ length: 40 }, (_, n) => `key-${n}`);
  const { id } = (await callApi(console, 'POST', `/maps/${map}/readings`, { keys })) as { id: string };
  await until(async () => (await stateOf(`/jobs/${id}`, 'state')) === 'running', 'a job that runs');
  return id;
}

/** @returns the id of the approval */
async function askForChange(role: string): Promise<string> {
  await callApi(console, 'POST', '/roles', { id: role, permissions: ['svc:map:orders:read'] });
  const form = await bob.get(`/access/roles/${role}`);
  const fields = { description: `of ${role}`, maps: 'orders', 'map:read': 'on' };
  const asked = await bob.follow(await sendForm(bob, form, 'save', fields));
  return new URL(asked.url).pathname.split('/').at(-1)!;
}

describeTravellers(enginesOf({ browser: found, reason }), travel);

/** Tests of one traveller, who signs in once. */
function travel({ id, way, openTab }: Traveller): void {
  let tab: Tab;
  let visitor: Visitor;
  beforeAll(async () => {
    tab = await openTab();
    visitor = createVisitor(tab, console.url, way);
    await visitor.open('/login');
    await visitor.fill('Username', admin.username);
    await visitor.fill('Password', admin.password);
    await visitor.press('Sign in');
    await visitor.reads('Overview');
  });
  afterAll(() => tab?.close());

  test('a machine client is tried, and which of them is said', async () => {
    for (const name of ['billing', 'importer'])
      await callApi(console, 'POST', '/clients', { id: `${id}-${name}`, scopes: [`svc:map:${name}:read`] });
    await visitor.open(`/access/clients?q=${id}-`);
    await visitor.press(`Try it: ${id}-importer`);
    await visitor.reads('svc:map:importer:read');
  });

  test('a session ends once it was asked', async () => {
    const session = await newSessionOf(console, 'guest');
    await visitor.open('/access/sessions?user=guest');
    await visitor.follow(`End: guest, ${await stateOf(`/sessions/${session}`, 'agent')}`);
    await visitor.reads('End this session of guest');
    expect(await stateOf(`/sessions/${session}`, 'user')).toBe('guest');
    await visitor.press('End session');
    await visitor.reads('The session has ended.');
    await expect(callApi(console, 'GET', `/sessions/${session}`)).rejects.toThrow('404');
  });

  test('a member is drained at once, and takes calls again by Undo', async () => {
    const member = `127.0.0.1:${members[1]!.port}`;
    await visitor.open('/cluster/members');
    await visitor.press(`Drain: ${member}`);
    await visitor.reads('Drained: it gets no calls any more');
    expect(await stateOf(`/members/${member}`, 'isDrained')).toBe(true);
    await visitor.press('Undo');
    await visitor.reads('It gets calls again.');
    expect(await stateOf(`/members/${member}`, 'isDrained')).toBe(false);
  });

  test('a job is stopped once it was asked', async () => {
    const job = await startJob(`${id}-map`);
    try {
      await visitor.open('/observe/jobs?state=running');
      await visitor.follow(`Stop: Reading of keys of map ${id}-map`);
      await visitor.reads(`Stop: Reading of keys of map ${id}-map`);
      expect(await stateOf(`/jobs/${job}`, 'state')).toBe('running');
      await visitor.press('Stop job');
      await visitor.reads('It stops as soon as the current step is done.');
    } finally {
      for (const member of members) member.release();
    }
    await until(async () => (await stateOf(`/jobs/${job}`, 'state')) === 'cancelled', 'its end');
  });

  test('a change is approved once it was asked', async () => {
    await askForChange(`${id}-role`);
    await visitor.open('/access/approvals?state=waiting');
    await visitor.follow(`Approve: Update role ${id}-role`);
    await visitor.reads(`Update role ${id}-role`);
    expect(await stateOf(`/roles/${id}-role`, 'description')).toBe(null);
    await visitor.press('Approve');
    await visitor.reads('Approved: the change is made.');
    expect(await stateOf(`/roles/${id}-role`, 'description')).toBe(`of ${id}-role`);
  });
}

describe.skipIf(!found)(`rows with and without a button, in Chromium${reason ? ` (${reason})` : ''}`, () => {
  const lists = [
    // Without the one whose name takes more than a line.
    '/access/clients?q=high-o',
    '/access/sessions',
    '/cluster/members',
    '/observe/jobs',
    '/access/approvals',
  ];
  /** Between two rows; the last has half of it. */
  const line = 1;
  /** Where each row has one. */
  const withoutRest = ['/cluster/members'];
  const pages: Page[] = [];

  beforeAll(async () => {
    for (const name of ['on', 'off', 'named']) {
      const displayName = 'A machine client with a name that is longer than a phone is wide';
      const scopes = ['svc:map:m:read'];
      const body = { id: `high-${name}`, scopes, ...(name === 'named' && { displayName }) };
      await callApi(console, 'POST', '/clients', body);
    }
    await callApi(console, 'POST', '/clients/high-off/disable');
    await newSessionOf(console, 'guest');
    await callApi(console, 'POST', `/jobs/${await startJob('over')}/cancel`);
    for (const member of members) member.release();
    await startJob('runs');
    const [, over] = [await askForChange('HighWaits'), await askForChange('HighIsOver')];
    const form = await bob.get(`/access/approvals/${over}?do=reject`);
    await sendForm(bob, form, 'reject', { reason: '' });
  });
  afterAll(async () => {
    for (const page of pages) await page.context().close();
  });

  async function openPage(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const page = await (await browser.newContext(options)).newPage();
    pages.push(page);
    await page.goto(`${console.url}/login`);
    await page.fill('[name=username]', admin.username);
    await page.fill('[name=password]', admin.password);
    await page.click('button[type=submit]');
    return page;
  }

  async function choose(page: Page): Promise<void> {
    await page.goto(`${console.url}/account`);
    await page.getByLabel('Rows of tables').selectOption('roomy');
    await page.getByRole('button', { name: 'Save display' }).click();
  }

  async function rowsOf(page: Page, list: string) {
    await page.goto(console.url + list);
    const rows = await page.evaluate(rowsOfList);
    const [withButton, rest] = [rows.filter(({ button }) => button), rows.filter(({ button }) => !button)];
    expect([list, withButton.length > 0, rest.length > 0 || withoutRest.includes(list)]).toEqual([
      list,
      true,
      true,
    ]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
    return rows;
  }

  const languages = [{ locale: 'en-GB' }, { locale: 'de-DE' }];

  test('are 36 px high at 1280 px', async () => {
    const page = await openPage({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' });
    for (const list of lists) {
      for (const { height, name } of await rowsOf(page, list))
        expect([list, name, Math.ceil(height)]).toEqual([list, name, 36 + line]);
    }
  });

  test.each(languages)('are as high as if the button had no height ($locale)', async ({ locale }) => {
    const page = await openPage({ viewport: { width: 1280, height: 900 }, locale });
    for (const list of ['/access/clients', ...lists]) {
      const before = (await rowsOf(page, list)).map(({ height }) => height);
      // It stays as wide as it was: the other columns have no more room.
      await page.evaluate(flattenButtons);
      expect([list, (await page.evaluate(rowsOfList)).map(({ height }) => height)]).toEqual([list, before]);
    }
  });

  test('are 44 px high by choice, and for fingers, who have all of that height for the button', async () => {
    const touched = { hasTouch: true, isMobile: true };
    const page = await openPage({ viewport: { width: 1280, height: 900 }, ...touched });
    const check = async (list: string) => {
      for (const { height, name, button } of await rowsOf(page, list)) {
        expect([list, name, Math.ceil(height)]).toEqual([list, name, 44 + line]);
        if (button) expect([list, name, button.touched >= 44]).toEqual([list, name, true]);
      }
    };
    for (const list of lists) await check(list);
    await choose(page);
    for (const list of lists) await check(list);
    const chosen = await openPage({ viewport: { width: 1280, height: 900 } });
    await choose(chosen);
    for (const list of lists) {
      for (const { height, name } of await rowsOf(chosen, list))
        expect([list, name, Math.ceil(height)]).toEqual([list, name, 44 + line]);
    }
  });

  test.each(languages)(
    'are two lines at 390 px, the button at the end of the first ($locale)',
    async ({ locale }) => {
      const page = await openPage({ viewport: { width: 390, height: 844 }, locale });
      for (const list of ['/access/clients?q=high-', ...lists]) {
        for (const { name, lines, button, height } of await rowsOf(page, list)) {
          expect([list, name, lines]).toEqual([list, name, 2]);
          expect([list, name, height <= 88]).toEqual([list, name, true]);
          if (button) expect([list, name, button.isFirst, button.isLast]).toEqual([list, name, true, true]);
        }
      }
    },
  );
});

// What follows runs in pages.

function flattenButtons() {
  for (const { style } of document.querySelectorAll<HTMLElement>('.act .button')) {
    style.minHeight = '0';
    style.height = '0';
    style.paddingBlock = '0';
    style.lineHeight = '0';
  }
}

function rowsOfList() {
  return [...document.querySelectorAll<HTMLElement>('main tbody tr')].map((row) => {
    row.scrollIntoView({ block: 'center', behavior: 'instant' });
    const cells = [...row.children].filter((cell) => cell.getClientRects().length > 0);
    const place = (element: Element) => element.getBoundingClientRect();
    const middle = (element: Element) => (place(element).top + place(element).bottom) / 2;
    const lines: number[] = [];
    for (const cell of cells)
      if (!lines.some((at) => Math.abs(at - middle(cell)) < 10)) lines.push(middle(cell));
    const name = row.querySelector('th')!;
    const button = row.querySelector<HTMLElement>('.act .button');
    const isOver = (y: number) => {
      const over = button && document.elementFromPoint((place(button).left + place(button).right) / 2, y);
      return over !== null && button!.contains(over);
    };
    const touched = () => {
      const all = Array.from({ length: 60 }, (_, n) => middle(button!) - 30 + n + 0.5);
      return all.filter(isOver).length;
    };
    return {
      name: name.innerText,
      height: place(row).height,
      lines: lines.length,
      button: button && {
        /** Beside the name. */
        isFirst: Math.abs(middle(button) - middle(name)) < 10,
        /** Nothing stands between it and the end of the row. */
        isLast: place(row).right - place(button).right < 20,
        touched: touched(),
      },
    };
  });
}
