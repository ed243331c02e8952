/** What is kept of WAN publishers: what each member was told last, and the last synchronization and check beside each other. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { viewOf } from '../../console/admin-api/cluster/wan-calls.ts';
import { createPublisherRecords } from '../../console/members/publisher-records.ts';
import { withStore } from '../helpers/store.ts';

let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'publishers-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

test('each member has what it was told last, and since when', () =>
  withStore(dataDir, async ({ registry }) => {
    const records = createPublisherRecords(registry);
    const told = (what: 'paused' | 'resumed' | 'stopped' | 'cleared', at: number, members: string[]) =>
      records.record('told', 'p', { what, at, members });
    await told('paused', 1_000, ['a:1', 'b:1']);
    await told('resumed', 2_000, ['b:1']);
    await told('cleared', 3_000, ['a:1', 'c:1']);
    const time = (ms: number) => new Date(ms).toISOString();
    expect(viewOf(records.find('told', 'p')!).members).toEqual([
      { member: 'a:1', state: 'paused', since: time(1_000), clearedAt: time(3_000) },
      { member: 'b:1', state: 'sending', since: time(2_000), clearedAt: null },
      { member: 'c:1', state: null, since: null, clearedAt: time(3_000) },
    ]);
    for (let n = 0; n < 60; n++) await told('stopped', 4_000 + n, [`n${n}:1`]);
    const names = viewOf(records.find('told', 'p')!).members.map(({ member }) => member);
    expect([names.length, names.includes('a:1'), names.includes('n59:1')]).toEqual([50, false, true]);
  }));

test('a check takes nothing away of what is known of the last synchronization', () =>
  withStore(dataDir, async ({ registry }) => {
    const records = createPublisherRecords(registry);
    await records.record('both', 'p', { what: 'synced', at: 1_000, members: ['a:1'], sync: 's1' });
    await records.record('both', 'p', { what: 'checked', at: 2_000, members: ['a:1'], sync: 'c1' });
    await records.record('both', 'p', { what: 'paused', at: 3_000, members: ['a:1'] });
    expect(viewOf(records.find('both', 'p')!)).toMatchObject({
      last: { what: 'paused' },
      lastSync: { sync: 's1' },
      lastCheck: { sync: 'c1' },
    });
  }));

test('what an earlier version has kept in one place stands where it belongs', () =>
  withStore(dataDir, async ({ registry }) => {
    const done = { what: 'checked', at: 1_000, members: ['a:1'], sync: 'c1' };
    const value = [{ replication: 'old', publisher: 'p', last: done, lastSync: done }];
    await registry.update((transaction) => transaction.put('settings', { id: 'called-publishers', value }));
    const records = createPublisherRecords(registry);
    expect(viewOf(records.find('old', 'p')!)).toMatchObject({ lastSync: null, lastCheck: { sync: 'c1' } });
    await records.record('old', 'p', { what: 'synced', at: 2_000, members: ['a:1'], sync: 's1' });
    expect(viewOf(records.find('old', 'p')!)).toMatchObject({
      lastSync: { sync: 's1' },
      lastCheck: { sync: 'c1' },
    });
  }));
