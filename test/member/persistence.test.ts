import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type PersistentMember, persistentMember, temporaryDir } from './member-process.ts';
import { empty, eventually, memberFile, startTestMember } from './support.ts';

vi.setConfig({ testTimeout: 240_000 }); // many starts and calls, on a machine that others use too

const management = 'rest/management/cluster';
const durabilities = ['sync', 'periodic'] as const;

describe.each(durabilities)('what was written with durability %s', (durability) => {
  test('is there after SIGKILL, byte for byte: entries, types, items, removals, clears', async () => {
    const member = persistentMember({ durability });
    await member.start();
    const longKey = 'k'.repeat(8000);
    await member.call('POST', 'rest/maps/m/typed', 'ä\u0000b', 'Text/X-Odd; Charset=UTF-8');
    await member.call('POST', 'rest/maps/m/empty');
    await member.call('POST', `rest/maps/m/${longKey}`, 'long key');
    await member.call('POST', `rest/maps/m/${longKey}2`, 'other long key');
    await member.call('POST', 'rest/maps/m/large', 'x'.repeat(100_000));
    await member.call('POST', 'rest/maps/m/removed', 'v');
    await member.call('DELETE', 'rest/maps/m/removed');
    await member.call('POST', 'rest/maps/cleared/before', 'v');
    await member.call('DELETE', 'rest/maps/cleared');
    await member.call('POST', 'rest/maps/cleared/after', 'v');
    for (const item of ['one', 'two', 'three'])
      await member.call('POST', 'rest/queues/q', item, 'text/x-item');
    await member.call('DELETE', 'rest/queues/q/0');
    // Changes are written in their order: when this one is answered, that of the delivery is written too.
    await member.call('POST', 'rest/maps/m/later', 'v');

    for (const end of ['kill', 'stop'] as const) {
      await member[end]();
      await member.start();
      expect(await member.call('GET', 'rest/maps/m/typed')).toMatchObject({
        body: 'ä\u0000b',
        type: 'Text/X-Odd; Charset=UTF-8',
      });
      expect(await member.call('GET', 'rest/maps/m/empty')).toMatchObject({
        status: 200,
        body: '',
        type: null,
      });
      expect(await member.call('GET', `rest/maps/m/${longKey}`)).toMatchObject({ body: 'long key' });
      expect(await member.call('GET', `rest/maps/m/${longKey}2`)).toMatchObject({ body: 'other long key' });
      expect((await member.call('GET', 'rest/maps/m/large')).body).toBe('x'.repeat(100_000));
      expect(await member.call('GET', 'rest/maps/m/removed')).toMatchObject(empty(204));
      expect(await member.call('GET', 'rest/maps/cleared/before')).toMatchObject(empty(204));
      expect(await member.call('GET', 'rest/maps/cleared/after')).toMatchObject({ body: 'v' });
    }
    expect(await member.call('GET', 'rest/queues/q/0')).toMatchObject({ body: 'two', type: 'text/x-item' });
    expect(await member.call('GET', 'rest/queues/q/0')).toMatchObject({ body: 'three' });
    expect(await member.call('GET', 'rest/queues/q/0')).toMatchObject(empty(204));
    expect(await member.stop()).toBe(0);
  });
});

test('an entry lives as long as it would have without the restart', async () => {
  const member = persistentMember({
    durability: 'sync',
    more: 'map: { short: { time-to-live-seconds: 2 }, default: {} }',
  });
  await member.start();
  await member.call('POST', 'rest/maps/short/k', 'v');
  await member.call('POST', 'rest/maps/other/k', 'v');
  const writtenAt = Date.now();
  await member.kill();
  await new Promise((resolve) => setTimeout(resolve, writtenAt + 2100 - Date.now()));
  await member.start();
  expect(await member.call('GET', 'rest/maps/short/k')).toMatchObject(empty(204));
  expect(await member.call('GET', 'rest/maps/other/k')).toMatchObject({ status: 200 });
});

test('a map that is left out of persistence ends with the process', async () => {
  const more = 'map: { session: { data-persistence: { enabled: false } }, default: {} }';
  const member = persistentMember({ durability: 'sync', more });
  await member.start();
  await member.call('POST', 'rest/maps/session/k', 'v');
  await member.call('POST', 'rest/maps/other/k', 'v');
  await member.kill();
  await member.start();
  expect(await member.call('GET', 'rest/maps/session/k')).toMatchObject(empty(204));
  expect(await member.call('GET', 'rest/maps/other/k')).toMatchObject({ body: 'v' });
});

