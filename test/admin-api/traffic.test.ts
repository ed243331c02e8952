/** The history of the main numbers, as the API and the command show it. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTool as runProcess } from '../commands/support.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import {
  apiToken,
  machineToken,
  type RunningConsole,
  startConsole,
  usedDataDir,
} from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { apiCaller } from './support.ts';

interface Series {
  readonly name: string;
  readonly member: string | null;
  readonly mean: readonly (number | null)[];
  readonly most: readonly (number | null)[];
  readonly sum: number | null;
}

describe.each([
  { name: 'one process', workers: '1' },
  { name: 'two workers', workers: '2' },
])('with $name', ({ workers }) => {
  let console: RunningConsole;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await usedDataDir();
    console = await start();
  });
  afterAll(async () => {
    await console?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const start = () => startConsole({ dataDir, env: { CONSOLE_WORKERS: workers } });
  const read = async (query: string, token?: string) =>
    apiCaller(console, '/traffic', token ?? (await apiToken(console)))('GET', query);
  const mostOf = (series: readonly Series[], name: string) =>
    Math.max(0, ...(series.find((one) => one.name === name)?.most ?? []).map(Number));

  test('what was called is there within seconds, and after the console was killed', async () => {
    const names = ['calls', 'callsDenied', 'callP99Ms', 'memberCalls', 'tokens', 'users', 'memoryBytes'];
    const headers = { Authorization: `Bearer ${await machineToken(console)}` };
    await until(
      async () => {
        await (await fetch(`${console.url}/svc/rest/cluster`, { headers })).arrayBuffer();
        await (await fetch(`${console.url}/svc/rest/nowhere`, { headers })).arrayBuffer();
        const { body } = await read(`?series=${names.join(',')}`);
        return names.every((name) => mostOf(body.series, name) > 0);
      },
      'a row of what was called',
      30_000,
    );
    const { body } = await read('?series=memberCalls');
    expect(body.series).toEqual([
      expect.objectContaining({ unit: 'perSecond', member: expect.stringMatching(/^127\.0\.0\.1:\d+$/) }),
    ]);
    console.child.kill('SIGKILL');
    await console.stop();
    const offline = await runProcess(['traffic', 'show', 'calls', '--json'], { dataDir });
    expect(mostOf(offline.json<{ series: Series[] }>().series, 'calls')).toBeGreaterThan(0);
    console = await start();
    expect(mostOf((await read('?series=calls')).body.series, 'calls')).toBeGreaterThan(0);
  }, 60_000);

  test('the calls of one client, and to one map or queue, are there after a restart, each counted once', async () => {
    const headers = { Authorization: `Bearer ${await machineToken(console)}` };
    const call = async (method: string, path: string, body?: string) =>
      (await fetch(`${console.url}/svc/rest${path}`, { method, headers, ...(body && { body }) })).status;
    expect(await call('POST', '/maps/day/a', 'x'.repeat(100))).toBe(200);
    expect(await call('GET', '/maps/day/a')).toBe(200);
    expect(await call('GET', '/maps/day/b')).toBe(204);
    expect(await call('POST', '/queues/day', 'item')).toBe(200);
    expect(await call('GET', '/queues/day/1')).toBe(200);
    const sums = async (query: string) =>
      Object.fromEntries(
        ((await read(query)).body.series as Series[]).map((one) => [
          one.name,
          one.sum ?? mostOf([one], one.name),
        ]),
      );
    await console.stop();
    console = await start();
    expect(await sums('?structure=map:day')).toEqual({
      ...{ calls: 3, callsDenied: 0, callsFailed: 0 },
      ...{ reads: 2, puts: 1, hitShare: 0.5, valueBytes: 100 },
    });
    expect(await sums('?structure=queue:day&series=calls,offers,polls')).toEqual({
      calls: 2,
      offers: 1,
      polls: 1,
    });
    const { calls } = await sums('?client=application-client&series=calls');
    expect(calls).toBeGreaterThanOrEqual(5);
    await console.stop();
    const offline = await toolDone(['traffic', 'show', 'calls', '--structure', 'map:day'], { dataDir });
    expect(offline.stdout).toMatch(/^SERIES .* SUM\ncalls .* \/s +3$/m);
    console = await start();
    expect((await sums('?client=application-client&series=calls')).calls).toBe(calls);
  }, 60_000);

  test('the command draws a line for each series', async () => {
    const { stdout } = await toolDone(['traffic', 'show', 'calls', 'memoryBytes', '--last', '15m'], {
      dataDir,
    });
    expect(stdout).toMatch(/^SERIES +SINCE \S+Z +LAST +MEAN +LEAST +MOST\n/);
    expect(stdout).toMatch(/^calls +[▁▂▃▄▅▆▇█ ]+ +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +\/s$/m);
    expect(stdout).toMatch(/^memoryBytes .* MiB$/m);
  });

  test.each([
    { args: ['--last', '1y'], said: '--last is a number with s, m, h or d' },
    { args: ['--last', '-1h'], said: '--last' },
    { args: ['--until', 'soon'], said: '--until is a time' },
  ])('of the command: $args is a usage error', async ({ args, said }) => {
    const failed = await runTool(['traffic', 'show', ...args], { dataDir });
    expect([failed.code, failed.stdout]).toEqual([2, '']);
    expect(failed.stderr).toContain(said);
  });

  test('a series that is not there is answered with those that are', async () => {
    const { status, body } = await read('?series=calls,secrets');
    expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'invalid_request', '?series']);
    expect(body.errors[0].detail).toContain('callP99Ms');
    expect(JSON.stringify(body)).not.toContain('secrets');
  });

  test.each([
    '?since=yesterday',
    '?until=2026-11-22',
    '?since=2026-11-23T00:00:00Z&until=2026-11-22T00:00:00Z',
    '?points=0',
    '?points=1001',
    '?points=1.5',
    `?member=${'x'.repeat(262)}`,
    '?series=__proto__',
    '?series=',
    '?client=',
    '?structure=orders',
    '?client=a&structure=map:b',
    '?client=a&member=10.0.0.1:5701',
    '?client=a&series=tokens',
    '?structure=map:a&series=queueSize',
    '?series=hitShare',
  ])('%s is 400, and names what is wrong', async (query) => {
    const { status, body } = await read(query);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.errors).toHaveLength(1);
  });

  test('thirty days back and far in the future, there are holes and at most as many points as were asked for', async () => {
    const since = new Date(Date.now() - 30 * 86_400_000).toISOString();
    const month = await read(`?series=calls&since=${since}&points=1000`);
    expect(month.status).toBe(200);
    expect(month.body.series[0].mean.length).toBeLessThanOrEqual(1000);
    expect(month.body.stepSeconds).toBe(2700);
    const future = await read('?since=2999-01-01T00:00:00Z&until=2999-01-02T00:00:00Z');
    expect(future.status).toBe(200);
    expect(future.body.series.every(({ mean }: Series) => mean.length === 0)).toBe(true);
  });

  test('who may see metrics alone may read it (S60)', async () => {
    expect((await read('', await apiToken(console, 'app:MetricsViewer'))).status).toBe(200);
    expect((await read('', await apiToken(console, 'app:Viewer'))).status).toBe(200);
  });
});
