/**
 * What a person waits for: the largest paint of a page that is opened for the first time by a browser at a quarter of this
 * processor's speed, what it loads for that, how far it moves meanwhile, and how long it takes to show what a key or a click
 * does. On the data of the demo, in Chromium.
 */
import { gzipSync } from 'node:zlib';
import { type Browser, chromium, type Page } from 'playwright-core';
import { startBrowser } from '../test/helpers/browser.ts';
import { type Demo, startDemo } from '../test/helpers/demo.ts';
import type { Benchmark, Ratio, Table } from './harness.ts';
import { formatSpread, spread } from './statistics.ts';

const slowdown = 4;
/** Until nothing larger is painted. */
const settlingMs = 2_500;
const paths = [
  '/',
  '/access/clients',
  '/access/clients/billing',
  '/cluster/queues/jobs',
  '/observe/traffic',
  '/observe/audit',
];
const goals = { paintMs: 1_000, reactMs: 200, plainKb: 60, plotsKb: 100 };

interface Loaded {
  readonly paintMs: number;
  readonly shift: number;
  /** Of the page and all that it loads; each compressed by itself, as a load balancer does with what is not. */
  readonly kilobytes: number;
  readonly hasPlots: boolean;
  readonly reactMs: number;
}

export const benchmark: Benchmark = {
  name: 'first-load',
  async run({ rounds }) {
    const { answer, stop } = await startBrowser();
    if (answer.endpoint === undefined) throw new Error(answer.reason);
    const browser = await chromium.connect(answer.endpoint);
    const demo = await startDemo();
    try {
      const found = new Map(paths.map((path) => [path, [] as Loaded[]]));
      for (let round = 0; round < rounds; round++) {
        for (const path of round % 2 === 0 ? paths : paths.toReversed())
          found.get(path)!.push(await load(browser, demo, path));
      }
      return tableOf(found);
    } finally {
      await browser.close();
      await stop();
      await demo.stop();
    }
  },
};

/** In a browser that has seen nothing of the console but the sign-in. */
async function load(browser: Browser, demo: Demo, path: string): Promise<Loaded> {
  const signedIn = await browser.newContext();
  await signIn(await signedIn.newPage(), demo);
  const storageState = await signedIn.storageState();
  await signedIn.close();
  const context = await browser.newContext({ storageState, viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  try {
    const devTools = await context.newCDPSession(page);
    await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    const bodies: Promise<number>[] = [];
    page.on('response', (response) => {
      const isStream = response.headers()['content-type']?.includes('event-stream');
      if (!isStream)
        bodies.push(
          response.body().then(
            (body) => gzipSync(body).length,
            () => 0,
          ),
        );
    });
    await page.addInitScript({ content: watching });
    await page.goto(demo.consoleUrl + path, { waitUntil: 'load' });
    await page.waitForTimeout(settlingMs);
    const { paintMs, shift } = await page.evaluate(() => (globalThis as unknown as Watched).watched);
    if (paintMs === 0) throw new Error(`nothing was seen to be painted at ${path}`);
    const hasPlots = (await page.locator('.plot').count()) > 0;
    await react(page);
    const { reactMs } = await page.evaluate(() => (globalThis as unknown as Watched).watched);
    const bytes = (await Promise.all(bodies)).reduce((sum, one) => sum + one, 0);
    return { paintMs, shift, hasPlots, reactMs, kilobytes: bytes / 1000 };
  } finally {
    await context.close();
  }
}

async function signIn(page: Page, { consoleUrl, passwordOf }: Demo): Promise<void> {
  await page.goto(`${consoleUrl}/login`);
  await page.locator('[name=username]').fill('ada');
  await page.locator('[name=password]').fill(passwordOf('ada'));
  await page.locator('main button[type=submit]').first().click();
  await page.waitForURL((url) => url.pathname !== '/login');
}

/** Help over the page and away again, a word into the search, a link. */
async function react(page: Page): Promise<void> {
  await page.keyboard.press('?');
  await page.waitForTimeout(300);
  await page.keyboard.press('Escape');
  await page.waitForTimeout(300);
  await page.keyboard.press('/');
  await page.keyboard.type('orders', { delay: 60 });
  await page.waitForTimeout(500);
}

interface Watched {
  watched: { paintMs: number; shift: number; reactMs: number };
}

/**
 * Runs in the page, before anything of it: as text, since what makes JavaScript of this file adds to functions. What nobody does,
 * as a page that comes up under the pointer, is no interaction.
 */
const watching = `
  const watched = { paintMs: 0, shift: 0, reactMs: 0 };
  globalThis.watched = watched;
  const observe = (take, options) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ buffered: true, ...options });
  observe((entry) => { watched.paintMs = entry.startTime; }, { type: 'largest-contentful-paint' });
  observe((entry) => { if (!entry.hadRecentInput) watched.shift += entry.value; }, { type: 'layout-shift' });
  observe((entry) => {
    if (entry.interactionId) watched.reactMs = Math.max(watched.reactMs, entry.duration);
  }, { type: 'event', durationThreshold: 16 });
`;

function tableOf(found: ReadonlyMap<string, readonly Loaded[]>): Table {
  const pages = [...found.values()];
  const withPlots = pages.filter((loads) => loads.some(({ hasPlots }) => hasPlots));
  const withoutPlots = pages.filter((loads) => !withPlots.includes(loads));
  /** Of the page that is worst by its median. */
  const worst = (
    name: string,
    of: (one: Loaded) => number,
    atMost: number,
    unit: string,
    among = pages,
  ): Ratio => {
    const medians = among.map((loads) => spread(loads.map(of)).median);
    return { name, spread: spread([Math.max(...medians)]), unit, atMost };
  };
  return {
    title: 'First load',
    columns: ['page', 'largest paint ms', 'layout shift', 'KB compressed', 'key to paint ms'],
    rows: [...found].map(([path, loads]) => [
      path,
      formatSpread(spread(loads.map(({ paintMs }) => paintMs)), 0),
      formatSpread(spread(loads.map(({ shift }) => shift)), 3),
      formatSpread(spread(loads.map(({ kilobytes }) => kilobytes)), 1),
      formatSpread(spread(loads.map(({ reactMs }) => reactMs)), 0),
    ]),
    ratios: [
      worst('largest paint of the slowest page', ({ paintMs }) => paintMs, goals.paintMs, ' ms'),
      worst('key to paint of the slowest page', ({ reactMs }) => reactMs, goals.reactMs, ' ms'),
      worst('largest page without plots', ({ kilobytes }) => kilobytes, goals.plainKb, ' KB', withoutPlots),
      worst('largest page with plots', ({ kilobytes }) => kilobytes, goals.plotsKb, ' KB', withPlots),
      worst('layout shift of the most moving page', ({ shift }) => shift, 0, ''),
    ],
    notes: [
      `Chromium at a quarter of the processor's speed, with nothing in its cache; the demo works beside it.`,
    ],
  };
}
