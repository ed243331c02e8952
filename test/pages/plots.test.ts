/** Plots of the management pages in a real browser, under the content policy of the pages, and their tables without script. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { admin, apiToken, machineToken, type RunningConsole } from '../helpers/console.ts';
import { leaveHistory } from '../helpers/history.ts';
import { startWithAdmin } from '../helpers/management.ts';
import { until } from '../helpers/store.ts';
import { titleOf, type UserAgent } from '../helpers/user-agent.ts';

const { browser, reason } = await openBrowser();
let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  const headers = { Authorization: `Bearer ${await machineToken(console)}` };
  const reads = { Authorization: `Bearer ${await apiToken(console)}` };
  const known = async () => {
    await (await fetch(`${console.url}/svc/rest/cluster`, { headers })).arrayBuffer();
    const response = await fetch(`${console.url}/api/v1/traffic?series=calls`, { headers: reads });
    const { series } = (await response.json()) as { series: { mean: (number | null)[] }[] };
    return series[0]?.mean.some((value) => value !== null && value > 0);
  };
  await until(async () => (await known()) === true, 'a point of the history', 30_000);
}, 60_000);
afterAll(async () => {
  await console?.stop();
  await browser?.close();
});

test.skipIf(!browser)(`are drawn by script of ours alone (${reason ?? 'Chromium'})`, async () => {
  const { page, errors, close } = await signedIn(browser!);
  for (const { path, plots } of [
    { path: '/?period=15min', plots: 4 },
    { path: '/?period=24h', plots: 4 },
    { path: '/observe/traffic', plots: 1 },
  ]) {
    await page.goto(console.url + path);
    await page.waitForFunction((count) => document.querySelectorAll('.plot canvas').length === count, plots);
    expect(
      await page.locator('.plot-area').evaluateAll((areas) => areas.map((area) => area.clientHeight > 150)),
    ).toEqual(Array.from({ length: plots }, () => true));
  }
  // What was drawn follows what the page says.
  await page.goto(`${console.url}/?period=15min`);
  await page.locator('#plot-calls canvas').waitFor();
  await page.locator('#plot-tokens .plot-area').evaluate((area) => {
    const reported = JSON.parse((area as HTMLElement).dataset.plot!);
    reported.lines[0].values.fill(77);
    (area as HTMLElement).dataset.plot = JSON.stringify(reported);
  });
  await page.locator('#plot-tokens .u-over').hover();
  await page.locator('#plot-tokens .u-legend', { hasText: '77/min' }).waitFor();
  expect(errors).toEqual([]);
  await close();
});

test.skipIf(!browser).each([1280, 390])(
  `move nothing when a figure gets a digit more, %i px wide (${reason ?? 'Chromium'})`,
  async (width) => {
    const { page, close } = await signedIn(browser!);
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${console.url}/?period=15min`);
    await page.locator('#plot-calls canvas').waitFor();
    // In one go: what is live may bring a finding above the plots, which is no matter of digits.
    const places = await page.evaluate(
      (figures) =>
        figures.map((figure) => {
          for (const now of document.querySelectorAll(
            '#plot-latency strong, #plot-denied strong, #plot-calls strong',
          ))
            now.textContent = figure;
          const parts = [...document.querySelectorAll('.plot-now > span, .plot-area')].map((part) => {
            const { x, y } = part.getBoundingClientRect();
            return [x, y];
          });
          return { figure, parts };
        }),
      ['9/s', '10/s', '9.99/s', '99.9/s', '999 ms', '9.99 ms', '0.0999/s'],
    );
    const first = places[0]?.parts;
    expect(first?.length).toBeGreaterThan(8);
    for (const { figure, parts } of places) expect([figure, parts]).toEqual([figure, first]);
    await close();
  },
);

describe('without script', () => {
  test.each(['calls', 'latency', 'denied', 'tokens'])(
    '%s is a table at an address of its own',
    async (id) => {
      const page = await ada.get(`/?period=15min&table=${id}`);
      expect(titleOf(page)).toBe('Overview');
      const [figure] = new RegExp(`<figure[^>]*id="plot-${id}".*?</figure>`, 's').exec(page.body)!;
      expect(figure).toMatch(/<table>.*<time datetime="\d{4}-/s);
      expect(figure).toContain(`href="/?period=15min#plot-${id}"`);
      expect(page.body.match(/data-plot=/g)).toHaveLength(3);
    },
  );

  test.each(['nothing', '%00', 'x'.repeat(1_000)])(
    'of %j there is none, and the page is as ever',
    async (id) => {
      const page = await ada.get(`/?table=${id}`);
      expect([page.status, page.body.match(/data-plot=/g)?.length]).toEqual([200, 4]);
    },
  );

  test('a member and a client have theirs, too', async () => {
    const list = await ada.get('/cluster/members');
    const [, member] = /href="(\/cluster\/members\/[^"]+)"/.exec(list.body)!;
    expect((await ada.get(member!)).body.match(/data-plot=/g)).toHaveLength(4);
    expect((await ada.get('/access/clients/application-client')).body).toContain('id="plot-calls"');
    const queue = await ada.get('/cluster/queues/jobs');
    expect(queue.body).toContain('href="/observe/traffic?minutes=60&amp;structure=queue%3Ajobs"');
  });
});

describe('the time that nobody has asked for', () => {
  const periodOf = (body: string) =>
    />([^<]*)<\/a>/.exec(body.slice(body.indexOf('aria-current="true"')))?.[1];

  test('is a quarter of an hour of a console that has just been started', async () => {
    expect(periodOf((await ada.get('/')).body)).toBe('15 min');
    expect(periodOf((await ada.get('/?period=1h')).body)).toBe('1 h');
  });

  test('is an hour where there is something of it', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'console-history-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    await leaveHistory(dataDir, [2_405_000, 2_400_000, 2_395_000]);
    const older = await startWithAdmin({ dataDir });
    onTestFinished(async () => void (await older.console.stop()));
    expect(periodOf((await older.ada.get('/')).body)).toBe('1 h');
    expect(periodOf((await older.ada.get('/?period=15min')).body)).toBe('15 min');
  });
});

test('the sign-in loads none of it', async () => {
  const page = await ada.send('GET', '/login', { headers: { cookie: '' } });
  expect(page.body).not.toContain('plots.js');
});

interface Visit {
  readonly page: Page;
  /** What the browser has complained about. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

async function signedIn(of: Browser): Promise<Visit> {
  const context: BrowserContext = await of.newContext();
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', ({ message }) => errors.push(message));
  await page.goto(`${console.url}/login`);
  await page.fill('[name=username]', admin.username);
  await page.fill('[name=password]', admin.password);
  await page.click('button[type=submit]');
  return { page, errors, close: () => context.close() };
}
