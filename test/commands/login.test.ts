/** `console login`, `logout` and `whoami`, with the browser of the person beside them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTool, toolDone } from '../helpers/commands.ts';
import { admin, clientSecret, type RunningConsole, startConsole } from '../helpers/console.ts';
import { createUserAgent, titleOf, type UserAgent } from '../helpers/user-agent.ts';
import { program, root, runTool as runProcess } from './support.ts';

let console: RunningConsole;
let home: string;
let env: Record<string, string>;
let file: string;
/** Of the console: a file with the seconds by which it is ahead. */
let clock: string;
const nowhere = { dataDir: '/nowhere' };

beforeAll(async () => {
  clock = join(mkdtempSync(join(tmpdir(), 'console-login-clock-')), 'clock');
  writeFileSync(clock, '0');
  const movable = pathToFileURL(join(root, 'test/oidc/movable-clock.mjs')).href;
  console = await startConsole({ env: { NODE_OPTIONS: `--import ${movable}`, TEST_CLOCK_FILE: clock } });
  home = mkdtempSync(join(tmpdir(), 'console-login-'));
  env = { XDG_CONFIG_HOME: home };
  file = join(home, 'cluster-console/logins.json');
});
afterAll(async () => {
  await console.stop();
  rmSync(home, { recursive: true, force: true });
  rmSync(dirname(clock), { recursive: true, force: true });
});

/** The command, and what its person does once it has shown its code. */
async function login(decide: (agent: UserAgent, userCode: string) => Promise<unknown>) {
  const child = spawn(process.execPath, [program, 'login', '--url', `${console.url}/`, '--json'], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const answer = text(child.stdout);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    said += part;
  });
  const ended = once(child, 'close');
  const found = await console.waitFor(
    () => /Open (\S+) and type the code ([A-Z-]{9})/.exec(said) ?? undefined,
    'the code',
  );
  expect(found[1]).toBe(`${console.url}/device`);
  await decide(createUserAgent(console.url), found[2]!);
  const [code] = await ended;
  return { code, json: JSON.parse(await answer) as Record<string, unknown> };
}

async function allow(agent: UserAgent, userCode: string): Promise<void> {
  await agent.signIn();
  const question = await agent.submit(await agent.get('/device'), { user_code: userCode });
  const end = await agent.follow(await agent.submit(question, { confirm: 'yes' }));
  expect(titleOf(end)).toBe('The program is signed in');
}

const listing = (run: typeof runTool) =>
  run(['role', 'list', '--url', console.url, '--json'], { ...nowhere, env });
const list = () => listing(runTool);

test('signs in, is somebody for other commands, and signs out', async () => {
  expect((await list()).json().error).toBe('signed_out');
  expect(await login(allow)).toEqual({ code: 0, json: { url: console.url, username: admin.username } });
  expect([statSync(file).mode & 0o777, statSync(join(home, 'cluster-console')).mode & 0o777]).toEqual([
    0o600, 0o700,
  ]);
  expect((await list()).code).toBe(0);
  const who = await toolDone(['whoami', '--url', console.url, '--json'], { ...nowhere, env });
  expect(who.json()).toEqual({
    user: 'ada',
    roles: ['Admin'],
    eligibleRoles: [],
    elevation: null,
    url: console.url,
    way: 'https',
  });

  const { refreshToken } = JSON.parse(readFileSync(file, 'utf8'))[console.url];
  await toolDone(['logout', '--url', console.url], { ...nowhere, env });
  expect(readFileSync(file, 'utf8')).not.toContain(console.url);
  const refresh = { grant_type: 'refresh_token', client_id: 'console-cli', refresh_token: refreshToken };
  const reply = await fetch(`${console.url}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams(refresh),
  });
  expect(reply.status).toBe(400);
  expect((await list()).json().error).toBe('signed_out');
});

test('a token that has ended is renewed, once for all that ask at a time', async () => {
  await login(allow);
  const stored = JSON.parse(readFileSync(file, 'utf8'));
  const { accessToken } = stored[console.url];
  writeFileSync(file, JSON.stringify({ [console.url]: { ...stored[console.url], expiresAt: 0 } }));
  const outcomes = await Promise.all([runProcess, runProcess, runProcess].map(listing));
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
  const renewed = JSON.parse(readFileSync(file, 'utf8'))[console.url];
  expect(renewed.accessToken).not.toBe(accessToken);
  expect(renewed.expiresAt).toBeGreaterThan(Date.now());
});

test('a file that others may read is not used', async () => {
  chmodSync(file, 0o644);
  expect((await list()).json().error).toBe('unsafe_file');
  chmodSync(file, 0o600);
  writeFileSync(file, 'no JSON');
  expect((await list()).json().error).toBe('damaged_file');
  rmSync(file);
});

test('is denied in the browser, and keeps nothing', async () => {
  const { code, json } = await login(async (agent, userCode) => {
    const question = await agent.submit(await agent.get('/device'), { user_code: userCode });
    await agent.submit(question, { abort: 'yes' });
  });
  expect([code, json.error]).toEqual([1, 'access_denied']);
  expect((await list()).json().error).toBe('signed_out');
});

test('whoami tells by which way: the socket, the store, or a machine’s token', async () => {
  const { dataDir, url } = console;
  const here = (
    await toolDone(['whoami', '--json'], { dataDir, env: { CONSOLE_URL: 'http://other:1' } })
  ).json();
  expect(here).toMatchObject({ way: 'socket', url, dataDir, user: expect.stringMatching(/^local:/) });
  expect((await toolDone(['whoami', '--json'], nowhere)).json()).toMatchObject({ way: 'store', url: null });
  const reply = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: `${url}/api` }),
  });
  const { access_token: token } = (await reply.json()) as { access_token: string };
  const machine = await runTool(['whoami', '--url', url, '--token-file', '-', '--json'], {
    ...nowhere,
    stdin: token,
  });
  expect([machine.code, machine.json()]).toEqual([
    0,
    expect.objectContaining({ user: 'application-client' }),
  ]);
  const wrong = await runTool(['whoami', '--url', url, '--token-file', '-', '--json'], {
    ...nowhere,
    stdin: 'no',
  });
  expect([wrong.code, wrong.json()]).toEqual([
    1,
    expect.objectContaining({ error: 'invalid_token', message: expect.stringContaining('console login') }),
  ]);
});

test('a browser that has been signed in for long is asked for the password, so that what is dangerous may follow', async () => {
  const dangerous = () =>
    runTool(['keys', 'rotate', '--now', '--yes', '--dry-run', '--url', console.url], { ...nowhere, env });
  const browser = createUserAgent(console.url);
  await browser.signIn();
  writeFileSync(clock, '400');
  const { code } = await login(async (_, userCode) => {
    const question = await browser.submit(await browser.get('/device'), { user_code: userCode });
    const confirmation = await browser.follow(await browser.submit(question, { confirm: 'yes' }));
    expect(titleOf(confirmation)).toBe('Confirm it’s you');
    const end = await browser.follow(await browser.submit(confirmation, admin));
    expect(titleOf(end)).toBe('The program is signed in');
  });
  expect(code).toBe(0);
  expect((await dangerous()).code).toBe(0);
  writeFileSync(clock, '800');
  const late = await dangerous();
  expect([late.code, late.stderr]).toEqual([
    1,
    `This needs a sign-in within the last five minutes: sign in again, and repeat it. That is: npx console login --url ${console.url}\n`,
  ]);
});
