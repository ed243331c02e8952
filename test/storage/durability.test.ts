import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { openStorage } from '../../console/storage/embedded/open.ts';
import type { Storage } from '../../console/storage/storage.ts';
import { openStorageProcess, startStorageProcess } from './helpers/storage-process.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

/** How often each kind of writer is killed: in so many directories at once, since most of it is waiting for processes. */
const kills = [9, 8, 8];
const allKills = kills.reduce((sum, each) => sum + each, 0);

const inEachDirectory = (work: (dataDir: string, kills: number) => Promise<void>) =>
  Promise.all(kills.map((each) => work(temporaryDirectory(), each)));

describe('killed at any instant, the store opens and nothing acknowledged is missing (S75)', () => {
  test(`${allKills} times while it writes the registry`, { timeout: 120_000 }, async () => {
    await inEachDirectory(async (dataDir, times) => {
      let known = 0;
      for (let n = 0; n < times; n++) {
        const acknowledged = await floodAndKill(dataDir, 'flood-registry');
        known = Math.max(known, acknowledged);
        const storage = await openStorage({ dataDir, role: 'console' });
        const found = storage.registry.all('settings');
        for (let id = 1; id <= known; id++) expect(found.get(`n${id}`)?.value).toBe(id);
        // One more may have been written before its acknowledgement left; nothing else appears.
        expect(found.size).toBeLessThanOrEqual(known + 1);
        known = found.size;
        expect(readdirSync(dataDir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
        await storage.close();
      }
    });
  });

  test(`${allKills} times while it writes artifacts`, { timeout: 120_000 }, async () => {
    await inEachDirectory(async (dataDir, times) => {
      for (let n = 0; n < times; n++) {
        const acknowledged = await floodAndKill(dataDir, 'flood-artifacts');
        const storage = await openStorage({ dataDir, role: 'console' });
        for (let id = 1; id <= acknowledged; id++) await expectFlooded(storage, id, acknowledged);
        await expectIndexesMatch(storage);
        await storage.close();
      }
    });
  });

  test('temporary files of a killed writer are dropped, other files are not', async () => {
    const dataDir = temporaryDirectory();
    await (await openStorage({ dataDir, role: 'console' })).close();
    const { pid } = spawnSync('true');
    const temporary = join(dataDir, `registry.json.${pid}.abc.tmp`);
    writeFileSync(temporary, '{"version":1,"us');
    writeFileSync(join(dataDir, 'console.yaml'), 'url: http://localhost\n');

    await (await openStorage({ dataDir, role: 'tool' })).close();
    expect(existsSync(temporary)).toBe(false);
    expect(existsSync(join(dataDir, 'console.yaml'))).toBe(true);
  });

  test('killed during its very first start, the next start succeeds', { timeout: 60_000 }, async () => {
    for (let n = 0; n < 5; n++) {
      const dataDir = join(temporaryDirectory(), 'data');
      const starting = startStorageProcess({ dataDir });
      await vi.waitUntil(() => existsSync(dataDir), { timeout: 10_000, interval: 1 });
      await delay(Math.random() * 8);
      await starting.kill();
      const storage = await openStorage({ dataDir, role: 'console' });
      expect(await storage.records.count('users')).toBe(0);
      await storage.close();
      expect(statSync(join(dataDir, 'registry.json')).size).toBeGreaterThan(0);
    }
  });
});

/** @returns the last number that the writer acknowledged before it was killed at a random moment */
async function floodAndKill(dataDir: string, command: 'flood-registry' | 'flood-artifacts'): Promise<number> {
  const writer = await openStorageProcess({ dataDir });
  writer.send(command);
  const enough = 1 + Math.floor(Math.random() * 40);
  let acknowledged = 0;
  while (acknowledged < enough) acknowledged = Number(await writer.next());
  // Not waiting for anything: the moment of the kill shall fall anywhere within a write.
  await delay(Math.random() * 3);
  await writer.kill();
  for (let line = await writer.next(); line !== undefined; line = await writer.next()) {
    acknowledged = Number(line);
  }
  return acknowledged;
}

async function expectFlooded(storage: Storage, id: number, acknowledged: number): Promise<void> {
  const found = await storage.artifacts.get('Session', `n${id}`);
  const isRemoved = (id + 1) % 3 === 0 && id + 1 <= acknowledged;
  // The write after the last acknowledged one may or may not have removed its neighbour.
  if ((id + 1) % 3 === 0 && id === acknowledged) return;
  expect(found?.payload).toEqual(isRemoved ? undefined : { n: id });
}

/** An artifact and its index entries are one transaction: each way to find them finds the same. */
async function expectIndexesMatch({ artifacts }: Storage): Promise<void> {
  const listed = await artifacts.list('Session', 10_000);
  for (const { key, artifact } of listed) {
    expect((await artifacts.findByUid('Session', String(artifact.uid)))?.key).toBe(key);
  }
  let removed = 0;
  for (let grant = 0; grant < 7; grant++) removed += await artifacts.removeByGrant(`g${grant}`, ['Session']);
  expect(removed).toBe(listed.length);
}
