/**
 * A live page whose console ends goes on at another one by itself: in a real browser, behind HAProxy before two consoles on
 * one PostgreSQL.
 */
import { once } from 'node:events';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { admin, machineToken } from '../helpers/console.ts';
import { startTogether, type Together, whyNotTogether } from './support.ts';

const { browser, reason } = whyNotTogether ? {} : await openBrowser();
const skipped = whyNotTogether ?? (reason ? ` (skipped: ${reason})` : undefined);
const waitMs = 60_000;

/** What is watched in a page. */
interface Seen {
  readonly said: string[];
  readonly received: string[];
}

describe.skipIf(skipped)(`live pages at two consoles${skipped ?? ''}`, { timeout: 180_000 }, () => {
  let all: Together;
  beforeAll(async () => {
    all = await startTogether({ count: 2, hasOwnMembers: true, front: { repeats: 'without connection' } });
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await all?.stop();
  }, 120_000);

  /** What its line says, from now on; a load of the page anew would lose it. */
  async function watchStatus(page: Page): Promise<() => Promise<readonly string[]>> {
    await page.evaluate(() => {
      const said: string[] = [];
      Object.assign(globalThis, { said });
      const status = document.querySelector('[data-live] [role=status]')!;
      const note = () => said.push(status.textContent ?? '');
      new MutationObserver(note).observe(status, { childList: true, characterData: true, subtree: true });
    });
    return () => page.evaluate(() => (globalThis as unknown as Seen).said);
  }

  /** Names of the events that their streams bring. */
  const received = (page: Page) => page.evaluate(() => (globalThis as unknown as Seen).received);
  const hasFrame = (page: Page) =>
    page.waitForFunction(() => (globalThis as unknown as Seen).received.length > 0, undefined, {
      timeout: waitMs,
    });

  async function callMember(map: string): Promise<void> {
    const headers = { Authorization: `Bearer ${await machineToken(all)}` };
    const answer = await fetch(`${all.url}/svc/rest/maps/${map}/1`, { headers });
    await answer.arrayBuffer();
    expect(answer.status).toBeLessThan(300);
  }

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'after %s of theirs they say that they are paused, and then move again, without a load or a sign-in',
    async (signal) => {
      // Both pages have their streams at the first.
      await all.front.drain(1);
      const context = await browser!.newContext();
      await context.addInitScript(() => {
        const received: string[] = [];
        const Own = EventSource;
        class Watched extends Own {
          constructor(address: string | URL) {
            super(address);
            for (const name of ['message', 'new', 'reset', 'bye'])
              this.addEventListener(name, () => received.push(name));
          }
        }
        Object.assign(globalThis, { received, EventSource: Watched });
      });
      const page = await context.newPage();
      await page.goto(`${all.url}/login`);
      await page.getByLabel('Username').fill(admin.username);
      await page.getByLabel('Password', { exact: true }).fill(admin.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL(`${all.url}/`);
      const map = `live-${signal.toLowerCase()}`;
      const traffic = `${all.url}/observe/traffic?structure=map:${map}`;
      await page.goto(traffic);
      await hasFrame(page);
      const audit = await context.newPage();
      await audit.goto(`${all.url}/observe/audit`);
      await hasFrame(audit);
      await all.front.undrain(1);
      const said = [await watchStatus(page), await watchStatus(audit)];
      const after: (string | null)[] = [];
      page.on('request', (request) => {
        const { searchParams } = new URL(request.url());
        if (searchParams.get('live') === '1') after.push(searchParams.get('after'));
      });
      // What it asks for because the other console knows nothing of its frames, at a balancer that reaches nobody yet.
      let refused = 0;
      await page.route(traffic, async (route) => {
        refused++;
        await route.fulfill({ status: 503, body: 'No server is available' });
      });

      const { child } = all.consoles[0]!;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
      await page.waitForFunction(() => (globalThis as unknown as Seen).said.includes('Live'), undefined, {
        timeout: waitMs,
      });
      await callMember(map);
      await page.getByText(`GET map:${map}`).first().waitFor({ timeout: waitMs });
      // A sign-in of somebody is a new line of the audit.
      await audit.locator('[data-new] a').waitFor({ timeout: waitMs });

      for (const each of said) {
        const lines = await each();
        expect(lines[0]).toMatch(/^Live paused since \d\d:\d\d, trying again$/);
        expect(lines.at(-1)).toBe('Live');
      }
      expect(page.url()).toBe(traffic);
      // It said how far it had come, and the other console knew nothing of that.
      expect(after[0]).toMatch(/^[\w-]+-\d+$/);
      expect(refused).toBeGreaterThan(0);
      for (const each of [page, audit]) {
        const events = await received(each);
        expect(events).toContain('reset');
        expect(events.includes('bye')).toBe(signal === 'SIGTERM');
      }
      await context.close();
      await all.restart(0, 'SIGKILL');
      // It is there, and the load balancer has found it.
      await all.front.undrain(0);
    },
  );
});
