/** Live pages of the cluster: the members, one queue, one map and the health check, and what members are asked for by them. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createQueueSizesShown } from '../../console/pages/cluster/queue-sizes.ts';
import { openBrowser } from '../helpers/browser.ts';
import { admin, machineToken, type RunningConsole } from '../helpers/console.ts';
import { callApi, personWith, sendForm, startWithAdmin } from '../helpers/management.ts';
import { textOf, type UserAgent } from '../helpers/user-agent.ts';
import { hasParts, type OpenStream, openStream, type StreamEvent } from './live-support.ts';

const health =
  '{"nodeState":"ACTIVE","clusterState":"ACTIVE","clusterSafe":true,"migrationQueueSize":0,"clusterSize":1}';
const sizesAsked: string[] = [];
let items = 0;

/** Has queues of one length, never answers reads of one map, and says that it is well. */
const startMember = async (): Promise<Server> => {
  const server = createServer((req, res) => {
    const path = req.url ?? '';
    const queue = /\/queues\/([^/]+)(\/size)?$/.exec(path);
    if (queue?.[2]) {
      sizesAsked.push(queue[1]!);
      res.end(String(items));
    } else if (queue && req.method === 'POST') {
      items++;
      req.resume().on('end', () => res.end());
    } else if (path.includes('/health')) res.setHeader('Content-Type', 'application/json').end(health);
    else if (!path.includes('/maps/held/')) res.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};
const idOf = (server: Server) => `127.0.0.1:${(server.address() as AddressInfo).port}`;

const { browser, reason } = await openBrowser();
let members: readonly Server[] = [];
/** Of the one that is drained. */
let id: string;
let otherId: string;
let console: RunningConsole;
let ada: UserAgent;
let viewer: UserAgent;
let open: OpenStream[] = [];
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'console-clock-'));
  await writeFile(join(directory, 'clock'), '0');
  const clock = pathToFileURL(join(import.meta.dirname, '../oidc/movable-clock.mjs')).href;
  members = [await startMember(), await startMember()];
  [id, otherId] = members.map(idOf) as [string, string];
  const env = {
    CONSOLE_MEMBERS: `http://${id},http://${otherId}`,
    CONSOLE_HTTP_CONNECTIONS_PER_SOURCE: '5000',
    NODE_OPTIONS: `--import ${clock}`,
    TEST_CLOCK_FILE: join(directory, 'clock'),
  };
  ({ console, ada } = await startWithAdmin({ env }));
  viewer = await personWith(console, 'viewer', ['Viewer']);
}, 60_000);
afterEach(() => {
  for (const { leave } of open) leave();
  open = [];
});
afterAll(async () => {
  await console?.stop();
  await browser?.close();
  for (const member of members) {
    member.closeAllConnections();
    await new Promise((resolve) => member.close(resolve));
  }
  await rm(directory, { recursive: true, force: true });
});

async function stream(agent: UserAgent, path: string): Promise<OpenStream> {
  const opened = await openStream(console.url, agent, path);
  open.push(opened);
  return opened;
}
const partsOf = ({ data }: StreamEvent) => (data.parts ?? {}) as Readonly<Record<string, string>>;
const says = (part: string, text: string) => (event: StreamEvent) =>
  (partsOf(event)[part] ?? '').includes(text);
/** Resolves when frames of all open pages were made a few times. */
async function fewFrames(): Promise<void> {
  const checked = await stream(ada, '/observe/health');
  await checked.until(() => checked.events.filter(hasParts).length > 2, 20_000);
}
const drain = (act: 'drain' | 'undrain') => callApi(console, 'POST', `/members/${id}/${act}`);

test('what goes on in the list of members are its cells: state, in-flight calls, latency and errors', async () => {
  const page = await ada.get('/cluster/members');
  const [mine, theirs] = [await stream(ada, '/cluster/members'), await stream(viewer, '/cluster/members')];
  const first = partsOf(await mine.until(hasParts));
  const cells = ['state', 'in-flight', 'latency', 'errors'];
  expect(Object.keys(first)).toEqual([
    ...[id, otherId].sort().flatMap((member) => cells.map((cell) => `${cell}-${member}`)),
    'rows-shown',
  ]);
  // The page has these elements as the frame has them.
  for (const part of Object.keys(first)) expect(page.body).toContain(`<span id="${part}"`);
  expect(page.body).toContain(first['rows-shown']);
  const held = new AbortController();
  const headers = { Authorization: `Bearer ${await machineToken(console)}` };
  const call = fetch(`${console.url}/svc/rest/maps/held/1`, { headers, signal: held.signal });
  call.catch(() => {});
  await mine.until((event) => [id, otherId].some((one) => says(`in-flight-${one}`, '>1<')(event)));
  held.abort();
  await drain('drain');
  await mine.until(says(`state-${id}`, 'Drained'));
  // Whose row has a button has it anew, and nobody else.
  expect(mine.events.some(says('rows-shown', `${id} drained`))).toBe(true);
  await theirs.until(says(`state-${id}`, 'Drained'));
  expect(theirs.events.some(says('rows-shown', 'drained'))).toBe(false);
  expect(JSON.stringify([...mine.events, ...theirs.events])).not.toMatch(/csrf|<form/);
  await drain('undrain');
  await mine.until(says(`state-${id}`, 'Takes calls'));
});

