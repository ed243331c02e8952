/** What machine clients of a list may and do not use: in the API, on the page and by command. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CallApi, callsWith, tokenOf } from '../admin-api/client-support.ts';
import { toolDone } from '../helpers/commands.ts';
import { apiToken, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { personWith } from '../helpers/management.ts';
import { until, withStore } from '../helpers/store.ts';
import { createUserAgent, textOf } from '../helpers/user-agent.ts';
import { client } from '../storage/record-conformance.ts';

const day = 86_400;
const many = 450;
const folder = mkdtempSync(join(tmpdir(), 'clock-'));
const clock = join(folder, 'seconds');
let dataDir: string;
let console: RunningConsole;
let api: CallApi;
let token: string;

/** From now on it is so many days later. */
async function passTo(days: number): Promise<void> {
  writeFileSync(clock, String(days * day));
  token = await apiToken(console);
}

beforeAll(async () => {
  writeFileSync(clock, '0');
  dataDir = await usedDataDir();
  await withStore(dataDir, ({ records }) =>
    records.change(async (transaction) => {
      for (let n = 0; n < many; n++) {
        transaction.put('clients', client(`old-${n}`, { scopes: ['svc:health:read'], createdAt: 1 }));
      }
    }),
  );
  const movable = pathToFileURL(join(import.meta.dirname, '../oidc/movable-clock.mjs')).href;
  const env = { TEST_CLOCK_FILE: clock, NODE_OPTIONS: `--import ${movable}` };
  console = await startConsole({ dataDir, env });
  api = callsWith(console, () => token);
  await passTo(0);
}, 60_000);
afterAll(async () => {
  await console?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Once it is worked out: a list waits for it a few milliseconds and no longer. */
async function unusedOf(id: string) {
  let found: { readonly unknown: string | null; readonly scopes: readonly string[] | null };
  do {
    found = (await api('GET', `/clients?q=${id}`)).body.items[0].unused;
  } while (found.unknown === 'pending');
  return found;
}

async function add(id: string, scopes: readonly string[]) {
  const { body } = await api('POST', '/clients', { id, scopes });
  return { id, secret: body.secret as string };
}

test('nothing is said of a client until its calls were counted for some days', async () => {
  const billing = await add('billing', ['svc:map:orders:read', 'svc:map:orders:write', 'svc:cluster:write']);
  const { token: own } = await tokenOf(console, billing, { scope: 'svc:map:orders:read' });
  const reply = await fetch(`${console.url}/svc/rest/maps/orders/1`, {
    headers: { Authorization: `Bearer ${own}` },
  });
  expect(reply.ok).toBe(true);
  const isNew = { scopes: null, unknown: 'new', isComplete: true };
  expect([await unusedOf('billing'), await unusedOf('old-1')]).toEqual([isNew, isNew]);
  // Whoever asks has what was counted written, on the day on which it was.
  expect((await api('GET', '/access/usage?client=billing')).body.usedKinds).toBe(1);
});

test('then the list says what it may and does not use, and what is taken from it is gone from there at once', async () => {
  await passTo(8);
  await add('fresh', ['svc:health:read']);
  const known = (...scopes: readonly string[]) => ({ scopes, unknown: null, isComplete: true });
  expect(await unusedOf('billing')).toEqual(known('svc:map:orders:write', 'svc:cluster:write'));
  expect(await unusedOf('fresh')).toEqual({ scopes: null, unknown: 'new', isComplete: true });
  const { body: whole } = await api('GET', '/access/usage?client=billing');
  expect(whole.proposal.remove).toEqual((await unusedOf('billing')).scopes);

  const ada = createUserAgent(console.url);
  await ada.signIn();
  const page = await ada.get('/access/clients?q=billing');
  expect(page.body).toContain(
    '<a href="/access/clients/billing#usage" title="svc:map:orders:write svc:cluster:write">2</a>',
  );
  expect((await ada.get('/access/clients/billing')).body).toContain('id="usage"');
  expect(textOf(await ada.get('/access/clients?q=fresh'))).toContain(
    '- Its calls have been counted for less than 7 days.',
  );
  const { stdout } = await toolDone(['client', 'list'], { dataDir });
  expect(stdout).toMatch(/^ID .* LAST USED +UNUSED +SCOPES/m);
  expect(stdout).toMatch(/^billing +machine .* 2 +svc:map:orders:read /m);
  expect(stdout).toMatch(/^fresh +machine .* - +svc:health:read/m);

  await api('PATCH', '/clients/billing', { scopes: ['svc:map:orders:read', 'svc:cluster:write'] });
  expect(await unusedOf('billing')).toEqual(known('svc:cluster:write'));
  // An application gets what its users have.
  const { body: applications } = await api('GET', '/clients?kind=application');
  expect(applications.items.every((one: object) => !('unused' in one))).toBe(true);
});

test('who may read clients and not what is used sees nothing of it: not in the API, on the page or in a file', async () => {
  const add = async (role: string, permissions: readonly string[]) => {
    await api('POST', '/roles', { id: role, permissions });
    const { body } = await api('POST', '/clients', { id: role.toLowerCase(), scopes: permissions });
    const { token: own } = await tokenOf(
      console,
      { id: role.toLowerCase(), secret: body.secret },
      {
        resource: `${console.url}/api`,
        scope: permissions.join(' '),
      },
    );
    return { agent: await personWith(console, `is-${role}`, [role]), call: callsWith(console, () => own) };
  };
  const clients = 'api:clients:read';
  const [some, all] = [await add('Some', [clients]), await add('All', [clients, 'api:access:read'])];
  const list = '/clients?q=billing';
  const seenBy = async ({ agent, call }: typeof some) => {
    const [page, file] = [
      await agent.get(`/access${list}`),
      await agent.get(`/access/clients.json?q=billing`),
    ];
    expect([page.status, textOf(page).includes('billing')]).toEqual([200, true]);
    const { body } = await call('GET', list);
    return {
      usage: (await call('GET', '/access/usage?client=billing')).status,
      inApi: 'unused' in body.items[0],
      inFile: file.body.includes('"unused"'),
      hasColumn: page.body.includes('>Unused</th>'),
      isSaid: page.body.includes('#usage'),
    };
  };
  expect(await seenBy(all)).toEqual({
    usage: 200,
    inApi: true,
    inFile: true,
    hasColumn: true,
    isSaid: true,
  });
  expect(await seenBy(some)).toEqual({
    usage: 403,
    inApi: false,
    inFile: false,
    hasColumn: false,
    isSaid: false,
  });
});

test('a page of many answers without waiting for all of it, and has it at the next look', async () => {
  const unknown = async () => {
    const { body } = await api('GET', '/clients?q=old-&limit=500');
    const of = body.items.map(({ unused }: { unused: { unknown: string | null } }) => unused.unknown);
    expect(of).toHaveLength(many);
    return of.filter((one: string | null) => one !== null) as string[];
  };
  const first = await unknown();
  expect(first.every((one) => one === 'pending')).toBe(true);
  await until(async () => (await unknown()).length === 0, 'all of them are worked out');
  expect(await unusedOf('old-449')).toEqual({ scopes: ['svc:health:read'], unknown: null, isComplete: true });
});

test('where no calls are counted the list says so', async () => {
  const uncounted = await startConsole({ env: { CONSOLE_USAGE_DAYS: '0' } });
  try {
    const asOwner = callsWith(uncounted, () => own);
    const own = await apiToken(uncounted);
    const { body } = await asOwner('GET', '/clients?kind=machine');
    expect(body.items[0].unused).toMatchObject({ scopes: null, unknown: 'uncounted' });
  } finally {
    await uncounted.stop();
  }
});
