/** How one member was over time: in-flight calls, latency and errors, also after a kill, and while the page is open. */
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { machineToken, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { callApi, personWith } from '../helpers/management.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';
import { openStream } from './live-support.ts';

const health =
  '{"nodeState":"ACTIVE","clusterState":"ACTIVE","clusterSafe":true,"migrationQueueSize":0,"clusterSize":1}';

/** Answers reads of one map with 500, never those of another, and says that it is well. */
const member: Server = createServer((req, res) => {
  const path = req.url ?? '';
  if (path.includes('/maps/broken/')) res.writeHead(500).end('broken');
  else if (path.includes('/health')) res.setHeader('Content-Type', 'application/json').end(health);
  else if (!path.includes('/maps/held/')) res.writeHead(404).end();
});
let id: string;
let dataDir: string;
let console: RunningConsole;
let ada: UserAgent;
const calls = new AbortController();

const start = () => startConsole({ dataDir, env: { CONSOLE_MEMBERS: `http://${id}` } });
const signedIn = async (): Promise<UserAgent> => {
  const agent = createUserAgent(console.url);
  await agent.signIn();
  return agent;
};
const pageOf = (query = '') => `/cluster/members/${encodeURIComponent(id)}${query}`;
const tableOf = (plot: string) => pageOf(`?period=15min&table=${plot}`);
/** The rows of a plot that is shown as a table: null where nothing is known. */
function rowsOf({ body }: Reply, plot: string): readonly (readonly (number | null)[])[] {
  const [figure = ''] = new RegExp(`<figure[^>]*id="plot-${plot}".*?</figure>`, 's').exec(body) ?? [];
  return [...figure.matchAll(/<tr><th scope="row">(.*?)<\/tr>/gs)].map(([, row]) =>
    [...row!.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, cell]) => (cell === '–' ? null : Number(cell))),
  );
}
const mostOf = (page: Reply, plot: string) => Math.max(0, ...rowsOf(page, plot).flat().map(Number));

beforeAll(async () => {
  await new Promise<void>((resolve) => member.listen(0, '127.0.0.1', resolve));
  id = `127.0.0.1:${(member.address() as AddressInfo).port}`;
  dataDir = await usedDataDir();
  console = await start();
  ada = await signedIn();
  const headers = { Authorization: `Bearer ${await machineToken(console)}` };
  const read = (map: string) =>
    fetch(`${console.url}/svc/rest/maps/${map}/1`, { headers, signal: calls.signal });
  for (let held = 0; held < 3; held++) void read('held').catch(() => {});
  await until(
    async () => {
      expect((await read('broken')).status).toBe(500);
      return mostOf(await ada.get(tableOf('errors')), 'errors') > 0;
    },
    'an error in the history of the member',
    30_000,
  );
}, 60_000);
afterAll(async () => {
  calls.abort();
  await console?.stop();
  member.closeAllConnections();
  await new Promise((resolve) => member.close(resolve));
  await rm(dataDir, { recursive: true, force: true });
});

test('has four plots, each as a table too: calls, those in flight, latency, errors', async () => {
  const page = await ada.get(pageOf('?period=15min'));
  expect([...page.body.matchAll(/<figure[^>]*id="plot-([\w-]+)"/g)].map(([, plot]) => plot)).toEqual([
    'calls',
    'in-flight',
    'latency',
    'errors',
  ]);
  expect(page.body.match(/data-plot=/g)).toHaveLength(4);
  expect(page.body).toContain(
    `href="/observe/traffic?${new URLSearchParams({ minutes: '60', member: id })}`.replaceAll('&', '&amp;'),
  );
  // Those that wait have never ended. At some moments calls of the page itself are in flight beside them.
  const inFlight = async () => rowsOf(await ada.get(tableOf('in-flight')), 'in-flight').flat();
  await until(async () => (await inFlight()).includes(3), 'a moment with those alone', 45_000);
  const errors = rowsOf(await ada.get(tableOf('errors')), 'errors').flat();
  // Before the console ran nothing is known, and that is no nought.
  expect(errors).toContain(null);
  for (const period of ['15min', '1h', '24h'])
    expect((await ada.get(pageOf(`?period=${period}`))).body).toContain('id="plot-errors"');
}, 60_000);

test('in German too', async () => {
  const german = textOf(await ada.get(tableOf('in-flight'), { 'Accept-Language': 'de' }));
  expect(german).toContain('Laufende Aufrufe');
  expect(german).toContain('Spitze');
  expect(german).toContain('Fehler');
  expect(german).not.toMatch(/In-flight|Peak|Errors/);
});

test('is there for a MetricsViewer, who may change nothing, and not for a person without a role', async () => {
  const [metrics, nobody] = [
    await personWith(console, 'metrics', ['MetricsViewer']),
    await personWith(console, 'nobody', []),
  ];
  const page = await metrics.get(tableOf('errors'));
  expect(page.status).toBe(200);
  expect(mostOf(page, 'errors')).toBeGreaterThan(0);
  expect(page.body).not.toContain('value="drain"');
  // What the member itself is asked for is not theirs.
  expect(page.body).not.toContain('id="log-level"');
  expect((await metrics.get('/cluster/members')).body).toContain(`href="${pageOf()}"`);
  expect((await nobody.get(pageOf())).status).toBe(403);
  const streams = await Promise.all(
    [metrics, nobody].map((agent) => openStream(console.url, agent, pageOf('?period=15min'))),
  );
  expect(streams[1]!.status).toBe(403);
  const frame = await streams[0]!.until(({ name }) => name === 'message');
  expect(Object.keys(frame.data.parts as object)).toEqual(['member-state', 'facts', 'numbers']);
  expect(JSON.stringify(frame.data)).not.toMatch(/csrf|metrics"/);
  for (const stream of streams) stream.leave();
});

test('goes on while the page is open', async () => {
  const stream = await openStream(console.url, ada, pageOf('?period=15min'));
  const first = await stream.until(({ name }) => name === 'message');
  const next = await stream.until(
    (event) => event.id !== first.id && 'numbers' in ((event.data.parts as object) ?? {}),
    30_000,
  );
  expect(JSON.stringify(next.data)).toContain('plot-in-flight');
  stream.leave();
}, 40_000);

test('survives a kill of the console', async () => {
  const before = mostOf(await ada.get(tableOf('errors')), 'errors');
  console.child.kill('SIGKILL');
  await console.stop();
  console = await start();
  ada = await signedIn();
  const page = await ada.get(tableOf('errors'));
  expect(mostOf(page, 'errors')).toBeGreaterThan(0);
  expect(mostOf(page, 'errors')).toBeLessThanOrEqual(before);
  expect(rowsOf(await ada.get(tableOf('in-flight')), 'in-flight').flat()).toContain(3);
  // Their callers have gone with the console, and so are they.
  const { inFlight } = (await callApi(console, 'GET', `/members/${id}`)) as { inFlight: number };
  expect(inFlight).toBe(0);
}, 60_000);
