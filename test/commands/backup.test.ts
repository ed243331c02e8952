import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTool, toolDone } from '../helpers/commands.ts';
import { admin, clientSecret, nextKeysOf, startConsole, untilReady } from '../helpers/console.ts';
import {
  askToken,
  auditOf,
  isSignedIn,
  registryOf,
  signIn,
  storedIn,
  temporaryDirectory,
  trailOf,
} from './support.ts';

const password = 'correct-staple-battery-9';

test('a backup taken while clients are written and people sign in brings everything back', async () => {
  const directory = temporaryDirectory();
  const [dataDir, backup] = [join(directory, 'data'), join(directory, 'backup')];
  const first = await startConsole({ dataDir });
  const cookie = (await signIn(first.url, admin.username, admin.password))!;
  const { secret } = (await toolDone(['client', 'add', 'before', '--json'], { dataDir })).json<{
    secret: string;
  }>();
  const writing = Array.from({ length: 8 }, (_, n) =>
    toolDone(['client', 'add', `during-${n}`], { dataDir }),
  );
  const signingIn = Array.from({ length: 4 }, () => signIn(first.url, admin.username, admin.password));
  const { stdout } = await toolDone(['backup', backup], { dataDir });
  expect(stdout).toContain(backup);
  await Promise.all([...writing, ...signingIn]);
  await toolDone(['client', 'remove', '--yes', 'before'], { dataDir });
  await first.stop();
  const kept = readFileSync(join(backup, 'registry.json'), 'utf8');

  await toolDone(['restore', backup], { dataDir });
  expect(registryOf(dataDir)).toBe(kept);
  expect((await storedIn(dataDir)).clients.map(({ id }) => id)).toContain('before');
  const second = await startConsole({ dataDir, port: first.port });
  try {
    expect((await askToken(second.url, 'before', secret)).status).toBe(200);
    expect((await askToken(second.url, 'application-client', clientSecret)).status).toBe(200);
    expect(await isSignedIn(second.url, cookie)).toBe(true);
  } finally {
    await second.stop();
  }
  const trail = [...auditOf(dataDir), ...trailOf(dataDir)];
  expect(trail.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['store.backed_up', 'client.removed', 'store.restored']),
  );
});

test('a restore ends every access token from before it: the backup knows nothing of what was revoked since (S34)', async () => {
  const directory = temporaryDirectory();
  const [dataDir, backup] = [join(directory, 'data'), join(directory, 'backup')];
  const first = await startConsole({ dataDir });
  await toolDone(['backup', backup], { dataDir });
  const { secret } = (await toolDone(['client', 'add', 'later', '--json'], { dataDir })).json<{
    secret: string;
  }>();
  const tokenOf = async (url: string, id: string, secret: string) =>
    ((await (await askToken(url, id, secret)).json()) as { access_token: string }).access_token;
  const unknown = await tokenOf(first.url, 'later', secret);
  const revoked = await tokenOf(first.url, 'application-client', clientSecret);
  await ask(first.url, '/oauth2/revoke', revoked);
  expect(await isActive(first.url, unknown)).toBe(true);
  await first.stop();
  await toolDone(['restore', backup], { dataDir });

  const second = await startConsole({ dataDir, port: first.port });
  try {
    expect(await isActive(second.url, unknown)).toBe(false);
    expect(await isActive(second.url, revoked)).toBe(false);
    const fresh = await tokenOf(second.url, 'application-client', clientSecret);
    expect(await isActive(second.url, fresh)).toBe(true);
  } finally {
    await second.stop();
  }
});

async function ask(url: string, path: string, token: string): Promise<Response> {
  const authorization = `Basic ${btoa(`application-client:${clientSecret}`)}`;
  return fetch(url + path, {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams({ token }),
  });
}

async function isActive(url: string, token: string): Promise<boolean> {
  const { active } = (await (await ask(url, '/oauth2/introspect', token)).json()) as { active: boolean };
  return active;
}

test('a restore is refused while the console runs, and the console goes on with its store (S77)', async () => {
  const console = await startConsole();
  try {
    const { dataDir } = console;
    const backup = join(temporaryDirectory(), 'backup');
    await toolDone(['backup', backup], { dataDir });
    await toolDone(['client', 'add', 'later'], { dataDir });
    await nextKeysOf(console);
    const before = await storedIn(dataDir);
    const rejected = await runTool(['restore', backup, '--json'], { dataDir });
    expect([rejected.code, rejected.json().error]).toEqual([1, 'storage_locked']);
    expect(rejected.json().message).toContain(`process ${console.child.pid}`);
    expect(await storedIn(dataDir)).toEqual(before);
    await untilReady(console.url);
  } finally {
    await console.stop();
  }
});

