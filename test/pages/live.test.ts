/** Live pages: one stream of server-sent events a page, by the front door. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { admin, machineToken, type RunningConsole } from '../helpers/console.ts';
import { callApi, personPassword, personWith, startWithAdmin } from '../helpers/management.ts';
import { createUserAgent, type UserAgent } from '../helpers/user-agent.ts';
import { hasParts, type OpenStream, openStream, type StreamEvent } from './live-support.ts';

const { browser, reason } = await openBrowser();
let console: RunningConsole;
let ada: UserAgent;
let open: OpenStream[] = [];

beforeAll(async () => {
  const env = { CONSOLE_HTTP_CONNECTIONS_PER_SOURCE: '5000', CONSOLE_SESSION_IDLE_SECONDS: '60' };
  ({ console, ada } = await startWithAdmin({ env }));
});
afterEach(() => {
  for (const { leave } of open) leave();
  open = [];
});
afterAll(async () => {
  await console?.stop();
  await browser?.close();
});

const isBye = ({ name }: StreamEvent) => name === 'bye';

async function stream(agent: UserAgent, path: string, headers = {}): Promise<OpenStream> {
  const opened = await openStream(console.url, agent, path, headers);
  open.push(opened);
  return opened;
}

async function signedInAgain(username: string): Promise<UserAgent> {
  const agent = createUserAgent(console.url);
  await agent.signIn({ username, password: username === admin.username ? admin.password : personPassword });
  return agent;
}

async function callMember(): Promise<void> {
  const headers = { Authorization: `Bearer ${await machineToken(console)}` };
  await (await fetch(`${console.url}/svc/rest/maps/live-orders/1`, { headers })).arrayBuffer();
}

test('has the parts of the page, and again when they have changed, with an id of boot and sequence', async () => {
  const traffic = await stream(ada, '/observe/traffic?structure=map:live-orders');
  const first = await traffic.until(hasParts);
  expect(Object.keys(first.data.parts as object)).toEqual(['traffic']);
  expect(first.id).toMatch(/^[\w-]+-\d+$/);
  expect(JSON.stringify(first.data)).toContain('No call matches this filter.');
  await callMember();
  const next = await traffic.until(
    (event) => hasParts(event) && JSON.stringify(event.data).includes('GET map:live-orders'),
  );
  expect(Number(next.id.split('-').at(-1))).toBeGreaterThan(Number(first.id.split('-').at(-1)));
});

const hasTail = ({ data }: StreamEvent) => data.parts !== undefined && 'tail' in (data.parts as object);

const tailsOf = ({ events }: OpenStream) => events.filter(hasTail);

/** @returns the tails that come meanwhile */
async function tailsWhileCalling(reader: OpenStream, ms: number, pauseMs: number): Promise<StreamEvent[]> {
  const before = tailsOf(reader).length;
  const headers = { Authorization: `Bearer ${await machineToken(console)}` };
  const end = Date.now() + ms;
  while (Date.now() < end) {
    await (await fetch(`${console.url}/svc/rest/maps/live-orders/1`, { headers })).arrayBuffer();
    if (pauseMs > 0) await delay(pauseMs);
  }
  return tailsOf(reader).slice(before);
}

test('has the latest calls about four times a second while they come, the same for all readers, and is silent else', async () => {
  const path = '/observe/traffic?structure=map:live-orders';
  const [one, other] = [await stream(ada, path), await stream(ada, path)];
  await one.until(hasTail);
  const tails = await tailsWhileCalling(one, 3_000, 30);
  // Of 12; each is made when the one before is done.
  expect(tails.length).toBeGreaterThan(5);
  expect(tails.length).toBeLessThanOrEqual(13);
  const html = (tails.at(-1)!.data.parts as { tail: string }).tail;
  expect(html.match(/<tr/g)!.length).toBeLessThanOrEqual(51);
  const same = tailsOf(other).map(({ data }) => JSON.stringify(data));
  expect(tails.filter(({ data }) => same.includes(JSON.stringify(data))).length).toBeGreaterThan(5);
  const silent = await stream(ada, '/observe/traffic?client=nobody-calls');
  await silent.until(hasTail);
  await delay(2_500);
  expect(tailsOf(silent)).toHaveLength(1);
});

