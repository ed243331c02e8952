/** Where LMDB must not be: locks and mapped pages of a network file system are not those of its other machines. */
import { existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { foreign } from './permissions.ts';

/** Types as Linux numbers them (statfs(2)). Not FUSE and 9p: disks of containers and virtual machines have these. */
const networkFileSystems = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'SMB'],
  [0x564c, 'NCP'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
]);

/** @throws {StorageRejectedError} `foreign`; nothing was made there yet */
export function rejectNetworkFileSystem(
  dataDir: string,
  typeOf: (directory: string) => number = typeOfFileSystem,
): void {
  const name = networkFileSystems.get(typeOf(nearestThere(resolve(dataDir))) >>> 0);
  if (name === undefined) return;
  throw foreign(
    dataDir,
    `it is on a network file system (${name}), which a store cannot be on: give it a disk`,
  );
}

/** Other systems have other numbers. */
function typeOfFileSystem(directory: string): number {
  return process.platform === 'linux' ? statfsSync(directory).type : 0;
}

function nearestThere(directory: string): string {
  return existsSync(directory) ? directory : nearestThere(dirname(directory));
}
