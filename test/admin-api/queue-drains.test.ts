/** `/api/v1/queues/{queue}/drains`: items that a job takes into a file, and what a kill in the middle of it leaves. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../commands/support.ts';
import { toolDone } from '../helpers/commands.ts';
import {
  apiToken,
  machineToken,
  type RunningConsole,
  startConsole,
  usedDataDir,
} from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { tokenOf } from './client-support.ts';

interface Drain {
  readonly id: string;
  readonly state: string;
  readonly items: number;
  readonly total: number | null;
  readonly bytes: number | null;
  readonly storedUntil: string | null;
  readonly problem: { readonly code: string; readonly detail: string } | null;
  readonly endedAt: string | null;
}
interface At {
  readonly url: string;
  readonly token: string;
}

async function call({ url, token }: At, method: string, path: string, body?: unknown, headers = {}) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') && !text.includes('\n');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}
async function offer(at: At, queue: string, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const value = Buffer.from(text).toString('base64');
    const body = { value, type: 'text/plain' };
    expect((await call(at, 'POST', `/queues/${queue}/offer`, body)).status).toBe(200);
  }
}
const begin = (at: At, queue: string, most: number, headers = {}) =>
  call(at, 'POST', `/queues/${queue}/drains`, { most }, headers);
const wait = { Prefer: 'wait=30' };
const itemsOf = async (at: At, queue: string, id: string) =>
  (await call(at, 'GET', `/queues/${queue}/drains/${id}/items`)).text
    .split('\n')
    .slice(0, -1)
    .map((line) => Buffer.from((JSON.parse(line) as { value: string }).value, 'base64').toString());
const over = async (at: At, queue: string, id: string) => {
  const read = async () => (await call(at, 'GET', `/queues/${queue}/drains/${id}`)).body as Drain;
  await until(async () => (await read()).endedAt !== null, 'the end of the drain', 60_000);
  return read();
};
const fileOf = (dataDir: string, id: string) => join(dataDir, 'queue-items', id);
const numbers = (n: number) => Array.from({ length: n }, (_, i) => `item ${i}`);

const canLimit = spawnSync('prlimit', ['--version']).status === 0;

let console: RunningConsole;
let at: At;
let clock: string;
beforeAll(async () => {
  clock = join(mkdtempSync(join(tmpdir(), 'clock-')), 'clock');
  writeFileSync(clock, '0');
  const movable = pathToFileURL(join(import.meta.dirname, '../oidc/movable-clock.mjs')).href;
  console = await startConsole({
    env: {
      CONSOLE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      NODE_OPTIONS: `--import ${movable}`,
      TEST_CLOCK_FILE: clock,
    },
    isFirstStart: true,
  });
  at = { url: console.url, token: await apiToken(console) };
});
afterAll(() => console?.stop());

describe('a drain', () => {
  test('takes as many as asked for into a file, which is fetched, and removed', async () => {
    await offer(at, 'mails', ...numbers(5));
    const begun = await begin(at, 'mails', 4, wait);
    expect([begun.status, begun.body]).toEqual([
      200,
      expect.objectContaining({ state: 'succeeded', items: 4, total: 4, most: 4, queue: 'mails' }),
    ]);
    const { id, bytes, storedUntil } = begun.body as Drain;
    expect(begun.headers.get('location')).toBe(`/api/v1/queues/mails/drains/${id}`);
    expect(Date.parse(storedUntil!) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    expect((await call(at, 'GET', '/queues/mails')).body).toMatchObject({ size: 1 });
    const fetched = await call(at, 'GET', `/queues/mails/drains/${id}/items`);
    expect([fetched.headers.get('content-type'), fetched.headers.get('content-disposition')]).toEqual([
      'application/x-ndjson',
      `attachment; filename="items-${id}.jsonl"`,
    ]);
    expect(fetched.text.split('\n')[0]).toBe(`{"type":"text/plain","value":"${btoa('item 0')}"}`);
    expect(Buffer.byteLength(fetched.text)).toBe(bytes);
    expect(await itemsOf(at, 'mails', id)).toEqual(numbers(4));
    expect((await call(at, 'DELETE', `/queues/mails/drains/${id}/items`)).status).toBe(204);
    expect(existsSync(fileOf(console.dataDir, id))).toBe(false);
    expect((await call(at, 'GET', `/queues/mails/drains/${id}/items`)).status).toBe(404);
    expect((await call(at, 'GET', `/queues/mails/drains/${id}`)).body).toMatchObject({ storedUntil: null });
  });

  test('is in the audit from its beginning to its removal, and no value is', async () => {
    await offer(at, 'audited', 'secret-of-the-item');
    const { id } = (await begin(at, 'audited', 10, wait)).body as Drain;
    await itemsOf(at, 'audited', id);
    await call(at, 'DELETE', `/queues/audited/drains/${id}/items`);
    const said = () =>
      console.log().filter(({ audit, target }) => audit && target === 'audited') as Record<string, unknown>[];
    await console.waitFor(
      () => said().some(({ event }) => event === 'queue.items_removed'),
      'the last entry',
    );
    const entries = said().flatMap(({ event, changes, asked }) =>
      event === 'queue.offered' ? [] : [{ event, ...(changes ?? {}), ...(asked ?? {}) }],
    );
    // The call that waits for the end of its job is over after it.
    expect(new Set(entries)).toEqual(
      new Set([
        { event: 'queue.drain_started', job: id, most: 10 },
        { event: 'queue.drained', job: id, items: 1 },
        { event: 'queue.items_fetched', job: id },
        { event: 'queue.items_removed', job: id },
      ]),
    );
    const everything = console.stderr() + (await call(at, 'GET', `/jobs/${id}`)).text;
    expect(everything).not.toContain('secret-of-the-item');
    expect(everything).not.toContain(btoa('secret-of-the-item'));
  });

  test('is for its owner alone on the disk, and encrypted line by line (S79)', async () => {
    await offer(at, 'secrets', 'first of them', 'second of them');
    const { id } = (await begin(at, 'secrets', 10, wait)).body as Drain;
    const path = fileOf(console.dataDir, id);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines.map((line) => line.slice(0, 12))).toEqual(['aes-256-gcm:', 'aes-256-gcm:', '']);
    expect(await itemsOf(at, 'secrets', id)).toEqual(['first of them', 'second of them']);
    writeFileSync(path, [lines[1], lines[0], ''].join('\n'));
    const altered = await call(at, 'GET', `/queues/secrets/drains/${id}/items`);
    expect([altered.status, altered.body.code]).toEqual([409, 'conflict']);
  });

  test('of an empty queue leaves no file; a number that is none, or too large, begins nothing', async () => {
    const { body } = await begin(at, 'empty', 10, wait);
    expect(body).toMatchObject({ state: 'succeeded', items: 0, storedUntil: null });
    expect(existsSync(fileOf(console.dataDir, body.id))).toBe(false);
    for (const most of [0, 100_001, 1.5, '10', null]) {
      expect((await call(at, 'POST', '/queues/empty/drains', { most })).status).toBe(400);
    }
    expect((await call(at, 'GET', '/queues/empty/drains')).body.items).toHaveLength(1);
    const dry = await call(at, 'POST', '/queues/empty/drains?dryRun=true', { most: 1 });
    expect(dry.body).toMatchObject({ status: 202, result: { state: 'queued' } });
    expect((await call(at, 'GET', '/queues/empty/drains')).body.items).toHaveLength(1);
  });

  test('that is stopped keeps what was taken, and the queue the rest', async () => {
    await offer(at, 'long', ...numbers(400));
    const { id } = (await begin(at, 'long', 100_000)).body as Drain;
    expect((await call(at, 'GET', `/queues/long/drains/${id}/items`)).status).toBe(409);
    await call(at, 'POST', `/queues/long/drains/${id}/stop`);
    const drain = await over(at, 'long', id);
    const { size } = (await call(at, 'GET', '/queues/long')).body;
    // Without an item there is no file.
    const taken = drain.storedUntil === null ? [] : await itemsOf(at, 'long', id);
    expect([taken.length, taken.length + size]).toEqual([drain.items, 400]);
    expect(taken).toEqual(numbers(400).slice(0, taken.length));
    expect((await call(at, 'POST', `/queues/long/drains/${id}/stop`)).status).toBe(409);
  });

  test('is had by whoever has begun it and by administrators alone (S49)', async () => {
    const scope = 'api:queues:read api:queues:write';
    const made = await call(at, 'POST', '/clients', { id: 'drainer', scopes: scope.split(' ') });
    const { token } = await tokenOf(console, made.body, { scope, resource: `${at.url}/api` });
    const drainer = { url: at.url, token };
    const reading = 'api:queues:read';
    const other = await call(at, 'POST', '/clients', { id: 'reader', scopes: [reading] });
    const { token: reads } = await tokenOf(console, other.body, {
      scope: reading,
      resource: `${at.url}/api`,
    });
    const viewer = { url: at.url, token: reads };
    await offer(at, 'owned', 'one', 'two');
    const own = (await begin(drainer, 'owned', 1, wait)).body as Drain;
    const ofAdmin = (await begin(at, 'owned', 1, wait)).body as Drain;
    expect(await itemsOf(drainer, 'owned', own.id)).toEqual(['one']);
    expect(await itemsOf(at, 'owned', own.id)).toEqual(['one']);
    expect((await call(drainer, 'GET', '/queues/owned/drains')).body.items).toMatchObject([{ id: own.id }]);
    expect((await call(at, 'GET', '/queues/owned/drains')).body.items).toHaveLength(2);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/items'],
      ['DELETE', '/items'],
      ['POST', '/stop'],
    ] as const) {
      expect((await call(drainer, method, `/queues/owned/drains/${ofAdmin.id}${path}`)).status).not.toBe(200);
    }
    expect((await call(viewer, 'GET', `/queues/owned/drains/${own.id}/items`)).status).toBe(404);
    expect((await call(viewer, 'GET', '/queues/owned/drains')).body.items).toEqual([]);
    expect((await begin(viewer, 'owned', 1)).status).toBe(403);
    expect((await call(at, 'GET', `/queues/other/drains/${own.id}/items`)).status).toBe(404);
  });

  test('by command ends in a file here, and is gone there', async () => {
    await offer(at, 'typed', 'a', 'b', 'c');
    const file = join(temporaryDirectory(), 'items.jsonl');
    const at2 = { dataDir: console.dataDir };
    const args = ['queue', 'drain', 'typed', '--most', '2', '--to-file', file, '--yes'];
    expect((await toolDone(args, at2)).stdout).toContain(`2 taken. They are in ${file}.`);
    expect(
      readFileSync(file, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).value),
    ).toEqual([btoa('a'), btoa('b')]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const listed = (await toolDone(['queue', 'drains', 'typed', '--json'], at2)).json<Drain[]>();
    expect(listed).toMatchObject([{ state: 'succeeded', items: 2, storedUntil: null }]);
    const { id } = (await begin(at, 'typed', 5, wait)).body as Drain;
    const second = join(temporaryDirectory(), 'items.jsonl');
    await toolDone(['queue', 'fetch', 'typed', id, '--to-file', second], at2);
    expect(JSON.parse(readFileSync(second, 'utf8'))).toEqual({ type: 'text/plain', value: btoa('c') });
    expect(readdirSync(join(console.dataDir, 'queue-items'))).not.toContain(id);
  });

  test('is gone after 24 hours', async () => {
    await offer(at, 'old', 'x');
    const { id } = (await begin(at, 'old', 1, wait)).body as Drain;
    writeFileSync(clock, String(24 * 3600 + 5));
    try {
      const token = await apiToken(console);
      expect((await call({ ...at, token }, 'GET', `/queues/old/drains/${id}/items`)).status).toBe(404);
    } finally {
      writeFileSync(clock, '0');
    }
  });
});

test.skipIf(!canLimit)(
  'an item that the disk does not take goes back to the queue, and the job says so',
  async () => {
    const large = 'x'.repeat(3 * 1024 * 1024);
    const other = await startConsole();
    try {
      const there = { url: other.url, token: await apiToken(other) };
      for (const number of [1, 2, 3]) {
        const url = `${other.url}/svc/rest/queues/heavy`;
        const headers = { Authorization: `Bearer ${await machineToken(other)}` };
        await fetch(url, { method: 'POST', headers, body: `${number}${large}` });
      }
      expect((await call(there, 'GET', '/queues/heavy')).body).toMatchObject({ size: 3 });
      const limit = (bytes: string) =>
        spawnSync('prlimit', ['--pid', String(other.child.pid), `--fsize=${bytes}:unlimited`]);
      limit(String(7 * 1024 * 1024));
      const { id } = (await begin(there, 'heavy', 10)).body as Drain;
      const drain = await over(there, 'heavy', id);
      limit('unlimited');
      expect(drain).toMatchObject({ state: 'failed', items: 1, problem: { code: 'disk' } });
      expect(drain.problem!.detail).toContain('was put back, at the end of the queue.');
      expect((await itemsOf(there, 'heavy', id)).map((text) => text.charAt(0))).toEqual(['1']);
      expect((await call(there, 'GET', '/queues/heavy')).body).toMatchObject({ size: 2 });
      const rest = (await begin(there, 'heavy', 10, wait)).body as Drain;
      expect((await itemsOf(there, 'heavy', rest.id)).map((text) => text.charAt(0))).toEqual(['3', '2']);
    } finally {
      await other.stop();
    }
  },
  60_000,
);

test('a member that breaks off may have given an item away, and the job says so', async () => {
  const member = await queueMember(10, 4);
  const env = { CONSOLE_MEMBERS: `http://127.0.0.1:${member.port}` };
  const other = await startConsole({ env });
  try {
    const there = { url: other.url, token: await apiToken(other) };
    const { id } = (await begin(there, 'jobs', 10)).body as Drain;
    const drain = await over(there, 'jobs', id);
    expect(drain).toMatchObject({ state: 'failed', items: 4, problem: { code: 'bad_gateway' } });
    expect(drain.problem!.detail).toContain('may have given an item away that nobody got.');
    expect(await itemsOf(there, 'jobs', id)).toEqual(numbers(4));
  } finally {
    await other.stop();
    await member.close();
  }
}, 60_000);

test.each([1, 2, 3])(
  'a kill in the middle loses at most the item that was on its way (%i)',
  async (round) => {
    const member = await queueMember(3000);
    const dataDir = await usedDataDir();
    const env = { CONSOLE_MEMBERS: `http://127.0.0.1:${member.port}` };
    const first = await startConsole({ dataDir, env });
    try {
      const there = { url: first.url, token: await apiToken(first) };
      const { id } = (await begin(there, 'jobs', 100_000)).body as Drain;
      await until(async () => member.given() > 50 * round, 'the first items');
      first.child.kill('SIGKILL');
      await first.stop();
      const given = member.given();
      expect(given).toBeLessThan(3000);
      const next = await startConsole({ dataDir, env });
      try {
        const again = { url: next.url, token: await apiToken(next) };
        const drain = await over(again, 'jobs', id);
        const kept = await itemsOf(again, 'jobs', id);
        expect(drain).toMatchObject({
          state: 'interrupted',
          items: kept.length,
          problem: { code: 'interrupted' },
        });
        expect(kept).toEqual(numbers(kept.length));
        expect(given - kept.length).toBeLessThanOrEqual(1);
        // It does not go on by itself.
        expect(member.given()).toBe(given);
      } finally {
        await next.stop();
      }
    } finally {
      await first.stop();
      await member.close();
    }
  },
  60_000,
);

test('a stop in order loses none, and does not wait for the end of the queue', async () => {
  const member = await queueMember(100_000);
  const dataDir = await usedDataDir();
  const env = { CONSOLE_MEMBERS: `http://127.0.0.1:${member.port}` };
  try {
    const first = await startConsole({ dataDir, env });
    const { id } = (await begin({ url: first.url, token: await apiToken(first) }, 'jobs', 100_000))
      .body as Drain;
    await until(async () => member.given() > 50, 'the first items');
    expect(await first.stop()).toBe(0);
    const given = member.given();
    expect(given).toBeLessThan(100_000);
    const next = await startConsole({ dataDir, env });
    try {
      const there = { url: next.url, token: await apiToken(next) };
      expect(await over(there, 'jobs', id)).toMatchObject({ state: 'interrupted', items: given });
      expect(await itemsOf(there, 'jobs', id)).toEqual(numbers(given));
    } finally {
      await next.stop();
    }
  } finally {
    await member.close();
  }
}, 60_000);

/** A member that has one queue, and counts what it has given away. @param breaksAfter  so many items */
async function queueMember(items: number, breaksAfter = Number.POSITIVE_INFINITY) {
  let given = 0;
  const server: Server = createServer((req, res) => {
    const [path = ''] = (req.url ?? '').split('?');
    if (path.endsWith('/queues/jobs/size')) return res.end(String(items - given));
    if (req.method === 'DELETE' && path.endsWith('/queues/jobs/0')) {
      if (given >= breaksAfter) return req.socket.destroy();
      return given < items ? res.end(`item ${given++}`) : res.writeHead(204).end();
    }
    if (path.includes('/health')) {
      res.setHeader('Content-Type', 'application/json');
      return res.end(
        '{"nodeState":"ACTIVE","clusterState":"ACTIVE","clusterSafe":true,"migrationQueueSize":0,"clusterSize":1}',
      );
    }
    res.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    given: () => given,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