describe('a damaged store is refused by every command, left as it is, and brought back by restore (S76)', () => {
  test.each([
    { name: 'a cut registry', file: 'registry.json', damage: (file: string) => truncateSync(file, 100) },
    { name: 'an empty registry', file: 'registry.json', damage: (file: string) => truncateSync(file, 0) },
    {
      name: 'a newer registry',
      file: 'registry.json',
      damage: (file: string) =>
        writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version: 99 })),
    },
    { name: 'cut artifacts', file: 'artifacts/data.mdb', damage: (file: string) => truncateSync(file, 5000) },
    {
      name: 'foreign artifacts',
      file: 'artifacts/data.mdb',
      damage: (file: string) => writeFileSync(file, 'x'.repeat(20_000)),
    },
  ])('$name', async ({ file, damage }) => {
    const { dataDir, backup } = storeWithBackup();
    const good = registryOf(dataDir);
    damage(join(dataDir, file));
    const damaged = readFileSync(join(dataDir, file));
    for (const args of [
      ['user', 'list'],
      ['user', 'add', 'eve', '--password-file', '-'],
      ['keys', 'rotate'],
    ]) {
      const rejected = await runTool(args, { dataDir, stdin: password });
      expect([rejected.code, rejected.stdout]).toEqual([1, '']);
      expect(rejected.stderr).toContain('npx console restore');
    }
    expect(readFileSync(join(dataDir, file)).equals(damaged)).toBe(true);

    const { stdout } = await toolDone(['restore', backup], { dataDir });
    expect(registryOf(dataDir)).toBe(good);
    expect((await toolDone(['user', 'list'], { dataDir })).stdout).toContain('ada');
    const [replaced] = readdirSync(dataDir).filter((name) => name.startsWith('replaced-'));
    expect(stdout).toContain(`The one before is in ${join(dataDir, replaced!)}.\n`);
    expect(readFileSync(join(dataDir, replaced!, file)).equals(damaged)).toBe(true);
  });
});

test('a restore into an empty directory says that nothing was there, and leaves nothing but the store', async () => {
  const { backup } = storeWithBackup();
  const dataDir = temporaryDirectory();
  const { stdout } = await toolDone(['restore', backup], { dataDir });
  expect(stdout).toContain('There was none before.');
  expect(readdirSync(dataDir).filter((name) => name.startsWith('replaced-'))).toEqual([]);
});

describe('what is no backup, or no place for one, is refused with exit 1 and changes nothing (S56)', () => {
  test.each([
    { name: 'a directory that is not there', make: () => {}, says: 'there is nothing of this name' },
    { name: 'an empty directory', make: (from: string) => mkdirSync(from) },
    { name: 'a file', make: (from: string) => writeFileSync(from, 'x') },
    {
      name: 'a directory with files of other programs',
      make: (from: string) => {
        mkdirSync(from);
        writeFileSync(join(from, 'backup.json'), '{"version":1}');
      },
    },
  ])('restore from $name', async ({ make, says = 'no valid backup.json' }) => {
    const { dataDir } = storeWithBackup();
    const before = registryOf(dataDir);
    const from = join(temporaryDirectory(), 'from');
    make(from);
    const rejected = await runTool(['restore', from, '--json'], { dataDir });
    expect([rejected.code, rejected.json().error]).toEqual([1, 'storage_corrupt']);
    expect(rejected.json().message).toContain(says);
    expect(registryOf(dataDir)).toBe(before);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('replaced-'))).toEqual([]);
  });

  test('backup to a directory that exists', async () => {
    const { dataDir, backup } = storeWithBackup();
    const before = readFileSync(join(backup, 'backup.json'), 'utf8');
    const rejected = await runTool(['backup', backup, '--json'], { dataDir });
    expect([rejected.code, rejected.json().error]).toEqual([1, 'conflict']);
    expect(readFileSync(join(backup, 'backup.json'), 'utf8')).toBe(before);
  });

  test('backup to a place that cannot be written', async () => {
    const { dataDir, backup } = storeWithBackup();
    const target = join(backup, 'backup.json', 'copy');
    const rejected = await runTool(['backup', target], { dataDir });
    expect(rejected.code).toBe(1);
    expect(rejected.stderr).toMatch(/ENOTDIR.*mkdir/);
    expect(rejected.stderr).not.toContain('    at ');
  });

  test('backup of a store that is not there, which is not made by that', async () => {
    const directory = temporaryDirectory();
    const dataDir = join(directory, 'data');
    const rejected = await runTool(['backup', join(directory, 'backup')], { dataDir });
    expect(rejected.code).toBe(1);
    expect(rejected.stderr).toContain(`no store in ${dataDir}`);
    expect(existsSync(dataDir)).toBe(false);
  });
});

let made: string;
beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'console-backed-up-'));
  const dataDir = join(made, 'data');
  await toolDone(['user', 'add', 'ada', '--role', 'Admin', '--password-file', '-'], {
    dataDir,
    stdin: password,
  });
  await toolDone(['backup', join(made, 'backup')], { dataDir });
});
afterAll(() => rmSync(made, { recursive: true }));

function storeWithBackup(): { dataDir: string; backup: string } {
  const directory = temporaryDirectory();
  cpSync(made, directory, { recursive: true });
  return { dataDir: join(directory, 'data'), backup: join(directory, 'backup') };
}
