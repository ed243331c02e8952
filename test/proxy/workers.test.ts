/** Several processes on one port: each knows what the console says, and one that dies is replaced. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { startRecorder, until } from '../member-proxy/servers.ts';
import {
  addProxyClient,
  call,
  childrenOf,
  type ProxyClient,
  type RunningProxy,
  runFailing,
  startProxy,
  tokenOf,
  untilStatus,
} from './support.ts';

let console: RunningConsole;
let client: ProxyClient;
let member: Awaited<ReturnType<typeof startRecorder>>;
let proxy: RunningProxy;

beforeAll(async () => {
  member = await startRecorder();
  console = await startConsole();
  client = await addProxyClient(console);
  proxy = await startProxy({ console, client, members: [member.address], env: { CONSOLE_WORKERS: '3' } });
});
afterAll(async () => {
  await proxy.stop();
  await console.stop();
  await member.close();
});

/** A connection of its own each, so that it may go to any of them. */
const alone = { headers: { connection: 'close' } };

describe('three workers', () => {
  test('share the work', async () => {
    const token = await machineToken(console);
    for (let i = 0; i < 12; i += 1) {
      const reply = await call(proxy, token, '/svc/rest/maps/m/k', { method: 'POST', body: 'v', ...alone });
      expect(reply.status).toBe(200);
    }
    await expect.poll(workersInAudit, { timeout: 20_000 }).toEqual(['1', '2', '3']);
  });

  test('all of them know of a revocation (S34)', async () => {
    const added = await toolDone(['client', 'add', 'short', '--scope', 'svc:health:read', '--json'], {
      dataDir: console.dataDir,
    });
    const { secret } = added.json<{ secret: string }>();
    const token = await tokenOf(console, { id: 'short', secret }, 'svc:health:read');
    const ask = () => call(proxy, token, '/svc/health', alone);
    for (let i = 0; i < 9; i += 1) expect((await ask()).status).toBe(200);
    await toolDone(['client', 'disable', 'short'], { dataDir: console.dataDir });
    await untilStatus(ask, 401);
    await new Promise((tick) => setTimeout(tick, 500));
    for (let i = 0; i < 9; i += 1) expect((await ask()).status).toBe(401);
  });

  test('their numbers are those of all of them', async () => {
    const countOf = (text: string) =>
      text
        .split('\n')
        .filter(
          (line) =>
            line.startsWith('console_member_call_seconds_count{') && line.includes('/svc/health/ready'),
        )
        .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    const numbers = async () => (await call(proxy, undefined, '/metrics', alone)).text();
    const token = await machineToken(console);
    const before = countOf(await numbers());
    for (let i = 0; i < 12; i += 1) await call(proxy, token, '/svc/health/ready', alone);
    expect(countOf(await numbers()) - before).toBe(12);
    expect(await numbers()).toMatch(/^console_proxy_news_age_seconds [0-9.]+$/m);
  });

  test('limits are those of all of them together (S64)', async () => {
    const limited = await startProxy({
      console,
      client,
      members: [member.address],
      env: { CONSOLE_WORKERS: '2', CONSOLE_PROXY_DATA_RATE: '10' },
    });
    const token = await machineToken(console);
    const replies = await Promise.all(
      Array.from({ length: 60 }, () => call(limited, token, '/svc/health', alone)),
    );
    const passed = replies.filter(({ status }) => status === 200).length;
    // Half a second's worth each at first; a slow machine gives them seconds to fill up again.
    expect(passed).toBeGreaterThanOrEqual(5);
    expect(replies.some(({ status }) => status === 429)).toBe(true);
    expect(await limited.stop()).toBe(0);
  });

  test('one that is killed is replaced, and the others answer meanwhile', async () => {
    const token = await machineToken(console);
    const { pid } = proxy.child;
    const before = await childrenOf(pid!);
    expect(before).toHaveLength(3);
    process.kill(before[0]!, 'SIGKILL');
    // A connection that is handed to it at this very moment gets no answer; those after that do.
    const ask = () =>
      call(proxy, token, '/svc/health', { ...alone, signal: AbortSignal.timeout(2_000) }).catch(
        () => new Response(null, { status: 500 }),
      );
    await untilStatus(ask, 200);
    await expect
      .poll(async () => (await childrenOf(pid!)).filter((child) => !before.includes(child)).length, {
        timeout: 20_000,
      })
      .toBe(1);
    await expect
      .poll(() => proxy.log().some(({ msg }) => msg === 'worker ended; another takes its place'))
      .toBe(true);
    for (let i = 0; i < 9; i += 1) {
      const reply = await call(proxy, token, '/svc/rest/maps/m/k', { method: 'POST', body: 'v', ...alone });
      expect([200, 503]).toContain(reply.status);
    }
    await expect
      .poll(
        async () => {
          await call(proxy, token, '/svc/rest/maps/m/k', { method: 'POST', body: 'v', ...alone });
          return workersInAudit();
        },
        { timeout: 20_000 },
      )
      .toContain('4');
  });

  test('a stop lets calls finish, and leaves no process behind (S81)', async () => {
    const slow = await startRecorder((req, res) => {
      if (!req.url!.includes('/maps/')) res.end();
      else setTimeout(() => res.end('late'), 1_500);
    });
    const stopping = await startProxy({
      console,
      client,
      members: [slow.address],
      env: { CONSOLE_WORKERS: '2' },
    });
    const workers = await childrenOf(stopping.child.pid!);
    const token = await machineToken(console);
    const waiting = call(stopping, token, '/svc/rest/maps/m/k');
    // A member is asked by HEAD too, to see which groups are on.
    await until(
      () => slow.seen.some(({ method, url }) => method === 'GET' && url.includes('/maps/')),
      'the call',
    );
    const stopped = stopping.stop();
    expect(await (await waiting).text()).toBe('late');
    expect(await stopped).toBe(0);
    expect(workers.filter(isAlive)).toEqual([]);
    await slow.close();
  });

  test('workers end when the process that started them is killed', async () => {
    const orphaning = await startProxy({
      console,
      client,
      members: [member.address],
      env: { CONSOLE_WORKERS: '2' },
    });
    const workers = await childrenOf(orphaning.child.pid!);
    expect(workers).toHaveLength(2);
    orphaning.child.kill('SIGKILL');
    await expect.poll(() => workers.filter(isAlive), { timeout: 20_000 }).toEqual([]);
    await orphaning.stop();
  });
});

test('a port that is taken is told once', async () => {
  const port = new URL(proxy.url).port;
  const { code, stderr } = await runFailing({
    CONSOLE_URL: console.url,
    CONSOLE_PORT: port,
    CONSOLE_MEMBERS: member.address,
    CONSOLE_PROXY_CLIENT_ID: client.id,
    CONSOLE_PROXY_CLIENT_SECRET: client.secret,
    CONSOLE_WORKERS: '2',
  });
  expect([code, stderr.split(`Port ${port} at`).length]).toEqual([1, 2]);
});

function workersInAudit(): string[] {
  const workers = proxy.log().flatMap(({ audit, worker }) => (audit ? [String(worker)] : []));
  return [...new Set(workers)].sort();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
