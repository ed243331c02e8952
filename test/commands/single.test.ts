/** Commands that show one thing: what only the API could show before. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storedEvents } from '../helpers/audit.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { clientSecret, type RunningConsole, startConsole } from '../helpers/console.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console?.stop());

const tool = (...args: string[]) => toolDone(args, { dataDir: console.dataDir });
const failed = (...args: string[]) => runTool(args, { dataDir: console.dataDir });

test('one signing key is shown as the list has it, and another is not there', async () => {
  const [key] = (await tool('keys', 'list', '--json')).json<{ id: string }[]>();
  expect((await tool('keys', 'show', key!.id, '--json')).json()).toEqual(key);
  expect((await tool('keys', 'show', key!.id)).stdout).toMatch(
    /^id +\S+\nalgorithm +RS256\nstate +current$/m,
  );
  const none = await failed('keys', 'show', 'nothing', '--json');
  expect([none.code, none.json().error]).toEqual([1, 'not_found']);
});

test('one setting is shown with what it means, and a secret never with its value', async () => {
  const { stdout } = await tool('settings', 'show', 'CONSOLE_URL');
  expect(stdout).toMatch(new RegExp(`^value +${console.url}$`, 'm'));
  expect(stdout).toMatch(/^meaning +\S/m);
  const secret = await tool('settings', 'show', 'CONSOLE_APPLICATION_CLIENT_SECRET');
  expect(secret.stdout).toMatch(/^value +\[redacted\]$/m);
  expect(secret.stdout).not.toContain(clientSecret);
  expect((await failed('settings', 'show', 'CONSOLE_NOTHING')).code).toBe(1);
});

test('what runs is shown, as the API says it', async () => {
  const told = (await tool('installation', 'show', '--json')).json<{ id: string; version: string }>();
  expect(told).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), workers: 1 });
  const { stdout } = await tool('installation', 'show');
  expect(stdout).toMatch(new RegExp(`^id +${told.id}\nversion +${told.version}$`, 'm'));
  expect(stdout).toMatch(/^store +LMDB, format \d+; registry, format \d+$/m);
});

test('one entry of the audit is shown with all that it says', async () => {
  await tool('role', 'add', 'Noted', '--scope', 'svc:health:read');
  await console.waitFor(
    () => storedEvents(console.dataDir).some(({ target }) => target === 'Noted'),
    'the entry',
  );
  const entries = (await tool('audit', 'list', '--what', 'role:Noted', '--json')).json<{ id: string }[]>();
  const { id } = entries.at(0)!;
  expect((await tool('audit', 'show', id, '--json')).json()).toEqual(entries[0]);
  const { stdout } = await tool('audit', 'show', id);
  expect(stdout).toMatch(/^event +role\.added$/m);
  expect(stdout).toMatch(/^object +\{"kind":"role","id":"Noted"\}$/m);
  expect(stdout).not.toMatch(/ null$/m);
  expect((await failed('audit', 'show', 'w7k2abcd-184467')).code).toBe(1);
});

test('where no folder of configuration is followed, that is said', async () => {
  const { stdout } = await tool('config', 'status');
  expect(stdout).toContain('CONSOLE_CONFIG_DIR is not set');
  expect((await tool('config', 'status', '--json')).json()).toMatchObject({ path: null, state: null });
});

test('client try says what a token would open, and refuses what it would not, without a token', async () => {
  const { secret } = (
    await tool('client', 'add', 'tried', '--scope', 'svc:map:orders:read svc:queue:jobs:offer', '--json')
  ).json<{ secret: string }>();
  const opened = await tool('client', 'try', 'tried');
  expect(opened.stdout).toMatch(/^scopes +svc:map:orders:read svc:queue:jobs:offer$/m);
  expect(opened.stdout).toContain('/svc/rest/maps/{mapName}');
  const read = await tool('client', 'try', 'tried', 'get', '/svc/rest/maps/orders/1', '--json');
  expect(read.json()).toMatchObject({
    client: 'tried',
    token: { isIssued: true, tokenType: 'Bearer' },
    call: { isAllowed: true },
  });
  for (const [words, isAllowed] of [
    [['GET', '/svc/rest/maps/others/1'], false],
    [['GET', '/svc/rest/maps/orders/1', '--scope', 'svc:queue:jobs:offer'], false],
    [['POST', '/svc/rest/queues/jobs', '--scope', 'svc:queue:jobs:offer'], true],
  ] as const) {
    const outcome = await failed('client', 'try', 'tried', ...words, '--json');
    expect([outcome.code, outcome.json()], words.join(' ')).toMatchObject([
      isAllowed ? 0 : 1,
      { call: { isAllowed } },
    ]);
  }
  const refused = await failed('client', 'try', 'tried', 'GET', '/svc/rest/maps/others/1');
  expect(refused.stdout).toContain('would do  scope svc:map:others:read');
  for (const { stdout, stderr } of [opened, read, refused]) {
    expect(`${stdout}${stderr}`).not.toMatch(/eyJ[\w-]+\./);
    expect(`${stdout}${stderr}`).not.toContain(secret);
  }
  expect((await failed('client', 'try', 'tried', 'GET')).code).toBe(2);
  expect((await failed('client', 'try', 'tried', '--scope', 'svc:map:others:read')).code).toBe(1);
  await tool('client', 'disable', 'tried');
  const disabled = await failed('client', 'try', 'tried', 'GET', '/svc/rest/maps/orders/1');
  expect([disabled.code, disabled.stdout]).toEqual([1, expect.stringContaining('disabled')]);
  expect((await failed('client', 'try', 'nobody')).code).toBe(1);
});

test('client try asks about the call of a client without scopes too: it opens nothing, or what its roles do', async () => {
  await tool('client', 'add', 'bare');
  const call = ['GET', '/svc/rest/cluster', '--json'];
  const bare = await failed('client', 'try', 'bare', ...call);
  const opensNothing = { token: { isIssued: true, scopes: [] }, call: { isAllowed: false } };
  expect([bare.code, bare.json()]).toMatchObject([1, opensNothing]);
  const own = await failed('client', 'try', 'application-client', ...call);
  expect([own.code, own.json()]).toMatchObject([0, { call: { isAllowed: true } }]);
});

test('session end-all --dry-run counts the sessions, and ends none', async () => {
  const agent = createUserAgent(console.url);
  await agent.signIn();
  const dry = await tool('session', 'end-all', '--user', 'ada', '--dry-run');
  expect(dry.stdout).toBe('Would end 1 session.\n');
  expect((await agent.get('/account')).status).toBe(200);
});
