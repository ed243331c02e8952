import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { writeFormerJournal, writeFormerStore } from './former-store.ts';
import { addressIn, type PersistentMember, persistentMember, temporaryDir } from './member-process.ts';
import { empty } from './support.ts';

vi.setConfig({ testTimeout: 300_000 }); // a state takes 32 MB of writes, on a machine that others use too

const keys = 1500;
const filler = '.'.repeat(30_000);
const mostRounds = 15;

/** By key: the number that was acknowledged last, and the one that was sent last. */
interface Known {
  readonly acknowledged: Map<string, number>;
  readonly sent: Map<string, number>;
}

describe.each(['periodic', 'sync'] as const)(
  'a state that is written anew, with durability %s',
  (durability) => {
    test('loses nothing that was acknowledged when SIGKILL comes into it, round after round', async () => {
      const member = persistentMember({ durability });
      const known: Known = { acknowledged: new Map(), sent: new Map() };
      let cutShort = 0;
      // How soon a state is written depends on the machine: some rounds may come too early or too late.
      for (let round = 0; round < 3 || (cutShort === 0 && round < mostRounds); round += 1) {
        expect(await member.start()).toMatch(/^member ready/);
        await expectEntries(member, known);
        const writing = writeOn(member, known);
        await stateBegins(member);
        await new Promise((resolve) => setTimeout(resolve, (round % 5) * 15));
        await member.kill();
        await writing.ended;
        if (dataFiles(member).some(isPartial)) cutShort += 1;
      }
      expect(await member.start()).toMatch(/^member ready/);
      await expectEntries(member, known);
      expect(cutShort).toBeGreaterThan(0);
    });
  },
);

test('a backup while the state is written has everything that was acknowledged before', async () => {
  const member = persistentMember({ durability: 'periodic' });
  await member.start();
  const known: Known = { acknowledged: new Map(), sent: new Map() };
  const writing = writeOn(member, known);
  await stateBegins(member);
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

test('what was cleared, taken or given back before a state was written is so after it', async () => {
  const member = persistentMember({ durability: 'periodic' });
  await member.start();
  await member.call('POST', 'rest/maps/cleared/before', 'v');
  await member.call('DELETE', 'rest/maps/cleared');
  await member.call('POST', 'rest/maps/cleared/after', 'v');
  for (const item of ['one', 'two', 'three']) await member.call('POST', 'rest/queues/q', item, 'text/x-item');
  expect(await member.call('GET', 'rest/queues/q/0')).toMatchObject({ body: 'one' });
  const writing = writeOn(member, { acknowledged: new Map(), sent: new Map() });
  await until(() => dataFiles(member).some((name) => name.endsWith('.state')));
  writing.end();
  await writing.ended;
  await member.kill();
  expect(await member.start()).toMatch(/^member ready/);
  expect(await member.call('GET', 'rest/maps/cleared/before')).toMatchObject(empty(204));
  expect(await member.call('GET', 'rest/maps/cleared/after')).toMatchObject({ body: 'v' });
  for (const body of ['two', 'three'])
    expect(await member.call('GET', 'rest/queues/q/0')).toMatchObject({ body, type: 'text/x-item' });
  expect(await member.call('GET', 'rest/queues/q/0')).toMatchObject(empty(204));
});

test('an item that was on its way to a client when a state was written is there after SIGKILL', async () => {
  const member = persistentMember({ durability: 'periodic' });
  const address = addressIn(await member.start());
  const item = 'i'.repeat(10_000_000);
  await member.call('POST', 'rest/queues/q', item);
  await member.call('POST', 'rest/queues/q', 'behind it');
  const client = connect({ host: '127.0.0.1', port: Number(new URL(address).port) });
  onTestFinished(() => void client.destroy());
  client.pause(); // it never reads
  client.write('DELETE /svc/rest/queues/q/0 HTTP/1.1\r\nHost: m\r\n\r\n');
  await until(async () => (await member.call('GET', 'rest/queues/q/size')).body === '1');
  await writeState(member);
  await member.kill();
  expect(await member.start()).toMatch(/^member ready/);
  expect((await member.call('DELETE', 'rest/queues/q/0')).body === item).toBe(true);
  expect(await member.call('DELETE', 'rest/queues/q/0')).toMatchObject({ body: 'behind it' });
});

test('entries of a map that is not persisted any more stay on the disk, whatever states are written', async () => {
  const dir = temporaryDir();
  const settings = ['default: {}', 'm: { data-persistence: { enabled: false } }, default: {}', 'default: {}'];
  const found: string[] = [];
  for (const maps of settings) {
    const member = persistentMember({ durability: 'periodic', dir, more: `map: { ${maps} }` });
    expect(await member.start()).toMatch(/^member ready/);
    found.push((await member.call('GET', 'rest/maps/m/k')).body);
    if (found.length === 1) await member.call('POST', 'rest/maps/m/k', 'v');
    await writeState(member);
    expect(await member.stop()).toBe(0);
  }
  expect(found).toEqual(['', '', 'v']);
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

/** Until there is another state than before. */
async function writeState(member: PersistentMember): Promise<void> {
  const states = () =>
    dataFiles(member)
      .filter((name) => name.endsWith('.state'))
      .join();
  const before = states();
  while (states() === before) await member.call('POST', 'rest/maps/other/k', 'x'.repeat(4_000_000));
}

async function stateBegins(member: PersistentMember): Promise<void> {
  await until(() => dataFiles(member).some(isPartial));
}

function dataFiles({ baseDir }: PersistentMember): string[] {
  const directory = join(baseDir, 'data');
  return existsSync(directory) ? readdirSync(directory) : [];
}

function isPartial(name: string): boolean {
  return name.endsWith('.tmp');
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 120_000; !(await isSo()); ) {
    if (Date.now() > deadline) throw new Error('it did not come to that within two minutes');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function backupsOf({ backupDir }: PersistentMember): string[] {
  return existsSync(backupDir) ? readdirSync(backupDir).filter((name) => /^backup-\d+$/.test(name)) : [];
}
