import { closeSync, copyFileSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { describe, expect, test, vi } from 'vitest';
import { writeFormerJournal, writeFormerStore } from './former-store.ts';
import { type PersistentMember, persistentMember, temporaryDir } from './member-process.ts';
import { empty } from './support.ts';

vi.setConfig({ testTimeout: 300_000 }); // a merge takes 32 MB of writes, on a machine that others use too

const keys = 1500;
const filler = '.'.repeat(30_000);
/** A merge begins when the log holds 32 MB. */
const writesBeforeMerge = 1120;
const mostRounds = 15;

/** By key: the number that was acknowledged last, and the one that was sent last. */
interface Known {
  readonly acknowledged: Map<string, number>;
  readonly sent: Map<string, number>;
}

describe.each(['periodic', 'sync'] as const)('a merge of the log, with durability %s', (durability) => {
  test('loses nothing that was acknowledged when SIGKILL comes into it, round after round', async () => {
    const member = persistentMember({ durability });
    const known: Known = { acknowledged: new Map(), sent: new Map() };
    let cutShort = 0;
    // How soon a merge is over depends on the machine: some rounds may come too early or too late.
    for (let round = 0; round < 3 || (cutShort === 0 && round < mostRounds); round += 1) {
      expect(await member.start()).toMatch(/^member ready/);
      await expectEntries(member, known);
      const writing = writeOn(member, known);
      await mergeBegins(member);
      await new Promise((resolve) => setTimeout(resolve, (round % 5) * 15));
      await member.kill();
      await writing.ended;
      if (await isMergedInPart(member)) cutShort += 1;
    }
    expect(await member.start()).toMatch(/^member ready/);
    await expectEntries(member, known);
    expect(cutShort).toBeGreaterThan(0);
  });
});

test('a backup while the log is merged has everything that was acknowledged before', async () => {
  const member = persistentMember({ durability: 'periodic' });
  await member.start();
  const known: Known = { acknowledged: new Map(), sent: new Map() };
  const writing = writeOn(member, known);
  await mergeBegins(member);
  const acknowledged = new Map(known.acknowledged);
  expect(await member.call('POST', 'rest/management/cluster/hotBackup', 'dev&')).toMatchObject({
    body: '{"status":"success"}',
  });
  await until(() => backupsOf(member).length > 0);
  writing.end();
  await writing.ended;
  await member.kill();

  const baseDir = join(member.backupDir, backupsOf(member)[0]!);
  const restored = persistentMember({ durability: 'periodic', dir: temporaryDir(), baseDir });
  expect(await restored.start()).toMatch(/^member ready/);
  await expectEntries(restored, { acknowledged, sent: known.sent });
});

test('what was cleared before a merge stays away after it', async () => {
  const member = persistentMember({ durability: 'periodic' });
  await member.start();
  await member.call('POST', 'rest/maps/cleared/before', 'v');
  await member.call('DELETE', 'rest/maps/cleared');
  await member.call('POST', 'rest/maps/cleared/after', 'v');
  const writing = writeOn(member, { acknowledged: new Map(), sent: new Map() });
  await until(() => writing.count() > 2 * writesBeforeMerge);
  writing.end();
  await writing.ended;
  await member.kill();
  expect(await member.start()).toMatch(/^member ready/);
  expect(await member.call('GET', 'rest/maps/cleared/before')).toMatchObject(empty(204));
  expect(await member.call('GET', 'rest/maps/cleared/after')).toMatchObject({ body: 'v' });
});

test('files of a member that had no log yet are read, its journal as well', async () => {
  const member = persistentMember({ durability: 'periodic' });
  await writeFormerStore(
    member.baseDir,
    new Map([
      ['kept', '1'],
      ['changed', '1'],
      ['removed', '1'],
    ]),
  );
  await writeFormerJournal(
    member.baseDir,
    new Map([
      ['changed', '2'],
      ['removed', undefined],
      ['new', '2'],
    ]),
  );
  for (let start = 0; start < 2; start += 1) {
    expect(await member.start()).toMatch(/^member ready/);
    expect(await member.call('GET', 'rest/maps/m/kept')).toMatchObject({ body: '1' });
    expect(await member.call('GET', 'rest/maps/m/changed')).toMatchObject({ body: '2' });
    expect(await member.call('GET', 'rest/maps/m/removed')).toMatchObject(empty(204));
    expect(await member.call('GET', 'rest/maps/m/new')).toMatchObject({ body: '2' });
    await member.kill();
  }
});

test('a hundred thousand entries are read back within 20 s', async () => {
  const member = persistentMember({ durability: 'periodic' });
  const value = 'v'.repeat(100);
  await writeFormerStore(
    member.baseDir,
    new Map(Array.from({ length: 100_000 }, (_, i) => [`key-${i}`, value])),
  );
  const startedAt = performance.now();
  expect(await member.start()).toMatch(/^member ready/);
  await until(async () => (await member.call('GET', 'rest/maps/m/key-99999')).body === value);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});

/** Writes one number after the other to each key, until it is ended or the member is. */
function writeOn(member: PersistentMember, { acknowledged, sent }: Known) {
  let isEnded = false;
  let at = 0;
  async function write(): Promise<void> {
    while (!isEnded) {
      const key = `key-${at++ % keys}`;
      const next = (sent.get(key) ?? 0) + 1;
      sent.set(key, next);
      const reply = await member
        .call('POST', `rest/maps/m/${key}`, `${next} ${filler}`)
        .catch(() => undefined);
      if (reply === undefined) return; // it has been killed
      expect(reply.status).toBe(200);
      acknowledged.set(key, next);
    }
  }
  const ended = Promise.all(Array.from({ length: 8 }, write));
  return {
    ended,
    end() {
      isEnded = true;
    },
    /** How many writes it has begun. */
    count: () => at,
  };
}

async function expectEntries(member: PersistentMember, { acknowledged, sent }: Known): Promise<void> {
  const left = [...acknowledged];
  async function check(): Promise<void> {
    for (let entry = left.pop(); entry !== undefined; entry = left.pop()) {
      const [key, least] = entry;
      const { body } = await member.call('GET', `rest/maps/m/${key}`);
      const found = Number.parseInt(body, 10);
      expect(found, `${key} ${JSON.stringify([...acknowledged].slice(0, 3))}`).toBeGreaterThanOrEqual(least);
      expect(found).toBeLessThanOrEqual(sent.get(key)!);
      expect(body).toBe(`${found} ${filler}`);
    }
  }
  await Promise.all(Array.from({ length: 8 }, check));
}

/** Read without LMDB, which must not open in another process what the member writes to. */
async function mergeBegins({ baseDir }: PersistentMember): Promise<void> {
  const placesOf = placesOfEntry(join(baseDir, 'store/data.mdb'));
  const before = placesOf();
  await until(() => placesOf() !== before);
}

/** Where the file has a node of the tree, its value on pages of its own, with the key of the first entry. */
function placesOfEntry(file: string): () => string {
  const node = Buffer.from('\u0001\0\u000b\0\u0001\0\0\0\u0001\0key-0', 'latin1');
  // The same memory each time: the file has tens of megabytes, and is looked at fifty times a second.
  let kept = Buffer.alloc(0);
  return () => {
    if (!existsSync(file)) return '';
    const { size } = statSync(file);
    if (size > kept.length) kept = Buffer.alloc(2 * size);
    const descriptor = openSync(file, 'r');
    const bytes = kept.subarray(0, readSync(descriptor, kept, 0, size, 0));
    closeSync(descriptor);
    const places: number[] = [];
    for (let at = bytes.indexOf(node); at !== -1; at = bytes.indexOf(node, at + 1)) places.push(at);
    return places.join();
  };
}

/** Whether an entry is in its place among the records and in the log as well; of a member that has ended. */
async function isMergedInPart({ baseDir }: PersistentMember): Promise<boolean> {
  const path = temporaryDir(); // LMDB must not have opened what the member opens next
  copyFileSync(join(baseDir, 'store/data.mdb'), join(path, 'data.mdb'));
  const store = open<Buffer, Buffer>({ path, noSubdir: false, encoding: 'binary', keyEncoding: 'binary' });
  const [first] = store.getRange({ start: Buffer.of(1), end: Buffer.of(2), limit: 1 });
  const isInLog = ({ value }: { value: Buffer }) => first !== undefined && value.includes(first.value);
  const parts = [...store.getRange({ start: Buffer.of(4), end: Buffer.of(5) })];
  await store.close();
  return parts.some(isInLog);
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 120_000; !(await isSo()); ) {
    if (Date.now() > deadline) throw new Error('it did not come to that within two minutes');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function backupsOf({ backupDir }: PersistentMember): string[] {
  return existsSync(backupDir) ? readdirSync(backupDir).filter((name) => /^backup-\d+$/.test(name)) : [];
}
