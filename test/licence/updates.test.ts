import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../commands/support.ts';
import { startDashboard } from '../dashboard/support.ts';
import { toolDone } from '../helpers/commands.ts';
import {
  freePort,
  machineToken,
  type RunningConsole,
  startConsole,
  usedDataDir,
  waitFor,
} from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { acknowledge, answerJson, type Receiver, receiverOfTest, startReceiver } from './receiver.ts';

// Each starts several processes, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const patience = 20_000;
const content = {
  id: 'L-1',
  holder: 'Example & Co',
  edition: 'Enterprise',
  expiresAt: '2033-05-18T03:33:20Z',
};

/** On a store of its own, which outlives it; both go with the test. */
async function consoleFor(
  internalAddress: string,
  options: { readonly dataDir?: string; readonly env?: Record<string, string> } = {},
): Promise<RunningConsole> {
  const dataDir = options.dataDir ?? (await usedDataDir());
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const console = await startConsole({
    dataDir,
    env: {
      SVC_MC_APP_ADDRESSES: internalAddress,
      SVC_MC_APP_INTERNALADDRESS: internalAddress,
      CONSOLE_LOG_LEVEL: 'info',
      ...options.env,
    },
  });
  onTestFinished(async () => void (await console.stop()));
  return console;
}

const tool = (dataDir: string, args: readonly string[], address: string, stdin = '') =>
  toolDone(args, { dataDir, stdin, env: { SVC_MC_APP_INTERNALADDRESS: address } });

const set = (dataDir: string, address: string, given: object = {}) =>
  tool(
    dataDir,
    ['licence', 'set', '--file', '-', '--json'],
    address,
    JSON.stringify({ ...content, ...given }),
  );

interface Status {
  readonly licence: { readonly id: string } | null;
  readonly addresses: readonly Record<string, unknown>[];
}

const status = async (dataDir: string, address: string) =>
  (await tool(dataDir, ['licence', 'status', '--json'], address)).json<Status & Record<string, unknown>>();

/** Asked of the tool once the log has it: each question is a process. */
async function acknowledged(
  { log, dataDir }: Pick<RunningConsole, 'log' | 'dataDir'>,
  address: string,
): Promise<Record<string, unknown>> {
  const last = () => log().findLast((line) => line.event === 'licence.sent' && line.address === address);
  await waitFor(() => last()?.outcome === 'success', 'a try that is taken', patience);
  let found: Record<string, unknown> | undefined;
  await until(
    async () => {
      found = (await status(dataDir, address)).addresses.find((one) => one.id === address);
      return found?.state === 'acknowledged';
    },
    'an acknowledgement',
    patience,
  );
  return found!;
}

const received = (receiver: Receiver, count: number) =>
  waitFor(() => receiver.updates.length >= count, `update ${count}`, 60_000);

test('the dashboard shows the licence that was set while both run, and the next one', async () => {
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const console = await consoleFor(address);
  const { url, dataDir, log } = console;
  const dashboard = await startDashboard({ port, env: { APP_SECURITY_OPENIDP_ISSUERURL: url } });
  onTestFinished(async () => void (await dashboard.stop()));
  const shown = async () => {
    const headers = { Authorization: `Bearer ${await machineToken({ url }, 'app:Viewer')}` };
    return (await (await fetch(`${dashboard.url}/api/v1/licence`, { headers })).json()) as Record<
      string,
      unknown
    >;
  };

  await set(dataDir, address);
  expect(await acknowledged(console, address)).toEqual({
    id: address,
    licence: 'L-1',
    isCurrent: true,
    state: 'acknowledged',
    tries: 1,
    acknowledgedAt: expect.any(String),
    isKept: true,
    lastError: null,
    nextTryAt: null,
  });
  expect(await shown()).toMatchObject({ ...content, expiresAt: 2_000_000_000 });
  await set(dataDir, address, { id: 'L-2', expiresAt: undefined });
  await until(async () => (await shown()).id === 'L-2', 'the next licence', patience);

  const sent = await waitFor(() => {
    const lines = log().filter(({ event }) => event === 'licence.sent');
    return lines.length >= 2 && lines;
  }, 'both lines of the log');
  expect(sent).toHaveLength(2);
  expect(sent[0]).toMatchObject({ audit: true, outcome: 'success', target: 'L-1', address, attempt: 1 });
  expect(log().filter(({ event }) => event === 'licence.set')).toMatchObject([
    { event: 'licence.set', outcome: 'success', target: 'L-1' },
    { event: 'licence.set', outcome: 'success', target: 'L-2' },
  ]);
});

