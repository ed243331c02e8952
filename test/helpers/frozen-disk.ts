/** Directories that take no writes any more, as a system mounts a disk again that it does not trust. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Of a directory and what is in it. @throws {Error} with what the command says */
export function chattr(flag: '+i' | '-i', directory: string): void {
  const { status, stderr } = spawnSync('chattr', ['-R', flag, directory], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** Only who may make a file immutable can take the disk from a process that has its files open. */
export const canFreeze = (() => {
  const place = mkdtempSync(join(tmpdir(), 'audit-frozen-'));
  try {
    chattr('+i', place);
    chattr('-i', place);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
})();