test('a second member on the same directory ends with 78 and says who has it', async () => {
  const first = persistentMember({ durability: 'sync' });
  await first.start();
  const second = persistentMember({ durability: 'sync', dir: temporaryDir(), baseDir: first.baseDir });
  expect(await second.start()).toMatch(
    /^another member \(process \d+\) uses .*: stop it, or choose another base-dir/,
  );
  expect(await second.stop()).toBe(78);
  expect(await first.call('POST', 'rest/maps/m/k', 'v')).toMatchObject(empty(200));
});

describe.each([
  { place: 'in the log', kind: 'log', filled: filledMember },
  { place: 'in the state', kind: 'state', filled: compactedMember },
] as const)('damaged data $place', ({ kind, filled }) => {
  const entries = 300;

  test.each([
    { name: 'pages overwritten', damage: overwritePages, keeps: 100 },
    { name: 'one bit of a record flipped', damage: flipRecordBit, keeps: entries - 20 },
    { name: 'the file cut in half', damage: cutInHalf, keeps: 50 },
    { name: 'the head overwritten', damage: overwriteHead, keeps: entries - 10 },
    { name: 'the file replaced by text', damage: replaceByText, keeps: 0 },
  ])('$name: refused and left untouched, until a start is forced (S73)', async ({ damage, keeps }) => {
    const member = await filled(entries);
    const file = dataFile(member, kind);
    damage(file);
    const before = digestOf(file);

    expect(await member.start()).toMatch(
      /^member waits at .*data\/\d+\.(log|state): .*; call partialStart or forceStart$/,
    );
    expect(await member.call('GET', 'health/ready')).toMatchObject(empty(503));
    expect(await member.call('GET', 'health/node-state')).toMatchObject({ body: '"STARTING"' });
    expect(await member.call('GET', 'rest/maps/m/key-1')).toMatchObject(empty(503));
    expect(await member.call('POST', 'rest/maps/m/key-1', 'v')).toMatchObject(empty(503));
    expect(await member.call('POST', `${management}/forceStart`, 'wrong&')).toMatchObject({ status: 403 });
    await member.kill();
    expect(digestOf(file)).toBe(before);

    await member.start();
    expect(await member.call('POST', `${management}/partialStart`, 'dev&')).toMatchObject({
      status: 200,
      body: '{"status":"success"}',
    });
    await untilReady(member);
    const found = await countEntries(member, entries);
    expect(found).toBeGreaterThanOrEqual(keeps);
    expect(found).toBeLessThanOrEqual(entries);
    expect(setAsideFiles(member).map(digestOf)).toContain(before);

    expect(await member.call('POST', 'rest/maps/m/new', 'v')).toMatchObject(empty(200));
    await member.kill();
    expect(await member.start()).toMatch(/^member ready/);
    expect(await countEntries(member, entries)).toBe(found);
    expect(await member.call('GET', 'rest/maps/m/new')).toMatchObject({ body: 'v' });
  });

  test('forceStart moves it aside and starts empty; on sound data it is refused', async () => {
    const member = await filled(10);
    await member.start();
    const forced = await member.call('POST', `${management}/forceStart`, 'dev&');
    expect(forced).toMatchObject({ status: 200, body: '{"status":"fail"}' });
    expect(await countEntries(member, 10)).toBe(10);
    await member.kill();

    const file = dataFile(member, kind);
    overwriteHead(file);
    const before = digestOf(file);
    await member.start();
    expect(await member.call('POST', `${management}/forceStart`, 'dev&')).toMatchObject({
      body: '{"status":"success"}',
    });
    await untilReady(member);
    expect(await countEntries(member, 10)).toBe(0);
    expect(setAsideFiles(member).map(digestOf)).toContain(before);
    expect(await member.call('POST', 'rest/maps/m/new', 'v')).toMatchObject(empty(200));
  });
});

