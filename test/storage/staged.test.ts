/**
 * A storage that holds what is changed over another one: thrown away, or made durable as one change. Over PostgreSQL:
 * test/storage/postgres/conformance.test.ts.
 */
import { describe, expect, test } from 'vitest';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import { openStorage } from '../../console/storage/embedded/open.ts';
import { openStorageProcess } from './helpers/storage-process.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { describeStaged } from './staged-conformance.ts';

describeStaged('memory', async (now) => createMemoryStorage({ now }));
describeStaged('lowdb and LMDB', (now) =>
  openStorage({ dataDir: temporaryDirectory(), role: 'console', now }),
);

describe('records and registry in one change, killed', () => {
  test.each(['before', 'written', 'made'] as const)('%s: both are there, or none', async (step) => {
    const dataDir = temporaryDirectory();
    const first = await openStorageProcess({ dataDir });
    expect(await first.ask('joint', 1, 'done')).toEqual({ value: true });
    first.send('joint', 2, step);
    expect(await first.ended()).toBe('SIGKILL');
    const next = await openStorageProcess({ dataDir });
    const found = [await next.ask('get-user', 'u2'), await next.ask('role', 'r2')];
    const isThere = step !== 'before';
    expect(found).toEqual([{ value: isThere ? 'name-2' : null }, { value: isThere ? 'r2' : null }]);
    expect([await next.ask('get-user', 'u1'), await next.ask('role', 'r1')]).toEqual([
      { value: 'name-1' },
      { value: 'r1' },
    ]);
    await next.ask('close');
  });
});