test('a dashboard that is down gets it when it is back, also when the console was restarted meanwhile', async () => {
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const first = await consoleFor(address);
  const { dataDir } = first;
  await set(dataDir, address);
  const rejected = () => first.log().find(({ event }) => event === 'licence.sent');
  await waitFor(rejected, 'a try in vain', patience);
  expect(rejected()).toMatchObject({ outcome: 'failure', reason: 'connection_refused', willRetry: true });
  expect((await status(dataDir, address)).addresses).toMatchObject([
    { id: address, state: 'waiting', lastError: 'connection_refused', nextTryAt: expect.any(String) },
  ]);
  await first.stop();

  const second = await consoleFor(address, {
    dataDir,
    env: { CONSOLE_URL: first.url, CONSOLE_PORT: String(first.port) },
  });
  const dashboard = await startDashboard({ port, env: { APP_SECURITY_OPENIDP_ISSUERURL: second.url } });
  onTestFinished(async () => void (await dashboard.stop()));
  expect((await acknowledged(second, address)).tries).toBeGreaterThan(1);
  expect(dashboard.output()).toContain('licence received');
});

test('each update is signed by the key set, for the application, and made for one try', async () => {
  const receiver = await receiverOfTest();
  receiver.answer = (res, id) =>
    receiver.updates.length < 2 ? answerJson(res, {}, 503) : acknowledge(res, id);
  const console = await consoleFor(receiver.address);
  const { url, dataDir } = console;
  await set(dataDir, receiver.address);
  await acknowledged(console, receiver.address);
  const keySet = createRemoteJWKSet(new URL(`${url}/oauth2/jwks`));
  for (const { token, url: path, contentType } of receiver.updates) {
    const { payload, protectedHeader } = await jwtVerify(token, keySet);
    expect({ path, contentType }).toEqual({ path: '/licence', contentType: 'application/jwt' });
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'licence+jwt', kid: expect.any(String) });
    expect(payload).toEqual({
      iss: url,
      aud: 'application-dashboard',
      iat: expect.any(Number),
      exp: payload.iat! + 120,
      jti: expect.any(String),
      licence: { id: 'L-1', holder: 'Example & Co', edition: 'Enterprise', expiresAt: 2_000_000_000 },
    });
    const reply = await fetch(`${url}/userinfo`, { headers: { Authorization: `Bearer ${token}` } });
    expect(reply.status).toBe(401);
    const member = await fetch(`${url}/svc/rest/cluster`, { headers: { Authorization: `Bearer ${token}` } });
    expect(member.status).toBe(401);
  }
  expect(new Set(receiver.updates.map(({ token }) => decodeJwt(token).jti)).size).toBe(2);
});

describe('what is no acknowledgement', () => {
  let receiver: Receiver;
  let console: RunningConsole;
  let dataDir: string;
  beforeAll(async () => {
    receiver = await startReceiver();
    const application = { SVC_MC_APP_ADDRESSES: receiver.address, CONSOLE_LOG_LEVEL: 'info' };
    console = await startConsole({ env: application });
    dataDir = console.dataDir;
  });
  afterAll(async () => {
    await console?.stop();
    receiver.stop();
  });

  const stateOf = async () => (await status(dataDir, receiver.address)).addresses[0]!;

  test.each<[string, string, (res: ServerResponse, id: string) => void]>([
    ['200 with a page', 'unexpected_answer', (res) => void res.writeHead(200).end('<h1>Welcome</h1>')],
    ['200 with nothing', 'unexpected_answer', (res) => void res.writeHead(200).end()],
    ['200 with null', 'unexpected_answer', (res) => answerJson(res, null)],
    ['200 for another licence', 'unexpected_answer', (res) => answerJson(res, { id: 'L-0', kept: true })],
    ['200 without kept', 'unexpected_answer', (res, id) => answerJson(res, { id })],
    ['the right body with 201', 'status_201', (res, id) => answerJson(res, { id, kept: true }, 201)],
    ['204', 'status_204', (res) => void res.writeHead(204).end()],
    ['400', 'status_400', (res) => answerJson(res, { code: 'invalid_request' }, 400)],
  ])('%s', async (name, reason, answer) => {
    receiver.answer = answer;
    await set(dataDir, receiver.address, { id: name });
    const reported = () =>
      console.log().filter(({ event, target }) => event === 'licence.sent' && target === name);
    await waitFor(() => reported().length > 0, 'the first try', 60_000);
    expect(await stateOf()).toMatchObject({ state: 'waiting', lastError: reason, acknowledgedAt: null });
    receiver.answer = acknowledge;
    await acknowledged(console, receiver.address);
    // Tries between that were in vain for the same reason are no news.
    expect(reported()).toMatchObject([{ outcome: 'failure', reason, attempt: 1 }, { outcome: 'success' }]);
  });

  test('a redirect, which is not followed (S42)', async () => {
    const other = await receiverOfTest();
    const before = receiver.updates.length;
    receiver.answer = (res) => void res.writeHead(307, { Location: `${other.address}/licence` }).end();
    await set(dataDir, receiver.address);
    await received(receiver, before + 2);
    expect(await stateOf()).toMatchObject({ state: 'waiting', lastError: 'status_307' });
    expect(other.updates).toEqual([]);
  });
});