test('damage is found after SIGKILL as well', async () => {
  const member = persistentMember({ durability: 'periodic', more: '' });
  await member.start();
  for (let i = 0; i < 50; i += 1) await member.call('POST', `rest/maps/m/key-${i}`, `value ${i}`);
  await member.kill();
  change(dataFile(member, 'log'), (bytes) => {
    bytes[bytes.indexOf('value 7')]! ^= 1;
  });
  expect(await member.start()).toMatch(/^member waits at .*data\/\d+\.log: damaged at byte \d+/);
  await member.call('POST', `${management}/partialStart`, 'dev&');
  await untilReady(member);
  expect(member.logged().find(({ operations }) => operations !== undefined)).toMatchObject({
    operations: 49,
    isCurrent: false,
    target: expect.any(String),
  });
  expect(await member.call('GET', 'rest/maps/m/key-49')).toMatchObject({ body: 'value 49' });
  expect(await member.call('POST', 'rest/maps/m/new', 'v')).toMatchObject(empty(200));
});

test('a write that SIGKILL has cut short is left out, and a file that has gone is missed', async () => {
  const member = persistentMember({ durability: 'sync' });
  await member.start();
  for (const key of ['first', 'last']) await member.call('POST', `rest/maps/m/${key}`, 'v');
  await member.kill();
  const file = dataFile(member, 'log');
  truncateSync(file, statSync(file).size - 1);
  for (const end of ['kill', 'stop'] as const) {
    expect(await member.start()).toMatch(/^member ready/);
    expect(await member.call('GET', 'rest/maps/m/first')).toMatchObject({ body: 'v' });
    expect(await member.call('GET', 'rest/maps/m/last')).toMatchObject(empty(204));
    await member[end]();
  }
  renameSync(file, file.replace('0000000001', '0000000002'));
  expect(await member.start()).toMatch(/^member waits at .*: the log before it is missing; call/);
});

