/** Parts of live pages that cannot be had: what was there stays, and says of when it is and why. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPresentation, presentationOf } from '../../console/http/display/presentation.ts';
import { createOverviewPage } from '../../console/pages/cluster/overview.ts';
import { barFramesOf } from '../../console/pages/live/bar.ts';
import { partFramesOf } from '../../console/pages/live/parts.ts';
import { createSharedReadings } from '../../console/pages/live/shared-readings.ts';
import type { PageContext, PageTools } from '../../console/pages/page-tools.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { BarModel } from '../../views/management/bar.tsx';
import type { LiveParts } from '../../views/management/live/not-read.tsx';
import { openBrowser } from '../helpers/browser.ts';
import { admin, type RunningConsole } from '../helpers/console.ts';
import { startWithAdmin } from '../helpers/management.ts';
import { type Reply, textOf } from '../helpers/user-agent.ts';

const { browser, reason } = await openBrowser();
let console: RunningConsole;

beforeAll(async () => {
  ({ console } = await startWithAdmin());
});
afterAll(async () => {
  await console?.stop();
  await browser?.close();
});

/** Of somebody who reads this language. */
function contextIn(language: string): PageContext {
  const ctx = {
    req: {},
    method: 'GET',
    get: () => '',
    cookies: { get: () => undefined },
    acceptsLanguages: () => [language],
    state: { form: new Map() },
  } as unknown as PageContext;
  void createPresentation({ branding: () => ({}) })(ctx as never, async () => {});
  return ctx;
}

test.each([
  {
    language: 'en',
    cluster: 'The cluster could not be asked: ',
    part: 'This could not be read: ',
    why: 'No member that takes calls answers.',
  },
  {
    language: 'de',
    cluster: 'Der Cluster ließ sich nicht befragen: ',
    part: 'Das ließ sich nicht lesen: ',
    why: 'Kein Member, das Aufrufe annimmt, antwortet.',
  },
])('the overview says in its place what it could not read, and why ($language)', async (row) => {
  const ctx = contextIn(row.language);
  const reader = { now: new Date(), presentation: presentationOf(ctx), groups: [] };
  let html = '';
  const tools = {
    check: async () => {},
    mayRun: async (_: PageContext, ids: readonly string[]) => new Set(ids),
    run: async () => {
      throw new ProblemError(problems.noMember, 'No member that takes calls answers.');
    },
    reader: () => reader,
    csrf: () => 'x',
    frame: async () => ({ ...reader, username: 'ada', signOut: { action: '/', csrf: 'x' }, bar: [] }),
    send: (_: PageContext, sent: string) => {
      html = sent;
    },
  } as unknown as PageTools;
  const shared = createSharedReadings(tools, Date.now);
  const steps = { remembered: async () => [] };
  const overview = createOverviewPage(tools, async () => {}, steps, shared, Date.now);
  await overview.show(ctx);
  const text = textOf({ body: html } as Reply);
  expect(text).toContain(`${row.cluster}${row.why}`);
  expect(text.split(`${row.part}${row.why}`)).toHaveLength(6);
  for (const id of ['attention', 'numbers', 'members', 'denials', 'changes']) {
    expect(html).toContain(`<section class="part" id="${id}"`);
  }
  const notRead = { notRead: 'No member that takes calls answers.' };
  expect(await overview.parts(ctx)).toEqual({
    // A state that is not known is none.
    'cluster-state': '<span id="cluster-state" data-part></span>',
    'cluster-about': notRead,
    attention: notRead,
    numbers: notRead,
    members: notRead,
  });
});

test.each([
  { language: 'en', why: 'No member that takes calls answers.' },
  { language: 'de', why: 'Kein Member, das Aufrufe annimmt, antwortet.' },
])(
  'the frame names it ($language), and whoever has missed one has the last values',
  async ({ language, why }) => {
    let parts: LiveParts = { numbers: '<p>1</p>', state: '<p>well</p>' };
    const make = partFramesOf(async () => parts)();
    let made = 0;
    const ctx = contextIn(language);
    const next = async () => {
      const frame = await make(ctx, () => `boot-${++made}`);
      const dataFor = (hasMissed: boolean) =>
        JSON.parse(/^data: (.*)$/m.exec(String(frame!.textFor({ ctx, hasMissed })))![1]!) as object;
      return frame && { changes: dataFor(false), whole: dataFor(true) };
    };
    await next();
    parts = { numbers: { notRead: 'No member that takes calls answers.' }, state: '<p>ill</p>' };
    expect(await next()).toEqual({
      changes: { parts: { state: '<p>ill</p>' }, stale: { numbers: why } },
      whole: {
        parts: { numbers: '<p>1</p>', state: '<p>ill</p>' },
        stale: { numbers: why },
      },
    });
    // It is as it was, and so nothing is sent.
    expect(await next()).toBeUndefined();
    // It is there again, and the same as before: that has to be said.
    parts = { numbers: '<p>1</p>', state: '<p>ill</p>' };
    expect(await next()).toEqual({ changes: { parts: { numbers: '<p>1</p>' } }, whole: { parts } });
    expect(await next()).toBeUndefined();
  },
);

test('the bar is made once for all pages, anew when it says something else, and keeps what could not be had in time', async () => {
  let bar: BarModel = { members: { count: 3, silent: 0 }, jobs: 2 };
  const make = barFramesOf(async () => bar)();
  let made = 0;
  const ctx = contextIn('en');
  const next = async () =>
    String((await make(ctx, () => `boot-${++made}`))?.textFor({ ctx, hasMissed: false }));
  const first = await next();
  expect(first).toMatch(
    /^data: \{"parts":\{"bar-members".*3 members.*"bar-approvals".*\n\nevent: job\ndata: \{"running":2,/,
  );
  expect(first).toContain('2 jobs run');
  // It names no frame: the id of the stream stays that of the page.
  expect(first).not.toMatch(/^id:/m);
  expect(await next()).toBe('undefined');
  bar = { jobs: 3, approvals: 1 };
  const second = await next();
  expect(second).toContain('3 members');
  expect(second).toContain('One approval waits');
  expect(second).toContain('"running":3');
});

test.skipIf(!browser)(
  `in a browser it stays, greyed, until it is there again (${reason ?? 'Chromium'})`,
  async () => {
    const context = await browser!.newContext();
    const tab = await context.newPage();
    await tab.goto(`${console.url}/login`);
    await tab.fill('[name=username]', admin.username);
    await tab.fill('[name=password]', admin.password);
    await tab.click('button[type=submit]');
    await tab.waitForURL(`${console.url}/`);
    const data = JSON.stringify({ parts: {}, stale: { members: 'Nobody says.' } });
    const isStream = (url: URL) => url.searchParams.get('live') === '1';
    await tab.route(isStream, (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: `id: a-1\ndata: ${data}\n\n` }),
    );
    await tab.goto(`${console.url}/`);
    const members = tab.locator('#members');
    const mark = tab.locator('#members[data-as-of]');
    await mark.waitFor();
    expect(await members.getAttribute('data-as-of')).toMatch(
      /^As of \d\d:\d\d\. It could not be read since: Nobody says\.$/,
    );
    expect(await members.evaluate((part) => getComputedStyle(part, '::before').content)).toContain('As of');
    expect(await members.locator('tbody tr').count()).toBe(1);
    await tab.unroute(isStream);
    await mark.waitFor({ state: 'detached', timeout: 20_000 });
    expect(await members.locator('tbody tr').count()).toBe(1);
    await context.close();
  },
  60_000,
);
