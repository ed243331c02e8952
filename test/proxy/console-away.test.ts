/** A proxy whose console is away, silent or does not want it: it lets nothing pass that it cannot vouch for. */
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  clientSecret,
  freePort,
  machineToken,
  type RunningConsole,
  startConsole,
  usedDataDir,
} from '../helpers/console.ts';
import { startRecorder, until } from '../member-proxy/servers.ts';
import {
  addProxyClient,
  call,
  type ProxyClient,
  type RunningProxy,
  runFailing,
  spawnProxy,
  startProxy,
  untilStatus,
} from './support.ts';

type Recorder = Awaited<ReturnType<typeof startRecorder>>;

describe('with a console', () => {
  let console: RunningConsole;
  let client: ProxyClient;
  let member: Recorder;
  let proxy: RunningProxy | undefined;
  let env: Record<string, string>;
  let dataDir: string;

  beforeEach(async () => {
    member = await startRecorder();
    dataDir = await usedDataDir();
    console = await startConsole({ dataDir });
    client = await addProxyClient(console);
    env = { CONSOLE_PROXY_NEWS_GRACE: '3' };
  });
  afterEach(async () => {
    await proxy?.stop();
    proxy = undefined;
    await console.stop();
    await rm(dataDir, { recursive: true, force: true });
    await member.close();
  });
  const ask = (token: string) => () => call(proxy!, token, '/svc/rest/cluster');

  test('it goes on for the time of grace when the console is killed, then refuses, and comes back with it', async () => {
    proxy = await startProxy({ console, client, members: [member.address], env });
    const token = await machineToken(console);
    expect((await ask(token)()).status).toBe(200);

    console.child.kill('SIGKILL');
    await console.stop();
    expect((await ask(token)()).status).toBe(200);
    await untilStatus(ask(token), 503);
    const rejected = await ask(token)();
    expect(await rejected.json()).toMatchObject({ code: 'token_status_unknown', status: 503 });
    expect(rejected.headers.get('retry-after')).toBe('1');
    expect((await call(proxy, undefined, '/ready')).status).toBe(503);
    expect((await call(proxy, undefined, '/live')).status).toBe(200);
    expect(proxy.log().some(({ msg }) => String(msg).startsWith('the console does not answer'))).toBe(true);

    console = await startConsole({ port: console.port, dataDir });
    await untilStatus(ask(token), 200);
    expect((await call(proxy, undefined, '/ready')).status).toBe(200);
  });

  test('calls pass for as long as CONSOLE_PROXY_NEWS_GRACE says after the console was killed (D14)', async () => {
    proxy = await startProxy({ console, client, members: [member.address], env });
    const token = await machineToken(console);
    await revocationsAgeAbove(0.7, 2_000);
    console.child.kill('SIGKILL');
    const passedMs = await untilStatus(ask(token), 503);
    expect(passedMs).toBeGreaterThan(3_000 - 300);
    expect(passedMs).toBeLessThan(3_000 + 1_500);
  });

  /** Until the last word of the console is so old, or it turns out that it never is. */
  async function revocationsAgeAbove(seconds: number, patienceMs: number): Promise<void> {
    for (const at = performance.now(); performance.now() - at < patienceMs; ) {
      const text = await (await call(proxy!, undefined, '/metrics')).text();
      if (Number(/^console_proxy_news_age_seconds (.+)$/m.exec(text)![1]) > seconds) return;
    }
  }

  test('a poll that waits ends when it is not known any more whether its token counts', async () => {
    const hanging = await startRecorder((req, res) => {
      if (!req.url!.includes('/queues/')) res.end();
    });
    proxy = await startProxy({ console, client, members: [hanging.address], env });
    const token = await machineToken(console);
    const poll = call(proxy, token, '/svc/rest/queues/q/300', { method: 'DELETE' });
    await until(() => hanging.seen.some(({ method }) => method === 'DELETE'), 'the poll');
    console.child.kill('SIGKILL');
    const reply = await poll;
    expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([
      503,
      'token_status_unknown',
    ]);
    await hanging.close();
  });

  test('a console that is there and says nothing counts as one that is away', async () => {
    proxy = await startProxy({ console, client, members: [member.address], env });
    const token = await machineToken(console);
    console.child.kill('SIGSTOP');
    await untilStatus(ask(token), 503);
    console.child.kill('SIGCONT');
    await untilStatus(ask(token), 200);
  });

  test('what was revoked while it did not listen is known when it listens again (S34)', async () => {
    proxy = await startProxy({ console, client, members: [member.address], env });
    const token = await machineToken(console);
    await untilStatus(ask(token), 200);
    proxy.child.kill('SIGSTOP');
    await fetch(`${console.url}/oauth2/revoke`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` },
      body: new URLSearchParams({ token }),
    });
    await new Promise((tick) => setTimeout(tick, 4_000));
    proxy.child.kill('SIGCONT');
    const statuses = new Set<number>();
    for (let i = 0; i < 20; i += 1) statuses.add((await ask(token)()).status);
    await untilStatus(ask(token), 401);
    expect([...statuses].every((status) => status === 401 || status === 503)).toBe(true);
  });

  test('with a wrong secret it lets nothing pass, and says why without the secret (S15)', async () => {
    const wrong = { id: client.id, secret: 'wrong-secret-0123456789-abcdefghijklmnop' };
    proxy = await spawnProxy({ console, client: wrong, members: [member.address], env });
    const expectedReason =
      'the console does not know the client of CONSOLE_PROXY_CLIENT_ID, or not by this secret';
    await untilStatus(() => call(proxy!, undefined, '/live').catch(Response.error), 200);
    await expect
      .poll(() => proxy!.log().some(({ reason }) => reason === expectedReason), { timeout: 20_000 })
      .toBe(true);
    const token = await machineToken(console);
    expect((await ask(token)()).status).toBe(503);
    expect((await call(proxy, undefined, '/ready')).status).toBe(503);
    expect(proxy.stdout()).not.toContain('proxy ready');
    expect(proxy.stderr()).not.toContain(wrong.secret);
  });

  test('a client without the scope is of no use, and told so (S15)', async () => {
    proxy = await spawnProxy({
      console,
      client: { id: 'application-client', secret: clientSecret },
      members: [member.address],
      env,
    });
    const expectedReason = 'the client of CONSOLE_PROXY_CLIENT_ID lacks the scope api:revocations:read';
    await expect
      .poll(() => proxy!.log().some(({ reason }) => reason === expectedReason), { timeout: 20_000 })
      .toBe(true);
  });

  test('without keys nothing passes, whatever the revocation events say (S5)', async () => {
    proxy = await spawnProxy({
      console,
      client,
      members: [member.address],
      env: { ...env, CONSOLE_JWKS_URI: `${console.url}/there/is/nothing` },
    });
    const expectedReason = 'there is no key set at CONSOLE_JWKS_URI (status 404)';
    await expect
      .poll(() => proxy!.log().some(({ reason }) => reason === expectedReason), { timeout: 20_000 })
      .toBe(true);
    const token = await machineToken(console);
    // It keeps its port shut for a while.
    await untilStatus(() => ask(token)().catch(Response.error), 503);
  });
});

test('without a console it starts, refuses with 503 and is not ready', async () => {
  const url = `http://localhost:${await freePort()}`;
  const proxy = await spawnProxy({
    console: { url },
    client: { id: 'member-proxy', secret: 'some-secret-0123456789-abcdefghijklmnopq' },
    members: ['http://127.0.0.1:1'],
  });
  await untilStatus(
    () => call(proxy, undefined, '/live').catch(() => new Response(null, { status: 500 })),
    200,
  );
  const rejected = await call(proxy, 'e30.e30.e30', '/svc/health');
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '1']);
  expect((await call(proxy, undefined, '/ready')).status).toBe(503);
  expect(await proxy.stop()).toBe(0);
});

describe('settings', () => {
  test('everything that is missing is told at once, with exit code 78', async () => {
    const { code, stderr } = await runFailing({});
    expect(code).toBe(78);
    expect(stderr).toContain('CONSOLE_MEMBERS is missing');
    expect(stderr).toContain(
      'npx console client add member-proxy --scope "api:revocations:read api:refusals:write"',
    );
  });

  test('keys are not fetched in clear text over a network (S87)', async () => {
    const { code, stderr } = await runFailing({
      CONSOLE_URL: 'https://console.example.com',
      CONSOLE_MEMBERS: 'http://127.0.0.1:1',
      CONSOLE_PROXY_CLIENT_ID: 'member-proxy',
      CONSOLE_PROXY_CLIENT_SECRET: 'some-secret-0123456789-abcdefghijklmnopq',
      CONSOLE_JWKS_URI: 'http://console.example.com/oauth2/jwks',
    });
    expect([code, stderr]).toEqual([78, expect.stringContaining('CONSOLE_JWKS_URI must be https')]);
  });
});
