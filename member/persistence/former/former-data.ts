import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { programOf } from '../../../platform/installation.ts';
import type { DataDirectory } from '../directory.ts';
import { DamagedDataError } from '../recovery.ts';

/**
 * Brings over what a member has left that kept its data in two environments of LMDB, once. In a process of its own, as
 * LMDB ends the process on a damaged page.
 *
 * @throws {DamagedDataError} when not all of it can be read; nothing has changed then
 */
export async function bringOverFormerData(directory: DataDirectory): Promise<void> {
  const { store, journal } = directory.former;
  const program = fileURLToPath(programOf('member/persistence/former/import-former'));
  const execArgv = program.endsWith('.ts') ? ['--import', 'tsx'] : []; // the sources, during development
  const reader = spawn(process.execPath, [...execArgv, program, store, journal, directory.renewed], {
    env: {},
    stdio: 'ignore',
  });
  const [code, signal] = await once(reader, 'exit');
  if (code !== 0) {
    const reason = signal === null ? 'some of it cannot be read' : `reading it ends with ${signal}`;
    throw new DamagedDataError(`${store}/data.mdb: data of a former version: ${reason}`);
  }
  directory.useRenewed();
  directory.setAside('store', 'journal');
}
