/** Lists that say what has come since their page was made: by their streams, and in a browser. */
import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type LiveList, newFramesOf } from '../../console/pages/live/new-items.ts';
import type { PageContext } from '../../console/pages/page-tools.ts';
import { openBrowser } from '../helpers/browser.ts';
import { admin, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { callApi, personPassword, personWith, sendForm, startWithAdmin } from '../helpers/management.ts';
import { createUserAgent, textOf, type UserAgent } from '../helpers/user-agent.ts';
import { type OpenStream, openStream, type StreamEvent } from './live-support.ts';

const { browser, reason } = await openBrowser();
afterAll(() => browser?.close());

const countIn = ({ name, data }: StreamEvent) => (name === 'new' ? data.count : undefined);
const isNew =
  (count: number, isExact = true) =>
  (event: StreamEvent) =>
    countIn(event) === count && event.data.isExact === isExact;

describe.each([{ workers: '1' }, { workers: '2' }])('with $workers processes that answer', ({ workers }) => {
  let console: RunningConsole;
  let ada: UserAgent;
  let bob: UserAgent;
  let open: OpenStream[] = [];

  beforeAll(async () => {
    const env = { CONSOLE_WORKERS: workers, CONSOLE_HTTP_CONNECTIONS_PER_SOURCE: '5000' };
    ({ console, ada } = await startWithAdmin({ env }));
    bob = await personWith(console, 'bob', ['Admin']);
  }, 60_000);
  afterEach(() => {
    for (const { leave } of open) leave();
    open = [];
  });
  afterAll(() => console?.stop());

  const newestOf = (body: string) => /data-newest(?:="([^"]*)")?[ >]/.exec(body)?.[1] ?? '';
  /** Of a page that is made now, as its browser asks for it. */
  async function streamOf(agent: UserAgent, path: string): Promise<OpenStream & { readonly newest: string }> {
    const { body } = await agent.get(path);
    expect(body).toContain('data-new=');
    const newest = newestOf(body);
    return { ...(await streamBehind(agent, path, newest)), newest };
  }
  async function streamBehind(agent: UserAgent, path: string, newest: string): Promise<OpenStream> {
    const query = new URLSearchParams({ newest });
    const stream = await openStream(console.url, agent, `${path}${path.includes('?') ? '&' : '?'}${query}`);
    open.push(stream);
    return stream;
  }
  const addClient = (id: string) => callApi(console, 'POST', '/clients', { id, scopes: ['svc:health:read'] });
  const verify = () => callApi(console, 'POST', '/audit/verification');

  test('each reader gets the count since the page that they have, by one frame for all who may do the same', async () => {
    const path = '/observe/audit?event=client.added&since=2026-01-01T00:00:00Z';
    const early = await streamOf(ada, path);
    await early.until(isNew(0));
    await addClient('first');
    const one = await early.until(isNew(1));
    const late = await streamOf(bob, path);
    await late.until(isNew(0));
    expect(late.newest).not.toBe(early.newest);
    await addClient('second');
    const [two, other] = [await early.until(isNew(2)), await late.until(isNew(1))];
    // Each process makes its own, and which of them has a stream is chance.
    if (workers === '1') expect(other.id).toBe(two.id);
    expect(two.id).not.toBe(one.id);
    // A page without a row has nothing that is old.
    const empty = await streamBehind(bob, path, '');
    expect(Number(countIn(await empty.until(({ name }) => name === 'new')))).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify(two.data)).toBe('{"count":2,"isExact":true}');
  });

  test('what the filter does not match is not counted', async () => {
    const [clients, roles] = [
      await streamOf(ada, '/observe/audit?event=client.added'),
      await streamOf(ada, '/observe/audit?event=role.added'),
    ];
    await Promise.all([clients, roles].map((stream) => stream.until(isNew(0))));
    await addClient('third');
    await clients.until(isNew(1));
    await callApi(console, 'POST', '/roles', { id: 'Other', permissions: ['svc:map:x:read'] });
    await roles.until(isNew(1));
    expect(roles.events.map(countIn).filter((count) => count !== undefined)).toEqual([0, 1]);
    expect(clients.events.some((event) => Number(countIn(event)) > 1)).toBe(false);
  });

  test('that the audit was read is nothing new, though it is an entry: else each page would make the next one', async () => {
    const stream = await streamOf(ada, '/observe/audit?event=audit.*');
    await stream.until(isNew(0));
    for (const agent of [ada, bob]) await agent.get('/observe/audit');
    const exported = await ada.get('/observe/audit.csv?event=client.added');
    expect(exported.status).toBe(200);
    await stream.until(isNew(1));
    expect(stream.events.map(countIn).filter((count) => count !== undefined)).toEqual([0, 1]);
  });

  test('more than a hundred are said to be more', async () => {
    const stream = await streamOf(ada, '/observe/audit?event=client.added');
    await stream.until(isNew(0));
    for (let from = 0; from < 101; from += 20) {
      const some = Array.from({ length: Math.min(20, 101 - from) }, (_, at) =>
        addClient(`many-${from + at}`),
      );
      await Promise.all(some);
    }
    await stream.until(isNew(100, false), 20_000);
    expect(stream.events.map(countIn).every((count) => Number(count ?? 0) <= 100)).toBe(true);
  }, 60_000);

  test('jobs too, by their filter', async () => {
    const [all, backups] = [
      await streamOf(ada, '/observe/jobs'),
      await streamOf(ada, '/observe/jobs?kind=backup'),
    ];
    await Promise.all([all, backups].map((stream) => stream.until(isNew(0))));
    await verify();
    await all.until(isNew(1));
    await callApi(console, 'POST', '/backups', {});
    await all.until(isNew(2));
    await backups.until(isNew(1));
    expect(backups.events.map(countIn).filter((count) => count !== undefined)).toEqual([0, 1]);
  });

  test('who may not see the list gets no stream of it, and nobody a page further on', async () => {
    const metrics = await personWith(console, 'metrics', ['MetricsViewer']);
    for (const path of ['/observe/audit', '/observe/jobs', '/access/approvals']) {
      const refused = await openStream(console.url, metrics, path);
      open.push(refused);
      expect([path, refused.status]).toEqual([path, 403]);
    }
    const [, next] = /href="(\/observe\/audit\?[^"]*cursor=[^"]+)"/.exec(
      (await ada.get('/observe/audit?limit=1')).body,
    )!;
    const page = await ada.get(next!.replaceAll('&amp;', '&'));
    expect([page.status, page.body.includes('data-new=')]).toEqual([200, false]);
  });

  test('ends for whose role opens it no longer', async () => {
    await callApi(console, 'POST', '/roles', { id: 'Auditor', permissions: ['api:audit:read'] });
    const olga = await personWith(console, 'olga', ['Auditor']);
    const stream = await streamOf(olga, '/observe/audit?event=client.added');
    await stream.until(isNew(0));
    await callApi(console, 'PATCH', '/users/olga', { roles: [] });
    const { data } = await stream.until(({ name }) => name === 'bye');
    expect(['session-ended', 'role-changed']).toContain(data.reason);
    await addClient(`after-${workers}`);
    await stream.ended;
    expect(stream.events.map(countIn).filter((count) => count !== undefined)).toEqual([0]);
  });

  test('the link is an address that works without script, and says nothing there', async () => {
    const page = await ada.get('/observe/jobs?kind=backup');
    expect(page.body).toMatch(/<a href="\/observe\/jobs\?kind=backup" class="button" hidden[^>]*>0 new</);
    const german = await ada.get('/observe/jobs', { 'Accept-Language': 'de' });
    expect(german.body).toContain('{n} neu');
    expect(german.body).toContain('{n}+ neu');
    expect(textOf(german)).not.toContain('new');
  });

  test.skipIf(!browser)(
    `in a browser the rows stay where they are, and a click brings the new ones (${reason ?? 'Chromium'})`,
    async () => {
      const context = await browser!.newContext({ viewport: { width: 1280, height: 900 } });
      const tab = await context.newPage();
      const errors: string[] = [];
      tab.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      await tab.goto(`${console.url}/login`);
      await tab.fill('[name=username]', admin.username);
      await tab.fill('[name=password]', admin.password);
      await tab.click('button[type=submit]');
      await tab.waitForURL(`${console.url}/`);
      await tab.goto(`${console.url}/observe/audit?event=client.added`);
      await tab.evaluate(() => {
        const shifts: number[] = [];
        Object.assign(globalThis, { shifts });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
        }).observe({ type: 'layout-shift' });
      });
      const link = tab.locator('.new-items a');
      await tab.locator('[data-live] [role=status]', { hasText: /^Live$/ }).waitFor();
      expect(await link.isVisible()).toBe(false);
      const rows = () =>
        tab
          .locator('main tbody tr')
          .evaluateAll((all) =>
            all.map((row) => [row.getBoundingClientRect().y, row.querySelector('a')!.getAttribute('href')]),
          );
      const before = await rows();
      await tab.locator('main tbody tr').nth(1).hover();
      await addClient(`seen-${workers}`);
      await link.filter({ hasText: /^1 new$/ }).waitFor();
      await addClient(`seen-too-${workers}`);
      await link.filter({ hasText: /^2 new$/ }).waitFor();
      expect(await rows()).toEqual(before);
      expect(await tab.evaluate(() => (globalThis as unknown as { shifts: number[] }).shifts)).toEqual([]);
      // It is said once it is there, and waits until nothing else is.
      expect(await tab.getByRole('status').filter({ hasText: '2 new' }).count()).toBe(1);
      await link.click();
      await tab.locator('main tbody tr', { hasText: `seen-too-${workers}` }).waitFor();
      await tab.locator('[data-live] [role=status]', { hasText: /^Live$/ }).waitFor();
      expect(await link.isVisible()).toBe(false);
      expect(errors).toEqual([]);
      await context.close();
    },
    60_000,
  );
});

