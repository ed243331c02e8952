/** What holds on every page that has a stream: Pause, rights, the bar, and the end; and how it is with those that ask members. */
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { livePaths } from '../../console/pages/live/live-paths.ts';
import { createSharedReadings, freshMs } from '../../console/pages/live/shared-readings.ts';
import type { PageContext, PageTools } from '../../console/pages/page-tools.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import { openBrowser } from '../helpers/browser.ts';
import { admin, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { callApi, personPassword, personWith, sendForm, startWithAdmin } from '../helpers/management.ts';
import { createUserAgent, textOf, type UserAgent } from '../helpers/user-agent.ts';
import { hasParts, type OpenStream, openStream, type StreamEvent } from './live-support.ts';

const { browser, reason } = await openBrowser();
let console: RunningConsole;
let dataDir: string;
let ada: UserAgent;
let bob: UserAgent;
let keeper: UserAgent;
let open: OpenStream[] = [];
/** Of the pages of one thing. */
const things: Record<string, string> = {};

beforeAll(async () => {
  dataDir = await usedDataDir();
  const before = await startConsole({ dataDir });
  // Only people ask for approval: what a program makes is made before it is needed.
  await callApi(before, 'POST', '/roles', { id: 'Clerk', permissions: ['svc:map:orders:read'] });
  await callApi(before, 'POST', '/roles', { id: 'Keys', permissions: ['api:keys:read'] });
  await personWith(before, 'bob', ['Admin']);
  await personWith(before, 'keeper', ['Keys']);
  await personWith(before, 'grace', ['Viewer']);
  await before.stop();
  const env = {
    MEMBER_CONFIG: writeMemberConfig(),
    CONSOLE_APPROVALS_REQUIRE: 'updateRole',
    CONSOLE_HTTP_CONNECTIONS_PER_SOURCE: '5000',
  };
  ({ console, ada } = await startWithAdmin({ dataDir, env }));
  bob = await signedIn('bob');
  keeper = await signedIn('keeper');
  const { items: members } = (await callApi(console, 'GET', '/members')) as { items: { id: string }[] };
  things.member = members[0]!.id;
  const role = await ada.get('/access/roles/Clerk');
  const fields = { description: 'Another', maps: 'orders', 'map:read': 'on' };
  await ada.follow(await sendForm(ada, role, 'save', fields));
  const [approval, session, job] = await Promise.all(
    ['/approvals', '/sessions?user=ada', '/jobs'].map(
      async (path) => ((await callApi(console, 'GET', path)) as { items: { id: string }[] }).items[0]?.id,
    ),
  );
  things.approval = approval!;
  things.session = session!;
  things.job = job ?? ((await callApi(console, 'POST', '/audit/verification')) as { id: string }).id;
  const over = async () =>
    ((await callApi(console, 'GET', `/jobs/${things.job}`)) as { state: string }).state;
  await vi.waitFor(async () => expect(await over()).toBe('succeeded'), { timeout: 20_000, interval: 200 });
}, 120_000);
afterEach(() => {
  for (const { leave } of open) leave();
  open = [];
});
afterAll(async () => {
  await console?.stop();
  await browser?.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function stream(agent: UserAgent, path: string): Promise<OpenStream> {
  const opened = await openStream(console.url, agent, path);
  open.push(opened);
  return opened;
}

async function signedIn(username: string): Promise<UserAgent> {
  const agent = createUserAgent(console.url);
  await agent.signIn({ username, password: username === admin.username ? admin.password : personPassword });
  return agent;
}

const partsOf = ({ data }: StreamEvent) => (data.parts ?? {}) as Record<string, string>;
const says = (part: string, text: string) => (event: StreamEvent) =>
  (partsOf(event)[part] ?? '').includes(text);

interface LivePage {
  readonly path: () => string;
  /** Ids of what goes on; none: of a list what is new alone. */
  readonly parts: readonly (string | RegExp)[];
  /** It has run: nothing goes on any more. */
  readonly isOver?: true;
}

/** Those of drains and readings have tests of their own: they are one person's. */
const pages: Readonly<Record<string, LivePage>> = {
  '/': {
    path: () => '/',
    parts: ['cluster-state', 'cluster-about', 'attention', 'numbers', 'members'],
  },
  '/cluster': {
    path: () => '/cluster',
    parts: ['members', 'maps', 'queues', 'wan', 'cp', 'operations'].map((page) => `figure-cluster-${page}`),
  },
  '/access': { path: () => '/access', parts: ['figure-access-users', 'figure-access-sessions'] },
  '/observe': { path: () => '/observe', parts: ['figure-observe-traffic', 'figure-observe-jobs'] },
  '/cluster/members': { path: () => '/cluster/members', parts: [/^state-/, 'rows-shown'] },
  '/cluster/members/:member': {
    path: () => `/cluster/members/${encodeURIComponent(things.member!)}`,
    parts: ['numbers'],
  },
  '/cluster/maps/:map': { path: () => '/cluster/maps/orders', parts: ['numbers'] },
  '/cluster/queues/:queue': { path: () => '/cluster/queues/jobs', parts: ['items', 'numbers'] },
  '/cluster/wan': { path: () => '/cluster/wan', parts: ['rows-shown'] },
  '/cluster/wan/:replication/:publisher': {
    path: () => '/cluster/wan/atlantic/london',
    parts: ['publisher-facts'],
  },
  '/cluster/cp': { path: () => '/cluster/cp', parts: ['cp-state', 'cp'] },
  '/cluster/operations': {
    path: () => '/cluster/operations',
    parts: ['cluster-state', 'cluster-facts', 'offered', 'impossible'],
  },
  '/access/sessions': { path: () => '/access/sessions', parts: [] },
  '/access/sessions/:session': {
    path: () => `/access/sessions/${things.session}`,
    parts: ['session-facts'],
  },
  '/access/approvals': { path: () => '/access/approvals', parts: [] },
  '/access/approvals/:approval': {
    path: () => `/access/approvals/${things.approval}`,
    parts: ['approval-facts'],
  },
  '/observe/traffic': { path: () => '/observe/traffic', parts: ['traffic'] },
  '/observe/audit': { path: () => '/observe/audit', parts: [] },
  '/observe/health': { path: () => '/observe/health', parts: ['health-state', 'checked', 'found'] },
  '/observe/jobs': { path: () => '/observe/jobs', parts: [] },
  '/observe/jobs/:job': { path: () => `/observe/jobs/${things.job}`, parts: ['job'], isOver: true },
};

describe.each(Object.entries(pages))('%s', (_, { path, parts, isOver = false }) => {
  test('has Pause, and every part that its stream brings, and the bar of it', async () => {
    const page = await ada.get(path());
    expect(page.status).toBe(200);
    if (isOver) expect(page.body).not.toContain('data-live');
    else expect(page.body).toMatch(/data-live=.*<button type="button" class="button small">Pause<\/button>/s);
    const opened = await stream(ada, path());
    const first = await opened.until((event) => event.name === (parts.length === 0 ? 'new' : 'message'));
    expect(first.id).toMatch(/^[\w-]+-\d+$/);
    const brought = Object.keys(partsOf(first));
    for (const part of parts) {
      expect(brought.some((id) => (typeof part === 'string' ? id === part : part.test(id)))).toBe(true);
    }
    for (const id of brought) expect(page.body).toContain(` id="${id}"`);
    // It is the same for all who may do the same: nothing of one reader.
    expect(JSON.stringify(first.data)).not.toMatch(/csrf|<form/);
    const { data } = await opened.until(({ name }) => name === 'job');
    expect(data.running).toBeTypeOf('number');
    for (const id of ['bar-members', 'bar-jobs', 'bar-approvals']) expect(page.body).toContain(` id="${id}"`);
    await opened.until((event) => event.id === '' && 'bar-members' in partsOf(event));
    opened.leave();
  });
});

test('each ends within a second when the session does, and says why', async () => {
  const paths = Object.values(pages).map(({ path }) => path());
  // As many as a session may have.
  for (let at = 0; at < paths.length; at += 8) {
    const agent = await signedIn('bob');
    const { items } = (await callApi(console, 'GET', '/sessions?user=bob')) as {
      items: { id: string }[];
    };
    const some = await Promise.all(paths.slice(at, at + 8).map((path) => stream(agent, path)));
    await Promise.all(some.map((one) => one.until(({ id }) => id !== '')));
    for (const { id } of items) await callApi(console, 'DELETE', `/sessions/${id}`);
    for (const one of some) {
      const { data } = await one.until(({ name }) => name === 'bye');
      expect(data).toEqual({ reason: 'session-ended' });
      await one.ended;
    }
  }
}, 60_000);

test('whoever may not see a page has no stream of it', async () => {
  for (const { path } of Object.values(pages)) {
    expect([path(), (await stream(keeper, path())).status]).toEqual([path(), 403]);
  }
});

test('every address that has a stream is known as one that lasts', () => {
  const folder = resolve(import.meta.dirname, '../../console/pages');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('module.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const routes = sources.flatMap((source) => {
    const named = [...source.matchAll(/const (\w+) = (?:needs\.)?live\.of\w*\(/g)].map(([, name]) => name!);
    const handlers = ['live\\.of\\w*\\(', ...named.map((name) => `${name},`)].join('|');
    const line = new RegExp(`router\\.get\\(\\s*'([^']+)',\\s*query,\\s*signedIn,\\s*(?:${handlers})`, 'g');
    return [...source.matchAll(line)].map(([, path]) => path!);
  });
  const own = ['/cluster/maps/:map/readings/:reading', '/cluster/queues/:queue/drains/:drain'];
  expect([...routes].sort()).toEqual([...Object.keys(pages), ...own].sort());
  for (const path of routes)
    expect([path, livePaths.test(path.replaceAll(/:\w+/g, 'x'))]).toEqual([path, true]);
});

describe('what moves', () => {
  test('of a WAN publisher is what was done to it, on its page and in the list', async () => {
    const href = '/cluster/wan/atlantic/london';
    const [one, list] = [await stream(ada, href), await stream(ada, '/cluster/wan')];
    await one.until(says('publisher-facts', 'Nothing from here'));
    await list.until(hasParts);
    await sendForm(ada, await ada.get(href), 'pause');
    await one.until(says('publisher-facts', 'Paused'));
    await list.until((event) => says('rows-shown', 'atlantic/london')(event));
    await sendForm(ada, await ada.get(href), 'resume');
    await list.until(says('done-atlantic/london', 'Resumed'));
  });

  test('of the cluster is its state: on the overview, on Operations and on the page of the group', async () => {
    const [overview, operations, group] = await Promise.all(
      ['/', '/cluster/operations', '/cluster'].map((path) => stream(ada, path)),
    );
    await overview!.until(says('cluster-state', 'Active'));
    await operations!.until(says('cluster-state', 'Active'));
    await group!.until(says('figure-cluster-operations', 'Active'));
    await callApi(console, 'POST', '/operations/state', { state: 'frozen' });
    await overview!.until(says('cluster-state', 'Frozen'));
    await operations!.until(says('cluster-state', 'Frozen'));
    await group!.until(says('figure-cluster-operations', 'Frozen'));
    await callApi(console, 'POST', '/operations/state', { state: 'active' });
    // What hits nobody is still done by its button, which names a form outside of what goes on.
    const page = await ada.get('/cluster/operations');
    expect(page.body).toMatch(/<form id="at-once" method="post".*?name="csrf"/s);
    expect(page.body).toMatch(/<button type="submit" form="at-once" name="do" value="backup"/);
  });

  test('of the CP subsystem are its groups, and a group that is gone is not', async () => {
    const cp = await stream(ada, '/cluster/cp');
    await cp.until(says('cp', '>default<'));
    await callApi(console, 'POST', '/cp/groups/default/remove');
    await cp.until((event) => 'cp' in partsOf(event) && !says('cp', '>default<')(event));
  });

  test('of sessions are those that have begun, and one that has ended has no page', async () => {
    await callApi(console, 'POST', '/users/grace/end-sessions');
    const grace = await signedIn('grace');
    const hers = await ada.get('/access/sessions?user=grace');
    const [, newest] = /data-newest="([^"]+)"/.exec(hers.body)!;
    const more = await stream(ada, `/access/sessions?user=grace&newest=${encodeURIComponent(newest!)}`);
    await more.until(({ name, data }) => name === 'new' && data.count === 0);
    const { items } = (await callApi(console, 'GET', '/sessions?user=grace')) as { items: { id: string }[] };
    expect(items).toHaveLength(1);
    const one = await stream(ada, `/access/sessions/${items[0]!.id}`);
    await one.until(hasParts);
    // Sign-ins of one second are told apart by their ids alone, in any order; hers bears the second after its own.
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    await signedIn('grace');
    await more.until(({ name, data }) => name === 'new' && data.count === 1 && data.isExact === true, 20_000);
    await callApi(console, 'DELETE', `/sessions/${items[0]!.id}`);
    expect((await one.until(({ name }) => name === 'bye')).data).toEqual({ reason: 'gone' });
    expect((await grace.get('/account')).status).toBe(303);
  }, 40_000);

  test('of an approval is that it was decided: its page has other buttons then', async () => {
    bob = await signedIn('bob');
    const href = `/access/approvals/${things.approval}`;
    const page = await ada.get(href);
    expect(page.body).toContain('data-anew="waiting"');
    const one = await stream(ada, href);
    await one.until(says('approval-facts', 'data-anew="waiting"'));
    await sendForm(bob, await bob.get(`${href}?do=reject`), 'reject');
    await one.until(says('approval-facts', 'data-anew="rejected"'));
    const decided = await ada.get(href);
    expect(textOf(decided)).toContain('Rejected');
    // Nothing goes on any more.
    expect(decided.body).not.toContain('data-live');
  });
});

describe('what members are asked for', () => {
  /** Of two who may do different things. */
  function readings() {
    let now = 1_000_000;
    let asked = 0;
    let answer = async (): Promise<object> => ({ n: asked });
    const tools = {
      run: async () => {
        asked++;
        return { body: await answer() };
      },
      check: async (ctx: { may?: boolean }) => {
        if (!ctx.may) throw new ProblemError(problems.insufficientScope, 'may not');
      },
    } as unknown as PageTools;
    const shared = createSharedReadings(tools, () => now);
    return {
      shared,
      count: () => asked,
      pass: (ms: number) => (now += ms),
      fail: () => (answer = async () => Promise.reject(new ProblemError(problems.noMember, 'silent'))),
    };
  }
  const reader = { may: true } as unknown as PageContext;
  const stranger = { may: false } as unknown as PageContext;

  test('is asked once for all readers, anew when that is old, and for nobody who may not', async () => {
    const { shared, count, pass, fail } = readings();
    const lately = () => shared.lately(reader, 'readCp');
    expect(await Promise.all([lately(), lately(), lately()])).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }]);
    pass(freshMs - 1);
    expect([await lately(), count()]).toEqual([{ n: 1 }, 1]);
    await expect(shared.lately(stranger, 'readCp')).rejects.toThrow('may not');
    expect(count()).toBe(1);
    // Another question is another reading.
    await shared.lately(reader, 'listCpSessions', { params: { group: 'a' } });
    await shared.lately(reader, 'listCpSessions', { params: { group: 'b' } });
    expect(count()).toBe(3);
    pass(1);
    expect([await lately(), count()]).toEqual([{ n: 4 }, 4]);
    // A page that is loaded asks, and those that are open have that.
    expect([await shared.now(reader, 'readCp'), await lately(), count()]).toEqual([{ n: 5 }, { n: 5 }, 5]);
    // Nobody answers: nor is that asked again and again.
    pass(freshMs);
    fail();
    await expect(lately()).rejects.toThrow('silent');
    await expect(lately()).rejects.toThrow('silent');
    expect(count()).toBe(6);
  });
});