test.skipIf(!browser)(
  `in a browser the page is loaded once where a row has another button now (${reason ?? 'Chromium'})`,
  async () => {
    const context = await browser!.newContext();
    const tab = await context.newPage();
    await tab.goto(`${console.url}/login`);
    await tab.fill('[name=username]', admin.username);
    await tab.fill('[name=password]', admin.password);
    await tab.click('button[type=submit]');
    await tab.waitForURL(`${console.url}/`);
    await tab.goto(`${console.url}/cluster/members`);
    await tab.locator('[data-live] [role=status]', { hasText: /^Live$/ }).waitFor();
    await tab.getByRole('button', { name: `Drain: ${id}`, exact: true }).waitFor();
    let loads = 0;
    tab.on('load', () => loads++);
    await drain('drain');
    await tab.getByRole('button', { name: `Undrain: ${id}` }).waitFor();
    await fewFrames();
    expect(loads).toBe(1);
    await drain('undrain');
    await tab.getByRole('button', { name: `Drain: ${id}`, exact: true }).waitFor();
    await context.close();
  },
  60_000,
);

test('the items of a queue go on at every page of it, and the member is not asked for that again', async () => {
  const path = '/cluster/queues/jobs';
  expect(textOf(await ada.get(path))).toContain('0 items are in it now.');
  const [mine, theirs] = [await stream(ada, path), await stream(viewer, path)];
  const first = partsOf(await mine.until(hasParts));
  expect(Object.keys(first)).toEqual(['items-in-it', 'items', 'numbers']);
  expect(first.numbers).toContain('id="plot-waiting"');
  await theirs.until(says('items', '>0<'));
  const bob = await personWith(console, 'bob', ['Admin']);
  const form = await bob.get(path);
  const offered = await sendForm(bob, form, 'offer', { value: 'one', encoding: 'text', type: 'text/plain' });
  expect(textOf(await bob.follow(offered))).toContain('1 item is in it now.');
  const asked = sizesAsked.length;
  const next = await mine.until(says('items', '>1<'));
  expect(partsOf(next)['items-in-it']).toContain('1 item is in it now.');
  await theirs.until(says('items', '>1<'));
  await fewFrames();
  expect(sizesAsked.slice(asked)).toEqual([]);
}, 60_000);

test('a queue is asked for once a minute at most, also where nobody answers, and what was said last stays', async () => {
  let now = 1_000_000;
  let asked = 0;
  let answer: number | undefined = 3;
  const sizes = createQueueSizesShown(() => now);
  const of = () =>
    sizes.of('jobs', async () => {
      asked++;
      return answer;
    });
  expect([await of(), asked]).toEqual([3, 1]);
  answer = undefined;
  now += 59_999;
  expect([await of(), asked]).toEqual([3, 1]);
  now += 1;
  expect([await of(), asked]).toEqual([3, 2]);
  expect([await of(), asked]).toEqual([3, 2]);
  sizes.record('jobs', 5);
  now += 59_999;
  expect([await of(), asked]).toEqual([5, 2]);
  answer = 4;
  now += 1;
  // Two pages at once: one of them asks.
  expect([await Promise.all([of(), of()]), asked]).toEqual([[4, 5], 3]);
});

test('the numbers of a map go on, where its page has no entries in it', async () => {
  const path = '/cluster/maps/orders?period=15min';
  expect((await ada.get(path)).body).toContain('data-live');
  // To read this page again would read the entries again.
  expect((await ada.get(`${path}&keys=${encodeURIComponent('1\n2')}`)).body).not.toContain('data-live');
  const numbers = await stream(ada, path);
  const first = await numbers.until(hasParts);
  expect(Object.keys(partsOf(first))).toEqual(['numbers']);
  const fromIn = (event: StreamEvent) =>
    Number(/&quot;from&quot;:(\d+)/.exec(partsOf(event).numbers ?? '')?.[1]);
  await writeFile(join(directory, 'clock'), '60');
  const next = await numbers.until((event) => hasParts(event) && event.id !== first.id);
  expect(fromIn(next)).toBeGreaterThan(fromIn(first));
}, 60_000);

test('the findings of the health check go on', async () => {
  const path = '/observe/health';
  const page = await viewer.get(path);
  const found = await stream(viewer, path);
  const first = partsOf(await found.until(hasParts));
  expect(Object.keys(first)).toEqual(['health-state', 'checked', 'found']);
  for (const part of Object.keys(first)) expect(page.body).toContain(` id="${part}"`);
  expect(first.found).toContain('It takes calls.');
  await drain('drain');
  await found.until(says('found', 'drained'));
  await drain('undrain');
  await found.until((event) => event !== found.events[0] && says('found', 'It takes calls.')(event));
});

describe('who may not see the page', () => {
  test.each(['/cluster/members', '/cluster/queues/jobs', '/cluster/maps/orders', '/observe/health'])(
    'gets no stream of %s, and asks no member by that',
    async (path) => {
      const asked = sizesAsked.length;
      await callApi(console, 'POST', '/roles', { id: 'Other', permissions: ['api:jobs:read'] }).catch(
        () => {},
      );
      const other = await personWith(console, `other-${path.replaceAll('/', '-')}`, ['Other']);
      expect((await stream(other, path)).status).toBe(403);
      expect(sizesAsked.length).toBe(asked);
    },
  );
});
