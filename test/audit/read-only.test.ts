/** The audit is on a disk that takes no writes, as a system mounts one again that it does not trust any more. */
import { spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { verifyAudit } from '../../console/audit/verify/verify.ts';
import { storedEntries } from '../helpers/audit.ts';
import { apiToken, machineToken, startConsole, usedDataDir } from '../helpers/console.ts';
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
    const addRole = (id: string) =>
      fetch(`${running.url}/api/v1/roles`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ id, permissions: ['svc:health:read'] }),
      });
    const isReady = async () => (await fetch(`${running.url}/ready`)).status === 200;
    await until(async () => !(await isReady()), 'a console that says that it is not ready', 10_000);
    const refused = await addRole('while');
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: 'audit_unavailable' });
    const headers = { Authorization: `Bearer ${await machineToken(running)}` };
    expect((await fetch(`${running.url}/svc/rest/cluster`, { headers })).status).toBe(200);
    const bearer = { Authorization: `Bearer ${token}` };
    expect((await fetch(`${running.url}/api/v1/roles/while`, { headers: bearer })).status).toBe(404);
    expect(running.stderr()).toContain('the audit cannot be written');

    expect(mount('-o', 'remount,rw', directory).status).toBe(0);
    await until(isReady, 'a console that is ready again', 10_000);
    expect((await addRole('after')).status).toBe(201);
    await running.stop();
    const added = storedEntries(dataDir).slice(before);
    const outcomes = added.filter(({ event }) => event === 'role.added').map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['failure', 'success']);
    expect(added.filter(({ event }) => event === 'token.issued').length).toBeGreaterThan(1);
    expect(added.filter(({ event }) => event === 'audit.gap')).toEqual([]);
    const publicKey = createPublicKey(readFileSync(join(directory, 'checkpoint-key.pem')));
    expect(verifyAudit({ directory, publicKey, anchors: [] })).toMatchObject({ isGood: true });
  },
);
