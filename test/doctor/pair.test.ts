/** A console and a dashboard that are well, looked at with settings that are not. */
import { once } from 'node:events';
import { chmodSync, cpSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openEnvironment } from '../../console/storage/embedded/lmdb/lmdb-environment.ts';
import { registryOf, temporaryDirectory } from '../commands/support.ts';
import { type Pair, startPair } from '../dashboard/support.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { clientSecret, freePort, nextKeysOf, startConsole, waitFor } from '../helpers/console.ts';
import { cleanSettings, type Line as Finding, runDoctor } from './support.ts';

// Each starts several processes, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

let pair: Pair;
beforeAll(async () => {
  pair = await startPair({ console: cleanSettings });
  await nextKeysOf(pair.console);
});
afterAll(() => pair?.stop());

const examine = (env: Record<string, string> = {}, args: readonly string[] = []) =>
  runDoctor(pair.console, { SVC_MC_APP_ADDRESSES: pair.dashboard.url, ...env }, args);
/** With the settings of a shell: beside its store no console runs. */
const examineShell = (env: Record<string, string> = {}, args: readonly string[] = []) =>
  examine(env, ['--data-dir', copyOfStore(), ...args]);

test('all is well: exit code 0 and not one warning, and nothing has been changed', async () => {
  const before = registryOf(pair.console.dataDir);
  const { code, lines } = await examine();
  expect(lines.filter(({ state }) => state !== 'ok')).toEqual([]);
  expect(code).toBe(0);
  const { url } = pair.dashboard;
  expect(lines.map(({ check }) => check)).toEqual([
    'settings',
    'proxies in front',
    "application's settings",
    'issuer',
    'readiness',
    'key set',
    'clock of the console',
    `application ${url}`,
    `CORS for ${url}`,
    `sign-in for ${url}`,
    'CORS for others',
    'internal address',
    "application's issuer",
    "application's key set",
    'console from the application',
    "application's HTTPS",
    'clock of the application',
    'members through the proxy',
    'store',
    'permissions',
  ]);
  expect(registryOf(pair.console.dataDir)).toBe(before);
});

test('as text: one line each, what to change beneath, and a sum', async () => {
  const env = { CONSOLE_URL: pair.console.url, SVC_MC_APP_ADDRESSES: pair.dashboard.url };
  const nobody = ['--svc-mc-app-internaladdress', `http://localhost:${await freePort()}`];
  const { code, stdout } = await runTool(['doctor', ...nobody], { dataDir: pair.console.dataDir, env });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^problem +internal address +.*connection_refused.*\n +> /m);
  // The console tells of its store: the key that encrypts it is set where that runs, not here (B12).
  expect(stdout).not.toContain('sealed');
  expect(stdout).toMatch(/\n\nProblems: 1, warnings: \d+\.\n$/);
});

test('settings that cannot be used are told as everywhere, with exit code 78', async () => {
  const env = { CONSOLE_ACCESS_TOKEN_TTL: 'soon' };
  const { code, json } = await runTool(['doctor', '--json'], { env });
  expect([code, json().error]).toEqual([78, 'bad_settings']);
});

