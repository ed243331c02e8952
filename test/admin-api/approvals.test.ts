/** Changes that wait for a second administrator: who may ask, who may agree, and that it is done once or not at all. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTool } from '../helpers/commands.ts';
import { apiToken, type RunningConsole, runFailing, startConsole, usedDataDir } from '../helpers/console.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { type CallApi, callsWith, tokenOf } from './client-support.ts';

const password = 'correct-staple-battery-9';
let console: RunningConsole;
let dataDir: string;
let clock: string;
let ada: CallApi;
let bob: CallApi;
let carol: CallApi;
let machine: CallApi;
const tokens = new Map<string, string>();
const setClock = (seconds: number) => writeFile(clock, String(seconds));

const start = (required?: string) =>
  startConsole({
    dataDir,
    env: {
      NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, '../oidc/movable-clock.mjs')).href}`,
      TEST_CLOCK_FILE: clock,
      CONSOLE_ACCESS_TOKEN_TTL: '3600',
      CONSOLE_APPROVALS_REQUIRE: required,
    },
  });

async function personOf(username: string): Promise<CallApi> {
  const agent = createUserAgent(console.url);
  const { access_token: token } = await signInForTokens(
    console,
    agent,
    { resource: `${console.url}/api` },
    { username, password },
  );
  tokens.set(username, token);
  return callsWith(console, () => token);
}

async function signAllIn() {
  [ada, bob, carol] = [await personOf('ada'), await personOf('bob'), await personOf('carol')];
}

beforeAll(async () => {
  [dataDir, clock] = [await usedDataDir(), join(await mkdtemp(join(tmpdir(), 'console-clock-')), 'clock')];
  await setClock(0);
  console = await start();
  const own = await apiToken(console);
  const api = callsWith(console, () => own);
  for (const id of ['bob', 'carol', 'dan']) {
    expect((await api('POST', '/users', { id, password, roles: ['Admin'] })).status).toBe(201);
  }
  for (const id of ['Keeper', 'Raced', 'Moved', 'Later', 'Left', 'Mine']) {
    expect((await api('POST', '/roles', { id, permissions: ['svc:health:read'] })).status).toBe(201);
  }
  await api('POST', '/clients', {
    id: 'program',
    scopes: ['api:*:read', 'api:*:write', 'api:approvals:write'],
  });
  const { secret } = (await api('POST', '/clients/program/secrets', {})).body;
  await console.stop();
  console = await start('roles,updateClient');
  const scope = 'api:*:read api:*:write api:approvals:write';
  const { token } = await tokenOf(console, { id: 'program', secret }, { scope });
  machine = callsWith(console, () => token);
  await signAllIn();
}, 180_000);

afterAll(async () => {
  await console?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const wider = { permissions: ['svc:health:read', 'svc:data:read'] };
const permissionsOf = async (role: string) => (await ada('GET', `/roles/${role}`)).body.permissions;
const askFor = async (who: CallApi, role: string, change: object = wider): Promise<string> => {
  const reply = await who('PATCH', `/roles/${role}`, change);
  expect(reply).toMatchObject({
    status: 202,
    body: { state: 'waiting', operation: 'updateRole', target: role },
  });
  return reply.body.id;
};
const auditOf = (id: string) => console.log().filter(({ audit, approval }) => audit && approval === id);

test('what needs it changes nothing until another administrator agrees, and leaves one line of the audit trail', async () => {
  const asked = await ada('PATCH', '/roles/Keeper', wider);
  expect(asked.status).toBe(202);
  expect(asked.body).toMatchObject({
    state: 'waiting',
    operation: 'updateRole',
    target: 'Keeper',
    diff: { permissions: { add: ['svc:data:read'], remove: [] } },
    requestedBy: { username: 'ada' },
    decidedBy: null,
  });
  expect(Date.parse(asked.body.expiresAt)).toBeGreaterThan(Date.now() + 23 * 3600_000);
  expect(await permissionsOf('Keeper')).toEqual(['svc:health:read']);
  const waiting = (await bob('GET', '/approvals?state=waiting')).body;
  expect(waiting.items.map(({ id }: { id: string }) => id)).toContain(asked.body.id);

  const approved = await bob('POST', `/approvals/${asked.body.id}/approve`);
  expect(approved).toMatchObject({
    status: 200,
    body: { state: 'approved', decidedBy: { username: 'bob' } },
  });
  expect(await permissionsOf('Keeper')).toEqual(wider.permissions);
  await console.waitFor(() => auditOf(asked.body.id).length > 0, 'the audit line');
  const [line, ...others] = auditOf(asked.body.id);
  expect(others).toEqual([]);
  expect(line).toMatchObject({
    event: 'role.updated',
    target: 'Keeper',
    actor: asked.body.requestedBy.id,
    approvedBy: approved.body.decidedBy.id,
    changes: { permissions: { add: ['svc:data:read'] } },
  });
  // What it answered is for who asked, once.
  const result = `/approvals/${asked.body.id}/result`;
  expect((await bob('POST', result)).status).toBe(403);
  const file = join(dataDir, 'ada.token');
  await writeFile(file, tokens.get('ada')!, { mode: 0o600 });
  const taken = ['approval', 'result', asked.body.id, '--url', console.url, '--token-file', file, '--json'];
  expect((await runTool(taken)).json()).toMatchObject({ id: 'Keeper' });
  expect((await runTool(taken)).json()).toMatchObject({ error: 'conflict' });
  expect((await ada('POST', result)).status).toBe(409);
});

describe('nobody agrees with themselves', () => {
  test('nor has a machine agree, or asks by one, or by the command line', async () => {
    const id = await askFor(ada, 'Mine');
    const own = await ada('POST', `/approvals/${id}/approve`);
    expect(own).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(await machine('POST', `/approvals/${id}/approve`)).toMatchObject({ status: 403 });
    const asked = await machine('PATCH', '/roles/Mine', wider);
    expect(asked).toMatchObject({ status: 403, body: { code: 'approval_required' } });
    const typed = await runTool(['role', 'update', 'Mine', '--scope', 'svc:data:read', '--json'], {
      dataDir,
    });
    expect(typed).toMatchObject({ code: 1 });
    expect(typed.json()).toMatchObject({ error: 'approval_required' });
    const approved = await runTool(['approval', 'approve', id, '--json'], { dataDir });
    expect(approved.json()).toMatchObject({ error: 'forbidden' });
    const shown = await runTool(['approval', 'show', id], { dataDir });
    expect(shown.stdout).toContain('waiting');
    expect(await permissionsOf('Mine')).toEqual(['svc:health:read']);
    // It is still there for who may.
    expect((await bob('POST', `/approvals/${id}/approve`)).status).toBe(200);
  });

  test('nor makes somebody who does: those ways need it too, and what an emergency needs does not', async () => {
    const ways: readonly (readonly [string, string, object?])[] = [
      ['POST', '/users', { id: 'eve', password, roles: ['Admin'] }],
      ['PATCH', '/users/dan', { roles: ['Viewer'] }],
      ['POST', '/users/dan/reset-password', { password: 'another-staple-battery-9' }],
      ['PUT', '/roles/Mine', wider],
      ['POST', '/roles', { id: 'Another', ...wider }],
      ['DELETE', '/roles/Mine'],
    ];
    for (const [method, path, body] of ways) {
      expect([path, (await ada(method, path, body)).status]).toEqual([path, 202]);
      expect([path, (await machine(method, path, body)).status]).toEqual([path, 403]);
    }
    expect((await ada('GET', '/users/eve')).status).toBe(404);
    expect((await ada('GET', '/roles/Mine')).status).toBe(200);
    expect((await ada('POST', '/users/dan/disable')).status).toBe(200);
    // A dry run changes nothing.
    expect((await ada('PATCH', '/roles/Mine?dryRun=true', wider)).status).toBe(200);
    // Not named: it goes on as ever.
    expect((await ada('POST', '/clients', { id: 'free', scopes: ['svc:health:read'] })).status).toBe(201);
    expect((await ada('PATCH', '/clients/free', { scopes: [] })).status).toBe(202);
  });
});

test('of two who agree at once one does, and the change is made once', async () => {
  const id = await askFor(ada, 'Raced');
  const replies = await Promise.all(
    [bob, carol, bob, carol].map((who) => who('POST', `/approvals/${id}/approve`)),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  expect(auditOf(id).filter(({ event }) => event === 'role.updated')).toHaveLength(1);
});

test('it is made on what it was asked for, or not at all', async () => {
  const first = await askFor(ada, 'Moved');
  const second = await askFor(bob, 'Moved', { permissions: ['svc:wan:read'] });
  expect((await carol('POST', `/approvals/${second}/approve`)).status).toBe(200);
  const late = await carol('POST', `/approvals/${first}/approve`);
  expect(late).toMatchObject({ status: 412, body: { code: 'precondition_failed' } });
  expect(await permissionsOf('Moved')).toEqual(['svc:wan:read']);
  const { body } = await bob('GET', `/approvals/${first}`);
  expect(body).toMatchObject({ state: 'failed', problem: 'precondition_failed' });
  expect((await carol('POST', `/approvals/${first}/approve`)).status).toBe(409);
});

test('who asked and was kept out since changes nothing', async () => {
  const id = await askFor(carol, 'Left');
  expect((await bob('POST', '/users/carol/disable')).status).toBe(200);
  expect((await bob('POST', `/approvals/${id}/approve`)).status).toBe(409);
  expect(await permissionsOf('Left')).toEqual(['svc:health:read']);
});

test('what is rejected or taken back is never made', async () => {
  const rejected = await askFor(ada, 'Later');
  const said = await bob('POST', `/approvals/${rejected}/reject`, { reason: 'not this week' });
  expect(said.body).toMatchObject({ state: 'rejected', reason: 'not this week' });
  const back = await askFor(ada, 'Later');
  expect((await ada('POST', `/approvals/${back}/reject`, {})).body.state).toBe('withdrawn');
  for (const id of [rejected, back]) expect((await bob('POST', `/approvals/${id}/approve`)).status).toBe(409);
  expect(await permissionsOf('Later')).toEqual(['svc:health:read']);
});

test.each([
  ['GET', '/approvals/apr_nothing', undefined, 404],
  ['POST', '/approvals/apr_00000000000000000000000000000000/approve', undefined, 404],
  ['POST', '/approvals/apr_00000000000000000000000000000000/reject', {}, 404],
  ['GET', '/approvals?state=perhaps', undefined, 400],
  ['PATCH', '/roles/Later', { permissions: ['no permission'] }, 400],
  ['PATCH', '/roles/Nobody', wider, 404],
] as const)('%s %s is answered %4$i, and nothing waits for it', async (method, path, body, status) => {
  const before = (await bob('GET', '/approvals?limit=500')).body.count.value;
  expect((await bob(method, path, body)).status).toBe(status);
  expect((await bob('GET', '/approvals?limit=500')).body.count.value).toBe(before);
});

test('an old sign-in approves nothing, a kill of the process loses nothing, and after a day it is over', async () => {
  const [kept, old] = [await askFor(ada, 'Later'), await askFor(bob, 'Left')];
  await setClock(310);
  expect((await bob('POST', `/approvals/${kept}/approve`)).body.code).toBe('reauth_required');
  console.child.kill('SIGKILL');
  await console.stop();
  console = await start('roles,updateClient');
  [ada, bob] = [await personOf('ada'), await personOf('bob')];
  expect((await bob('POST', `/approvals/${kept}/approve`)).status).toBe(200);
  expect(await permissionsOf('Later')).toEqual(wider.permissions);
  await setClock(25 * 3600);
  ada = await personOf('ada');
  expect((await ada('GET', `/approvals/${old}`)).body.state).toBe('expired');
  expect((await ada('POST', `/approvals/${old}/approve`)).status).toBe(409);
}, 120_000);

test('a misspelt name is found at the start', async () => {
  const failed = await runFailing({ env: { CONSOLE_APPROVALS_REQUIRE: 'updateRoles' } });
  expect(failed).toMatchObject({ code: 78 });
  expect(failed.stderr).toContain('CONSOLE_APPROVALS_REQUIRE');
});
