/** Changes that a thread writes, on a disk that fills up and in a process that is killed. */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { openRecords } from './helpers/opened-records.ts';
import { openStorageProcess } from './helpers/storage-process.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const whole = { damaged: 0, unindexed: 0, stray: 0, miscounted: 0, named: [] };
/** More than are written on the event loop. */
const many = 400;
/** From the first page of its transaction to after its end. */
const killsAfterMs = [0, 5, 15, 30, 60];

test('killed while a thread writes a large change, it has all of it or nothing, and what was acknowledged before', async () => {
  const dataDir = temporaryDirectory();
  let first = 1;
  const expected = new Set<number>();
  let unanswered = 0;
  for (const killAfterMs of killsAfterMs) {
    const storage = await openStorageProcess({ dataDir });
    expect(await storage.ask('add-users-at-once', first, many, '-')).toEqual({ value: null });
    expect(await storage.ask('said-by-threads')).toEqual({ value: ['begins', 'done'] });
    expected.add(first);
    storage.send('add-users-at-once', first + many, many, '-', killAfterMs);
    const answer = await storage.next();
    if (answer === undefined) {
      unanswered++;
      expect(await storage.ended()).toBe('SIGKILL');
    } else expected.add(first + many);
    await storage.kill();

    const { artifacts, records, check, close } = await openRecords(dataDir);
    const isThere = async (n: number) => (await records.get('users', `u${n}`)) !== undefined;
    if (await isThere(first + many)) expected.add(first + many);
    for (const start of expected) {
      for (const n of [start, start + many / 2, start + many - 1]) {
        expect((await records.userByName(`NAME-${n}`))?.id).toBe(`u${n}`);
        expect((await artifacts.get('VoidMark', `u${n}`))?.payload).toEqual({ n });
      }
    }
    expect(await records.count('users')).toBe(expected.size * many);
    expect(await check()).toMatchObject(whole);
    await close();
    first += 2 * many;
  }
  expect(unanswered).toBeGreaterThan(0);
}, 120_000);

describe('on a full disk a large change', () => {
  test('is refused and changes nothing, small ones are made, and it is made when there is room', async () => {
    const dataDir = temporaryDirectory();
    // 2 or 4 MiB, as the shell counts; the soft limit, which can be raised.
    const wrapper = ['sh', '-c', 'ulimit -S -f 4096; exec "$@"', 'sh'];
    const storage = await openStorageProcess({ dataDir, wrapper });
    await storage.ask('add-users', 1, 1, '-');
    const large = ['add-users-at-once', 100, many, 'x'.repeat(20_000)] as const;
    for (let round = 0; round < 3; round++) {
      expect(await storage.ask(...large)).toEqual({ error: 'StorageUnavailableError' });
      expect(await storage.ask('said-by-threads')).toEqual({ value: ['begins', 'failed'] });
      expect(await storage.ask('get-user', 'u100')).toEqual({ value: null });
      expect(await storage.ask('get', 'u100')).toEqual({ value: null });
      expect(await storage.ask('add-users', 2 + round, 1, '-')).toEqual({ value: null });
    }

    execFileSync('prlimit', [`--pid=${storage.child.pid}`, '--fsize=unlimited:']);
    expect(await storage.ask(...large)).toEqual({ value: null });
    expect(await storage.ask('said-by-threads')).toEqual({ value: ['begins', 'done'] });
    expect(await storage.ask('get-user', `u${100 + many - 1}`)).toEqual({ value: `name-${100 + many - 1}` });
    await storage.ask('close');
    expect(await storage.ended()).toBe(0);

    const { records, check, close } = await openRecords(dataDir);
    expect(await records.count('users')).toBe(4 + many);
    expect(await check()).toMatchObject(whole);
    await close();
  });
});
