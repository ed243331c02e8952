import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runTool } from '../helpers/commands.ts';
import {
  admin,
  clientSecret,
  machineToken,
  nextKeysOf,
  type RunningConsole,
  startConsole,
} from '../helpers/console.ts';
import { authorize, redeem, userinfo } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { openConnection } from './raw-connection.ts';

describe('probes (S82)', () => {
  let console: RunningConsole;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test.each(['/live', '/ready'])('%s says yes, and nothing besides', async (path) => {
    const connection = await openConnection(console.port);
    const { status, headers, body } = await connection.get(path);
    connection.socket.destroy();
    expect({ status, body }).toEqual({ status: 200, body: 'ok\n' });
    expect(headers).toMatchObject({ 'content-type': 'text/plain', 'cache-control': 'no-store' });
    expect(Object.keys(headers).sort()).toEqual([
      'cache-control',
      'connection',
      'content-length',
      'content-type',
      'date',
      'keep-alive',
      'x-request-id',
    ]);
  });
});

const basic = `Basic ${btoa(`application-client:${clientSecret}`)}`;
const canLimitFiles = hasPrlimit();
const unlessLimited = canLimitFiles ? '' : ' (skipped: there is no prlimit here)';

/**
 * lmdb 3.5.6 says of a write that failed more than the 100 bytes that it has for it, and that ends the process now and then, soon or later
 * (docs/decisions/0001): a test that this has hit is made again, at a console that was started anew.
 */
const unlessEnded = { retry: 4 };

describe.skipIf(!canLimitFiles)(`a store that cannot be written${unlessLimited}`, unlessEnded, () => {
  let console: RunningConsole;
  let fresh: RunningConsole;
  const nobody = { CONSOLE_ADMIN_USERNAME: undefined, CONSOLE_ADMIN_PASSWORD: undefined };
  const isEnded = (started: RunningConsole | undefined) =>
    !started || started.child.signalCode !== null || started.child.exitCode !== null;
  // Killed, not told to stop: LMDB may trip over a limit that it met when it closes.
  const end = async (started: RunningConsole | undefined) => {
    started?.child.kill('SIGKILL');
    await started?.stop().catch(() => {});
  };
  beforeEach(async () => {
    if (!isEnded(console) && !isEnded(fresh)) return;
    await Promise.all([console, fresh].map(end));
    [console, fresh] = await Promise.all([startConsole(), startConsole({ env: nobody })]);
    await Promise.all([console, fresh].map(nextKeysOf));
  });
  afterAll(() => Promise.all([console, fresh].map(end)));

  test('ready turns 503 without detail and back, live stays (S82)', async () => {
    const work = async () => {
      const ready = await fetch(`${console.url}/ready`);
      expect([ready.status, await ready.text()]).toEqual([503, 'unavailable\n']);
      expect((await fetch(`${console.url}/live`)).status).toBe(200);
      const health = await runTool(['health', '--json'], console);
      expect([health.code, health.json()]).toEqual([1, { ready: false }]);
    };
    await whileUnwritable(console, work, { isWritten: false });
    expect((await runTool(['health'], console)).code).toBe(0);
  });

  test('the log says why it is not ready, and that it is again (D13)', async () => {
    const before = console.log().length;
    await whileUnwritable(console, async () => {});
    // The end of the test before may be told behind its own.
    const lines = () => {
      const reported = console
        .log()
        .slice(before)
        .filter(({ store }) => store !== undefined);
      return reported.slice(reported.findIndex(({ level }) => level === 'error'));
    };
    await console.waitFor(() => lines().length === 2, 'both lines');
    expect(lines()).toMatchObject([
      { level: 'error', store: 'limit', msg: 'not ready: the store cannot be written' },
      { level: 'info', store: 'ok', msg: 'ready again: the store can be written' },
    ]);
  });

  test('the first write that fails makes it not ready, before any probe has seen it (S82)', async () => {
    await setTimeout(500);
    // Behind a probe that has found all well: the next one that nobody asks for is seconds away.
    const link = `${console.url}/ready`;
    expect((await fetch(link)).status).toBe(200);
    const token = await machineToken(console);
    limitFiles(console, '1:');
    try {
      expect((await post(console, '/oauth2/revoke', { token })).status).toBe(503);
      expect((await fetch(link)).status).toBe(503);
    } finally {
      limitFiles(console, 'unlimited:');
    }
    await readyIs(console, 200);
    expect((await post(console, '/oauth2/revoke', { token })).status).toBe(200);
  });

  test('a sign-in gets 503 storage_unavailable, and works again later (S78)', async () => {
    const agent = createUserAgent(console.url);
    await whileUnwritable(console, async () => {
      const page = await agent.get('/login');
      const reply = await agent.submit(page, admin, { headers: { accept: 'application/json' } });
      expect(reply.status).toBe(503);
      expect(reply.headers['retry-after']).toBe('5');
      expect(JSON.parse(reply.body)).toMatchObject({ code: 'storage_unavailable' });
      expect((await agent.get('/account')).status).not.toBe(200);
    });
    expect((await agent.signIn()).status).toBe(200);
  });

  test('a revocation gets 503 temporarily_unavailable and has not happened; tokens are still issued (S78)', async () => {
    const token = await machineToken(console);
    await whileUnwritable(console, async () => {
      const rejected = await post(console, '/oauth2/revoke', { token });
      expect(rejected).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
      expect(await isActive(console, token)).toBe(true);
      expect(await isActive(console, await machineToken(console))).toBe(true);
    });
    expect((await post(console, '/oauth2/revoke', { token })).status).toBe(200);
    expect(await isActive(console, token)).toBe(false);
  });

  test('a code that could not be marked as used gives no token (S78)', async () => {
    const callback = await authorize(createUserAgent(console.url));
    await whileUnwritable(console, async () => {
      const { status, body } = await redeem(console, callback.get('code'));
      expect(status).toBe(503);
      expect(body.error).toBe('temporarily_unavailable');
      expect(body.access_token).toBeUndefined();
    });
    const again = await redeem(console, callback.get('code'));
    expect(again.status).toBe(200);
    expect((await userinfo(console, again.body.access_token)).status).toBe(200);
  });

  test('a first administrator who could not be stored is none (S78)', async () => {
    const link = /http:\/\/\S+\/setup\?token=\S+/.exec(fresh.stdout())![0];
    const account = { username: 'grace', password: 'a-long-enough-battery-7' };
    const fields = { ...account, email: '', password_again: account.password };
    const agent = createUserAgent(fresh.url);
    await whileUnwritable(fresh, async () => {
      const reply = await agent.submit(await agent.get(link), fields);
      expect(reply.status).toBe(503);
      // Nobody can sign in before there is an administrator: there is no form for it.
      await expect(createUserAgent(fresh.url).signIn(account)).rejects.toThrow('no form');
    });
    const reply = await agent.follow(await agent.submit(await agent.get(link), fields));
    expect(reply.status).toBe(200);
    expect((await createUserAgent(fresh.url).signIn(account)).status).toBe(200);
  });
});

