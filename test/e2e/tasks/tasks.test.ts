/** What administrators do most, from the overview, on the data of `npm run demo`: how many clicks and seconds it takes. */
import { randomBytes } from 'node:crypto';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../../helpers/browser.ts';
import { type Demo, startDemo } from '../../helpers/demo.ts';
import { openKeycloak, whyNoKeycloak } from '../../peers/support/keycloak.ts';
import { corporation } from '../../peers/support/keycloak-realm.ts';
import { createHand, type Hand } from './hand.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
afterAll(() => found?.close());

/** Figures of a task: none may be exceeded. */
interface Figures {
  readonly title: string;
  readonly acts: number;
  readonly seconds: number;
  readonly work: (hand: Hand) => Promise<void>;
}

const tasks: readonly Figures[] = [
  { title: 'a client for one map, whose call would go through', acts: 7, seconds: 60, work: addClient },
  { title: 'why a client was refused, and opening it', acts: 5, seconds: 45, work: openRefusal },
  { title: 'a member out of the calls', acts: 2, seconds: 30, work: drainMember },
  { title: 'another secret for one that has leaked, without an outage', acts: 6, seconds: 45, work: rotate },
  { title: 'a person who has left', acts: 5, seconds: 30, work: endPerson },
  { title: 'the JSON of an entry', acts: 6, seconds: 45, work: mendEntry },
  { title: 'who floods a map, and an end to it', acts: 4, seconds: 40, work: stopFlood },
  { title: 'a dashboard by Spring Boot', acts: 7, seconds: 120, work: addDashboard },
  { title: 'an invitation for a viewer', acts: 5, seconds: 40, work: inviteViewer },
  { title: 'who changed a role, and putting it back', acts: 5, seconds: 40, work: putBack },
  { title: 'a hot backup', acts: 2, seconds: 30, work: hotBackup },
];

describe.skipIf(!found)(`tasks in a browser${reason ? ` (${reason})` : ''}`, () => {
  let demo: Demo;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    demo = await startDemo({ CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' });
    context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    page = await context.newPage();
    page.setDefaultTimeout(8000);
    await page.goto(`${demo.consoleUrl}/login`);
    await page.getByLabel('Username').fill('ada');
    await page.getByLabel('Password', { exact: true }).fill(demo.passwordOf('ada'));
    await page.getByRole('button', { name: 'Sign in' }).click();
  });
  afterAll(async () => {
    await context?.close();
    await demo?.stop();
  });

  test.skipIf(whyNoKeycloak)(
    `a realm of Keycloak: at most 9, and 180 s${whyNoKeycloak ?? ''}`,
    async () => {
      const keycloak = await openKeycloak();
      const secret = randomBytes(24).toString('base64');
      const registration = { clientId: 'console', secret, redirectUris: [`${demo.consoleUrl}/*`] };
      const issuer = await keycloak.addRealm(corporation('tasks', registration));
      await page.goto(demo.consoleUrl);
      const began = performance.now();
      const hand = createHand(page);
      await connectRealm(hand, issuer, secret);
      expect(hand.count()).toBeLessThanOrEqual(9);
      expect((performance.now() - began) / 1000).toBeLessThan(180);
    },
    240_000,
  );

  test.each(tasks)('$title: at most $acts clicks, chords and fields, and $seconds s', async (task) => {
    await page.goto(demo.consoleUrl);
    const began = performance.now();
    const hand = createHand(page);
    await task.work(hand);
    expect(hand.count()).toBeLessThanOrEqual(task.acts);
    expect((performance.now() - began) / 1000).toBeLessThan(task.seconds);
  });
});

const button = ({ page }: Hand, name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true });
const link = ({ page }: Hand, name: string | RegExp) =>
  page.getByRole('main').getByRole('link', { name, exact: typeof name === 'string' });
const shows = ({ page }: Hand, text: RegExp) => page.getByText(text).first().waitFor();

/** Opens what is found under these words. */
async function goTo(hand: Hand, words: string): Promise<void> {
  await hand.chord('/');
  await hand.type(words);
  await Promise.all([hand.page.waitForURL(/^(?!.*observe\/search)(?!.*:\d+\/$)/), hand.chord('Enter')]);
}

async function addClient(hand: Hand): Promise<void> {
  const { page } = hand;
  await Promise.all([page.waitForURL('**/access/clients'), hand.chord('g', 'c')]);
  await Promise.all([page.waitForURL('**do=new*'), hand.chord('n')]);
  await hand.fill(page.getByLabel('Name', { exact: true }), 'Ledger');
  await hand.fill(page.getByRole('textbox', { name: 'Maps' }), 'orders');
  await hand.click(page.getByRole('group', { name: 'May' }).first().getByLabel('read'));
  await hand.click(button(hand, 'Add machine client'));
  await hand.click(button(hand, 'Try it'));
  await shows(hand, /svc:map:orders:read/);
  await shows(hand, /Goes through/);
  await shows(hand, /Answered by/);
  expect(await page.getByRole('table', { name: 'Calls that it opens' }).textContent()).toContain('orders');
}

async function openRefusal(hand: Hand): Promise<void> {
  const { page } = hand;
  // The id is what a caller is told: it stands in the answer, and here at the latest refusal of the overview.
  const denial = page.getByRole('table', { name: 'Latest refusals' }).getByRole('link', { name: /orders/ });
  const id = decodeURIComponent((await denial.first().getAttribute('href'))!.split('/').at(-1)!);
  await goTo(hand, id);
  await hand.click(page.getByRole('main').getByRole('button', { name: /^Open/ }));
  await shows(hand, /Opened/);
  await shows(hand, /Would go through/);
  await hand.click(button(hand, 'Try again'));
  await shows(hand, /Goes through/);
}

