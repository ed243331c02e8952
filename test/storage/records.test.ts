import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openEnvironment } from '../../console/storage/embedded/lmdb/lmdb-environment.ts';
import { openLmdbRecords } from '../../console/storage/embedded/lmdb/records-lmdb.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import { createMemoryRecords } from '../../console/storage/embedded/memory-records.ts';
import { openStorage } from '../../console/storage/embedded/open.ts';
import { describeRecords } from './record-conformance.ts';

const root = mkdtempSync(join(tmpdir(), 'console-records-'));
let directories = 0;
afterAll(() => rmSync(root, { recursive: true, force: true }));

describeRecords('records in memory', async () => {
  const { registry, artifacts, close } = createMemoryStorage();
  return { records: createMemoryRecords({ registry, artifacts }), artifacts, registry, close };
});

describeRecords('records in LMDB', async () => {
  const dataDir = join(root, String(directories++));
  const { registry, artifacts, close } = await openStorage({ dataDir, role: 'console' });
  const environment = openEnvironment(join(dataDir, 'artifacts'));
  const records = openLmdbRecords({ environment, registry });
  return { records, artifacts, registry, close: () => environment.close().then(close) };
});
