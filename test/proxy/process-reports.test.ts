/** What a proxy in a process of its own has counted is on the pages of the console, too. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mostReportedRows, type ProcessReport } from '../../console/metrics/reports/process-report.ts';
import { createReportedProcesses } from '../../console/metrics/reports/reported-processes.ts';
import { apiToken, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { noNumbers } from '../helpers/history.ts';
import { addProxyClient, call, memberOf, startProxy, tokenOf } from './support.ts';

interface Calls {
  readonly calls: number;
  readonly denied: number;
  readonly structures: readonly { readonly calls: number }[];
  readonly latest: readonly { readonly structure: string | null; readonly status: number }[];
}

const minuteMs = 60_000;
function reportOf(at: number, calls: number): ProcessReport {
  const number = Math.floor(at / minuteMs);
  const row = {
    client: 'application-client',
    structure: 'map:reported',
    member: '127.0.0.1:5701',
    status: 200,
    calls,
    sumMs: 1,
    mostMs: 1,
    values: null,
  };
  return {
    process: 'abcdefgh',
    at,
    isLast: false,
    main: { ...noNumbers, counts: { ...noNumbers.counts, calls } },
    waiting: [],
    minutes: [{ number, rows: [row], slowest: [], isWhole: true }],
    latest: [],
  };
}

describe.each([{ workers: '1' }, { workers: '2' }])('at a console of $workers processes', ({ workers }) => {
  let console: RunningConsole;
  let viewer: string;
  let admin: string;

  beforeAll(async () => {
    console = await startConsole({ env: { CONSOLE_WORKERS: workers } });
    [viewer, admin] = await Promise.all([machineToken(console, 'app:Viewer'), apiToken(console)]);
  });
  afterAll(() => console?.stop());

  const get = async <Body>(path: string) => {
    const reply = await fetch(console.url + path, { headers: { Authorization: `Bearer ${admin}` } });
    return (await reply.json()) as Body;
  };
  const callsOf = (structure: string) =>
    get<Calls>(`/api/v1/traffic/calls?minutes=10&structure=${encodeURIComponent(structure)}`);

  test.each([{ processes: '1' }, { processes: '2' }])(
    'calls through a proxy of $processes processes are among its calls, with those that were refused, and their maps among its maps',
    async ({ processes }) => {
      const name = `beside-${processes}`;
      const client = await addProxyClient(console, `proxy-of-${processes}`);
      const proxy = await startProxy({
        console,
        client,
        members: [memberOf(console)],
        env: { CONSOLE_WORKERS: processes },
      });
      for (let n = 0; n < 6; n++) await call(proxy, viewer, `/svc/rest/maps/${name}/${n}`);
      const refused = { method: 'POST', body: 'x', headers: { 'Content-Type': 'text/plain' } };
      expect((await call(proxy, viewer, `/svc/rest/maps/${name}/1`, refused)).status).toBe(403);
      await expect
        .poll(() => callsOf(`map:${name}`), { timeout: 20_000, interval: 200 })
        .toMatchObject({ calls: 7, denied: 1, structures: [{ calls: 7 }] });
      expect((await callsOf(`map:${name}`)).latest).toHaveLength(7);
      // Names are kept together for a moment.
      const names = async () =>
        (await get<{ items: readonly { id: string }[] }>('/api/v1/maps?limit=100')).items.map(({ id }) => id);
      await expect.poll(names).toContain(name);
      expect(await proxy.stop()).toBe(0);
      expect(await callsOf(`map:${name}`)).toMatchObject({ calls: 7 });
    },
  );
});

describe('POST /api/v1/process-reports', () => {
  let console: RunningConsole;
  let reporter: string;
  let admin: string;
  beforeAll(async () => {
    console = await startConsole();
    reporter = await tokenOf(console, await addProxyClient(console, 'reporter'), 'api:refusals:write');
    admin = await apiToken(console);
  });
  afterAll(() => console?.stop());

  const post = (body: unknown, token = reporter) =>
    fetch(`${console.url}/api/v1/process-reports`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const reported = async () => {
    const path = '/api/v1/traffic/calls?structure=map%3Areported';
    const reply = await fetch(console.url + path, { headers: { Authorization: `Bearer ${admin}` } });
    return ((await reply.json()) as Calls).calls;
  };

  test('the last report of a process counts, and one that comes twice or late does not', async () => {
    const at = Date.now() - 1_000;
    for (const report of [reportOf(at, 3), reportOf(at + 1, 5), reportOf(at + 1, 5), reportOf(at, 3)])
      expect((await post(report)).status).toBe(204);
    expect(await reported()).toBe(5);
  });

  test('takes it of nobody without the scope, an administrator included (S49)', async () => {
    const before = await reported();
    expect((await post(reportOf(Date.now(), 70), admin)).status).toBe(403);
    expect(await reported()).toBe(before);
  });

  const good = () => reportOf(Date.now(), 9);
  const withMember = (of: object) => ({
    ...good(),
    main: { ...noNumbers, members: { '127.0.0.1:5701': { calls: 1, callsFailed: 1, latencies: [], ...of } } },
  });

  test.each([
    { name: 'with in-flight calls of a member', of: { inFlight: 3 }, status: 204 },
    { name: 'of an earlier release, without them', of: {}, status: 204 },
    { name: 'with a negative count of them', of: { inFlight: -1 }, status: 400 },
    { name: 'with half a call', of: { inFlight: 0.5 }, status: 400 },
  ])('one $name is $status', async ({ of, status }) => {
    expect((await post(withMember(of))).status).toBe(status);
  });

  const row = () => good().minutes[0]!.rows[0]!;
  const withRow = (changes: object) => ({
    ...good(),
    minutes: [{ ...good().minutes[0]!, rows: [{ ...row(), ...changes }] }],
  });
  const waiting = () => ({
    ...{ requestId: 'r-1', method: 'GET', route: '/svc/rest/queues/{queue}', client: null },
    ...{ structure: 'queue:jobs', member: null, waitedMs: 2_000 },
  });

  test('one that says which calls wait is listed with its name, until it ends', async () => {
    const told = { ...good(), process: 'tells-of-calls', name: 'beside:8443', open: [waiting()] };
    const open = async () => {
      const headers = { Authorization: `Bearer ${admin}` };
      const reply = await fetch(`${console.url}/api/v1/traffic/open`, { headers });
      return ((await reply.json()) as { items: readonly object[] }).items;
    };
    expect((await post(told)).status).toBe(204);
    expect(await open()).toMatchObject([{ process: 'beside:8443', isHere: false, canEnd: false }]);
    expect((await post({ ...told, at: told.at + 1, isLast: true })).status).toBe(204);
    expect(await open()).toEqual([]);
  });

  test.each<readonly [string, () => unknown]>([
    ['what is no JSON', () => '{'],
    ['a further member', () => ({ ...good(), more: 1 })],
    ['__proto__ as a key', () => JSON.stringify(good()).replace('{', '{"__proto__":{"a":1},')],
    [
      '__proto__ as a member of the cluster',
      () => JSON.stringify(good()).replace('"members":{', '"members":{"__proto__":{"calls":1}'),
    ],
    ['a process without an end', () => ({ ...good(), process: 'x'.repeat(200) })],
    ['more minutes than a report has', () => ({ ...good(), minutes: Array(4).fill(good().minutes[0]) })],
    [
      'more rows than a minute has',
      () => ({
        ...good(),
        minutes: [{ ...good().minutes[0]!, rows: Array(mostReportedRows + 1).fill(row()) }],
      }),
    ],
    ['a structure of no kind', () => withRow({ structure: 'topic:news' })],
    ['a client without an end', () => withRow({ client: 'x'.repeat(2000) })],
    ['fewer than no calls', () => withRow({ calls: -1 })],
    ['half a call', () => withRow({ calls: 0.5 })],
    ['a status that is none', () => withRow({ status: 12_345 })],
    ['numbers that are none', () => ({ ...good(), main: null })],
    ['a name for people that is none', () => ({ ...good(), name: '<b>here</b>' })],
    ['more waiting calls than a report has', () => ({ ...good(), open: Array(51).fill(waiting()) })],
    ['a waiting call with its path', () => ({ ...good(), open: [{ ...waiting(), path: '/svc/rest' }] })],
    [
      'a waiting call of an id that is none',
      () => ({ ...good(), open: [{ ...waiting(), requestId: '../a' }] }),
    ],
    [
      'what consoles alone say of themselves',
      () => ({ ...good(), console: { isLeading: true, files: null } }),
    ],
    [
      'buckets without an end',
      () => ({ ...good(), main: { ...noNumbers, callLatencies: Array(200).fill(1) } }),
    ],
  ])('refuses %s (S53)', async (_name, body) => {
    const before = await reported();
    expect((await post(body())).status).toBe(400);
    expect(await reported()).toBe(before);
  });

  test('a minute that has not begun here is not counted before it has', async () => {
    const before = await reported();
    const report = { ...reportOf(Date.now() + 10 * minuteMs, 1_000), process: 'clock-ahead' };
    expect((await post(report)).status).toBe(204);
    expect(await reported()).toBe(before);
  });

  test('who sends report after report is told to wait (S83)', async () => {
    const token = await tokenOf(console, await addProxyClient(console, 'flooder'), 'api:refusals:write');
    let wait: string | null = null;
    const statuses = new Set<number>();
    for (let sent = 0; sent < 4_000 && wait === null; sent += 50) {
      for (const reply of await Promise.all(Array.from({ length: 50 }, () => post('{}', token)))) {
        statuses.add(reply.status);
        wait ??= reply.headers.get('retry-after');
      }
    }
    expect(statuses).toEqual(new Set([400, 503]));
    expect(Number(wait)).toBeGreaterThan(0);
    expect(Number(wait)).toBeLessThanOrEqual(60);
    expect((await post(good())).status).toBe(204);
  });
});

describe('what is kept of them', () => {
  const start = Math.floor(Date.now() / minuteMs) * minuteMs;

  test('counts from the first report of a process on, and stands still when it falls silent', () => {
    let now = start + 10_000;
    const reported = createReportedProcesses(() => now);
    const countedCalls = () => reported.numbers().get('abcdefgh')?.counts.calls;
    reported.take(reportOf(start, 1_000_000));
    expect(countedCalls()).toBe(0);
    reported.take(reportOf(start + 5_000, 1_000_010));
    expect(countedCalls()).toBe(10);
    now += 10 * minuteMs;
    expect(countedCalls()).toBe(10);
    now += 60 * minuteMs;
    reported.take({ ...reportOf(now, 3), process: 'another-one' });
    expect([...reported.numbers().keys()]).toEqual(['another-one']);
  });

  test('a minute is whole when the process was heard of after it, or has said that it ends', () => {
    let now = start + minuteMs + 3_000;
    const reported = createReportedProcesses(() => now);
    const minute = start / minuteMs;
    const isWhole = () => reported.minute(minute).isWhole;
    reported.take(reportOf(start + 57_000, 4));
    expect(isWhole()).toBe(false);
    reported.take({ ...reportOf(start + 57_001, 4), isLast: true });
    expect(isWhole()).toBe(true);
    reported.take({ ...reportOf(start + 30_000, 4), process: 'goes-on-12' });
    expect(isWhole()).toBe(false);
    now += 5_000;
    reported.take({ ...reportOf(start + minuteMs + 1_000, 4), process: 'goes-on-12' });
    expect(isWhole()).toBe(true);
    expect(reported.minute(minute).structures[0]?.[1].fine).toBe(8);
  });

  test('is bounded, however many processes and rows there are (S83)', async () => {
    const reported = createReportedProcesses(() => start + 30_000);
    const { minutes } = reportOf(start, 1);
    const rows = Array.from({ length: mostReportedRows }, (_, n) => ({
      ...minutes[0]!.rows[0]!,
      client: `client-${n}`,
    }));
    for (let n = 0; n < 500; n++) {
      const three = [0, 1, 2].map((back) => ({ ...minutes[0]!, number: minutes[0]!.number - back, rows }));
      reported.take({ ...reportOf(start, 1), process: `process-${n}`, minutes: three });
    }
    expect(reported.numbers().size).toBe(128);
    const { rows: all, perMinute } = await reported.sums({ minutes: 10 });
    expect(all).toHaveLength(mostReportedRows);
    const calls = perMinute.reduce((sum, one) => sum + one.calls, 0);
    expect(calls).toBeGreaterThan(100_000);
    expect(calls).toBeLessThanOrEqual(200_000);
  });
});
