/** A thousand live pages while the roles of half of them change. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admin, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi } from '../helpers/management.ts';
import { copyUser } from '../helpers/store.ts';
import { createUserAgent, type UserAgent } from '../helpers/user-agent.ts';
import { hasParts, type OpenStream, openStream, type StreamEvent } from './live-support.ts';

const streams = 1_000;
const perSession = 8;
const signInsAtOnce = 4;
const pages = ['/', '/observe/traffic'];

let console: RunningConsole;
let open: readonly OpenStream[] = [];

beforeAll(async () => {
  console = await startConsole({ env: { CONSOLE_HTTP_CONNECTIONS_PER_SOURCE: '5000' } });
}, 30_000);
afterAll(async () => {
  for (const { leave } of open) leave();
  await console?.stop();
});

const isBye = ({ name }: StreamEvent) => name === 'bye';

async function signedIn(count: number): Promise<readonly UserAgent[]> {
  const agents: UserAgent[] = [];
  for (let from = 0; from < count; from += signInsAtOnce) {
    const some = Array.from({ length: Math.min(signInsAtOnce, count - from) }, async (_, i) => {
      const agent = createUserAgent(console.url);
      await agent.signIn({ username: (from + i) % 2 === 0 ? 'even' : 'odd', password: admin.password });
      return agent;
    });
    agents.push(...(await Promise.all(some)));
  }
  return agents;
}

test('of 1,000, those whose roles change end, and the others go on', async () => {
  for (const id of ['even', 'odd']) await copyUser(console, 'ada', id);
  for (const id of ['even', 'odd']) {
    await callApi(console, 'POST', '/roles', { id, permissions: ['svc:map:orders:read'] });
    await callApi(console, 'PATCH', `/users/${id}`, { roles: ['MetricsViewer', id] });
  }
  const agents = await signedIn(streams / perSession);
  open = await Promise.all(
    Array.from({ length: streams }, (_, i) =>
      openStream(console.url, agents[Math.floor(i / perSession)]!, pages[i % pages.length]!),
    ),
  );
  await Promise.all(open.map((stream) => stream.until(hasParts, 60_000)));
  const of = (rest: number) => open.filter((_, i) => Math.floor(i / perSession) % 2 === rest);
  const [changing, staying] = [of(0), of(1)];

  const began = performance.now();
  await callApi(console, 'PATCH', '/roles/even', { permissions: ['svc:map:orders:write'] });
  const byes = await Promise.all(changing.map((stream) => stream.until(isBye, 30_000)));
  expect(performance.now() - began).toBeLessThan(20_000);
  expect(new Set(byes.map(({ data }) => data.reason))).toEqual(new Set(['role-changed']));

  const seen = staying.map(({ events }) => events.length);
  expect(staying.flatMap(({ events }) => events.filter(isBye))).toEqual([]);
  const headers = { Authorization: `Bearer ${await machineToken(console)}` };
  await (await fetch(`${console.url}/svc/rest/maps/orders/1`, { headers })).arrayBuffer();
  await Promise.all(
    staying
      .slice(0, 50)
      .map((stream, i) =>
        expect.poll(() => stream.events.length, { timeout: 20_000 }).toBeGreaterThan(seen[i]!),
      ),
  );
}, 120_000);
