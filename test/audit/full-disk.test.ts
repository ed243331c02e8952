/** The audit cannot be written, and the store can: what has to be recorded is not done, and the rest goes on. */
import { spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createEntryBody } from '../../console/audit/entry.ts';
import { verifyAudit } from '../../console/audit/verify/verify.ts';
import { openWriter } from '../../console/audit/writer.ts';
import { ownWriter } from '../../console/audit/writer-name.ts';
import { storedEvents } from '../helpers/audit.ts';
import { admin, apiToken, machineToken, startConsole } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { signedIn, start } from './support.ts';

vi.setConfig({ testTimeout: 90_000 });

const canLimit = spawnSync('prlimit', ['--version']).status === 0;

/** Larger than the store's other files, so that a limit of the size of files is met by the audit alone. */
const beforeEntries = 20_000;

async function dataDirWithAudit(): Promise<{ dataDir: string; file: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'console-full-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const console = await startConsole({ dataDir, isFirstStart: true });
  await console.stop();
  const directory = join(dataDir, 'audit');
  const writer = ownWriter(directory);
  const open = openWriter({ directory, writer, now: Date.now, onCheckpoint() {}, onFull() {} });
  const bodyOf = createEntryBody();
  for (let i = 0; i < beforeEntries; i++) open.add(bodyOf(signedIn(i), start));
  open.close();
  return { dataDir, file: join(directory, writer, '00000001.log') };
}

/** @param pid  of the process that writes */
function limit(pid: number, bytes: number | 'unlimited'): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
}

describe.skipIf(!canLimit).each([1, 2])('with %i processes that answer', (workers) => {
  test('changes and member writes are 503, reads, grants and sign-ins go on, and no entry is lost', async () => {
    const { dataDir, file } = await dataDirWithAudit();
    const console = await startConsole({ dataDir, env: { CONSOLE_WORKERS: String(workers) } });
    onTestFinished(async () => void (await console.stop()));
    const token = await apiToken(console);
    const caller = await machineToken(console);
    const call = (method: string, path: string, bearer: string, body?: string) =>
      fetch(console.url + path, {
        method,
        headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body }),
      });
    const addRole = (id: string) =>
      call('POST', '/api/v1/roles', token, JSON.stringify({ id, permissions: ['svc:health:read'] }));
    const isReady = async () => (await fetch(`${console.url}/ready`)).status === 200;
    expect((await addRole('before')).status).toBe(201);
    expect(await isReady()).toBe(true);

    limit(console.child.pid!, statSync(file).size + 100);
    let issued = 0;
    do {
      await machineToken(console);
      issued++;
    } while ((await isReady()) && issued < 500);
    expect(await isReady()).toBe(false);

    const answer = await addRole('while');
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: 'audit_unavailable' });
    expect((await call('GET', '/api/v1/roles/while', token)).status).toBe(404);
    const write = await call('POST', '/svc/rest/maps/m/k', caller, '1');
    expect(write.status).toBe(503);
    expect(await write.json()).toMatchObject({ code: 'audit_unavailable' });
    expect((await call('DELETE', '/svc/rest/queues/q/0', caller)).status).toBe(503);
    expect((await call('GET', '/svc/rest/cluster', caller)).status).toBe(200);
    const last = await machineToken(console);
    expect((await call('GET', '/svc/rest/maps/m/k', last)).status).toBe(204);
    const elsewhere = createUserAgent(console.url);
    await elsewhere.signIn();
    const agent = createUserAgent(console.url);
    const signIn = await agent.submit(await agent.get('/login'), admin);
    expect(signIn.status).toBeLessThan(400);
    expect((await agent.follow(signIn)).status).toBe(200);
    const home = await agent.get('/account');
    const better = { password: 'another-staple-battery-2', password_again: 'another-staple-battery-2' };
    const changed = await agent.submit(
      home,
      { current_password: admin.password, ...better },
      { action: '/account/password' },
    );
    expect(changed.status).toBe(503);
    expect(changed.body).toContain('could not be recorded');
    expect((await agent.submit(home, {}, { action: '/account/sessions' })).status).toBe(503);
    expect((await elsewhere.get('/account')).status).toBe(200);

    limit(console.child.pid!, 'unlimited');
    await until(isReady, 'a console that is ready again', 10_000);
    expect((await addRole('after')).status).toBe(201);
    await console.stop();
    const events = storedEvents(dataDir).slice(beforeEntries);
    const roles = events
      .filter(({ event, outcome }) => event === 'role.added' && outcome === 'success')
      .map(({ target }) => target);
    expect(roles).toEqual(['before', 'after']);
    expect(events.filter(({ event }) => event === 'token.issued').length).toBeGreaterThan(issued);
    expect(events.some(({ event, outcome }) => event === 'login' && outcome === 'success')).toBe(true);
    const publicKey = createPublicKey(readFileSync(join(dataDir, 'audit', 'checkpoint-key.pem')));
    expect(verifyAudit({ directory: join(dataDir, 'audit'), publicKey, anchors: [] })).toMatchObject({
      isGood: true,
      writers: [{ verdict: 'ok', gaps: 0 }],
    });
  });
});
