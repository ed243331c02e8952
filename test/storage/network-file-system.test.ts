import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rejectNetworkFileSystem } from '../../console/storage/embedded/network-file-system.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

test.each([
  { name: 'NFS', type: 0x6969 },
  { name: 'SMB', type: 0xfe534d42 },
  { name: 'SMB', type: 0xff534d42 | 0 },
  { name: 'Ceph', type: 0x00c36400 },
])('a store cannot be on $name, also where its directory is not there yet ($type)', ({ name, type }) => {
  const root = temporaryDirectory();
  const asked: string[] = [];
  const reject = () =>
    rejectNetworkFileSystem(join(root, 'not', 'yet'), (directory) => {
      asked.push(directory);
      return type;
    });
  expect(reject).toThrow(
    expect.objectContaining({ reason: 'foreign', message: expect.stringContaining(`(${name})`) }),
  );
  expect(asked).toEqual([root]);
});

test.each([
  { name: 'the one of this test', typeOf: (directory: string) => statfsSync(directory).type },
  { name: 'ext4', typeOf: () => 0xef53 },
  { name: 'overlayfs', typeOf: () => 0x794c7630 },
  { name: 'FUSE', typeOf: () => 0x65735546 },
])('it can be on $name', ({ typeOf }) => {
  expect(() => rejectNetworkFileSystem(temporaryDirectory(), typeOf)).not.toThrow();
});
