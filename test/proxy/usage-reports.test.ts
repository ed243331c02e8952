/** What goes through a proxy in a process of its own counts as used. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUsageReporter } from '../../console/proxy/reports/usage-reporter.ts';
import { mostReported, type UsageReport } from '../../console/usage/usage-report.ts';
import type { UsageRow } from '../../console/usage/usage-row.ts';
import {
  apiToken,
  freePort,
  machineToken,
  type RunningConsole,
  startConsole,
  usedDataDir,
} from '../helpers/console.ts';
import { addProxyClient, call, memberOf, revocationsScope, startProxy, tokenOf } from './support.ts';

const dataDir = await usedDataDir();
let console: RunningConsole;
let port: number;
let viewer: string;
let admin: string;

beforeAll(async () => {
  port = await freePort();
  console = await startConsole({ dataDir, port });
  [viewer, admin] = await Promise.all([machineToken(console, 'app:Viewer'), apiToken(console)]);
});
afterAll(async () => {
  await console?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Used {
  readonly isComplete: boolean;
  readonly incomplete: readonly string[];
  readonly used: readonly { readonly names: readonly string[]; readonly calls: number }[];
}

async function used(): Promise<Used> {
  const reply = await fetch(`${console.url}/api/v1/access/usage?client=application-client`, {
    headers: { Authorization: `Bearer ${admin}` },
  });
  return (await reply.json()) as Used;
}

async function callsOf(name: string): Promise<number> {
  return (await used()).used
    .filter(({ names }) => names.includes(name))
    .reduce((sum, one) => sum + one.calls, 0);
}

describe('what a proxy in a process of its own lets through', () => {
  test.each([{ workers: '1' }, { workers: '2' }])(
    'is in what its caller has used, all of it, from $workers processes',
    async ({ workers }) => {
      const name = `counted-${workers}`;
      const client = await addProxyClient(console, `proxy-of-${workers}`);
      const env = { CONSOLE_WORKERS: workers };
      const proxy = await startProxy({ console, client, members: [memberOf(console)], env });
      for (let n = 0; n < 12; n += 1) {
        expect((await call(proxy, viewer, `/svc/rest/maps/${name}/1`)).status).toBeLessThan(300);
      }
      expect(await proxy.stop()).toBe(0);
      await expect.poll(() => callsOf(name), { timeout: 20_000, interval: 100 }).toBe(12);
      expect(await used()).toMatchObject({ isComplete: true, incomplete: [] });
    },
  );

  test('is counted when a console that was away is back', async () => {
    const client = await addProxyClient(console, 'patient-proxy');
    const env = { CONSOLE_PROXY_NEWS_GRACE: '60' };
    const proxy = await startProxy({ console, client, members: [memberOf(console)], env });
    await console.stop();
    // The member was the console's own: the call fails there, and was allowed here.
    await call(proxy, viewer, '/svc/rest/maps/while-away/1');
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    console = await startConsole({ dataDir, port });
    admin = await apiToken(console);
    await expect.poll(() => callsOf('while-away'), { timeout: 40_000, interval: 200 }).toBe(1);
    expect(await proxy.stop()).toBe(0);
  });

  test('leaves the day incomplete where the proxy may not report', async () => {
    const client = await addProxyClient(console, 'silent-proxy', revocationsScope);
    const proxy = await startProxy({ console, client, members: [memberOf(console)] });
    expect((await used()).incomplete).toEqual(['separate-proxies']);
    expect(await proxy.stop()).toBe(0);
  });
});

describe('POST /api/v1/usage-reports', () => {
  const at = Date.now();
  const row: UsageRow = [
    'client:application-client',
    'svc:map:read',
    'map:read',
    'reported',
    true,
    3,
    at,
    at,
    null,
  ];
  const report = { stem: 'abcdefgh', number: 0, rows: [row], isIncomplete: false };
  let reporter: string;

  beforeAll(async () => {
    reporter = await tokenOf(console, await addProxyClient(console, 'usage-reporter'), 'api:refusals:write');
  });

  const post = (body: unknown, token = reporter) =>
    fetch(`${console.url}/api/v1/usage-reports`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  test('a report that comes twice counts once, the next one again', async () => {
    for (const number of [0, 0, 1]) expect((await post({ ...report, number })).status).toBe(204);
    expect(await callsOf('reported')).toBe(6);
  });

  test('takes it of nobody without the scope, an administrator included (S49)', async () => {
    expect((await post({ ...report, number: 7 }, admin)).status).toBe(403);
    expect(await callsOf('reported')).toBe(6);
  });

  const changed = (place: number, value: unknown) => ({
    ...report,
    number: 8,
    rows: [row.map((cell, n) => (n === place ? value : cell))],
  });
  test.each([
    ['what is no JSON', '{'],
    ['a further member', { ...report, more: 1 }],
    [
      '__proto__ as a key',
      '{"__proto__":{"a":1},"stem":"abcdefgh","number":8,"rows":[],"isIncomplete":false}',
    ],
    ['a stem without an end', { ...report, stem: 'x'.repeat(200) }],
    ['more rows than a report has', { ...report, rows: Array.from({ length: mostReported + 1 }, () => row) }],
    ['a caller of no kind', changed(0, 'application-client')],
    ['a permission without an end', changed(1, 'x'.repeat(1000))],
    ['a name without an end', changed(3, 'x'.repeat(10_000))],
    ['no calls', changed(5, 0)],
    ['fewer than no calls', changed(5, -3)],
    ['half a call', changed(5, 0.5)],
    ['a time that is none', changed(6, '2026')],
    ['a row that is too short', { ...report, rows: [row.slice(1)] }],
  ])('refuses %s (S53)', async (_name, body) => {
    expect((await post(body)).status).toBe(400);
    expect(await callsOf('reported')).toBe(6);
  });

  test('who sends report after report does not fill the store (S83, S90)', async () => {
    const flooder = await tokenOf(console, await addProxyClient(console, 'flooder'), 'api:refusals:write');
    const statuses = new Set<number>();
    let wait: string | null = null;
    for (let number = 0; number < 2_100 && wait === null; number += 50) {
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, n) => post({ ...report, rows: [], number: number + n }, flooder)),
      );
      for (const reply of replies) {
        statuses.add(reply.status);
        wait ??= reply.headers.get('retry-after');
      }
    }
    expect(statuses).toEqual(new Set([204, 503]));
    expect(Number(wait)).toBeGreaterThan(0);
    expect(Number(wait)).toBeLessThanOrEqual(60);
    expect((await post({ ...report, number: 9 })).status).toBe(204);
  });
});

const rowOf = (name: string): UsageRow => ['client:a', 'svc:map:read', 'map:read', name, true, 1, 5, 6, null];

test('a report whose answer may have been lost is not sent when the console has forgotten it: the next says that some are missing', async () => {
  const sent: UsageReport[] = [];
  let [isAway, at] = [true, 0];
  const reporter = createUsageReporter({
    async send(report) {
      sent.push(report);
      if (isAway) throw new Error('away');
    },
    onResult: () => {},
    now: () => at,
  });
  reporter.add([rowOf('first')]);
  await expect.poll(() => sent.length).toBe(1);
  [isAway, at] = [false, 46 * 60_000];
  reporter.add([rowOf('second')]);
  await expect.poll(() => sent.length, { timeout: 5_000 }).toBe(2);
  expect(sent.map(({ number, isIncomplete }) => [number, isIncomplete])).toEqual([
    [0, false],
    [1, true],
  ]);
  expect(sent[1]!.rows.map(([, , , name]) => name)).toEqual(['second']);
  expect(await reporter.close(1_000)).toBe(0);
});

test('what a console that is away was not told is said at the end, by how many rows', async () => {
  const reporter = createUsageReporter({
    send: async () => Promise.reject(new Error('away')),
    onResult: () => {},
  });
  reporter.add([rowOf('one'), rowOf('two'), rowOf('one')]);
  expect(await reporter.close(1_000)).toBe(2);
});

test('after a report that the console will never take the next one says that some are missing', async () => {
  const sent: UsageReport[] = [];
  const reporter = createUsageReporter({
    async send(report) {
      sent.push(report);
      if (report.number === 0) reporter.lose();
    },
    onResult: () => {},
  });
  for (const name of ['one', 'two', 'three']) {
    reporter.add([rowOf(name)]);
    await expect.poll(() => sent.at(-1)?.rows[0]?.[3]).toBe(name);
  }
  expect(sent.map(({ isIncomplete }) => isIncomplete)).toEqual([false, true, false]);
  await reporter.close(1_000);
});

test('while the console takes nothing, rows become one by kind, and what has no room is said', async () => {
  const taken: UsageReport[] = [];
  let isAway = true;
  const reporter = createUsageReporter({
    async send(report) {
      if (isAway) throw new Error('away');
      taken.push(report);
    },
    onResult: () => {},
  });
  const rowOf = (name: string): UsageRow => [
    'client:a',
    'svc:map:read',
    'map:read',
    name,
    true,
    1,
    5,
    6,
    null,
  ];
  reporter.add([rowOf('first')]);
  for (let n = 0; n < 45_000; n += 1) reporter.add([rowOf(`map-${n % 40_500}`)]);
  isAway = false;
  await expect.poll(() => taken.length, { timeout: 20_000 }).toBeGreaterThan(200);
  await reporter.close(1_000);
  const names = taken.flatMap(({ rows }) => rows.map(([, , , name]) => name));
  expect(names).toHaveLength(40_001);
  expect(new Set(names).size).toBe(40_001);
  expect(taken.some(({ isIncomplete }) => isIncomplete)).toBe(true);
  const calls = taken.flatMap(({ rows }) => rows.map((row) => row[5]));
  expect(Math.max(...calls)).toBe(2);
});
