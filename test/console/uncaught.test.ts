import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBearerCheck } from '../../access-tokens/bearer.ts';
import {
  clientSecret,
  freePort,
  machineToken,
  mainScript,
  startConsole,
  untilReady,
  waitFor,
} from '../helpers/console.ts';
import { startProxy, startRecorder } from '../member-proxy/servers.ts';
import { audience, issuer, keySet, makeKey, tokenFor } from '../member-proxy/tokens.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'console-uncaught-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('errors that nobody caught are logged and counted, and the console goes on (S86)', async () => {
  const faults = join(folder, 'faults.mjs');
  writeFileSync(
    faults,
    `process.on('SIGUSR2', () => {
      setImmediate(() => { throw new Error('thrown in a callback with password=hunter22'); });
      Promise.reject(new Error('rejected and forgotten'));
      process.emitWarning('careful', 'OddWarning');
    });`,
  );
  const console = await startConsole({ env: { NODE_OPTIONS: `--import=${pathToFileURL(faults)}` } });
  console.child.kill('SIGUSR2');
  const logged = (msg: string) => console.log().find((line) => line.msg === msg);
  await console.waitFor(() => logged('uncaught error') && logged('unhandled rejection'), 'both errors');
  expect(logged('uncaught error')).toMatchObject({
    level: 'error',
    err: { type: 'Error', stack: expect.stringContaining('faults.mjs') },
  });
  await console.waitFor(() => console.log().some(({ warning }) => warning === 'OddWarning'), 'the warning');
  expect(
    console
      .stderr()
      .split('\n')
      .slice(0, -1)
      .every((line) => line.startsWith('{')),
  ).toBe(true);
  await untilReady(console.url);
  expect(await (await fetch(`${console.url}/metrics`)).text()).toContain('console_uncaught_errors_total 2\n');
  expect(await machineToken(console)).toMatch(/^eyJ/);
  expect(await console.stop()).toBe(0);
});

describe('an output that takes nothing fails no request (S86)', () => {
  test.each(['stdout', 'stderr'] as const)('a reader of %s who has left', async (output) => {
    const console = await startConsole();
    console.child[output]!.destroy();
    for (let round = 0; round < 5; round++) {
      expect(await machineToken(console)).toMatch(/^eyJ/);
      expect((await fetch(`${console.url}/svc/rest/cluster`)).status).toBe(401);
    }
    console.child.kill('SIGTERM');
    expect(await new Promise((resolve) => console.child.once('exit', resolve))).toBe(0);
    await console.stop();
  });

  test.skipIf(process.platform !== 'linux')('a log and a greeting on a full disk', async () => {
    const full = openSync('/dev/full', 'w');
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const child = spawn(process.execPath, [mainScript], {
      env: {
        PATH: process.env.PATH,
        CONSOLE_URL: url,
        CONSOLE_DATA_DIR: join(folder, 'full'),
        CONSOLE_APPLICATION_CLIENT_SECRET: clientSecret,
        MEMBER_PORT: '0',
      },
      stdio: ['ignore', full, full],
    });
    closeSync(full);
    const exited = new Promise((resolve) => child.once('exit', resolve));
    let isReady = false;
    await waitFor(() => {
      fetch(`${url}/ready`).then(
        ({ status }) => {
          isReady = status === 200;
        },
        () => {},
      );
      return isReady;
    }, 'a ready console');
    for (let round = 0; round < 5; round++) expect(await machineToken({ url })).toMatch(/^eyJ/);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('console_uncaught_errors_total 0\n');
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  });
});

test.each([
  {
    name: 'the list of revoked tokens cannot be read',
    isRevoked: () => {
      throw new Error('no list: secret-detail');
    },
  },
  {
    name: 'the keys cannot be read',
    findKey: () => {
      throw new Error('no keys: secret-detail');
    },
  },
])('a check that fails closes: $name (S86)', async ({ isRevoked, findKey }) => {
  const member = await startRecorder();
  const key = await makeKey('ES256');
  const bearer = createBearerCheck({
    issuer,
    audience,
    findKey: findKey ?? keySet(key).findKey,
    isRevoked: isRevoked ?? (() => false),
    now: Date.now,
  });
  const proxy = await startProxy({ members: [member.address], bearer });
  const headers = { Authorization: `Bearer ${await tokenFor(key, 'Admin')}` };
  for (let round = 0; round < 3; round++) {
    const reply = await fetch(`${proxy.address}/svc/rest/cluster`, { headers });
    expect(reply.status).toBeGreaterThanOrEqual(401);
    expect(await reply.text()).not.toContain('secret-detail');
  }
  expect(member.seen).toEqual([]);
  await proxy.close();
  await member.close();
});
