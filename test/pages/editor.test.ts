/** The editor of values in real browsers, under the content policy of the pages: what is typed there is what the form sends. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import { firefoxTab } from '../e2e/journeys/tab.ts';
import { createVisitor } from '../e2e/journeys/visitor.ts';
import { openBrowser } from '../helpers/browser.ts';
import { admin, machineToken, type RunningConsole } from '../helpers/console.ts';
import { firefoxReason, startFirefox } from '../helpers/firefox.ts';
import { startWithAdmin } from '../helpers/management.ts';
import type { UserAgent } from '../helpers/user-agent.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin({ env: { MEMBER_CONFIG: writeMemberConfig() } }));
});
afterAll(async () => {
  await console?.stop();
  await found?.close();
});

async function store(key: string, value: string, type = 'application/json'): Promise<void> {
  const reply = await callMember(key, { method: 'POST', headers: { 'Content-Type': type }, body: value });
  expect(reply.status).toBe(200);
}

async function stored(key: string): Promise<string> {
  return (await callMember(key)).text();
}

async function callMember(key: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
  const Authorization = `Bearer ${await machineToken(console)}`;
  return fetch(`${console.url}/svc/rest/maps/orders/${key}`, {
    ...init,
    headers: { ...headers, Authorization },
  });
}

test('without script there is a text field, and nothing of the editor is loaded before somebody wants it', async () => {
  await store('plain', '{"a": 1}');
  const { body } = await ada.get('/cluster/maps/orders/plain');
  expect(body).toMatch(/<textarea id="value" name="value"/);
  expect(body.match(/<script[^>]*src="[^"]*"/g)!.join()).not.toContain('editor.js');
  expect(body).toContain('data-editor="/static/editor.js?v=');
});

describe.skipIf(!found)(`in Chromium${reason ? ` (${reason})` : ''}`, () => {
  test('sends what was typed, and the content policy stops nothing', async () => {
    await store('typed', '{"a": 1}');
    const { page, errors } = await opened('typed');
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await openEditor(page);
    const editor = page.getByRole('textbox', { name: 'Value', exact: true });
    expect(loaded).toEqual(['/static/editor.js']);
    expect(
      await editor.evaluate((element) => element === (element.getRootNode() as ShadowRoot).activeElement),
    ).toBe(true);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{"b":\n[2]}');
    // Another field of the form sends it by Enter.
    await page.getByLabel('Media type').first().press('Enter');
    await page.getByText('Stored.').waitFor();
    // A new line is indented as what it continues.
    expect(await stored('typed')).toBe('{"b":\n  [2]}');
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('looks like the page: styles of the library and of ours are let in', async () => {
    await store('looks', '{"a": "text", "b": 12}');
    for (const [colorScheme, string, number] of [
      ['light', 'rgb(31, 122, 77)', 'rgb(122, 92, 0)'],
      ['dark', 'rgb(111, 208, 140)', 'rgb(226, 194, 90)'],
    ] as const) {
      const { page, errors } = await opened('looks', { colorScheme });
      await openEditor(page);
      const editor = page.locator('.cm-editor');
      expect(await styleOf(editor.locator('.cm-scroller'), 'display')).toBe('flex');
      expect(await styleOf(editor.getByText('"text"'), 'color')).toBe(string);
      expect(await styleOf(editor.getByText('12', { exact: true }), 'color')).toBe(number);
      expect(await editor.locator('.cm-lineNumbers').innerText()).toContain('1');
      expect(errors).toEqual([]);
      await page.context().close();
    }
  });

  test('says where JSON has its first error, in the language of the page', async () => {
    await store('broken', '{"a": 1}');
    const { page, errors } = await opened('broken');
    await openEditor(page);
    const status = page.locator('.field [role=status]').filter({ hasText: /./ });
    await status.getByText('This is JSON.').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{\n"a" 1}');
    await status.getByText('Line 2, column 7: A colon belongs here.').waitFor();
    await page.locator('.cm-lintRange-error').waitFor();
    await page.getByLabel('Media type').first().fill('text/xml');
    await page.waitForFunction(
      () =>
        document.querySelector('textarea + div')!.shadowRoot!.querySelector('[role=status]')!.textContent ===
        '',
    );
    expect(errors).toEqual([]);
    await page.context().close();
    const german = await opened('broken', { locale: 'de-DE' });
    await openEditor(german.page);
    await german.page.getByText('Das ist JSON.').waitFor();
    await german.page.keyboard.type(',');
    await german.page.getByText('Zeile 1, Spalte 1: Hierhin gehört ein Wert.').waitFor();
    await german.page.keyboard.press('Control+F');
    await german.page.getByRole('textbox', { name: 'Suchen' }).waitFor();
    await german.page.context().close();
  });

  test('Tab indents, and leaves after Esc, however long that takes', async () => {
    await store('keys', '[]');
    const { page } = await opened('keys');
    await openEditor(page);
    const isIn = () => page.evaluate(() => document.activeElement?.shadowRoot != null);
    const value = () => page.locator('textarea[name=value]').inputValue();
    await page.keyboard.press('Tab');
    expect([await isIn(), await value()]).toEqual([true, '  []']);
    // Letters are no keys of the page there.
    await page.keyboard.type('?n/');
    expect([await isIn(), await page.locator('dialog').count()]).toEqual([true, 0]);
    for (const key of ['Control+Z', 'Control+Z']) await page.keyboard.press(key);
    expect(await value()).toBe('[]');
    await page.keyboard.press('Escape');
    await page.clock.install();
    await page.clock.fastForward(60_000);
    await page.keyboard.press('Tab');
    expect([await isIn(), await value()]).toEqual([false, '[]']);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    expect([await isIn(), await value()]).toEqual([true, '  []']);
    await page.context().close();
  });

  test('the plain field is there again, with what was typed in either', async () => {
    await store('both', '[]');
    const { page } = await opened('both');
    await openEditor(page);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('[1]');
    await page.getByRole('button', { name: 'Plain text field' }).click();
    const field = page.locator('textarea[name=value]');
    await field.waitFor();
    expect(await field.inputValue()).toBe('[1]');
    await field.fill('[2]');
    await openEditor(page);
    expect(await page.locator('.cm-content').innerText()).toBe('[2]');
    await page.context().close();
  });

  test('takes 64 KB in one line, wraps it, and sends it whole; lines of a text have their own direction', async () => {
    const long = JSON.stringify({ text: 'lorem ipsum '.repeat(5_400) });
    await store('long', long);
    const { page, errors } = await opened('long');
    await openEditor(page);
    const scroller = page.locator('.cm-scroller');
    expect(await scroller.evaluate((area) => area.scrollWidth - area.clientWidth)).toBe(0);
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' ');
    await page.locator('#put').getByRole('button', { name: 'Put', exact: true }).click();
    await page.getByText('Stored.').waitFor();
    expect(await stored('long')).toBe(`${long} `);
    expect(errors).toEqual([]);
    await page.context().close();

    await store('lines', 'left\nשלום עולם', 'text/plain; charset=utf-8');
    const text = await opened('lines');
    await openEditor(text.page);
    const directions = await text.page
      .locator('.cm-line')
      .evaluateAll((lines) => lines.map((line) => getComputedStyle(line).direction));
    expect(directions).toEqual(['ltr', 'rtl']);
    await text.page.context().close();
  });

  test.each([
    { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
    { colorScheme: 'dark', viewport: { width: 320, height: 720 } },
  ] as const)('axe finds nothing: $colorScheme, $viewport.width px', async (look) => {
    await store('axe', '{"a": [1, "two", true,]}');
    const { page } = await opened('axe', look);
    await openEditor(page);
    await page.locator('.cm-lintRange-error').waitFor();
    await page.keyboard.press('Control+F');
    await page.keyboard.type('two');
    await page.locator('.cm-searchMatch').waitFor();
    await page.evaluate(
      await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'),
    );
    const violations = await page.evaluate(async () => {
      const { axe } = window as unknown as {
        axe: {
          run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
        };
      };
      return (await axe.run()).violations.map(({ id, nodes }) => [
        id,
        nodes.map(({ html, failureSummary }) => [html, failureSummary]),
      ]);
    });
    expect(violations).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    await page.context().close();
  });

  test('says so when it cannot be loaded, and the field stays', async () => {
    await store('offline', '[]');
    const { page } = await opened('offline');
    await page.route('**/static/editor.js*', (route) => route.abort());
    await page.getByRole('button', { name: 'Editor' }).click();
    await page.getByText('The editor could not be loaded.').waitFor();
    expect(await page.locator('textarea[name=value]').isVisible()).toBe(true);
    await page.context().close();
  });

  test.each(['/cluster/queues/jobs', '/cluster/operations'])('is at %s, too', async (path) => {
    const { page, errors } = await opened(undefined, {}, path);
    await openEditor(page);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

test.skipIf(firefoxReason)(
  `in Firefox${firefoxReason ? ` (${firefoxReason})` : ''}: sends what was typed, and the content policy stops nothing`,
  async () => {
    await store('firefox', '{"a": 1}');
    const firefox = await startFirefox({ hasScript: true });
    try {
      await firefox.send('script.addPreloadScript', { functionDeclaration: String(noteViolations) });
      const tab = await firefoxTab(firefox);
      const visitor = createVisitor(tab, console.url, 'mouse');
      await visitor.open('/login');
      await visitor.fill('Username', admin.username);
      await visitor.fill('Password', admin.password);
      await visitor.press('Sign in');
      await visitor.open('/cluster/maps/orders/firefox');
      await tab.evaluate(() => document.querySelector<HTMLElement>('[data-editor]')!.click(), null);
      await expect
        .poll(() => tab.evaluate(stateOfEditor, null))
        .toMatchObject({ text: '{"a": 1}', isFocused: true });
      await tab.press('Control+a');
      await tab.type('{"b": [2]}');
      expect(await tab.evaluate(stateOfEditor, null)).toEqual({
        text: '{"b": [2]}',
        isFocused: true,
        display: 'flex',
        colour: 'rgb(15, 90, 73)',
        violations: null,
      });
      await visitor.press('Put');
      await visitor.reads('Stored.');
      expect(await stored('firefox')).toBe('{"b": [2]}');
    } finally {
      await firefox.stop();
    }
  },
);

interface Opened {
  readonly page: Page;
  /** What the browser has complained about, and what the policy has stopped. */
  readonly errors: readonly string[];
}

/** An entry, or another page, as the administrator. */
async function opened(
  key: string | undefined,
  options: BrowserContextOptions = {},
  path = `/cluster/maps/orders/${key}`,
): Promise<Opened> {
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(20_000);
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', ({ message }) => errors.push(message));
  await page.goto(`${console.url}/login`);
  await page.fill('[name=username]', admin.username);
  await page.fill('[name=password]', admin.password);
  await page.click('main button[type=submit]');
  await page.waitForURL((url) => url.pathname !== '/login');
  await page.goto(console.url + path);
  return { page, errors };
}

/** Until it takes keys. */
async function openEditor(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Editor' }).click();
  await page.locator('.cm-content:focus').waitFor();
}

async function styleOf(place: ReturnType<Page['locator']>, property: string): Promise<string> {
  return place
    .first()
    .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
}

// What follows runs in pages.

function noteViolations(): void {
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    document.documentElement.dataset.violations = `${violatedDirective} ${blockedURI}`;
  });
}

function stateOfEditor() {
  const root = document.querySelector('textarea + div')?.shadowRoot;
  const content = root?.querySelector<HTMLElement>('.cm-content');
  if (!root || !content) return undefined;
  // The innermost: around it is what keeps its direction apart.
  const name = [...content.querySelectorAll('span')].findLast((span) => /^"b"$/.test(span.textContent ?? ''));
  return {
    text: content.innerText.trim(),
    isFocused: root.activeElement === content,
    display: getComputedStyle(root.querySelector('.cm-scroller')!).display,
    colour: name && getComputedStyle(name).color,
    violations: document.documentElement.dataset.violations ?? null,
  };
}
