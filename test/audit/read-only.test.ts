/** The audit is on a disk that takes no writes, as a system mounts one again that it does not trust any more. */
import { spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { verifyAudit } from '../../console/audit/verify/verify.ts';
import { storedEntries } from '../helpers/audit.ts';
import {
  apiToken,
  machineToken,
  type RunningConsole,
  startConsole,
  usedDataDir,
} from '../helpers/console.ts';
import { canFreeze, chattr } from '../helpers/frozen-disk.ts';
import { until } from '../helpers/store.ts';

vi.setConfig({ testTimeout: 60_000 });

const mount = (...args: string[]) => spawnSync('mount', args, { encoding: 'utf8' });

/** Only who may mount something can try it. */
const canMount = (() => {
  const place = mkdtempSync(join(tmpdir(), 'audit-mount-'));
  const isMounted = mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place).status === 0;
  if (isMounted) spawnSync('umount', [place]);
  rmSync(place, { recursive: true, force: true });
  return isMounted;
})();

test.skipIf(!canMount)(
  'a console starts, answers, changes nothing, and goes on with all entries when the disk takes them',
  async () => {
    const dataDir = await usedDataDir();
    const first = await startConsole({ dataDir });
    await apiToken(first);
    await first.stop();
    const before = storedEntries(dataDir).length;
    const directory = join(dataDir, 'audit');
    const copy = mkdtempSync(join(tmpdir(), 'audit-copy-'));
    cpSync(directory, copy, { recursive: true });
    expect(mount('-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', directory).status).toBe(0);
    onTestFinished(() => {
      spawnSync('umount', ['-l', directory]);
      rmSync(copy, { recursive: true, force: true });
    });
    cpSync(copy, directory, { recursive: true });
    expect(mount('-o', 'remount,ro', directory).status).toBe(0);

    const running = await startConsole({ dataDir });
    onTestFinished(async () => void (await running.stop()));
    const token = await apiToken(running);
    await expectNoChanges(running, token);
    expect(mount('-o', 'remount,rw', directory).status).toBe(0);
    await expectAllEntries(running, token, before);
  },
);

test.skipIf(!canFreeze)(
  'a console under which the disk turns read-only does the same, and writes on in the files that it has open',
  async () => {
    const dataDir = await usedDataDir();
    const running = await startConsole({ dataDir });
    const directory = join(dataDir, 'audit');
    onTestFinished(async () => {
      chattr('-i', directory);
      await running.stop();
    });
    const token = await apiToken(running);
    await until(async () => hasEntries(dataDir), 'entries in a file', 10_000);
    const before = storedEntries(dataDir).length;
    chattr('+i', directory);
    await machineToken(running);
    await expectNoChanges(running, token);
    chattr('-i', directory);
    await expectAllEntries(running, token, before);
  },
);

const hasEntries = (dataDir: string) =>
  existsSync(join(dataDir, 'audit')) && storedEntries(dataDir).length > 0;

const isReady = async ({ url }: RunningConsole) => (await fetch(`${url}/ready`)).status === 200;

const addRole = ({ url }: RunningConsole, token: string, id: string) =>
  fetch(`${url}/api/v1/roles`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ id, permissions: ['svc:health:read'] }),
  });

/** While the disk takes nothing: what has to be recorded is not done, and the rest is. */
async function expectNoChanges(running: RunningConsole, token: string): Promise<void> {
  await until(async () => !(await isReady(running)), 'a console that says that it is not ready', 10_000);
  const refused = await addRole(running, token, 'while');
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ code: 'audit_unavailable' });
  const headers = { Authorization: `Bearer ${await machineToken(running)}` };
  expect((await fetch(`${running.url}/svc/rest/cluster`, { headers })).status).toBe(200);
  const bearer = { Authorization: `Bearer ${token}` };
  expect((await fetch(`${running.url}/api/v1/roles/while`, { headers: bearer })).status).toBe(404);
  expect(running.stderr()).toContain('the audit cannot be written');
}

/** Once it takes everything again; ends the console. @param before  so many entries there were */
async function expectAllEntries(running: RunningConsole, token: string, before: number): Promise<void> {
  await until(() => isReady(running), 'a console that is ready again', 10_000);
  expect((await addRole(running, token, 'after')).status).toBe(201);
  await running.stop();
  const added = storedEntries(running.dataDir).slice(before);
  const outcomes = added.filter(({ event }) => event === 'role.added').map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['failure', 'success']);
  expect(added.filter(({ event }) => event === 'token.issued').length).toBeGreaterThan(1);
  expect(added.filter(({ event }) => event === 'audit.gap')).toEqual([]);
  const directory = join(running.dataDir, 'audit');
  const publicKey = createPublicKey(readFileSync(join(directory, 'checkpoint-key.pem')));
  expect(verifyAudit({ directory, publicKey, anchors: [] })).toMatchObject({ isGood: true });
}