test('an http address that is not this machine is never called, and the status says so (S42)', async () => {
  const address = 'http://10.11.12.13:9021';
  const { dataDir, stderr, log } = await consoleFor(address);
  expect(stderr()).toMatch(/SVC_MC_APP_INTERNALADDRESS is http: and not loopback/);
  await set(dataDir, address);
  await waitFor(() => log().some(({ event }) => event === 'licence.sent'), 'a try', patience);
  await until(
    async () => (await status(dataDir, address)).addresses[0]?.lastError === 'invalid_url',
    'the error',
    patience,
  );
});

test('who has acknowledged is not told again at a restart; a new address is told, and a new licence', async () => {
  const [receiver, next] = [await receiverOfTest(), await receiverOfTest()];
  const first = await consoleFor(receiver.address);
  const { dataDir } = first;
  await set(dataDir, receiver.address);
  await acknowledged(first, receiver.address);
  await first.stop();

  const second = await consoleFor(receiver.address, { dataDir });
  await set(dataDir, receiver.address, { id: 'L-2' });
  await received(receiver, 2);
  expect(receiver.updates.map(({ licenceId }) => licenceId)).toEqual(['L-1', 'L-2']);
  await acknowledged(second, receiver.address);
  await second.stop();

  const third = await consoleFor(next.address, { dataDir });
  await received(next, 1);
  await acknowledged(third, next.address);
  expect(receiver.updates).toHaveLength(2);
  expect((await status(dataDir, next.address)).addresses).toMatchObject([
    { id: next.address, isCurrent: true, state: 'acknowledged', licence: 'L-2' },
    { id: receiver.address, isCurrent: false, state: 'acknowledged', licence: 'L-2' },
  ]);
});

test('an address that changes in console.yaml is told while the console runs', async () => {
  const [receiver, next] = [await receiverOfTest(), await receiverOfTest()];
  const dataDir = temporaryDirectory();
  const name = (address: string) =>
    writeFileSync(join(dataDir, 'console.yaml'), `svc.mc.app.internalAddress: ${address}\n`);
  name(receiver.address);
  const console = await startConsole({ dataDir });
  onTestFinished(async () => void (await console.stop()));
  await toolDone(['licence', 'set', '--file', '-'], { dataDir, stdin: JSON.stringify(content) });
  await received(receiver, 1);
  name(next.address);
  await received(next, 1);
  expect(next.updates[0]!.licenceId).toBe('L-1');
});

test('a removed licence is not sent any more', async () => {
  const address = `http://127.0.0.1:${await freePort()}`;
  const { dataDir, log } = await consoleFor(address);
  await set(dataDir, address);
  await waitFor(() => log().some(({ event }) => event === 'licence.sent'), 'a try', patience);
  await tool(dataDir, ['licence', 'remove', '--yes'], address);
  const receiver = await receiverOfTest(Number(new URL(address).port));
  await set(dataDir, address, { id: 'L-9' });
  await received(receiver, 1);
  expect(receiver.updates[0]!.licenceId).toBe('L-9');
});

test('an application that has it is told again after ten minutes: it may have been started anew', async () => {
  const receiver = await receiverOfTest();
  const clock = join(mkdtempSync(join(tmpdir(), 'console-clock-')), 'ahead');
  writeFileSync(clock, '0');
  const movableClock = pathToFileURL(join(import.meta.dirname, '../oidc/movable-clock.mjs')).href;
  const console = await consoleFor(receiver.address, {
    env: { TEST_CLOCK_FILE: clock, NODE_OPTIONS: `--import ${movableClock}` },
  });
  const { dataDir, log } = console;
  await set(dataDir, receiver.address);
  await acknowledged(console, receiver.address);
  writeFileSync(clock, '601');
  await received(receiver, 2);
  expect(log().filter(({ event }) => event === 'licence.sent')).toHaveLength(1);
});