describe('approvals', () => {
  let console: RunningConsole;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await usedDataDir();
    const before = await startConsole({ dataDir });
    // Only people ask for approval: what a program makes is made before it is needed.
    await callApi(before, 'POST', '/roles', { id: 'Jobs', permissions: ['svc:map:orders:read'] });
    await personWith(before, 'bob', ['Admin']);
    await before.stop();
    console = await startConsole({ dataDir, env: { CONSOLE_APPROVALS_REQUIRE: 'updateRole' } });
  }, 60_000);
  afterAll(async () => {
    await console?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  test('that have come are counted for whoever may decide them, by their state', async () => {
    const [ada, bob] = [createUserAgent(console.url), createUserAgent(console.url)];
    await ada.signIn();
    await bob.signIn({ username: 'bob', password: personPassword });
    const path = '/access/approvals?state=';
    const [waiting, approved] = await Promise.all(
      ['waiting', 'approved'].map((state) => openStream(console.url, bob, `${path}${state}&newest=`)),
    );
    await Promise.all([waiting!.until(isNew(0)), approved!.until(isNew(0))]);
    const form = await ada.get('/access/roles/Jobs');
    const fields = { description: 'Another one', maps: 'orders', 'map:read': 'on' };
    await ada.follow(await sendForm(ada, form, 'save', fields));
    await waiting!.until(isNew(1));
    expect(approved!.events.map(countIn).filter((count) => count !== undefined)).toEqual([0]);
    // Every page says in its bar how many wait: for this one, this alone has changed.
    const inBar = ({ id, data }: StreamEvent) =>
      id === '' && (data.parts as Record<string, string> | undefined)?.['bar-approvals'];
    const none = await approved!.until((event) => inBar(event) !== undefined && inBar(event) !== false);
    expect(inBar(none)).toBe('<span id="bar-approvals" data-part hidden></span>');
    const one = await approved!.until((event) => String(inBar(event)).includes('One approval waits'));
    expect(inBar(one)).toContain('href="/access/approvals?state=waiting"');
    for (const stream of [waiting!, approved!]) stream.leave();
  });
});