test('has them once a second while all of them are other ones each time', async () => {
  const reader = await stream(ada, '/observe/traffic?structure=map:live-orders');
  await reader.until(hasTail);
  // More than fifty in a quarter of a second, by some at once.
  const [tails] = await Promise.all([1, 2, 3, 4].map(() => tailsWhileCalling(reader, 4_000, 0)));
  expect(tails!.length).toBeGreaterThan(2);
  expect(tails!.length).toBeLessThanOrEqual(6);
});

test('is the same frame for all who may do the same, and has nothing of one reader in it', async () => {
  const bob = await personWith(console, 'bob', ['Admin']);
  const [one, other] = [await stream(ada, '/'), await stream(bob, '/')];
  const [mine, theirs] = [await one.until(hasParts), await other.until(hasParts)];
  const parts = ['cluster-state', 'cluster-about', 'attention', 'numbers', 'members'];
  expect(Object.keys(mine.data.parts as object)).toEqual(parts);
  expect(Object.keys(theirs.data.parts as object)).toEqual(parts);
  // One id is one frame: both get those that are made from now on.
  await callMember();
  const next = await other.until(
    (event) => hasParts(event) && event.id !== theirs.id && event.id !== mine.id,
  );
  expect((await one.until(({ id }) => id === next.id)).data).toEqual(next.data);
  expect(JSON.stringify(mine.data)).not.toMatch(/csrf|\bada\b|\bbob\b/);
});

describe('after a cut', () => {
  test('goes on where it was: what is the same is not sent again, and the page knows that it is live', async () => {
    const first = await stream(ada, '/observe/traffic?client=nobody-at-all');
    const { id } = await first.until(hasParts);
    first.leave();
    await first.ended;
    const again = await stream(ada, '/observe/traffic?client=nobody-at-all', { 'Last-Event-ID': id });
    const byAddress = await stream(ada, `/observe/traffic?client=nobody-at-all&after=${id}`);
    for (const one of [again, byAddress]) {
      expect(await one.until(({ name }) => name === 'resumed')).toMatchObject({ id, data: {} });
    }
    const other = await stream(ada, '/observe/traffic?client=nobody-at-all');
    await other.until(hasParts);
    expect([...again.events, ...byAddress.events].filter(hasParts)).toEqual([]);
    expect([...again.events, ...byAddress.events].filter(({ name }) => name === 'reset')).toEqual([]);
  });

  test.each(['other-boot-7', 'x', '%00', 'x'.repeat(1_000)])('begins anew after the id %j', async (id) => {
    const again = await stream(ada, `/observe/traffic?client=nobody-at-all&after=${encodeURIComponent(id)}`);
    await again.until(({ name }) => name === 'reset');
    await again.until(hasParts);
  });
});

