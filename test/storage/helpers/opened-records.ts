import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { openEnvironment } from '../../../console/storage/embedded/lmdb/lmdb-environment.ts';
import { openLmdbRecords } from '../../../console/storage/embedded/lmdb/records-lmdb.ts';
import { openStorage } from '../../../console/storage/embedded/open.ts';

/** A store of the disk, with its records in LMDB. */
export async function openRecords(dataDir: string) {
  const { close, ...storage } = await openStorage({ dataDir, role: 'console' });
  const environment = openEnvironment(join(realpathSync(dataDir), 'artifacts'));
  const records = openLmdbRecords({ environment, registry: storage.registry });
  return { ...storage, environment, records, close: () => environment.close().then(close) };
}
