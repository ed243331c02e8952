/** An entry is in the transaction of its change: the audit has it at the latest after the next start, and once. */
import { spawnSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createEntryBody } from '../../console/audit/entry.ts';
import { verifyAudit } from '../../console/audit/verify/verify.ts';
import { openWriter } from '../../console/audit/writer.ts';
import { ownWriter } from '../../console/audit/writer-name.ts';
import { openStorage } from '../../console/storage/embedded/open.ts';
import { toolDone } from '../commands/support.ts';
import { storedEntries } from '../helpers/audit.ts';
import { admin, apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { signedIn, start } from './support.ts';

vi.setConfig({ testTimeout: 60_000 });

const canLimit = spawnSync('prlimit', ['--version']).status === 0;
/** Larger than the store's other files, so that a limit of the size of files is met by the audit alone. */
const beforeEntries = 20_000;

async function newDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'console-outbox-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

interface FullAudit {
  /** The audit's file takes nothing more from now on; everything else may be written. */
  limit(console: RunningConsole): void;
  lift(console: RunningConsole): void;
}

async function fillAudit(dataDir: string): Promise<FullAudit> {
  const directory = join(dataDir, 'audit');
  const writer = ownWriter(directory);
  const open = openWriter({ directory, writer, now: Date.now, onCheckpoint() {}, onFull() {} });
  const bodyOf = createEntryBody();
  for (let i = 0; i < beforeEntries; i++) open.add(bodyOf(signedIn(i), start));
  open.close();
  const limitTo = ({ child }: RunningConsole, bytes: string) => {
    const { status } = spawnSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:unlimited`]);
    expect(status).toBe(0);
  };
  return {
    limit(console) {
      const { size } = statSync(join(directory, writer, '00000001.log'));
      limitTo(console, String(size + 100));
    },
    lift: (console) => limitTo(console, 'unlimited'),
  };
}

function caller(console: RunningConsole, token: string) {
  return async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${console.url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as { readonly id?: string } };
  };
}

async function leftIn(dataDir: string): Promise<number> {
  const storage = await openStorage({ dataDir, role: 'console' });
  const left = await storage.artifacts.list('AuditOutbox', 100);
  await storage.close();
  return left.length;
}

function successes(dataDir: string): string[] {
  return storedEntries(dataDir).flatMap(({ event, outcome, object, change }) =>
    outcome === 'success' && change !== undefined ? [`${event} ${object?.id}`] : [],
  );
}

type Caller = ReturnType<typeof caller>;

/** A plan's id, once the audit takes entries and has that of the plan. */
async function planned(call: Caller, dataDir: string, attempt: number): Promise<string> {
  const roles = { [`described-${attempt}`]: { permissions: ['svc:health:read'] } };
  let plan: string | undefined;
  await until(async () => {
    const { body } = await call('POST', '/configuration/plans', {
      document: { version: 1, source: 'git', roles },
    });
    plan = body.id;
    return plan !== undefined;
  }, 'a plan');
  await until(async () => hasEntry(dataDir, plan!), 'its entry');
  return plan!;
}

function hasEntry(dataDir: string, plan: string): boolean {
  return storedEntries(dataDir).some(
    ({ event, object }) => event === 'configuration.planned' && object?.id === plan,
  );
}

/** Four changes at once: those that were answered as done, as the audit names them. */
async function changed(call: Caller, plan: string, attempt: number): Promise<readonly string[]> {
  const permissions = ['svc:health:read'];
  const [apply, role, client, user] = await Promise.all([
    call('POST', `/configuration/plans/${plan}/apply`),
    call('POST', '/roles', { id: `made-${attempt}`, permissions }),
    call('POST', '/clients', { id: `machine-${attempt}`, scopes: permissions }),
    call('POST', '/users', { id: `ada-${attempt}`, roles: ['Viewer'], password: 'a long enough password' }),
  ]);
  return [
    ...(apply.status === 200 ? [`role.added described-${attempt}`] : []),
    ...(role.status === 201 ? [`role.added made-${attempt}`] : []),
    ...(client.status === 201 ? [`client.added machine-${attempt}`] : []),
    ...(user.status === 201 ? [`user.added ada-${attempt}`] : []),
  ];
}

describe.skipIf(!canLimit).each([1, 2])('with %i processes that answer', (workers) => {
  test('what the full audit did not take before a kill is in it after the next start, once', async () => {
    const dataDir = await newDataDir();
    const env = { CONSOLE_WORKERS: String(workers) };
    const first = await startConsole({ dataDir, isFirstStart: true, env });
    onTestFinished(async () => void (await first.stop()));
    await first.stop();
    const audit = await fillAudit(dataDir);

    const console = await startConsole({ dataDir, env });
    onTestFinished(async () => void (await console.stop()));
    const call = caller(console, await apiToken(console));
    let expected: readonly string[] = [];
    // An entry of something else may meet the limit first; then nothing is changed any more.
    for (let attempt = 1; attempt <= 5 && expected.length === 0; attempt++) {
      const plan = await planned(call, dataDir, attempt);
      audit.limit(console);
      expected = await changed(call, plan, attempt);
      if (expected.length === 0) audit.lift(console);
    }
    // What has no commit of its own, and whoever has to repair it.
    const agent = createUserAgent(console.url);
    const reply = await agent.submit(await agent.get('/login'), admin);
    expect(reply.status).toBeLessThan(400);
    const signIn = String(reply.headers['x-request-id']);
    const ended = new Promise((resolve) => console.child.once('exit', resolve));
    console.child.kill('SIGKILL');
    await ended;

    expect(expected).not.toEqual([]);
    const signIns = () =>
      storedEntries(dataDir).filter(({ event, requestId }) => event === 'login' && requestId === signIn);
    expect({ changes: successes(dataDir), signIns: signIns() }).toEqual({ changes: [], signIns: [] });
    const again = await startConsole({ dataDir, env });
    onTestFinished(async () => void (await again.stop()));
    await until(async () => expected.every((one) => successes(dataDir).includes(one)), 'the entries', 10_000);
    await again.stop();
    for (const one of expected) expect(successes(dataDir).filter((other) => other === one)).toEqual([one]);
    expect(signIns().map(({ outcome }) => outcome)).toEqual(['success']);
    expect(await leftIn(dataDir)).toBe(0);
    expect(
      verifyAudit({ directory: join(dataDir, 'audit'), publicKey: undefined, anchors: [] }),
    ).toMatchObject({ isGood: true });
  });
});

test('what the audit has already is taken from the store, and the rest is written once', async () => {
  const dataDir = await newDataDir();
  const console = await startConsole({ dataDir, isFirstStart: true });
  onTestFinished(async () => void (await console.stop()));
  const call = caller(console, await apiToken(console));
  for (const id of ['one', 'two']) await call('POST', '/roles', { id, permissions: ['svc:health:read'] });
  await console.stop();
  const [known] = storedEntries(dataDir).filter(({ object }) => object?.id === 'one');
  const [id] = known!.outbox!.split('.');
  const bodyOf = createEntryBody();
  const entry = { event: 'role.updated', outcome: 'success', change: {} } as const;
  const bodies = [
    bodyOf({ ...entry, outbox: `${id}.0` }, Date.now()),
    bodyOf({ ...entry, object: { kind: 'role', id: 'late' }, outbox: `${id}.1` }, Date.now()),
  ];
  const storage = await openStorage({ dataDir, role: 'console' });
  const payload = { id, at: Date.parse(known!.time), bodies };
  await storage.artifacts.put('AuditOutbox', id!, { payload });
  await storage.close();

  const again = await startConsole({ dataDir });
  onTestFinished(async () => void (await again.stop()));
  await until(async () => successes(dataDir).includes('role.updated late'), 'the entry', 10_000);
  await again.stop();
  expect(successes(dataDir).filter((one) => one.startsWith('role.'))).toEqual([
    'role.added one',
    'role.added two',
    'role.updated late',
  ]);
  expect(await leftIn(dataDir)).toBe(0);
});

test('where no console runs a change of a command leaves one entry, before and after the next start', async () => {
  const dataDir = await newDataDir();
  const console = await startConsole({ dataDir, isFirstStart: true });
  onTestFinished(async () => void (await console.stop()));
  await console.stop();
  await toolDone(['role', 'add', 'quiet', '--scope', 'svc:health:read'], { dataDir });
  expect(successes(dataDir)).toEqual(['role.added quiet']);
  expect(await leftIn(dataDir)).toBe(1);
  const again = await startConsole({ dataDir });
  onTestFinished(async () => void (await again.stop()));
  const call = caller(again, await apiToken(again));
  await call('POST', '/roles', { id: 'next', permissions: ['svc:health:read'] });
  await again.stop();
  expect(successes(dataDir)).toEqual(['role.added quiet', 'role.added next']);
  expect(await leftIn(dataDir)).toBe(0);
});
