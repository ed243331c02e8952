/** Rows are selected in real browsers: with the mouse, by `x`, all of a page, and without script; the acts come in the place of the filter. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../../helpers/browser.ts';
import { admin, type RunningConsole } from '../../helpers/console.ts';
import { callApi, startWithAdmin } from '../../helpers/management.ts';
import type { Tab } from './tab.ts';
import { enginesOf } from './travellers.ts';
import { createVisitor, type Visitor } from './visitor.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
let console: RunningConsole;

const engines = enginesOf({ browser: found, reason });

beforeAll(async () => {
  ({ console } = await startWithAdmin({ env: { CONSOLE_API_CHANGE_RATE: '0' } }));
  for (const { id } of engines)
    for (let n = 1; n <= 6; n++)
      await callApi(console, 'POST', '/users', { id: `${id}-row-${n}`, roles: [] });
}, 30_000);
afterAll(async () => {
  await Promise.all(engines.map(({ stop }) => stop()));
  await found?.close();
  await console?.stop();
});

async function signIn(tab: Tab): Promise<Visitor> {
  const visitor = createVisitor(tab, console.url, 'mouse');
  await visitor.open('/login');
  await visitor.fill('Username', admin.username);
  await visitor.fill('Password', admin.password);
  await visitor.press('Sign in');
  return visitor;
}

const statusOf = async (id: string) =>
  ((await callApi(console, 'GET', `/users/${id}`)) as { readonly status: string }).status;

describe.each(engines)('rows in $engine', ({ id, why, open }) => {
  const list = `/access/users?q=${id}-row-`;
  const box = (n: number) => `Select ${id}-row-${n}`;
  const picked = (...all: readonly number[]) => all.map((n) => `pick:${id}-row-${n}`);

  describe.skipIf(why)(`with script${why ? ` (${why})` : ''}`, () => {
    let tab: Tab;
    let visitor: Visitor;
    beforeAll(async () => {
      tab = await open(true);
      visitor = await signIn(tab);
    });
    afterAll(() => tab?.close());

    const state = () => tab.evaluate(stateOfList, undefined);

    test('are selected by the mouse: the acts take the place of the filter, and nothing moves', async () => {
      await visitor.open(list);
      const before = await state();
      expect(before).toMatchObject({ isFilterSeen: true, areActsSeen: false });
      await visitor.toggle(box(1));
      await visitor.reads('1 selected');
      expect(await state()).toEqual({
        ...before,
        isFilterSeen: false,
        areActsSeen: true,
        selected: picked(1),
        head: 'some',
      });
      await visitor.toggle(box(4), true);
      await visitor.reads('4 selected');
      await visitor.use('Clear selection');
      await expect.poll(state).toEqual(before);
    });

    test('are selected by x, where j and k lead, and taken out again', async () => {
      await visitor.open(list);
      for (const key of ['j', 'x', 'j', 'j', 'x'] as const) await tab.press(key);
      expect((await state()).selected).toEqual(picked(1, 3));
      for (const key of ['x', 'k', 'x'] as const) await tab.press(key);
      expect((await state()).selected).toEqual(picked(1, 2));
      // A box that has the focus is no field that somebody types into.
      await visitor.toggle(box(3));
      await tab.press('x');
      expect((await state()).selected).toEqual(picked(1, 2));
    });

    test('of the page are selected by one box, which shows whether some are', async () => {
      await visitor.open(`${list}&limit=4`);
      await visitor.choose(box(2));
      expect((await state()).head).toBe('some');
      await visitor.toggle('Select all on this page');
      expect(await state()).toMatchObject({ head: 'all', selected: picked(1, 2, 3, 4) });
      await visitor.toggle('Select all on this page');
      expect(await state()).toMatchObject({ head: 'none', selected: [] });
    });

    test('that are taken out are not meant any more, though all were', async () => {
      await visitor.open(`${list}&limit=4`);
      await visitor.choose(box(1));
      await visitor.choose('All that the filter finds');
      await visitor.toggle(box(3));
      expect(await state()).toMatchObject({ isAllMeant: false, selected: picked(1, 2, 4) });
    });

    test('and those of all other pages are meant by one box, and done in one job', async () => {
      await visitor.open(`${list}&limit=4`);
      await visitor.choose(box(1));
      await visitor.choose('All that the filter finds');
      expect((await state()).selected).toEqual(picked(1, 2, 3, 4));
      await visitor.press('Disable');
      await visitor.reads('Disable 6 users');
      // Where it lasts, the message follows it to its end.
      await visitor.readsInTime('It has changed 6');
      expect(await statusOf(`${id}-row-6`)).toBe('disabled');
      expect(await statusOf(`${id}-row-1`)).toBe('disabled');
    });

    test('and what was done to them is undone by one button', async () => {
      await visitor.press('Undo');
      await visitor.reads('Enable 6 users');
      await visitor.readsInTime('6 done.');
      expect(await statusOf(`${id}-row-1`)).toBe('invited');
    });

    test('and one by one too, without a question', async () => {
      await visitor.open(list);
      await visitor.choose(box(2));
      await visitor.choose(box(3));
      await visitor.press('Disable');
      await visitor.reads('Disable 2 users');
      await visitor.press('Undo');
      await visitor.readsInTime('2 done.');
      expect([await statusOf(`${id}-row-2`), await statusOf(`${id}-row-3`)]).toEqual(['invited', 'invited']);
    });

    test.each([
      { where: 'far down a list', width: 1280, height: 380 },
      { where: 'on a phone', width: 390, height: 700 },
    ])('are selected $where, and the acts stay in sight', async ({ width, height }) => {
      await tab.resize(width, height);
      await visitor.open(list);
      await visitor.choose(box(6));
      await visitor.reads('1 selected');
      expect(await tab.evaluate(() => scrollY, undefined)).toBeGreaterThan(0);
      expect(await state()).toMatchObject({ isTooWide: false, areActsSeen: true });
      const { top, bottom } = await tab.evaluate(placeOfActs, undefined);
      expect([top >= 0, bottom <= height]).toEqual([true, true]);
    });
  });

  test.skipIf(why)(`are selected and acted on without script${why ? ` (${why})` : ''}`, async () => {
    const tab = await open(false);
    try {
      const visitor = await signIn(tab);
      await visitor.open(list);
      expect((await tab.evaluate(stateOfList, undefined)).head).toBe('hidden');
      await visitor.choose(box(5));
      await visitor.choose(box(6));
      await visitor.press('End sessions');
      await visitor.reads(`Selected: ${id}-row-5, ${id}-row-6.`);
      await visitor.open(list);
      await visitor.choose(box(5));
      await visitor.choose(box(6));
      await visitor.press('Disable');
      await visitor.reads('It has changed 2');
      expect(await statusOf(`${id}-row-5`)).toBe('disabled');
      await visitor.press('Undo');
      await expect.poll(() => statusOf(`${id}-row-5`), { timeout: 15_000 }).toBe('invited');
      expect(await tab.evaluate(() => new URL(location.href).searchParams.get('q'), undefined)).toBe(
        `${id}-row-`,
      );
    } finally {
      await tab.close();
    }
  });
});

describe.skipIf(!found)(`rows in Chromium${reason ? ` (${reason})` : ''}`, () => {
  const list = '/access/users?q=c-row-';
  const touching = { hasTouch: true, isMobile: true };

  async function openPage(options: Parameters<Browser['newContext']>[0] = {}) {
    const page = await (await browser.newContext(options)).newPage();
    await page.goto(`${console.url}/login`);
    await page.fill('[name=username]', admin.username);
    await page.fill('[name=password]', admin.password);
    await page.click('button[type=submit]');
    await page.goto(console.url + list);
    return page;
  }

  test('are selected by a finger, and the keys say x', async () => {
    const page = await openPage({ viewport: { width: 390, height: 844 }, ...touching });
    await page.getByRole('checkbox', { name: 'Select c-row-1', exact: true }).tap();
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('select the row, or deselect it').waitFor();
    await page.context().close();
  });

  test('have an Undo for 30 s, longer for whoever is about to use it, and the job has it later', async () => {
    const page = await openPage();
    await page.clock.install();
    await page.goto(console.url + list);
    await page.getByRole('checkbox', { name: 'Select c-row-4', exact: true }).check();
    await page.getByRole('button', { name: 'Disable' }).click();
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.waitFor();
    const before = await page.locator('table').boundingBox();
    await page.clock.fastForward(29_000);
    expect(await undo.isVisible()).toBe(true);
    await undo.focus();
    await page.clock.fastForward(5000);
    expect(await undo.isVisible()).toBe(true);
    await undo.blur();
    await page.clock.fastForward(2000);
    await expect.poll(() => undo.isVisible()).toBe(false);
    // Nothing has moved.
    expect(await page.locator('table').boundingBox()).toEqual(before);
    await page.getByRole('link', { name: 'See the job' }).click();
    await undo.waitFor();
    await page.clock.fastForward(40_000);
    await undo.click();
    await page.getByRole('heading', { name: 'Enable users' }).waitFor();
    await expect.poll(() => statusOf('c-row-4')).toBe('invited');
    await page.context().close();
  });

  test('that are many are followed by the message to its Undo, and the list is as it is by then', async () => {
    const ids = Array.from({ length: 600 }, (_, n) => `crowd-${String(n).padStart(3, '0')}`);
    for (let at = 0; at < ids.length; at += 20)
      await Promise.all(
        ids.slice(at, at + 20).map((id) => callApi(console, 'POST', '/users', { id, roles: [] })),
      );
    const page = await openPage();
    await page.goto(`${console.url}/access/users?q=crowd-`);
    await page.getByRole('checkbox', { name: 'Select crowd-001', exact: true }).check();
    await page.getByRole('checkbox', { name: 'All that the filter finds' }).check();
    await page.getByRole('button', { name: 'Disable' }).click();
    const message = page.getByRole('status').filter({ hasText: 'Disable 600 users' });
    await message.getByText('It goes on').waitFor();
    await message.getByText('It has changed 600').waitFor({ timeout: 30_000 });
    await page
      .getByRole('row', { name: /crowd-001/ })
      .getByText('Disabled')
      .waitFor();
    expect(await statusOf('crowd-599')).toBe('disabled');
    await message.getByRole('button', { name: 'Undo' }).waitFor();
    await page.context().close();
  }, 90_000);

  test('are 36 px high, 44 by choice and for fingers', async () => {
    const page = await openPage();
    const heightIn = async (one: typeof page) => (await one.locator('tbody tr').last().boundingBox())!.height;
    expect(Math.round(await heightIn(page))).toBeLessThanOrEqual(37);
    await page.goto(`${console.url}/account`);
    await page.getByLabel('Rows of tables').selectOption('roomy');
    await page.getByRole('button', { name: 'Save display' }).click();
    await page.goto(console.url + list);
    expect(Math.round(await heightIn(page))).toBeGreaterThanOrEqual(44);
    await page.context().close();
    const touched = await openPage({ viewport: { width: 1280, height: 800 }, ...touching });
    expect(Math.round(await heightIn(touched))).toBeGreaterThanOrEqual(44);
    await touched.context().close();
  });
});

// What follows runs in pages.

function placeOfActs() {
  const { top, bottom } = document.querySelector('.selection')!.getBoundingClientRect();
  return { top, bottom };
}

function stateOfList() {
  const isSeen = (selector: string) => {
    const element = document.querySelector(selector);
    return element !== null && getComputedStyle(element).visibility === 'visible';
  };
  const head = document.querySelector<HTMLInputElement>('[data-pick=page]')!;
  const all = document.querySelector<HTMLInputElement>('#select-all');
  const { top, height } = document.querySelector('table')!.getBoundingClientRect();
  const selected = document.querySelectorAll<HTMLInputElement>('tbody input[form=selection]:checked');
  const some = head.indeterminate ? 'some' : head.checked ? 'all' : 'none';
  return {
    isFilterSeen: isSeen('.filters'),
    areActsSeen: isSeen('.selection'),
    isAllMeant: all?.checked ?? false,
    isTooWide: document.documentElement.scrollWidth > innerWidth,
    selected: [...selected].map(({ name }) => name),
    head: head.hidden ? 'hidden' : some,
    // The hand may have scrolled to a box.
    table: [top + scrollY, height],
  };
}