describe('ends within a second, and says why', () => {
  test.each([
    {
      what: 'the session is ended',
      act: async (id: string) => callApi(console, 'POST', `/users/${id}/end-sessions`),
      reason: 'session-ended',
    },
    {
      what: 'the person is disabled',
      act: async (id: string) => callApi(console, 'POST', `/users/${id}/disable`),
      reason: 'session-ended',
    },
    {
      what: 'the roles change',
      act: async (id: string) => callApi(console, 'PATCH', `/users/${id}`, { roles: ['MetricsViewer'] }),
      reason: 'session-ended',
    },
    {
      what: 'what the role opens changes',
      act: async () => callApi(console, 'PATCH', '/roles/Watcher', { permissions: ['svc:health:read'] }),
      reason: 'role-changed',
    },
  ])('when $what', async ({ what, act, reason: why }) => {
    const id = `p-${what.replaceAll(' ', '-')}`;
    if (why === 'role-changed') {
      await callApi(console, 'POST', '/roles', { id: 'Watcher', permissions: ['api:traffic:read'] });
    }
    const agent = await personWith(console, id, [why === 'role-changed' ? 'Watcher' : 'Viewer']);
    const traffic = await stream(agent, '/observe/traffic');
    await traffic.until(hasParts);
    await act(id);
    const began = performance.now();
    const { data } = await traffic.until(isBye, 2_000);
    await traffic.ended;
    expect(data).toEqual({ reason: why });
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  test('when a session has eight already; another one has its own', async () => {
    const agent = await signedInAgain(admin.username);
    const eight = await Promise.all(Array.from({ length: 8 }, () => stream(agent, '/observe/traffic')));
    await Promise.all(eight.map((one) => one.until(hasParts)));
    const ninth = await stream(agent, '/observe/traffic');
    expect((await ninth.until(isBye)).data).toEqual({ reason: 'too-many' });
    await (await stream(ada, '/observe/traffic')).until(hasParts);
    eight[0]!.leave();
    await eight[0]!.ended;
    await expect
      .poll(async () => {
        const again = await stream(agent, '/observe/traffic');
        return (await again.until(() => true)).name;
      })
      .toBe('message');
  });
});

describe('who may', () => {
  test('is asked as by the page: signed out, and without the role', async () => {
    const nobodyYet = createUserAgent(console.url);
    expect((await stream(nobodyYet, '/observe/traffic')).status).toBe(303);
    const eventSource = { accept: 'text/event-stream' };
    const left = await openStream(console.url, nobodyYet, '/observe/traffic', eventSource);
    expect((await left.until(isBye)).data).toEqual({ reason: 'session-ended' });
    const nobody = await personWith(console, 'nobody', []);
    const metrics = await personWith(console, 'metrics', ['MetricsViewer']);
    expect((await stream(nobody, '/observe/traffic')).status).toBe(403);
    expect((await stream(metrics, `/observe/jobs/job_${'0'.repeat(32)}`)).status).toBe(403);
    const overview = await stream(metrics, '/');
    expect(Object.keys((await overview.until(hasParts)).data.parts as object)).toEqual([
      'numbers',
      'members',
    ]);
  });

  test('is no longer in what an open stream gets, since a job that is not there ends it', async () => {
    const gone = await stream(ada, `/observe/jobs/job_${'0'.repeat(32)}`);
    expect((await gone.until(isBye)).data).toEqual({ reason: 'gone' });
  });
});

test('keeps no session from idling, and a page does', async () => {
  const agent = await signedInAgain('bob');
  const expiryOf = async () => {
    const { items } = (await callApi(console, 'GET', '/sessions?user=bob')) as {
      items: { startedAt: string; expiresAt: string }[];
    };
    return items.sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1))[0]!.expiresAt;
  };
  const before = await expiryOf();
  const began = Date.now();
  // A tenth of the idle time is six seconds: from then on a use is written down.
  while (Date.now() - began < 7_000) {
    const traffic = await stream(agent, `/observe/traffic?client=c${Date.now()}`);
    await traffic.until(hasParts);
    traffic.leave();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  expect(await expiryOf()).toBe(before);
  await agent.get('/observe/traffic');
  expect((await expiryOf()) > before).toBe(true);
}, 30_000);

test.skipIf(!browser)(
  `eight tabs are live over HTTP/1.1, those that are seen (${reason ?? 'Chromium'})`,
  async () => {
    const context = await browser!.newContext();
    // Without a screen each tab counts as seen: which one is, the test says.
    await context.addInitScript(() => {
      let isHidden = false;
      Object.defineProperty(document, 'hidden', { get: () => isHidden });
      addEventListener('test-hide', () => {
        isHidden = true;
        document.dispatchEvent(new Event('visibilitychange'));
      });
      addEventListener('test-show', () => {
        isHidden = false;
        document.dispatchEvent(new Event('visibilitychange'));
      });
    });
    const first = await context.newPage();
    const errors: string[] = [];
    first.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await first.goto(`${console.url}/login`);
    await first.fill('[name=username]', admin.username);
    await first.fill('[name=password]', admin.password);
    await first.click('button[type=submit]');
    const tabs = [first];
    await first.goto(`${console.url}/observe/traffic`);
    for (let at = 1; at < 8; at++) {
      await tabs.at(-1)!.evaluate(() => dispatchEvent(new Event('test-hide')));
      const tab = await context.newPage();
      await tab.goto(`${console.url}/observe/traffic?structure=map:live-orders`);
      await tab.locator('[data-live] [role=status]', { hasText: /^Live$/ }).waitFor();
      tabs.push(tab);
    }
    const last = tabs.at(-1)!;
    await callMember();
    await last.locator('#latest', { hasText: 'GET map:live-orders' }).waitFor();
    // Back in the first one: it goes on from where it was.
    await last.evaluate(() => dispatchEvent(new Event('test-hide')));
    await first.evaluate(() => dispatchEvent(new Event('test-show')));
    await callMember();
    await first.locator('#latest', { hasText: 'GET map:live-orders' }).waitFor();
    await first.getByRole('button', { name: 'Pause' }).click();
    await first.locator('[data-live] [role=status]', { hasText: 'Paused' }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  },
  60_000,
);
