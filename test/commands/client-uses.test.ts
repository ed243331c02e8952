import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import {
  clientSecret,
  machineToken,
  nextKeysOf,
  type RunningConsole,
  startConsole,
  usedDataDir,
} from '../helpers/console.ts';
import { callApi } from '../helpers/management.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { until, withStore } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { basic, post } from '../oidc/support.ts';
import { askToken } from './support.ts';

interface View {
  readonly id: string;
  readonly tokensLastHour: number;
  readonly lastUsedAt: string | null;
  readonly secrets: readonly { readonly createdAt: string; readonly lastUsedAt: string | null }[];
}

let dataDir: string;
let console: RunningConsole;

beforeEach(async () => {
  dataDir = await usedDataDir();
  console = await startConsole({ dataDir });
});
afterEach(async () => {
  await console.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const env = { CONSOLE_APPLICATION_CLIENT_SECRET: clientSecret };
const done = (...args: string[]) => toolDone(args, { dataDir, env });
const show = async (id: string) => (await done('client', 'show', id, '--json')).json<View>();

async function add(id: string, ...flags: string[]): Promise<string> {
  const { secret } = (await done('client', 'add', id, '--json', ...flags)).json<{ secret: string }>();
  await until(async () => (await askToken(console.url, id, secret, 'no-such-scope')).status === 400, id);
  return secret;
}

async function rotate(id: string): Promise<string> {
  return (await done('client', 'rotate-secret', id, '--json')).json<{ secret: string }>().secret;
}

const minute = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const isRecent = (at: string | null) => Math.abs(Date.parse(at ?? '') - Date.now()) < 600_000;

test('list and show say when a client last got a token, for itself or for somebody who signed in', async () => {
  await add('idle');
  const secret = await add('busy');
  expect((await askToken(console.url, 'busy', secret)).status).toBe(200);
  await signInForTokens(console, createUserAgent(console.url));
  await console.stop();
  const list = (await done('client', 'list', '--json')).json<View[]>();
  const used = Object.fromEntries(list.map(({ id, lastUsedAt }) => [id, lastUsedAt]));
  expect(used).toMatchObject({ idle: null, 'application-client': null });
  expect(isRecent(used.busy!) && isRecent(used['application-dashboard']!)).toBe(true);
  const { stdout } = await done('client', 'list');
  expect(stdout).toMatch(/^ID .* LAST USED /m);
  expect(stdout).toMatch(/^busy +machine +active +\d{4}-\d\d-\d\dT\d\d:\d\dZ/m);
  expect((await done('client', 'show', 'idle')).stdout).toMatch(/^last used +never$/m);
});

test('tokens of the last hour are counted through restarts, with the address that got the last one', async () => {
  const secret = await add('counted');
  await askToken(console.url, 'counted', secret);
  await askToken(console.url, 'counted', secret);
  expect(await show('counted')).toMatchObject({ tokensLastHour: 2, lastUsedFrom: '127.0.0.1' });
  await console.stop();
  console = await startConsole({ dataDir });
  await askToken(console.url, 'counted', secret);
  expect(await show('counted')).toMatchObject({ tokensLastHour: 3 });
  await console.stop();
  expect(await show('counted')).toMatchObject({ tokensLastHour: 3, lastUsedFrom: '127.0.0.1' });
  expect((await done('client', 'show', 'counted')).stdout).toMatch(/^tokens in an hour +3$/m);
});

test('tokens that two processes give out are counted once, also over a stop', async () => {
  const secret = await add('shared');
  await console.stop();
  const workers = { CONSOLE_WORKERS: '2', CONSOLE_API_CHANGE_RATE: '0' };
  console = await startConsole({ dataDir, env: workers });
  const ask = (times: number) =>
    Promise.all(
      Array.from({ length: times }, async () => {
        const reply = await fetch(`${console.url}/oauth2/token`, {
          method: 'POST',
          // Each by a connection of its own, so that both processes have some.
          headers: { Authorization: `Basic ${btoa(`shared:${secret}`)}`, Connection: 'close' },
          body: new URLSearchParams({ grant_type: 'client_credentials' }),
        });
        expect(reply.status).toBe(200);
        await reply.arrayBuffer();
      }),
    );
  for (let round = 0; round < 4; round++) await ask(10);
  await console.stop();
  expect(await show('shared')).toMatchObject({ tokensLastHour: 40, lastUsedFrom: '127.0.0.1' });
  console = await startConsole({ dataDir, env: workers });
  await ask(5);
  // Each process says it within seconds.
  await until(async () => (await show('shared')).tokensLastHour === 45, 'those of both', 30_000);
  const { items } = (await callApi(console, 'GET', '/clients?q=shared')) as { items: View[] };
  expect(items[0]!.tokensLastHour).toBeGreaterThanOrEqual(40);
  await ask(7);
  await console.stop();
  const shown = await show('shared');
  expect([shown.tokensLastHour, isRecent(shown.lastUsedAt)]).toEqual([52, true]);
}, 90_000);

test('during a rotation each secret says when it was last used, at whatever endpoint', async () => {
  const old = await add('mover');
  expect((await askToken(console.url, 'mover', old)).status).toBe(200);
  const next = await rotate('mover');
  await until(async () => (await askToken(console.url, 'mover', next, 'no-such-scope')).status === 400, 'it');
  await console.stop();
  const [first, second] = (await show('mover')).secrets as [View['secrets'][0], View['secrets'][0]];
  expect(Date.parse(first.lastUsedAt!)).toBeGreaterThan(Date.parse(second.lastUsedAt!));

  console = await startConsole({ dataDir });
  const later = await rotate('mover');
  await until(async () => (await introspect('mover', next)) === 200, 'introspection');
  await console.stop();
  const shown = await show('mover');
  expect(shown.secrets.map(({ lastUsedAt }) => lastUsedAt)).toEqual([null, expect.stringMatching(minute)]);
  expect(Date.parse(shown.secrets[1]!.lastUsedAt!)).toBeGreaterThan(Date.parse(first.lastUsedAt!));
  const { stdout } = await done('client', 'show', 'mover');
  expect(stdout).toMatch(
    /^secrets +(\S+), of \S+, last used: never\n +\S+, of \S+, last used: \S+Z, ends when \1 is used$/m,
  );
  expect(stdout).not.toContain(later);
});

test('no secret and no digest of one is kept with the times (S54)', async () => {
  const secret = await add('careful');
  await askToken(console.url, 'careful', secret);
  await console.stop();
  const times = await withStore(dataDir, ({ artifacts }) => artifacts.list('ClientUse', 100));
  expect(times).toHaveLength(1);
  for (const form of ['base64url', 'hex', 'base64'] as const) {
    expect(JSON.stringify(times)).not.toContain(createHash('sha256').update(secret).digest(form));
  }
  expect(readFileSync(join(dataDir, 'artifacts', 'data.mdb')).includes(secret)).toBe(false);
});

test('a removed client takes its times along: another one of that id begins anew', async () => {
  const secret = await add('reborn');
  await askToken(console.url, 'reborn', secret);
  await console.stop();
  expect((await show('reborn')).lastUsedAt).toMatch(minute);
  await done('client', 'remove', '--yes', 'reborn');
  await done('client', 'add', 'reborn');
  expect(await show('reborn')).toMatchObject({ lastUsedAt: null, secrets: [{ lastUsedAt: null }] });
});

test('a running console shows them at once, writes them in the background, and a kill leaves what was written', async () => {
  await machineToken(console);
  const isShown = async () => (await show('application-client')).lastUsedAt !== null;
  expect(await isShown()).toBe(true);
  await expect.poll(isWritten, { timeout: 90_000, interval: 2_000 }).toBe(true);
  console.child.kill('SIGKILL');
  await console.stop();
  expect(await isShown()).toBe(true);
}, 120_000);

/** Looks into a copy: the console has the store. */
async function isWritten(): Promise<boolean> {
  const copy = mkdtempSync(join(tmpdir(), 'console-copy-'));
  try {
    for (const name of ['artifacts', 'registry.json'])
      cpSync(join(dataDir, name), join(copy, name), { recursive: true });
    return await withStore(copy, async ({ artifacts }) => {
      return (await artifacts.get('ClientUse', 'application-client')) !== undefined;
    });
  } finally {
    rmSync(copy, { recursive: true });
  }
}

test('tokens of machines write nothing into the store', async () => {
  // At a first start the next keys tell that its first round of maintenance is under way.
  const fresh = await startConsole({ isFirstStart: true });
  onTestFinished(async () => void (await fresh.stop()));
  await nextKeysOf(fresh);
  const store = () =>
    createHash('sha256')
      .update(readFileSync(join(fresh.dataDir, 'artifacts', 'data.mdb')))
      .digest('hex');
  let before = '';
  await until(
    async () => {
      const [earlier, now] = [before, store()];
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return earlier === now && now === store();
    },
    'a quiet store',
    20_000,
  );
  // What is written now and then may come between: what each token wrote would be there every time.
  for (let tries = 1; ; tries++) {
    for (let count = 0; count < 100; count++) await machineToken(fresh);
    const after = store();
    if (after === before || tries === 3) return expect(after).toBe(before);
    before = after;
  }
});

async function introspect(id: string, secret: string): Promise<number> {
  const token = await machineToken(console);
  const authorization = basic(id, secret);
  return (await post(console, { path: '/oauth2/introspect', authorization, body: `token=${token}` })).status;
}

test('a store of the release before has one record for all clients: each gets its own, and none is lost or put back', async () => {
  await add('robot');
  await add('idle');
  await console.stop();
  const at = Date.parse('2033-05-01T10:00:00Z');
  const rows = [
    ['robot', at, []],
    ['gone', at, []],
  ];
  await withStore(dataDir, async ({ artifacts }) => {
    // That release has never written one of these.
    for (const id of ['robot', 'idle']) await artifacts.remove('ClientUse', id);
    await artifacts.put('ClientUses', 'all', { payload: { rows }, expiresAt: 4_000_000_000 });
  });
  const lastUse = async (id: string) => (await show(id)).lastUsedAt;
  expect([await lastUse('robot'), await lastUse('idle')]).toEqual(['2033-05-01T10:00:00.000Z', null]);

  console = await startConsole({ dataDir });
  await console.stop();
  const stored = await withStore(dataDir, async ({ artifacts }) => [
    await artifacts.get('ClientUses', 'all'),
    (await artifacts.get('ClientUse', 'robot'))?.payload,
    await artifacts.get('ClientUse', 'gone'),
  ]);
  expect(stored).toEqual([undefined, { token: at, secrets: [] }, undefined]);
  expect([await lastUse('robot'), await lastUse('idle')]).toEqual(['2033-05-01T10:00:00.000Z', null]);

  // Such a record that comes once more, by a kill in the middle, takes nothing newer back.
  await withStore(dataDir, ({ artifacts }) =>
    artifacts.put('ClientUses', 'all', {
      payload: { rows: [['robot', at - 86_400_000, []]] },
      expiresAt: 4_000_000_000,
    }),
  );
  console = await startConsole({ dataDir });
  await console.stop();
  expect(await lastUse('robot')).toBe('2033-05-01T10:00:00.000Z');
});
