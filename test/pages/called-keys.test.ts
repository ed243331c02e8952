/** Keys of calls stand on the page of their map where a setting keeps them, and nowhere without it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineToken, type RunningConsole } from '../helpers/console.ts';
import { callApi, startWithAdmin } from '../helpers/management.ts';
import { textOf, type UserAgent } from '../helpers/user-agent.ts';

interface MapOfApi {
  readonly calledKeys: readonly { readonly id: string; readonly lastCallAt: string }[] | null;
}

async function call(console: RunningConsole, map: string, key: string, method = 'POST'): Promise<number> {
  const reply = await fetch(`${console.url}/svc/rest/maps/${map}/${encodeURIComponent(key)}`, {
    method,
    headers: { Authorization: `Bearer ${await machineToken(console)}`, 'Content-Type': 'text/plain' },
    ...(method === 'POST' && { body: 'value' }),
  });
  await reply.arrayBuffer();
  return reply.status;
}

const keysOf = async (console: RunningConsole, map: string) =>
  ((await callApi(console, 'GET', `/maps/${map}`)) as MapOfApi).calledKeys?.map(({ id }) => id) ?? null;

describe.each([{ workers: '1' }, { workers: '2' }])('with CONSOLE_WORKERS=$workers', ({ workers }) => {
  let console: RunningConsole;
  let ada: UserAgent;
  let folder: string;
  let clock: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clock-'));
    clock = join(folder, 'seconds');
    await writeFile(clock, '0');
    const movable = pathToFileURL(join(import.meta.dirname, '../oidc/movable-clock.mjs')).href;
    const env = {
      CONSOLE_WORKERS: workers,
      CONSOLE_CALL_KEYS_MINUTES: '5',
      TEST_CLOCK_FILE: clock,
      NODE_OPTIONS: `--import ${movable}`,
    };
    ({ console, ada } = await startWithAdmin({ env }));
  }, 60_000);
  afterAll(async () => {
    await console?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('the last ten keys of calls are listed, each once, and gone after the minutes', async () => {
    expect(await keysOf(console, 'orders')).toEqual([]);
    expect(textOf(await ada.get('/cluster/maps/orders'))).toContain('Keys of the last calls');
    for (let n = 1; n <= 12; n++) expect(await call(console, 'orders', `order ${n}/ü`)).toBe(200);
    expect(await call(console, 'orders', 'order 5/ü', 'GET')).toBe(200);
    const sorted = async () => (await keysOf(console, 'orders'))?.toSorted();
    const expected = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => `order ${n}/ü`).toSorted();
    await expect.poll(sorted, { timeout: 20_000 }).toEqual(expected);
    const page = await ada.get('/cluster/maps/orders');
    expect(page.body).toContain(`href="/cluster/maps/orders/${encodeURIComponent('order 12/ü')}"`);
    expect(await keysOf(console, 'others')).toEqual([]);
    await writeFile(clock, '310');
    expect(await keysOf(console, 'orders')).toEqual([]);
    await writeFile(clock, '0');
  });

  test('a call that a member has not carried out leaves none', async () => {
    const denied = await fetch(`${console.url}/svc/rest/maps/denied/k1`);
    expect(denied.status).toBe(401);
    expect(await call(console, 'denied', 'k2')).toBe(200);
    await expect.poll(() => keysOf(console, 'denied'), { timeout: 20_000 }).toEqual(['k2']);
  });
});

test('without the setting none is kept, and none shown', async () => {
  const { console, ada } = await startWithAdmin();
  try {
    expect(await call(console, 'orders', 'k1')).toBe(200);
    // The name of the map is known by then, and so would be its key.
    const names = async () => JSON.stringify(await callApi(console, 'GET', '/maps'));
    await expect.poll(names, { timeout: 20_000 }).toContain('orders');
    expect(await keysOf(console, 'orders')).toBeNull();
    expect(textOf(await ada.get('/cluster/maps/orders'))).not.toContain('Keys of the last calls');
  } finally {
    await console.stop();
  }
});
