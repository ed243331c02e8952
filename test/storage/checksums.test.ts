/** Bits that flip on the disk are found and told: nothing damaged is taken for what was stored. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { describe, expect, test } from 'vitest';
import { openStorage } from '../../console/storage/embedded/open.ts';
import { startConsole } from '../helpers/console.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const records = 40;
const expiresAt = 4_000_000_000;

describe('a record of the artifacts (D13)', () => {
  test('with a flipped bit is not given, is counted, and what replaces it is as good as ever', async () => {
    const dataDir = await filledStore();
    flip(join(dataDir, 'artifacts', 'data.mdb'), 'the-payload-of-7"');
    const storage = await openStorage({ dataDir, role: 'console' });
    const { artifacts } = storage;
    expect(await storage.countDamaged()).toBe(1);
    await expect(artifacts.get('Session', 's7')).rejects.toMatchObject({ name: 'DamagedRecordError' });
    await expect(artifacts.consume('Session', 's7')).rejects.toMatchObject({ name: 'DamagedRecordError' });
    expect((await artifacts.get('Session', 's8'))?.payload).toEqual({ text: 'the-payload-of-8' });
    expect(await artifacts.list('Session', 100)).toHaveLength(records - 1);

    await artifacts.put('Session', 's7', { payload: { text: 'anew' }, uid: 'u7', expiresAt });
    expect((await artifacts.findByUid('Session', 'u7'))?.artifact.payload).toEqual({ text: 'anew' });
    expect(await storage.countDamaged()).toBe(0);
    await storage.close();
  });

  test('that was damaged is swept at its time, with what pointed at it', async () => {
    const dataDir = await filledStore();
    flip(join(dataDir, 'artifacts', 'data.mdb'), 'the-payload-of-7"');
    const storage = await openStorage({ dataDir, role: 'console', now: () => (expiresAt + 1) * 1000 });
    expect(await storage.artifacts.sweep()).toBe(records);
    expect([await storage.artifacts.sweep(), await storage.countDamaged()]).toEqual([0, 0]);
    await storage.close();
  });

  test('of a former store, which has no sums, is read, and gets one when it changes', async () => {
    const dataDir = await filledStore();
    const former = { payload: { text: 'from before' }, expiresAt };
    await editArtifacts(dataDir, async ({ artifacts, store, keyOf }) => {
      await artifacts.put(keyOf('s3'), Buffer.from(JSON.stringify(former)));
      await store.put(['format'], 1);
      await store.remove(['records']);
    });
    writeFileSync(join(dataDir, 'registry.json'), '{"version":1}');
    const storage = await openStorage({ dataDir, role: 'console' });
    expect(await storage.artifacts.get('Session', 's3')).toEqual(former);
    expect(await storage.artifacts.consume('Session', 's3')).toBe(true);
    await storage.close();
    await editArtifacts(dataDir, async ({ artifacts, store, keyOf }) => {
      expect(artifacts.get(keyOf('s3'))?.[0]).toBe(1);
      // Earlier consoles could not read it, and refuse it so as newer.
      expect(store.get(['format'])).toBe(3);
    });
  });

  test('a console that starts on a damaged store says so in its log', async () => {
    const dataDir = await filledStore();
    flip(join(dataDir, 'artifacts', 'data.mdb'), 'the-payload-of-7"');
    const console = await startConsole({ dataDir });
    try {
      const found = () => console.log().find(({ store }) => store === 'corrupt');
      expect(await console.waitFor(found, 'the line')).toMatchObject({ level: 'error', records: 1 });
    } finally {
      await console.stop();
    }
  });

  test('is looked for once a day, and at each start while one is known', async () => {
    const dataDir = await filledStore();
    const storage = await openStorage({ dataDir, role: 'console' });
    expect(storage.lastDamageCount()).toBeUndefined();
    await storage.countDamaged(AbortSignal.abort());
    expect(storage.lastDamageCount()).toBeUndefined();
    await storage.countDamaged();
    expect(storage.lastDamageCount()).toMatchObject({ damaged: 0 });
    await storage.close();
    flip(join(dataDir, 'artifacts', 'data.mdb'), 'the-payload-of-7"');
    const starts: number[] = [];
    const start = async () => {
      const console = await startConsole({ dataDir });
      await console.stop();
      starts.push(console.log().filter((line) => line.store === 'corrupt').length);
    };

    await start();
    const endedAt = Date.now() - 24.5 * 3_600_000;
    await editArtifacts(dataDir, async ({ store }) => {
      await store.put(['damage-count'], { damaged: 0, endedAt });
    });
    await start();
    await start();
    expect(starts).toEqual([0, 1, 1]);
  });
});

describe('the registry (D13)', () => {
  test.each([
    { name: 'in a value', text: 'the-value"' },
    { name: 'in a name', text: '"value"' },
    { name: 'in the name of a part', text: '"settings"' },
    { name: 'in the sum', text: '"crc32":"' },
    { name: 'in the name of the sum', text: '"crc32' },
  ])('with a flipped bit $name is refused', async ({ text }) => {
    const dataDir = await filledStore();
    const file = join(dataDir, 'registry.json');
    flip(file, text);
    const before = readFileSync(file);
    await expect(openStorage({ dataDir, role: 'console' })).rejects.toMatchObject({ reason: 'corrupt' });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('of an earlier release, which has no sum, is read, and gets one when it changes', async () => {
    const dataDir = await filledStore();
    const file = join(dataDir, 'registry.json');
    const { crc32, ...former } = JSON.parse(readFileSync(file, 'utf8'));
    expect(crc32).toMatch(/^[0-9a-f]{8}$/);
    writeFileSync(file, JSON.stringify(former));
    const storage = await openStorage({ dataDir, role: 'console' });
    expect(storage.registry.get('settings', 'kept')?.value).toBe('the-value');
    await storage.registry.update((transaction) => transaction.put('settings', { id: 'more', value: 1 }));
    await storage.close();
    expect(readFileSync(file, 'utf8')).toMatch(/,\n"crc32":"[0-9a-f]{8}"}\n$/);
    await (await openStorage({ dataDir, role: 'console' })).close();
  });
});

async function filledStore(): Promise<string> {
  const dataDir = join(temporaryDirectory(), 'data');
  const storage = await openStorage({ dataDir, role: 'console' });
  await storage.registry.update((transaction) =>
    transaction.put('settings', { id: 'kept', value: 'the-value' }),
  );
  const puts = Array.from({ length: records }, (_, n) => {
    const payload = { text: `the-payload-of-${n}` };
    return storage.artifacts.put('Session', `s${n}`, { payload, uid: `u${n}`, expiresAt });
  });
  await Promise.all(puts);
  await storage.close();
  return dataDir;
}

/** One bit of the last byte but one of every `text` in the file: the last one ends a name or a value. */
function flip(file: string, text: string): void {
  const bytes = readFileSync(file);
  let found = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) {
    const byte = at + text.length - 2;
    bytes[byte] = bytes[byte]! ^ 1;
    found++;
  }
  expect(found).toBeGreaterThan(0);
  writeFileSync(file, bytes);
}

interface Edited {
  readonly artifacts: { get(key: string[]): Buffer | undefined; put(key: string[], value: Buffer): unknown };
  readonly store: {
    get(key: string[]): unknown;
    put(key: string[], value: unknown): unknown;
    remove(key: string[]): unknown;
  };
  readonly keyOf: (id: string) => string[];
}

async function editArtifacts(dataDir: string, edit: (databases: Edited) => Promise<void>): Promise<void> {
  const { createHash } = await import('node:crypto');
  const root = open({ path: join(dataDir, 'artifacts'), noSubdir: false, encoding: 'json' });
  await edit({
    artifacts: root.openDB<Buffer, string[]>('artifacts', { encoding: 'binary' }),
    store: root.openDB<unknown, string[]>('store', { encoding: 'json' }),
    keyOf: (id) => ['Session', createHash('sha256').update(id).digest('base64url')],
  });
  await root.close();
}
