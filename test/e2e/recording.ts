/**
 * The minute that the README shows: `npm run recording` makes docs/images/minute.webp of the demo's pages, a picture after each act.
 * It needs img2webp (Debian: webp).
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Locator, type Page } from 'playwright-core';
import { startBrowser } from '../helpers/browser.ts';
import { type Demo, startDemo } from '../helpers/demo.ts';

const target = resolve(import.meta.dirname, '../../docs/images/minute.webp');
const size = { width: 1100, height: 700 };
/** As long as it takes to read what is new. */
const shortMs = 1200;
const longMs = 3000;

interface Frame {
  readonly path: string;
  readonly ms: number;
}

const folder = await mkdtemp(join(tmpdir(), 'recording-'));
const shared = await startBrowser();
const demo = await startDemo();
try {
  if (shared.answer.endpoint === undefined) throw new Error(shared.answer.reason);
  const browser = await chromium.connect(shared.answer.endpoint);
  const page = await browser.newPage({ viewport: size, colorScheme: 'light' });
  const frames = await record(page, demo);
  await browser.close();
  const parts = frames.flatMap(({ path, ms }) => ['-d', String(ms), path]);
  await promisify(execFile)('img2webp', [
    '-loop',
    '0',
    '-lossy',
    '-q',
    '55',
    '-m',
    '6',
    ...parts,
    '-o',
    target,
  ]);
  const seconds = frames.reduce((sum, { ms }) => sum + ms, 0) / 1000;
  console.log(`${frames.length} pictures, ${seconds} s: ${target}`);
} finally {
  await demo.stop();
  await shared.stop();
  await rm(folder, { recursive: true, force: true });
}

/** A sign-in, a refusal that is opened, a machine client that is made and tried, an entry, and who did it all. */
async function record(page: Page, { consoleUrl, passwordOf }: Demo): Promise<readonly Frame[]> {
  const frames: Frame[] = [];
  const shows = async (ms = longMs) => {
    await page.waitForLoadState();
    const path = join(folder, `${String(frames.length).padStart(3, '0')}.png`);
    await page.screenshot({ path });
    frames.push({ path, ms });
  };
  const fill = async (field: Locator, text: string) => {
    await field.fill(text);
    await shows(shortMs);
  };
  const main = page.getByRole('main');
  const click = async (what: Locator, ms?: number) => {
    await what.scrollIntoViewIfNeeded();
    await what.click();
    await shows(ms);
  };

  await page.goto(`${consoleUrl}/login`);
  await fill(page.getByLabel('Username'), 'ada');
  await page.getByLabel('Password', { exact: true }).fill(passwordOf('ada'));
  await click(page.getByRole('button', { name: 'Sign in' }));
  // What moves has moved.
  await page.waitForTimeout(6000);
  await shows();

  const refusals = page.getByRole('table', { name: 'Latest refusals' });
  await click(refusals.getByRole('link', { name: /orders/ }).first());
  await click(main.getByRole('button', { name: /^Open/ }));
  await click(main.getByRole('button', { name: 'Try again' }));

  await page.goto(`${consoleUrl}/access/clients`);
  await shows();
  await page.goto(`${consoleUrl}/access/clients?do=new`);
  await fill(page.getByLabel('Name', { exact: true }), 'Ledger');
  await fill(page.getByRole('textbox', { name: 'Maps' }), 'orders');
  await page.getByRole('group', { name: 'May' }).first().getByLabel('read').check();
  await shows(shortMs);
  await click(main.getByRole('button', { name: 'Add machine client', exact: true }));
  await click(main.getByRole('button', { name: 'Try it', exact: true }));

  await page.keyboard.press('/');
  await page.keyboard.insertText('orders/a1');
  await shows(shortMs);
  await Promise.all([page.waitForURL('**/cluster/maps/**'), page.keyboard.press('Enter')]);
  await shows();
  for (const path of ['/access/effective', '/observe/traffic', '/observe/audit', '/cluster/members']) {
    await page.goto(consoleUrl + path);
    await shows();
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(consoleUrl);
  await page.waitForTimeout(6000);
  await shows();
  return frames;
}