test('the store is read once for all readers when something may have changed, and not at all when nothing has', async () => {
  let version = 1;
  let reads = 0;
  const items = [{ id: 'c' }, { id: 'b' }, { id: 'a' }];
  const list: LiveList = {
    operation: 'listJobs',
    version: () => version,
    isInOrderOfIds: true,
    async read() {
      reads++;
      return { items: [...items], isAll: true };
    },
  };
  const make = newFramesOf(list)();
  let made = 0;
  const next = () => make(reader(''), () => `boot-${++made}`);
  const reader = (newest: string) =>
    ({ state: { form: new Map([['newest', newest]]) } }) as unknown as PageContext;
  const readers = ['', 'a', 'c', 'z'].map((newest) => ({ ctx: reader(newest), hasMissed: true }));
  const frame = await next();
  const counts = readers.map((one) => /"count":(\d+)/.exec(String(frame!.textFor(one)))?.[1]);
  expect([counts, reads]).toEqual([['3', '2', '0', '0'], 1]);
  for (let tick = 0; tick < 50; tick++) expect(await next()).toBeUndefined();
  expect(reads).toBe(1);
  // Something else than what this list has: it is looked at, and nobody is sent anything.
  version++;
  expect([await next(), reads]).toEqual([undefined, 2]);
  version++;
  items.unshift({ id: 'd' });
  const second = await next();
  expect([second!.id, reads]).toEqual(['boot-2', 3]);
  const again = readers.map((one) => second!.textFor({ ...one, hasMissed: false }) !== undefined);
  // Whose newest is newer than all has nothing new.
  expect(again).toEqual([true, true, true, false]);
});