/**
 * No file of the process may grow, or be written beyond its first byte, while `work` runs. The limit must not
 * fall into the middle of a commit, which no disk that fills up does: LMDB may end the process then.
 */
async function whileUnwritable(
  console: RunningConsole,
  work: () => Promise<void>,
  { isWritten = true }: { readonly isWritten?: boolean } = {},
): Promise<void> {
  const token = await machineToken(console);
  await noCommitFor(700, console);
  limitFiles(console, '1:');
  try {
    // Else it is known when the next probe has seen it.
    if (isWritten) await post(console, '/oauth2/revoke', { token });
    await readyIs(console, 503);
    await work();
  } finally {
    limitFiles(console, 'unlimited:');
  }
  await readyIs(console, 200);
}

/** One that waits for a busy disk has written its pages before: the file has changed, and is about to change again. */
async function noCommitFor(quietMs: number, { dataDir }: RunningConsole): Promise<void> {
  const changedAt = () => statSync(join(dataDir, 'artifacts', 'data.mdb')).mtimeMs;
  const deadline = Date.now() + 10_000;
  while (Date.now() - changedAt() < quietMs) {
    if (Date.now() > deadline) throw new Error('the store is written without a pause');
    await setTimeout(50);
  }
}

async function readyIs({ url }: RunningConsole, wanted: number): Promise<void> {
  const deadline = Date.now() + 10_000;
  let status: number;
  do {
    ({ status } = await fetch(`${url}/ready`));
    if (Date.now() > deadline) throw new Error(`/ready stayed ${status}`);
  } while (status !== wanted);
}

function limitFiles({ child }: RunningConsole, limit: string): void {
  execFileSync('prlimit', [`--pid=${child.pid}`, `--fsize=${limit}`]);
}

function hasPrlimit(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function post({ url }: RunningConsole, path: string, form: Record<string, string>) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { Authorization: basic },
    body: new URLSearchParams(form),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

async function isActive(console: RunningConsole, token: string): Promise<boolean> {
  const { body } = await post(console, '/oauth2/introspect', { token });
  return (body as { active: boolean }).active;
}
