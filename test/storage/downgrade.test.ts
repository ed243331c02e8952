/** The way back: what the release before finds is what it would have written itself. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { open } from 'lmdb';
import { expect, test } from 'vitest';
import { openEnvironment } from '../../console/storage/embedded/lmdb/lmdb-environment.ts';
import { openStorage } from '../../console/storage/embedded/open.ts';
import { downgradeTo } from '../../console/storage/embedded/takeover/downgrade.ts';
import type { UserRecord } from '../../console/storage/records.ts';
import { emptyState } from '../../console/storage/registry-state.ts';
import { formerClient, formerSessions, formerUser, writeFormerStore } from './helpers/former-store.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const users = Array.from({ length: 1200 }, (_, n) => formerUser(n));
const clients = Array.from({ length: 5 }, (_, n) => formerClient(n));

test('a store that was taken over and has changed goes back as the release before wrote it', async () => {
  const [dataDir, target] = [join(temporaryDirectory(), 'data'), join(temporaryDirectory(), 'before')];
  await writeFormerStore(dataDir, { users, clients, providers: [{ id: 'corp', enabled: true }] });
  const before = parse(dataDir);
  const storage = await openStorage({ dataDir, role: 'console' });
  const since = 1_900_000_000_000;
  await storage.registry.update((transaction) => {
    const corp = transaction.get('providers', 'corp')!;
    transaction.put('providers', { ...corp, accountsValidFrom: since });
  });
  await storage.records.change(async (transaction) => {
    transaction.remove('users', users[1]!.id);
    transaction.put('users', { ...users[2]!, username: 'renamed' });
    transaction.putArtifact({ kind: 'VoidMark', id: 'x' }, { payload: {}, expiresAt: 4_000_000_000 });
  });
  await storage.downgrade(target);
  expect(await storage.records.count('users')).toBe(users.length - 1);
  await storage.close();

  expect(readdirSync(target).sort()).toEqual(['artifacts', 'registry.json']);
  for (const name of ['registry.json', 'artifacts/data.mdb']) {
    expect(statSync(join(target, name)).mode & 0o777).toBe(0o600);
  }
  const after = parse(target);
  expect(Object.keys(after)).toEqual(Object.keys(before));
  const wanted = users
    .filter((_, n) => n !== 1)
    .map((user) => (user === users[2] ? { ...user, username: 'renamed' } : user))
    // That release knows of no date of a provider.
    .map((user): UserRecord => (user.federated ? { ...user, tokensValidFrom: since } : user));
  expect(after.users).toEqual(wanted);
  expect(new Set(after.clients)).toEqual(new Set(before.clients));
  expect([after.version, after.roles, after.settings]).toEqual([1, before.roles, before.settings]);
  expect(await formatOf(target)).toEqual({ format: 2, databases: ['artifact-index', 'artifacts', 'store'] });
});

test('it can be taken over anew, sessions included', async () => {
  const [dataDir, target] = [join(temporaryDirectory(), 'data'), join(temporaryDirectory(), 'before')];
  await writeFormerStore(dataDir, { users, clients });
  const storage = await openStorage({ dataDir, role: 'console' });
  await storage.downgrade(target);
  await storage.close();
  const again = await openStorage({ dataDir: target, role: 'console' });
  expect(await again.records.count('users')).toBe(users.length);
  for (const id of formerSessions) {
    expect((await again.artifacts.get('Session', id))?.payload).toEqual({ id });
    expect((await again.artifacts.findByUid('Session', `uid-${id}`))?.artifact.payload).toEqual({ id });
  }
  await again.close();
});

test('what that release could not read is refused, and nothing is left behind', async () => {
  const [dataDir, place] = [join(temporaryDirectory(), 'data'), temporaryDirectory()];
  const storage = await openStorage({ dataDir, role: 'console' });
  await storage.loader.load('users', users);
  const environment = openEnvironment(join(dataDir, 'artifacts'));
  const directory = join(place, 'before');
  const refused = downgradeTo({ environment, registry: emptyState(), directory, mostBytes: 100_000 });
  await expect(refused).rejects.toThrow('would pass 400 MB');
  expect(readdirSync(place)).toEqual([]);
  await downgradeTo({ environment, registry: emptyState(), directory, mostBytes: 10_000_000 });
  expect(readdirSync(place)).toEqual(['before']);
  await environment.close();
  await storage.close();
});

/** Read as the release before reads it, the sum of all before the last line included. */
function parse(dataDir: string) {
  const text = readFileSync(join(dataDir, 'registry.json'), 'utf8');
  const end = text.lastIndexOf(',\n"crc32"');
  const registry = JSON.parse(text);
  expect(registry.crc32).toBe(crc32(text.slice(0, end)).toString(16).padStart(8, '0'));
  return registry;
}

async function formatOf(dataDir: string) {
  const root = open({ path: join(dataDir, 'artifacts'), noSubdir: false, encoding: 'json', readOnly: true });
  const databases = [...root.getKeys()].map(String).sort();
  const format = root.openDB<number, string[]>('store', { encoding: 'json' }).get(['format']);
  await root.close();
  return { format, databases };
}