describe('settings are those of the console that runs, whatever the shell says (C8)', () => {
  const bare = (args: readonly string[], env: Record<string, string> = {}) =>
    runTool(['doctor', ...args], { dataDir: pair.console.dataDir, env });

  test('where the shell has none, and where its own could not be used', async () => {
    const { code, stdout, json } = await bare(['--json']);
    const { settings, findings } = json<{ settings: object; findings: Finding[] }>();
    expect(settings).toEqual({
      of: 'console',
      dataDir: pair.console.dataDir,
      pid: pair.console.child.pid,
      named: [],
    });
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(code).toBe(0);
    const wrong = { CONSOLE_ACCESS_TOKEN_TTL: 'soon', CONSOLE_URL: 'http://localhost:1' };
    const again = await bare(['--json'], wrong);
    expect(JSON.parse(withoutRoom(again.stdout))).toEqual(JSON.parse(withoutRoom(stdout)));
    expect((await bare([])).stdout).toMatch(
      /^Judged are the settings of the console that runs in .* \(process \d+\)\.\n/,
    );
  });

  test('but for what a flag names', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout } = await bare(['--members', nobody]);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/ with what --members says\.\n/)]);
    expect(stdout).toContain(`problem  member ${nobody}`);
  });

  test('no secret of it comes out, and its audit tells of the token that was given', async () => {
    const said = await bare(['--json']);
    expect(said.stdout + said.stderr).not.toContain(clientSecret);
    expect(said.stdout).not.toMatch(/eyJ/);
    const issued = () => pair.console.log().filter(({ event }) => event === 'token.issued');
    await waitFor(() => issued().some(({ source }) => source === 'command line'), 'the audit line');
  });

  test('and those of the shell where none runs, which it says', async () => {
    const dataDir = copyOfStore();
    const { stdout } = await runTool(['doctor'], { dataDir, env: { CONSOLE_URL: pair.console.url } });
    expect(stdout).toMatch(
      /^No console runs in .*: judged are the settings with which one would start from this shell\.\n/,
    );
  });
});

test('asked to, it reads every record of the running console', async () => {
  const { line, problems } = await examine({}, ['--deep']);
  expect(line('records')?.reason).toMatch(/^All \d+ are whole/);
  expect(problems).toEqual([]);
});

