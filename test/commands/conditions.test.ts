/** What is said of a change besides what it is: not yet, once for a key, and whoever owns it. */
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runTool, toolDone } from '../helpers/commands.ts';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { temporaryDirectory } from './support.ts';

let console: RunningConsole;
let tokenFile: string;

beforeAll(async () => {
  console = await startConsole();
  tokenFile = join(console.dataDir, 'a.token');
  writeFileSync(tokenFile, `${await apiToken(console)}\n`);
});
afterAll(() => console?.stop());

const here = (...args: string[]) => runTool(args, { dataDir: console.dataDir });
const at = (url: string, ...args: string[]) =>
  runTool([...args, '--url', url, '--token-file', tokenFile], { dataDir: '/nowhere' });
const there = (...args: string[]) => at(console.url, ...args);
const idsOf = async (object: string) =>
  (await toolDone([object, 'list', '--json'], { dataDir: console.dataDir }))
    .json<{ id: string }[]>()
    .map(({ id }) => id);
const role = (id: string, ...more: string[]) => ['role', 'add', id, '--scope', 'svc:health:read', ...more];

/**
 * A network that lets calls of the console pass, and ends the connection before the answer to a change comes back.
 *
 * @param most  so often
 */
async function startCuttingNetwork(most: number): Promise<{ url: string; cuts: () => number }> {
  let cuts = 0;
  const server = createServer((caller) => {
    const other = connect(Number(new URL(console.url).port), '127.0.0.1');
    let isChange = false;
    caller.on('data', (bytes) => {
      if (bytes.toString('latin1').startsWith('POST ')) isChange = true;
      other.write(bytes);
    });
    other.on('data', (bytes) => {
      if (!isChange || cuts >= most) return void caller.write(bytes);
      cuts++;
      caller.resetAndDestroy();
      other.destroy();
    });
    for (const [one, two] of [
      [caller, other],
      [other, caller],
    ] as const)
      one.on('error', () => two.destroy()).on('close', () => two.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cuts: () => cuts };
}

test('--dry-run says the same at a console that is elsewhere, and has changed nothing', async () => {
  await toolDone(role('Kept'), { dataDir: console.dataDir });
  for (const words of [
    role('Thought'),
    ['role', 'update', 'Kept', '--description', 'Not so'],
    ['role', 'remove', 'Kept'],
    ['client', 'add', 'thought', '--scope', 'svc:health:read'],
    ['user', 'add', 'thought', '--role', 'Viewer', '--invite'],
  ]) {
    const [near, far] = [await here(...words, '--dry-run'), await there(...words, '--dry-run')];
    expect([far.code, far.stderr], words.join(' ')).toEqual([0, '']);
    const timeless = (text: string) =>
      text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T').replaceAll(/ses?_\w+/g, 'ID');
    expect(timeless(far.stdout).split('\n')[0]).toBe(timeless(near.stdout).split('\n')[0]);
  }
  expect(await idsOf('role')).not.toContain('Thought');
  expect(await idsOf('client')).not.toContain('thought');
  expect((await here('role', 'show', 'Kept')).stdout).not.toContain('Not so');
});

test('a command that comes again with its key makes nothing twice, and shows the secret of the first time', async () => {
  const alone = { dataDir: join(temporaryDirectory(), 'data') };
  const places = [here, there, (...args: string[]) => runTool(args, alone)];
  for (const [n, place] of places.entries()) {
    const key = ['--idempotency-key', `again-and-again-${n}`, '--json'];
    const add = ['client', 'add', `once-${n}`, '--scope', 'svc:health:read', ...key];
    const [first, second] = [await place(...add), await place(...add)];
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect([second.code, second.stderr]).toEqual([0, expect.stringContaining('nothing was done again')]);
    expect(second.json()).toEqual(first.json());
    expect(first.json()).toMatchObject({ id: `once-${n}`, secret: expect.stringMatching(/^[\w-]{43}$/) });
    const other = await place('client', 'add', `other-${n}`, '--scope', 'svc:health:read', ...key);
    expect([other.code, other.json().error]).toEqual([1, 'idempotency_mismatch']);
    const without = await place('client', 'add', `once-${n}`, '--scope', 'svc:health:read', '--json');
    expect([without.code, without.json().error]).toEqual([1, 'already_exists']);
  }
  for (const key of ['short', 'with a space in it, and long enough']) {
    const wrong = await here(...role('Never'), '--idempotency-key', key, '--json');
    expect([wrong.code, wrong.json().error]).toEqual([2, 'wrong_usage']);
  }
});

test('a connection that is cut before the answer is tried once more, and the change is made once', async () => {
  const network = await startCuttingNetwork(1);
  const added = await at(network.url, ...role('Cut-Once'), '--json');
  expect([added.code, network.cuts()]).toEqual([0, 1]);
  expect(added.json()).toMatchObject({ id: 'Cut-Once' });
});

test('whoever is cut off again learns the key with which the same command does it once', async () => {
  const network = await startCuttingNetwork(2);
  const add = ['client', 'add', 'cut-twice', '--scope', 'svc:health:read', '--json'];
  const lost = await at(network.url, ...add);
  expect([lost.code, lost.json().error, network.cuts()]).toEqual([1, 'no_console', 2]);
  const [, key = ''] = /--idempotency-key (\S{16,})$/.exec(lost.json<{ message: string }>().message) ?? [];
  const found = await at(network.url, ...add, '--idempotency-key', key);
  expect(found.json()).toMatchObject({ id: 'cut-twice', secret: expect.stringMatching(/^[\w-]{43}$/) });
  expect((await idsOf('client')).filter((id) => id === 'cut-twice')).toHaveLength(1);
});

test('a change that makes nothing is not sent again by itself', async () => {
  const network = await startCuttingNetwork(1);
  const lost = await at(network.url, 'user', 'disable', 'nobody', '--json');
  expect([lost.code, network.cuts()]).toEqual([1, 1]);
  expect(lost.json<{ message: string }>().message).toContain('look whether the change was made');
});

test('what files of configuration own is changed with --take-over alone, and theirs no longer then', async () => {
  const file = join(temporaryDirectory(), 'owned.yaml');
  const owned = (name: string) => `  ${name}:\n    permissions: ["svc:health:read"]\n`;
  writeFileSync(file, `version: 1\nsource: team\nroles:\n${owned('Owned')}${owned('Owned-Far')}`);
  await toolDone(['config', 'apply', file], { dataDir: console.dataDir });
  for (const [place, id] of [
    [here, 'Owned'],
    [there, 'Owned-Far'],
  ] as const) {
    const update = ['role', 'update', id, '--add-scope', 'svc:map:a:read', '--json'];
    const refused = await place(...update);
    expect([refused.code, refused.json()]).toEqual([
      1,
      expect.objectContaining({ error: 'owned_by_code', message: expect.stringContaining('--take-over') }),
    ]);
    const owner = async () => (await place('role', 'show', id, '--json')).json<{ owner: object }>().owner;
    expect((await place(...update, '--take-over', '--dry-run')).code).toBe(0);
    expect(await owner()).toEqual({ kind: 'code', source: 'team' });
    expect((await place(...update, '--take-over')).json()).toMatchObject({ owner: { kind: 'admin' } });
    expect(await owner()).toEqual({ kind: 'admin', source: null });
  }
  const drifted = await runTool(['config', 'plan', file, '--take-over', 'roles/Owned', '--json'], {
    dataDir: console.dataDir,
  });
  expect(drifted.stdout).toContain('Owned');
});
