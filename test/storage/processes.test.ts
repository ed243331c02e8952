import { describe, expect, test, vi } from 'vitest';
import { openStorage } from '../../console/storage/embedded/open.ts';
import { StorageRejectedError } from '../../console/storage/storage.ts';
import { openStorageProcess, startStorageProcess } from './helpers/storage-process.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

describe('one console per data directory (S77)', () => {
  test('a second console is told who has it, and exits; the first one goes on', async () => {
    const dataDir = temporaryDirectory();
    const first = await openStorageProcess({ dataDir });
    const second = startStorageProcess({ dataDir });
    expect(await second.next()).toEqual({
      refused: 'locked',
      message: expect.stringContaining(`process ${first.child.pid}`),
    });
    expect(await second.ended()).toBe(1);
    expect(await first.ask('set', 'a', 1)).toEqual({ value: null });
  });

  test('also within one process', async () => {
    const dataDir = temporaryDirectory();
    const first = await openStorage({ dataDir, role: 'console' });
    const second = openStorage({ dataDir, role: 'console' });
    await expect(second).rejects.toThrow(StorageRejectedError);
    await first.registry.update((transaction) => transaction.put('settings', { id: 'a', value: 1 }));
    await first.close();
    await (await openStorage({ dataDir, role: 'console' })).close();
  });

  test('of two that start at once, one gets it', async () => {
    const dataDir = temporaryDirectory();
    const both = [startStorageProcess({ dataDir }), startStorageProcess({ dataDir })];
    const answers = await Promise.all(both.map((process) => process.next()));
    expect(answers.filter((answer) => 'ready' in Object(answer))).toHaveLength(1);
    expect(answers.filter((answer) => 'refused' in Object(answer))).toHaveLength(1);
  });

  test('the lock of a killed console counts for nothing', async () => {
    const dataDir = temporaryDirectory();
    const first = await openStorageProcess({ dataDir });
    await first.kill();
    const second = await openStorageProcess({ dataDir });
    expect(await second.ask('close')).toEqual({ value: null });
    expect(await second.ended()).toBe(0);
  });

  test('a tool works beside a console', async () => {
    const dataDir = temporaryDirectory();
    await openStorageProcess({ dataDir });
    const tool = await openStorageProcess({ dataDir, role: 'tool' });
    expect(await tool.ask('set', 'a', 1)).toEqual({ value: null });
  });
});

describe('several processes on one store (S77)', () => {
  test('400 registry changes by two processes: none is lost', async () => {
    const dataDir = temporaryDirectory();
    const one = await openStorageProcess({ dataDir });
    const other = await openStorageProcess({ dataDir, role: 'tool' });
    await Promise.all([one.ask('increase', 'n', 200), other.ask('increase', 'n', 200)]);
    expect(await one.ask('increase', 'n', 1)).toEqual({ value: 401 });
  });

  test('an artifact is consumed by one of two processes', async () => {
    const dataDir = temporaryDirectory();
    const one = await openStorageProcess({ dataDir });
    const other = await openStorageProcess({ dataDir, role: 'tool' });
    const ids = Array.from({ length: 100 }, (_, n) => `code-${n}`);
    for (const id of ids) await one.ask('put', id, {});

    const answers = await Promise.all([one.ask('consume', ids), other.ask('consume', ids)]);
    const [first = [], second = []] = answers.map((answer) => (answer as { value: boolean[] }).value);
    expect(first.map((mine, n) => Number(mine) + Number(second[n]))).toEqual(ids.map(() => 1));
  });

  test('counts of two processes add up', async () => {
    const dataDir = temporaryDirectory();
    const one = await openStorageProcess({ dataDir });
    const other = await openStorageProcess({ dataDir, role: 'tool' });
    const answers = await Promise.all([one.ask('count', 'x', 100), other.ask('count', 'x', 100)]);
    const counts = answers.flatMap((answer) => (answer as { value: number[] }).value);
    expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
  });

  test('counters outlive their process (S29)', async () => {
    const dataDir = temporaryDirectory();
    const one = await openStorageProcess({ dataDir });
    expect(await one.ask('count', 'x', 1)).toEqual({ value: [1] });
    await one.kill();
    const next = await openStorageProcess({ dataDir });
    expect(await next.ask('count', 'x', 1)).toEqual({ value: [2] });
  });

  test.each([
    { writer: 'tool', reader: 'console' },
    { writer: 'console', reader: 'tool' },
  ] as const)('what a $writer changes, a $reader sees and hears within 1 s', async ({ writer, reader }) => {
    const dataDir = temporaryDirectory();
    const process = await openStorageProcess({ dataDir, role: writer });
    const storage = await openStorage({ dataDir, role: reader });
    const received: string[] = [];
    storage.registry.onChange((changed) => received.push(...changed));

    const reported = performance.now();
    await process.ask('set', 'a', 'new');
    await vi.waitUntil(() => storage.registry.get('settings', 'a')?.value === 'new', { interval: 5 });
    expect(performance.now() - reported).toBeLessThan(1000);
    expect(received).toEqual(['settings']);
    await storage.close();
  });

  test('two handles in one process do not wait for each other', async () => {
    const dataDir = temporaryDirectory();
    const one = await openStorage({ dataDir, role: 'console' });
    const writes = Array.from({ length: 20 }, (_, n) =>
      one.artifacts.put('Session', `a${n}`, { payload: {} }),
    );
    const other = await openStorage({ dataDir, role: 'tool' });
    for (let n = 0; n < 20; n++) {
      writes.push(one.artifacts.put('Session', `b${n}`, { payload: {} }));
      await other.registry.update((transaction) => transaction.put('settings', { id: `s${n}`, value: n }));
    }
    await Promise.all(writes);
    await other.close();
    expect(await one.artifacts.list('Session', 100)).toHaveLength(40);
    await one.close();
  });
});