test('after a stop of the machine what had not been flushed is left out, and a copy of it kept', async () => {
  const member = persistentMember({ durability: 'periodic' });
  await member.start();
  for (const key of ['first', 'second']) await member.call('POST', `rest/maps/m/${key}`, 'v');
  const first = dataFile(member, 'log');
  await member.call('POST', `${management}/backup`, 'dev&'); // begins another log
  await eventually(
    () => Promise.resolve(dataFile(member, 'log')),
    (file) => file !== first,
  );
  await member.call('POST', 'rest/maps/m/third', 'v');
  const second = dataFile(member, 'log');
  await member.kill();
  const [number] = readdirSync(join(member.baseDir, 'instance'));
  const record = join(member.baseDir, 'instance', number!);
  writeFileSync(record, readFileSync(record, 'utf8').replace(/"boot":"[^"]*"/, '"boot":"another"'));
  change(first, (bytes) => bytes.fill(0, bytes.indexOf('second')));

  expect(await member.start()).toMatch(/^member ready/);
  const said = member.logged().find(({ msg }) => String(msg).includes('stopped within a period'));
  expect(said).toMatchObject({ target: expect.stringContaining(member.baseDir), bytes: expect.any(Number) });
  expect(said?.flaw).toBe(`${said?.bytes} bytes are no whole write`);
  expect(await member.call('GET', 'rest/maps/m/first')).toMatchObject({ body: 'v' });
  for (const key of ['second', 'third'])
    expect(await member.call('GET', `rest/maps/m/${key}`)).toMatchObject(empty(204));
  expect(
    setAsideFiles(member)
      .map((file) => basename(file))
      .sort(),
  ).toEqual([basename(first), basename(second)]);
  await member.call('POST', 'rest/maps/m/fourth', 'v');
  await member.kill();
  expect(await member.start()).toMatch(/^member ready/);
  expect(await member.call('GET', 'rest/maps/m/fourth')).toMatchObject({ body: 'v' });
});

describe('a backup', () => {
  test('is consistent though writes go on, and a member starts with it', async () => {
    const member = await filledMember(200);
    await member.start();
    let isWriting = true;
    const writing = (async () => {
      for (let n = 1; isWriting; n += 1) {
        await member.call('POST', 'rest/maps/pair/first', String(n));
        await member.call('POST', 'rest/maps/pair/second', String(n));
      }
    })();
    await eventually(
      () => member.call('GET', 'rest/maps/pair/second'),
      ({ status }) => status === 200,
    );
    const started = await member.call('POST', `${management}/hotBackup`, 'dev&');
    expect(started).toMatchObject({ status: 200, body: '{"status":"success"}', type: 'application/json' });
    expect(started.headers.get('deprecation')).toBe('true');
    expect(started.headers.get('warning')).toContain(`${management}/backup`);
    const [name] = await eventually(
      () => Promise.resolve(backupsOf(member)),
      (names) => names.length > 0,
    );
    isWriting = false;
    await writing;
    await member.kill();

    const restored = persistentMember({
      durability: 'sync',
      dir: temporaryDir(),
      baseDir: join(member.backupDir, name!),
    });
    expect(await restored.start()).toMatch(/^member ready/);
    expect(await countEntries(restored, 200)).toBe(200);
    const first = Number((await restored.call('GET', 'rest/maps/pair/first')).body);
    const second = Number((await restored.call('GET', 'rest/maps/pair/second')).body);
    expect(second).toBeGreaterThan(0);
    expect([first, first - 1]).toContain(second);
  });

  test('is stopped by hotBackupInterrupt and leaves nothing behind', async () => {
    const member = persistentMember({ durability: 'periodic' });
    const address = /http:\S+(?=:)/.exec(await member.start())![0];
    for (let i = 0; i < 100; i += 1) await member.call('POST', `rest/maps/m/key-${i}`, 'x'.repeat(1_000_000));
    const requests = ['backup', 'hotBackupInterrupt'].map(
      (name) => `POST /svc/${management}/${name} HTTP/1.1\r\nHost: m\r\nContent-Length: 4\r\n\r\ndev&`,
    );
    const replies = await exchange(Number(new URL(address).port), requests.join(''));
    expect(replies.match(/\{"status":"success"\}/g)).toHaveLength(2);
    expect(existsSync(member.backupDir) ? readdirSync(member.backupDir) : []).toEqual([]);
    expect(await member.call('GET', 'rest/maps/m/key-99')).toMatchObject({ status: 200 });
  });
});

test('without persistence the calls answer as the community edition does', async () => {
  const { call } = await startTestMember(
    memberFile().replace('{ DATA:', '{ PERSISTENCE: { enabled: true }, DATA:'),
  );
  const answers: Record<string, string> = {};
  for (const name of [
    'forceStart',
    'partialStart',
    'backup',
    'hotBackup',
    'backupInterrupt',
    'hotBackupInterrupt',
  ]) {
    const { status, body } = await call('POST', `/svc/${management}/${name}`, { body: 'dev&' });
    expect(status).toBe(200);
    answers[name] = JSON.parse(body).status;
  }
  const success = 'success';
  expect(answers).toEqual({
    forceStart: 'fail',
    partialStart: 'fail',
    backup: success,
    hotBackup: success,
    backupInterrupt: success,
    hotBackupInterrupt: success,
  });
});

describe.each(durabilities)('a disk that fills up, with durability %s', (durability) => {
  test.skipIf(!mayMount())('refuses with 503 and loses nothing that was acknowledged (S73)', async () => {
    const disk = smallDisk('6m');
    const member = persistentMember({ durability, baseDir: join(disk, 'data') });
    const filler = join(disk, 'filler');
    writeFileSync(filler, Buffer.alloc(3_000_000));
    await member.start();
    const acknowledged: string[] = [];
    let refused = 0;
    for (let i = 0; refused < 20 && i < 4000; i += 1) {
      const { status } = await member.call('POST', `rest/maps/m/key-${i}`, 'x'.repeat(2000));
      expect([200, 503]).toContain(status);
      if (status === 200) acknowledged.push(`key-${i}`);
      else {
        refused += 1;
        expect(await member.call('GET', `rest/maps/m/key-${i}`)).toMatchObject(empty(204));
      }
    }
    expect(refused).toBe(20);
    expect(acknowledged.length).toBeGreaterThan(10);
    rmSync(filler);
    await eventually(
      () => member.call('POST', 'rest/maps/m/after', 'v'),
      ({ status }) => status === 200,
    );

    await member.kill();
    expect(await member.start()).toMatch(/^member ready/);
    for (const key of [...acknowledged, 'after']) {
      expect(await member.call('GET', `rest/maps/m/${key}`)).toMatchObject({ status: 200 });
    }
  });
});

/** Stopped, with that many entries in its log: too few for a state. */
function filledMember(entries: number): Promise<PersistentMember> {
  return copied(`${entries} in a log`, async () => {
    const member = await runningMember(entries);
    expect(await member.stop()).toBe(0);
    return member;
  });
}

/** The same, with each of them in a state. */
function compactedMember(entries: number): Promise<PersistentMember> {
  return copied(`${entries} in a state`, async () => {
    const member = await runningMember(entries);
    const isCompacted = () =>
      readdirSync(join(member.baseDir, 'data')).some((name) => name.endsWith('.state'));
    while (!isCompacted()) await member.call('POST', 'rest/maps/other/k', 'x'.repeat(1_000_000));
    await member.call('DELETE', 'rest/maps/other');
    expect(await member.stop()).toBe(0);
    return member;
  });
}

/** By what is in them: directories that were filled once, for all tests that begin with such a one. */
const filledDirs = new Map<string, string>();
afterAll(() => {
  for (const path of filledDirs.values()) rmSync(path, { recursive: true, force: true });
});

async function copied(what: string, fill: () => Promise<PersistentMember>): Promise<PersistentMember> {
  const path = filledDirs.get(what);
  if (path !== undefined) {
    const member = persistentMember({ durability: 'periodic' });
    cpSync(path, member.baseDir, { recursive: true });
    return member;
  }
  const filled = await fill();
  const kept = mkdtempSync(join(tmpdir(), 'member-filled-'));
  filledDirs.set(what, kept);
  cpSync(filled.baseDir, kept, { recursive: true });
  return filled;
}

async function runningMember(entries: number): Promise<PersistentMember> {
  const member = persistentMember({ durability: 'periodic' });
  await member.start();
  const keys = Array.from({ length: entries }, (_, i) => i);
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let i = keys.pop(); i !== undefined; i = keys.pop()) {
        await member.call('POST', `rest/maps/m/key-${i}`, `value ${i} ${'.'.repeat(1000)}`);
      }
    }),
  );
  return member;
}

