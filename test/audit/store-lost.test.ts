/** The store is lost or another one, and the audit is there: nothing of it is lost, and whoever kept the key sees it. */
import { createPublicKey } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { verifyAudit } from '../../console/audit/verify/verify.ts';
import { storedEntries } from '../helpers/audit.ts';
import { apiToken, startConsole, usedDataDir } from '../helpers/console.ts';

vi.setConfig({ testTimeout: 60_000 });

test('a console starts beside it, goes on in the same chain, says that another key signs, and `verify` with the former key tells', async () => {
  const dataDir = await usedDataDir();
  const first = await startConsole({ dataDir });
  await apiToken(first);
  await first.stop();
  const before = storedEntries(dataDir);
  const directory = join(dataDir, 'audit');
  const keyOf = () => createPublicKey(readFileSync(join(directory, 'checkpoint-key.pem')));
  const formerKey = keyOf();
  for (const name of readdirSync(dataDir))
    if (name !== 'audit') rmSync(join(dataDir, name), { recursive: true });

  const second = await startConsole({ dataDir, isFirstStart: true });
  onTestFinished(async () => void (await second.stop()));
  await apiToken(second);
  await vi.waitFor(() => expect(second.stderr()).toContain('the audit is signed with another key'), 10_000);
  await second.stop();
  const after = storedEntries(dataDir);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.length).toBeGreaterThan(before.length);
  expect(keyOf().equals(formerKey)).toBe(false);
  const verify = (publicKey: ReturnType<typeof keyOf>) => verifyAudit({ directory, publicKey, anchors: [] });
  expect(verify(formerKey)).toMatchObject({ isGood: false, writers: [{ verdict: 'changed' }] });
  expect(verify(keyOf()).writers).toHaveLength(1);
});