async function drainMember(hand: Hand): Promise<void> {
  await hand.click(link(hand, /Look at it.*Member 127/));
  await hand.click(button(hand, 'Drain'));
  await shows(hand, /Drained/);
}

async function connectRealm(hand: Hand, issuer: string, secret: string): Promise<void> {
  const { page } = hand;
  await Promise.all([page.waitForURL('**/access/identity-providers'), hand.chord('g', 'i')]);
  await Promise.all([page.waitForURL('**do=new*'), hand.chord('n')]);
  // Keycloak is what is offered first, and what it is called there is filled in.
  expect(await page.getByLabel('Client ID').inputValue()).toBe('console');
  await hand.fill(page.getByLabel('Issuer'), issuer);
  await hand.fill(page.getByLabel('Client secret'), secret);
  await hand.fill(page.getByLabel('Role rules'), 'groups=admins -> Admin');
  await hand.click(button(hand, 'Add identity provider'));
  await shows(hand, /Dry run/);
  await hand.click(link(hand, 'Enable'));
  await hand.click(button(hand, 'Enable identity provider'));
  await shows(hand, /Enabled: people can sign in by it/);
}

async function rotate(hand: Hand): Promise<void> {
  const { page } = hand;
  await goTo(hand, 'rotate billing');
  await hand.click(page.getByLabel('Ends in one hour'));
  await hand.click(page.getByRole('main').getByRole('button', { name: 'Rotate secret' }));
  await copies(hand, page.locator('#secret'), /^[\w-]{43}$/);
}

async function endPerson(hand: Hand): Promise<void> {
  await goTo(hand, 'milo');
  await hand.click(link(hand, 'End everything'));
  await hand.click(button(hand, 'End everything'));
  await shows(hand, /Everything has ended/);
}

async function mendEntry(hand: Hand): Promise<void> {
  await goTo(hand, 'orders/a1');
  await hand.fill(hand.page.getByRole('textbox', { name: 'Value' }), '{"id":4711,"total":32.2}');
  await hand.click(button(hand, 'Put'));
  await shows(hand, /32\.2/);
  await button(hand, 'Put back').waitFor();
}

async function stopFlood(hand: Hand): Promise<void> {
  const { page } = hand;
  await Promise.all([page.waitForURL('**/observe/traffic'), hand.chord('g', 't')]);
  const row = page.getByRole('table', { name: 'Maps and queues' }).getByRole('row', { name: /map:orders/ });
  await hand.click(row.getByRole('link').nth(1));
  const clients = page.getByRole('table', { name: 'Clients', exact: true });
  const first = clients.getByRole('row').nth(1).getByRole('link').first();
  expect(await first.textContent()).toBe('importer');
  await hand.click(first);
  await hand.click(button(hand, 'Disable'));
  await shows(hand, /every token that it had is refused/);
}

async function addDashboard(hand: Hand): Promise<void> {
  const { page } = hand;
  await hand.click(page.getByRole('navigation').getByRole('link', { name: 'Applications' }).first());
  await Promise.all([page.waitForURL('**do=new*'), hand.chord('n')]);
  await hand.click(link(hand, /Spring Boot/));
  await hand.fill(page.getByLabel('Client ID'), 'orders-web');
  await hand.fill(page.getByLabel('Address'), 'https://orders.example.com');
  await hand.click(button(hand, 'Add application'));
  await copies(hand, hand.page.locator('#settings'), /client-secret/);
}

async function inviteViewer(hand: Hand): Promise<void> {
  const { page } = hand;
  await Promise.all([page.waitForURL('**/access/users'), hand.chord('g', 'u')]);
  await Promise.all([page.waitForURL('**do=new*'), hand.chord('n')]);
  await hand.fill(page.getByLabel('User name'), 'hedy');
  await hand.click(
    page.getByRole('group', { name: 'Roles', exact: true }).getByRole('checkbox', { name: /^Viewer/ }),
  );
  await hand.click(button(hand, 'Invite user'));
  await shows(hand, /Link to choose a password/);
}

async function putBack(hand: Hand): Promise<void> {
  await goTo(hand, 'OrdersReader');
  const { page } = hand;
  const row = page.getByRole('table', { name: 'History' }).getByRole('row', { name: /Put back/ });
  expect(await row.textContent()).toMatch(/application-client.*svc:queue:jobs:offer/);
  await hand.click(row.getByRole('link', { name: 'Put back' }));
  await hand.click(button(hand, 'Put back'));
  await shows(hand, /May read map “orders” and offer to queue “jobs”/);
}

/** Takes what stands in a part of the page. */
async function copies(hand: Hand, part: Locator, text: RegExp): Promise<void> {
  await hand.click(part.getByRole('button', { name: 'Copy' }).first());
  await part.getByText('Copied').waitFor();
  expect(await hand.page.evaluate(() => navigator.clipboard.readText())).toMatch(text);
}

async function hotBackup(hand: Hand): Promise<void> {
  await hand.click(hand.page.getByRole('navigation').getByRole('link', { name: 'Operations' }).first());
  await hand.click(button(hand, 'Start hot backup'));
  await shows(hand, /The members have accepted the backup/);
}