/** The newest file of that kind. */
function dataFile({ baseDir }: PersistentMember, kind: 'log' | 'state'): string {
  const names = readdirSync(join(baseDir, 'data')).filter((name) => name.endsWith(`.${kind}`));
  return join(baseDir, 'data', names.sort().at(-1)!);
}

/** How many of them are there; each of those as it was written. */
async function countEntries(member: PersistentMember, entries: number): Promise<number> {
  let count = 0;
  const numbers = Array.from({ length: entries }, (_, i) => i);
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      for (let i = numbers.pop(); i !== undefined; i = numbers.pop()) {
        const { status, body } = await member.call('GET', `rest/maps/m/key-${i}`);
        if (status === 204) continue;
        expect(body).toBe(`value ${i} ${'.'.repeat(1000)}`);
        count += 1;
      }
    }),
  );
  return count;
}

async function untilReady(member: PersistentMember): Promise<void> {
  await eventually(
    () => member.call('GET', 'health/ready'),
    ({ status }) => status === 200,
  );
}

function change(file: string, edit: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  edit(bytes);
  writeFileSync(file, bytes);
}

function overwritePages(file: string): void {
  change(file, (bytes) => {
    for (let page = 8; page < bytes.length / 4096; page += 16)
      bytes.fill(0xa5, page * 4096, (page + 1) * 4096);
  });
}

/** In the value of an entry that is in use: each copy of it that the file holds. */
function flipRecordBit(file: string): void {
  change(file, (bytes) => {
    for (let at = bytes.indexOf('value 77 .'); at !== -1; at = bytes.indexOf('value 77 .', at + 1))
      bytes[at]! ^= 1;
  });
}

function cutInHalf(file: string): void {
  truncateSync(file, Math.floor(statSync(file).size / 2));
}

function overwriteHead(file: string): void {
  change(file, (bytes) => bytes.fill(0xa5, 0, 8192));
}

function replaceByText(file: string): void {
  writeFileSync(file, 'not a store\n');
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function setAsideFiles({ baseDir }: PersistentMember): string[] {
  const root = join(baseDir, 'set-aside');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:log|state)$/.test(name))
    .map((name) => join(root, name));
}

function backupsOf({ backupDir }: PersistentMember): string[] {
  return existsSync(backupDir) ? readdirSync(backupDir).filter((name) => /^backup-\d+$/.test(name)) : [];
}

/** Sends two requests in one piece and reads until both have been answered. */
function exchange(port: number, requests: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    onTestFinished(() => void socket.destroy());
    let text = '';
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.split('}').length > 2) resolve(text);
    });
    socket.write(requests);
  });
}

function mayMount(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0;
}

function smallDisk(size: string): string {
  const disk = join(temporaryDir(), 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk]);
  onTestFinished(() => void execFileSync('umount', ['-l', disk]));
  return disk;
}
