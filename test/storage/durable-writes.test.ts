import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStorageProcess, type StorageProcess } from './helpers/storage-process.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const canTrace = spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0;
const without = canTrace ? '' : ' (skipped: needs strace)';

/** strace counts by thread. */
const oneThread = ['env', 'UV_THREADPOOL_SIZE=1'];

describe.skipIf(!canTrace)(`with the system calls watched${without}`, () => {
  test('a registry change is acknowledged after write, fsync, rename and directory fsync (S74)', async () => {
    const dataDir = temporaryDirectory();
    const trace = join(temporaryDirectory(), 'trace');
    const calls = 'trace=openat,write,writev,pwrite64,fsync,rename';
    const storage = await openStorageProcess({
      dataDir,
      wrapper: ['strace', '-f', '-o', trace, '-e', calls],
    });
    await storage.ask('set', 'marked', 'x'.repeat(50));
    await storage.ask('close');
    await storage.ended();

    const temporary = String.raw`"[^"]*registry\.json\.\d+\.[0-9a-f]+\.tmp"`;
    expectInOrder(lastChange(readFileSync(trace, 'utf8')), [
      new RegExp(String.raw`openat\(.*${temporary}, O_RDWR\|O_CREAT\|O_EXCL\S*, 0600\)`),
      /write\(\d+, "\{\\"version\\":2/,
      /fsync\(\d+\) += 0|fsync resumed.*= 0/,
      new RegExp(String.raw`rename\(${temporary}, "[^"]*registry\.json"`),
      /openat\(.*O_RDONLY/,
      /fsync\(\d+\) += 0|fsync resumed.*= 0/,
      /write\(1, "\{\\"value\\":null\}/,
    ]);
  });

  test('an artifact is acknowledged after its pages and the meta page are synced (S74)', async () => {
    const dataDir = temporaryDirectory();
    const trace = join(temporaryDirectory(), 'trace');
    const calls = 'trace=write,pwrite64,writev,pwritev,fdatasync';
    const storage = await openStorageProcess({
      dataDir,
      wrapper: ['strace', '-f', '-o', trace, '-e', calls],
    });
    await storage.ask('put', 'first', {});
    await storage.ask('put', 'second', {});
    await storage.ask('close');
    await storage.ended();

    const lines = readFileSync(trace, 'utf8').split('\n');
    const acknowledged = lines.flatMap((line, n) =>
      line.includes('write(1, "{\\"value\\":null}') ? [n] : [],
    );
    expectInOrder(lines.slice((acknowledged[0] ?? 0) + 1, (acknowledged[1] ?? 0) + 1), [
      /pwrite64\(|writev\(/,
      /fdatasync\(\d+\) += 0|fdatasync resumed.*= 0/,
      /write\(1, "\{\\"value\\":null\}/,
    ]);
  });

  test.each([
    { name: 'the fsync of the new file', call: 'fsync', when: 1 },
    { name: 'the rename', call: 'rename', when: 1 },
    { name: 'the fsync of the directory', call: 'fsync', when: 2 },
  ])('an I/O error of $name is never success (S78)', async ({ call, when }) => {
    const dataDir = temporaryDirectory();
    const before = await openStorageProcess({ dataDir });
    await before.ask('set', 'kept', 'old');
    await before.ask('close');
    await before.ended();

    const inject = ['strace', '-f', '-o', '/dev/null', '-e', `inject=${call}:error=EIO:when=${when}`];
    const wrapper = [...oneThread, ...inject];
    const storage = await openStorageProcess({ dataDir, wrapper });
    expect(await storage.ask('set', 'kept', 'new')).toEqual({ error: 'StorageUnavailableError' });
    expect(await storage.ask('read', 'kept')).toEqual({ value: 'old' });
    expect(readFileSync(join(dataDir, 'registry.json'), 'utf8')).toContain('"old"');
    expect(await storage.ask('set', 'more', 1)).toEqual({ value: null });
    expect(await storage.ask('read', 'kept')).toEqual({ value: 'old' });
  });

  test('an I/O error while artifacts are synced is never success, and later writes work (S78)', async () => {
    const dataDir = temporaryDirectory();
    // What a first start writes is not meant.
    const before = await openStorageProcess({ dataDir });
    await before.ask('close');
    await before.ended();
    // With one thread that commits, the eighth commit fails.
    const inject = ['strace', '-f', '-o', '/dev/null', '-e', 'inject=fdatasync:error=EIO:when=8'];
    const wrapper = [...oneThread, ...inject];
    const storage = await openStorageProcess({ dataDir, wrapper });
    const failed: string[] = [];
    for (let n = 0; n < 12; n++) {
      const answer = await storage.ask('put', `s${n}`, { n });
      if ('error' in Object(answer)) failed.push(`s${n}`);
    }
    expect(failed).toHaveLength(1);
    for (let n = 0; n < 12; n++) {
      const value = failed.includes(`s${n}`) ? null : { n };
      expect(await storage.ask('get', `s${n}`)).toEqual({ value });
    }
  });
});

describe('a full disk, stood in for by a limit on the size of files (S78)', () => {
  // 512 or 1024 KiB, as the shell counts: more than the store needs, less than the large value.
  const wrapper = ['sh', '-c', 'ulimit -f 1024; exec "$@"', 'sh'];
  const large = 'x'.repeat(3_000_000);

  test('a registry change fails, memory and file stay as they were, later changes work', async () => {
    const dataDir = temporaryDirectory();
    const storage = await openStorageProcess({ dataDir, wrapper });
    await storage.ask('set', 'kept', 'old');
    const before = readFileSync(join(dataDir, 'registry.json'));

    expect(await storage.ask('set', 'kept', large)).toEqual({ error: 'StorageUnavailableError' });
    expect(await storage.ask('read', 'kept')).toEqual({ value: 'old' });
    expect(readFileSync(join(dataDir, 'registry.json'))).toEqual(before);
    await expectStillWorks(storage);
  });

  test('an artifact fails, what was there stays, later ones work', async () => {
    const storage = await openStorageProcess({ dataDir: temporaryDirectory(), wrapper });
    await storage.ask('put', 'kept', { n: 1 });
    expect(await storage.ask('put', 'kept', { large })).toEqual({ error: 'StorageUnavailableError' });
    expect(await storage.ask('get', 'kept')).toEqual({ value: { n: 1 } });
    await expectStillWorks(storage);
  });
});

test('the store says that it cannot be written, and that it can again (S78)', async () => {
  const dataDir = temporaryDirectory();
  const storage = await openStorageProcess({ dataDir });
  expect(await storage.ask('writable')).toEqual({ value: null });
  // A directory where the probe wants its file: not even root gets past that.
  const obstacle = join(dataDir, `registry.json.${storage.child.pid}.probe.tmp`);
  mkdirSync(obstacle);
  expect(await storage.ask('writable')).toEqual({ error: 'StorageUnavailableError' });
  rmSync(obstacle, { recursive: true });
  expect(await storage.ask('writable')).toEqual({ value: null });
});

async function expectStillWorks(storage: StorageProcess): Promise<void> {
  expect(await storage.ask('set', 'later', 1)).toEqual({ value: null });
  expect(await storage.ask('read', 'later')).toEqual({ value: 1 });
  expect(await storage.ask('put', 'later', { n: 2 })).toEqual({ value: null });
  expect(await storage.ask('get', 'later')).toEqual({ value: { n: 2 } });
}

function expectInOrder(lines: readonly string[], expected: readonly RegExp[]): void {
  let from = 0;
  for (const pattern of expected) {
    const found = lines.findIndex((line, n) => n >= from && pattern.test(line));
    expect(found, `${pattern} after line ${from} of\n${lines.join('\n')}`).toBeGreaterThanOrEqual(0);
    from = found + 1;
  }
}

/** The calls between the last temporary registry file and the end of the trace. */
function lastChange(trace: string): string[] {
  const lines = trace.split('\n');
  const start = lines.findLastIndex((line) => line.includes('.tmp", O_RDWR'));
  return lines.slice(start);
}
