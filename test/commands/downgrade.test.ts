/** The way back from an update, as an operator goes it. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';
import { askToken, auditOf, isSignedIn, runTool, signIn, temporaryDirectory, toolDone } from './support.ts';

describe('storage downgrade', () => {
  const place = mkdtempSync(join(tmpdir(), 'console-downgrade-'));
  const dataDir = join(place, 'data');
  let console: RunningConsole;
  let secret: string;
  let cookie: string;
  beforeAll(async () => {
    console = await startConsole({ dataDir });
    cookie = (await signIn(console.url, admin.username, admin.password))!;
    const added = await toolDone(['client', 'add', 'robot', '--json'], { dataDir });
    ({ secret } = added.json<{ secret: string }>());
  });
  afterAll(async () => {
    await console.stop();
    rmSync(place, { recursive: true, force: true });
  });

  test('writes the store as the release before had it, while the console runs and goes on', async () => {
    const target = join(place, 'before');
    const { stdout } = await toolDone(['storage', 'downgrade', '--to', target], { dataDir });
    expect(stdout).toContain(target);
    expect(statSync(target).mode & 0o777).toBe(0o700);
    const { version, users, clients } = JSON.parse(readFileSync(join(target, 'registry.json'), 'utf8'));
    expect(version).toBe(1);
    expect(users.map(({ username }: { username: string }) => username)).toEqual([admin.username]);
    expect(clients.map(({ id }: { id: string }) => id)).toEqual(['robot']);
    expect(auditOf(dataDir).at(-1)).toMatchObject({ event: 'store.downgraded', outcome: 'success', target });
    expect((await askToken(console.url, 'robot', secret)).status).toBe(200);
    expect(await isSignedIn(console.url, cookie)).toBe(true);
  });

  test('leaves what a start of this release takes over anew: people stay signed in, machines get tokens', async () => {
    const target = join(place, 'again');
    await toolDone(['storage', 'downgrade', '--to', target, '--json'], { dataDir });
    await console.stop();
    console = await startConsole({ dataDir: target, port: console.port });
    expect(readdirSync(target).some((name) => name.startsWith('before-take-over-'))).toBe(true);
    expect(await isSignedIn(console.url, cookie)).toBe(true);
    expect((await askToken(console.url, 'robot', secret)).status).toBe(200);
    expect(await signIn(console.url, admin.username, admin.password)).toBeDefined();
  });

  test.each([
    { name: 'without a place', args: [], code: 2, says: '--to' },
    { name: 'to a directory that is there', args: ['--to', place], code: 1, says: 'exists' },
    { name: 'below a file', args: ['--to', join(dataDir, 'registry.json', 'x')], code: 1, says: '' },
  ])('$name is refused, and nothing is written', async ({ args, code, says }) => {
    const before = readdirSync(place);
    const rejected = await runTool(['storage', 'downgrade', ...args, '--json'], { dataDir });
    expect([rejected.code, rejected.json().message]).toEqual([code, expect.stringContaining(says)]);
    expect(readdirSync(place)).toEqual(before);
  });

  test('of a store that is not there is refused, and makes none', async () => {
    const missing = join(temporaryDirectory(), 'none');
    const args = ['storage', 'downgrade', '--to', join(place, 'never'), '--json'];
    expect((await runTool(args, { dataDir: missing })).code).toBe(1);
    expect([existsSync(missing), existsSync(join(place, 'never'))]).toEqual([false, false]);
  });
});