describe('one fault each', () => {
  test('an index that leads nowhere, seen by the look at every record', async () => {
    const dataDir = temporaryDirectory();
    const stdin = 'correct-staple-battery-9';
    await toolDone(['user', 'add', 'ada', '--role', 'Admin', '--password-file', '-'], { dataDir, stdin });
    const environment = openEnvironment(join(realpathSync(dataDir), 'artifacts'));
    const index = environment.database<true>('artifact-index');
    await environment.write(() => index.put(['uid', 'Session', 'of-nobody', 1, 'nobody'], true));
    await environment.close();
    const { problems, line } = await examine({}, ['--deep', '--data-dir', dataDir]);
    expect(line('records')!.reason).toContain('1 stray');
    expect(problems).toContain('records');
  });

  test('nobody answers at CONSOLE_URL', async () => {
    const url = `http://localhost:${await freePort()}`;
    const { problems, line } = await examineShell({ CONSOLE_URL: url });
    expect(line('issuer')).toMatchObject({
      state: 'problem',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    expect(line('issuer')!.fix).toContain('CONSOLE_URL');
    expect(problems).toEqual(['issuer', 'internal address']);
  });

  test('the console calls itself otherwise than CONSOLE_URL', async () => {
    const url = pair.console.url.replace('localhost', '127.0.0.1');
    const { problems, line } = await examineShell({ CONSOLE_URL: url });
    expect(line('issuer')).toMatchObject({
      reason: expect.stringContaining(`calls itself ${pair.console.url}`),
      fix: expect.stringContaining('CONSOLE_URL'),
    });
    expect(line('internal address')!.reason).toContain('its claim iss is not right');
    expect(problems).toEqual(['issuer', 'internal address']);
  });

  test('something else answers at CONSOLE_URL', async () => {
    const { line } = await examineShell({ CONSOLE_URL: pair.dashboard.url });
    expect(line('issuer')).toMatchObject({
      state: 'problem',
      reason: expect.stringContaining('is no console'),
    });
  });

  test('the keys of another data directory', async () => {
    const dataDir = temporaryDirectory();
    const other = await startConsole({ dataDir, env: cleanSettings });
    await nextKeysOf(other);
    await other.stop();
    const { problems, line } = await runDoctor(
      { url: pair.console.url, dataDir },
      { SVC_MC_APP_ADDRESSES: pair.dashboard.url },
    );
    expect(line('key set')).toMatchObject({
      reason: expect.stringContaining('lacks 6 of the 6 keys of this store'),
      fix: expect.stringContaining('CONSOLE_DATA_DIR'),
    });
    expect(line('internal address')!.reason).toContain('its key is not in the key set');
    expect(problems).toEqual(['key set', 'internal address']);
  });

  test('no store at all', async () => {
    const { problems, line } = await examine({}, ['--data-dir', join(temporaryDirectory(), 'nothing')]);
    expect(line('store')!.reason).toContain('There is no store in');
    expect(problems).toEqual(['store']);
  });

  test('a store that no console has used', async () => {
    const dataDir = temporaryDirectory();
    const stdin = 'correct-staple-battery-9';
    await toolDone(['user', 'add', 'ada', '--role', 'Admin', '--password-file', '-'], { dataDir, stdin });
    const before = registryOf(dataDir);
    const { problems, line } = await examine({}, ['--data-dir', dataDir]);
    expect(line('internal address')!.reason).toContain('no keys yet');
    expect(problems).toEqual(['internal address']);
    expect(registryOf(dataDir)).toBe(before);
  });

  test('keys that are not encrypted with this encryption key; they stay as they are (S79)', async () => {
    // Of a console that does not run: a running one has the key that it was started with (B12).
    const dataDir = copyOfStore();
    const before = registryOf(dataDir);
    const wrongKey = { CONSOLE_ENCRYPTION_KEY: '0123456789abcdef'.repeat(4) };
    const { problems, line } = await examine(wrongKey, ['--data-dir', dataDir]);
    expect(line('store')!.reason).toContain('cannot be opened with this CONSOLE_ENCRYPTION_KEY');
    expect(problems).toEqual(['store']);
    expect(registryOf(dataDir)).toBe(before);
  });

  test('keys that are not encrypted yet are left as they are, so that the running console can go on (S79)', async () => {
    const dataDir = temporaryDirectory();
    const bare = await startConsole({ dataDir });
    await nextKeysOf(bare);
    await bare.stop();
    const before = registryOf(dataDir);
    await examine({}, ['--data-dir', dataDir]);
    expect(registryOf(dataDir)).toBe(before);
  });

  test('a store that others can read (S79)', async () => {
    const dataDir = copyOfStore();
    chmodSync(join(dataDir, 'registry.json'), 0o644);
    const env = { ...cleanSettings, CONSOLE_URL: pair.console.url, SVC_MC_APP_ADDRESSES: pair.dashboard.url };
    const { code, json } = await runTool(['doctor', '--json'], { dataDir, env });
    expect(code).toBe(0);
    expect(json<{ findings: unknown[] }>().findings).toContainEqual({
      check: 'permissions',
      state: 'warning',
      reason: expect.stringContaining('registry.json'),
      fix: `chmod go-rwx ${join(dataDir, 'registry.json')}`,
    });
  });

  test('nobody at an address of the application', async () => {
    const nobody = `http://localhost:${await freePort()}`;
    const { problems, line } = await examineShell({
      SVC_MC_APP_ADDRESSES: `${pair.dashboard.url},${nobody}`,
    });
    expect(line(`application ${nobody}`)!.reason).toContain('ECONNREFUSED');
    // The running console has not been told of it either.
    expect(line(`CORS for ${nobody}`)!.fix).toContain('SVC_MC_APP_ADDRESSES');
    expect(line(`sign-in for ${nobody}`)!.reason).toContain(`${nobody}/login/callback`);
    expect(problems).toEqual([`application ${nobody}`, `CORS for ${nobody}`, `sign-in for ${nobody}`]);
  });

  test('an internal address in clear text that is not this machine (S42)', async () => {
    const { problems, line } = await examineShell({
      SVC_MC_APP_INTERNALADDRESS: 'http://dash.internal:9021',
    });
    expect(line('internal address')).toMatchObject({
      reason: expect.stringContaining('neither logout notices nor licence updates'),
      fix: expect.stringContaining('SVC_MC_APP_INTERNALADDRESS=https://'),
    });
    expect(problems).toEqual(['internal address']);
  });

  test('an internal address in a network that is not allowed (S42)', async () => {
    const { line } = await examineShell({ SVC_MC_APP_INTERNALADDRESS: 'https://10.11.12.13:9021' });
    expect(line('internal address')!.fix).toContain('CONSOLE_OUTBOUND_ALLOW=10.11.12.13');
  });

  test('an internal address at which nobody listens', async () => {
    const nobody = `http://localhost:${await freePort()}`;
    const { problems, line } = await examineShell({ SVC_MC_APP_INTERNALADDRESS: nobody });
    expect(line('internal address')!.reason).toContain('connection_refused');
    expect(problems).toEqual(['internal address']);
  });

  test('an internal address at which something else listens', async () => {
    const { line } = await examineShell({ SVC_MC_APP_INTERNALADDRESS: pair.console.url });
    expect(line('internal address')).toMatchObject({
      state: 'warning',
      reason: expect.stringContaining('404'),
    });
  });

  test('another client secret than the running console has', async () => {
    const { problems, line } = await examineShell({
      CONSOLE_APPLICATION_CLIENT_SECRET: 'another-secret-0123456789-zyxwvutsr',
    });
    expect(line('members through the proxy')!.reason).toContain('invalid_client');
    expect(problems).toEqual(['members through the proxy']);
  });

  test('a member at which nobody listens', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const { problems, line } = await examineShell({ CONSOLE_MEMBERS: nobody });
    expect(line(`member ${nobody}`)!.fix).toContain('CONSOLE_MEMBERS');
    expect(problems).toEqual([`member ${nobody}`]);
  });

  test('another first path segment than the member has (D11)', async () => {
    const { address, server } = await startHangingUp('/hazelcast/');
    const { problems, line } = await examineShell({ CONSOLE_MEMBERS: address, CONSOLE_MEMBER_PREFIX: 'svc' });
    expect(line(`member ${address}`)).toMatchObject({
      state: 'problem',
      reason: expect.stringContaining('/hazelcast, and CONSOLE_MEMBER_PREFIX is svc'),
      fix: expect.stringContaining('CONSOLE_MEMBER_PREFIX=hazelcast'),
    });
    expect(problems).toEqual([`member ${address}`]);
    const right = await examineShell({ CONSOLE_MEMBERS: address });
    expect(right.line(`member ${address}`)!.state).toBe('ok');
    server.close();
  });

  test('a member at https that speaks plain HTTP (D16)', async () => {
    const { address, server } = await startHangingUp('/hazelcast/');
    const member = address.replace('http:', 'https:');
    const { line } = await examineShell({ CONSOLE_MEMBERS: member });
    expect(line(`member ${member}`)).toMatchObject({
      state: 'problem',
      fix: expect.stringContaining('speaks no TLS'),
    });
    server.close();
  });

  test.each<[string, Record<string, string>, string, string, string]>([
    [
      'a proxy list that trusts everybody',
      { CONSOLE_TRUSTED_PROXIES: '0.0.0.0/0' },
      'proxies in front',
      'problem',
      'CONSOLE_TRUSTED_PROXIES',
    ],
    [
      "another issuer in the application's settings",
      { APP_SECURITY_OPENIDP_ISSUERURL: 'http://localhost:1' },
      "application's settings",
      'problem',
      'APP_SECURITY_OPENIDP_ISSUERURL',
    ],
    [
      'require-https beside http addresses',
      { APP_SECURITY_OPENIDP_REQUIREHTTPS: 'true' },
      "application's settings",
      'problem',
      'APP_SECURITY_OPENIDP_REQUIREHTTPS',
    ],
    [
      'a short client secret',
      { CONSOLE_APPLICATION_CLIENT_SECRET: 'k3-Vq9' },
      'settings',
      'warning',
      'openssl rand',
    ],
    [
      'HTTPS that ends at a proxy nobody trusts',
      { CONSOLE_URL: 'https://localhost:1' },
      'proxies in front',
      'warning',
      'CONSOLE_TRUSTED_PROXIES',
    ],
  ])('%s', async (_name, env, check, state, fix) => {
    expect((await examineShell(env)).line(check)).toMatchObject({ state, fix: expect.stringContaining(fix) });
  });

  test('a client that may sign people in with neither PKCE nor a nonce (C1)', async () => {
    const dataDir = copyOfStore();
    const redirect = ['--redirect-uri', 'https://old.example.com/callback'];
    await toolDone(['client', 'add', 'old', ...redirect, '--pkce', 'optional'], { dataDir });
    await toolDone(['client', 'add', 'newer', ...redirect], { dataDir });
    const { line, lines } = await examine({}, ['--data-dir', dataDir]);
    expect(line('client old')).toMatchObject({
      state: 'warning',
      fix: expect.stringContaining('npx console client update old --pkce nonce'),
    });
    expect(lines.map(({ check }) => check)).not.toContain('client newer');
  });

  test('files of configuration that nobody has read yet, that are in force, and that are rejected', async () => {
    const [dataDir, files] = [temporaryDirectory(), temporaryDirectory()];
    const write = (permission: string) =>
      writeFileSync(
        join(files, 'roles.yaml'),
        `version: 1\nsource: doctor\nroles:\n  reader: { permissions: [${permission}] }\n`,
      );
    write('svc:health:read');
    const env = { CONSOLE_CONFIG_DIR: files };
    await toolDone(['role', 'add', 'first', '--scope', 'svc:health:read'], { dataDir });
    const of = async (place: { readonly url: string; readonly dataDir: string }) =>
      (await runDoctor(place, { SVC_MC_APP_ADDRESSES: '', ...env })).line('configuration');
    expect(await of({ url: 'http://localhost:1', dataDir })).toMatchObject({ state: 'warning' });

    const console = await startConsole({ dataDir, env: { ...cleanSettings, ...env } });
    onTestFinished(async () => void (await console.stop()));
    expect(await of(console)).toMatchObject({ state: 'ok', reason: expect.stringContaining(files) });
    write('svc:nothing');
    const isRefused = () => console.log().some(({ event }) => event === 'configuration.refused');
    await console.waitFor(isRefused, 'the rejected files');
    expect(await of(console)).toMatchObject({
      state: 'problem',
      reason: expect.stringContaining('what was in force before stays'),
    });
  });

  test('a licence that was not acknowledged', async () => {
    const dataDir = copyOfStore();
    const stdin = JSON.stringify({ id: 'L-7', holder: 'Example', edition: 'Enterprise' });
    await toolDone(['licence', 'set', '--file', '-'], { dataDir, stdin });
    const { line } = await examine({}, ['--data-dir', dataDir]);
    expect(line('licence')).toMatchObject({ state: 'warning', reason: expect.stringContaining('L-7') });
  });
});

/** What is left on the disk changes from one call to the next: others use it. */
function withoutRoom(said: string): string {
  return said.replace(/[\d.]+ [MG]iB left/, 'room left');
}

/** Without the socket of the console, which is no file. */
function copyOfStore(): string {
  const dataDir = temporaryDirectory();
  const filter = (path: string) => !path.endsWith('.sock');
  cpSync(pair.console.dataDir, dataDir, { recursive: true, filter });
  return dataDir;
}

/** A member that answers to paths with this beginning, and hangs up on others, as the real engine does. */
async function startHangingUp(prefix: string) {
  const server = createServer((req, res) => {
    if (req.url!.startsWith(prefix)) res.end();
    else req.socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