test.skipIf(!browser)(
  `in a browser a new page pauses, goes on, and says when it is lost (${reason ?? 'Chromium'})`,
  async () => {
    const context = await browser!.newContext();
    const tab = await context.newPage();
    await tab.goto(`${console.url}/login`);
    await tab.fill('[name=username]', admin.username);
    await tab.fill('[name=password]', admin.password);
    await tab.click('button[type=submit]');
    await tab.waitForURL(`${console.url}/`);
    await tab.goto(`${console.url}/cluster/operations`);
    const status = tab.locator('[data-live] [role=status]');
    await status.filter({ hasText: /^Live$/ }).waitFor();
    await tab.getByRole('button', { name: 'Pause' }).click();
    await status.filter({ hasText: 'Paused' }).waitFor();
    await callApi(console, 'POST', '/operations/state', { state: 'frozen' });
    await tab.locator('[data-live] button').click();
    await tab.locator('#cluster-state', { hasText: 'Frozen' }).waitFor();
    await callApi(console, 'POST', '/operations/state', { state: 'active' });
    await tab.locator('#cluster-state', { hasText: 'Active' }).waitFor();
    const isStream = (url: URL) => url.searchParams.get('live') === '1';
    await tab.route(isStream, (route) => route.abort());
    await tab.reload();
    await status.filter({ hasText: /^Live paused since \d\d:\d\d, trying again/ }).waitFor();
    await tab.unroute(isStream);
    await status.filter({ hasText: /^Live$/ }).waitFor();
    await context.close();
  },
  60_000,
);
