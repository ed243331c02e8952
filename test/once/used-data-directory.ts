/** A console's data directory after its first run: signing keys, the next ones, and the administrator. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextKeysOf, startConsole } from '../helpers/console.ts';
import type { Shared } from './ask.ts';

/** Of the store alone: whoever starts on a copy begins the audit trail. */
const parts = ['registry.json', 'artifacts'];

export async function makeUsedDataDir(): Promise<{
  readonly answer: Shared['data-directory'];
  stop(): Promise<void>;
}> {
  const path = await mkdtemp(join(tmpdir(), 'console-used-'));
  const console = await startConsole({ isFirstStart: true });
  await nextKeysOf(console);
  console.child.kill('SIGTERM');
  await console.waitFor(() => console.log().some(({ msg }) => msg === 'stopped'), 'its end');
  for (const part of parts) await cp(join(console.dataDir, part), join(path, part), { recursive: true });
  await console.stop();
  return { answer: { path }, stop: () => rm(path, { recursive: true, force: true }) };
}
