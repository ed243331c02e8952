/** `/cluster`, `/access` and `/observe`: a figure for each page, as far as it can be had by who reads it; without script. */
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningConsole } from '../helpers/console.ts';
import { callApi, personWith, startWithAdmin } from '../helpers/management.ts';
import { textOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
});
afterAll(() => console?.stop());

const german = { 'Accept-Language': 'de' };

test('say how many there are, and how the cluster is, in the language of the reader', async () => {
  const cluster = textOf(await ada.get('/cluster'));
  expect(cluster).toContain('Members One member');
  expect(cluster).toContain('Operations State: Active');
  await callApi(console, 'POST', '/clients', { id: 'billing', scopes: ['svc:health:read'] });
  const access = textOf(await ada.get('/access'));
  expect(access).toContain('Users One user');
  const { items } = (await callApi(console, 'GET', '/clients?kind=machine')) as { items: unknown[] };
  expect(access, 'applications are no machine clients').toContain(
    `Machine clients ${items.length} machine clients`,
  );
  expect(access).toContain('Sessions One open session');
  expect(access).toContain('Approvals 0 approvals wait');
  expect(textOf(await ada.get('/observe'))).toMatch(/Traffic \d+ calls in 15 minutes/);
  expect(textOf(await ada.get('/observe', german))).toMatch(/\d+ Aufrufe in 15 Minuten/);
});

test('leave no entry in the audit', async () => {
  const read = async () =>
    ((await callApi(console, 'GET', '/audit?limit=100')) as { items: { event: string }[] }).items
      .map(({ event }) => event)
      .filter((event) => !event.startsWith('audit.') && !event.startsWith('token.'));
  // Of the test before; an entry is there a moment after what it tells of.
  await expect.poll(read).toContain('client.added');
  const before = await read();
  for (const href of ['/cluster', '/access', '/observe']) expect((await ada.get(href)).status).toBe(200);
  expect(await read()).toEqual(before);
});

test('are those of the pages that their reader may open', async () => {
  const vera = await personWith(console, 'vera', ['Viewer']);
  const access = textOf(await vera.get('/access'));
  expect(access).toMatch(/\d+ roles/);
  expect(access).not.toMatch(/\d+ users|One user/);
});

test('that a member does not give in time are left out, and the others are there', async () => {
  const silent = await listening();
  const { port } = silent.address() as { port: number };
  const other = await startWithAdmin({ env: { CONSOLE_MEMBERS: `http://127.0.0.1:${port}` } });
  try {
    const began = performance.now();
    const page = textOf(await other.ada.get('/cluster'));
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(page).toMatch(/Members One member/);
    expect(page).not.toContain('State:');
  } finally {
    // What it has asked the member it would wait for.
    other.console.child.kill('SIGKILL');
    await other.console.stop();
    silent.close();
  }
}, 60_000);

/** Takes connections, and never says anything. */
function listening(): Promise<Server> {
  const server = createServer(() => {});
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}
