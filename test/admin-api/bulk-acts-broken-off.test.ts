/** An act on many things that does not come to its end: stopped, killed, or asked for by somebody who may no longer. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manyUsers } from '../bulk/support.ts';
import { apiToken, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { personPassword } from '../helpers/management.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { type ApiCaller, apiCaller } from './support.ts';

const env = { CONSOLE_API_CHANGE_RATE: '0' };
let dataDir: string;
let console: RunningConsole;
let call: ApiCaller;

async function start(): Promise<void> {
  console = await startConsole({ dataDir, env });
  call = apiCaller(console, '', await apiToken(console));
}
beforeAll(async () => {
  dataDir = await usedDataDir();
  await start();
});
afterAll(async () => {
  await console?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function upload(count: number, prefix: string, wait: number) {
  const headers = {
    Authorization: `Bearer ${await apiToken(console)}`,
    'Content-Type': 'application/octet-stream',
    Prefer: `wait=${wait}`,
  };
  const url = `${console.url}/api/v1/imports?of=users&format=csv`;
  const reply = await fetch(url, { method: 'POST', headers, body: manyUsers(count, prefix) });
  return (await reply.json()) as { id: string; state: string };
}
const jobOf = async (id: string) => (await call('GET', `/jobs/${id}`)).body;
const over = async (id: string) => {
  await until(async () => (await jobOf(id)).endedAt !== null, 'the end of the job', 120_000);
  return jobOf(id);
};
/** So many that it is not over before somebody has looked. */
const most = 2000;

/** One of many, that has done some and not all. @returns its id */
async function inTheMiddle(prefix: string, as = call): Promise<string> {
  expect((await upload(most, prefix, 30)).state).toBe('succeeded');
  const asked = { operation: 'disableUser', query: { q: prefix }, most };
  const begun = await as('POST', '/jobs/bulk-acts', asked);
  expect(begun.status).toBe(202);
  await until(async () => (await jobOf(begun.body.id)).progress.done > 0, 'the first of them', 30_000);
  return begun.body.id;
}
const disabledOf = async (prefix: string) =>
  (await call('GET', `/users?q=${prefix}&status=disabled&limit=500`)).body.items.length as number;

test('one that is stopped says what it has done, and how many are left', async () => {
  const id = await inTheMiddle('stop-');
  const stopped = await call('POST', `/jobs/${id}/cancel`, undefined, { Prefer: 'wait=30' });
  const { state, result, progress } = stopped.body;
  expect([state, result.failed, result.waiting]).toEqual(['cancelled', 0, 0]);
  expect(result.done).toBeGreaterThan(0);
  expect([result.done + result.left, progress.done]).toEqual([most, result.done]);
  expect(await disabledOf('stop-')).toBe(Math.min(result.done, 500));
}, 90_000);

test('one of a person who may no longer ends there, and the person sees no more of it', async () => {
  const person = { id: 'keeper', password: personPassword, roles: ['Keeper', 'Viewer'] };
  await call('POST', '/roles', { id: 'Keeper', permissions: ['api:users:read', 'api:users:write'] });
  expect((await call('POST', '/users', person)).status).toBe(201);
  const agent = createUserAgent(console.url);
  const resource = `${console.url}/api`;
  const credentials = { username: 'keeper', password: personPassword };
  const tokens = await signInForTokens(console, agent, { resource }, credentials);
  const own = apiCaller(console, '', tokens.access_token);
  const id = await inTheMiddle('let-go-', own);
  expect((await own('GET', `/jobs/bulk-acts/${id}`)).body.startedBy).toBe((await jobOf(id)).startedBy);
  expect((await own('GET', `/jobs/${id}`)).status).toBe(403);
  expect((await call('PATCH', '/users/keeper', { roles: ['Viewer'] })).status).toBe(200);
  const { state, problem, result } = await over(id);
  expect([state, problem.code]).toEqual(['failed', 'insufficient_scope']);
  expect([result.done + result.left, result.done > 0, result.left > 0]).toEqual([most, true, true]);
  expect((await own('GET', `/jobs/bulk-acts/${id}`)).status).toBe(401);
}, 90_000);

test('one waits for no import', async () => {
  const { id: imported } = await upload(30_000, 'slow-', 0);
  await until(async () => (await jobOf(imported)).state === 'running', 'the import', 30_000);
  expect((await call('POST', '/users', { id: 'quick', roles: [] })).status).toBe(201);
  const asked = { operation: 'disableUser', ids: ['quick'] };
  const { body } = await call('POST', '/jobs/bulk-acts', asked, { Prefer: 'wait=30' });
  expect([body.state, body.result.done]).toEqual(['succeeded', 1]);
  await call('POST', `/jobs/${imported}/cancel`, undefined, { Prefer: 'wait=30' });
  expect(Date.parse(body.endedAt)).toBeLessThanOrEqual(Date.parse((await jobOf(imported)).endedAt));
}, 90_000);

/** Of all pages. */
async function allDisabledOf(prefix: string): Promise<number> {
  let found = 0;
  let cursor: string | undefined;
  do {
    const place = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await call('GET', `/users?q=${prefix}&status=disabled&limit=500${place}`);
    found += body.items.length;
    cursor = body.next ?? undefined;
  } while (cursor !== undefined);
  return found;
}

test('one whose console is killed is interrupted, says what was done, and all of that can be undone', async () => {
  expect((await upload(most, 'kill-', 30)).state).toBe('succeeded');
  const asked = { operation: 'disableUser', query: { q: 'kill-' }, most };
  // The first time before anything was reported of it.
  for (const disabled of [1, 40, 200]) {
    const begun = await call('POST', '/jobs/bulk-acts', asked);
    expect(begun.status).toBe(202);
    const { id } = begun.body;
    await until(async () => (await disabledOf('kill-')) >= disabled, 'some of them', 30_000);
    console.child.kill('SIGKILL');
    await console.stop();
    await start();
    const { state, problem, result } = await over(id);
    expect([state, problem.code, result.failed]).toEqual(['interrupted', 'interrupted', 0]);
    const done = await allDisabledOf('kill-');
    expect(done).toBeLessThan(most);
    expect([result.done, result.undoable]).toEqual([done, done]);
    expect((await call('GET', `/jobs/bulk-acts/${id}`)).body.undo).toMatchObject({ things: done });
    const undoing = await call('POST', `/jobs/bulk-acts/${id}/undo`, {}, { Prefer: 'wait=30' });
    expect((await over(undoing.body.id)).result).toMatchObject({ done, undoable: done, failed: 0 });
    expect(await allDisabledOf('kill-')).toBe(0);
  }
}, 300_000);

test('an Undo whose console is killed can be undone itself', async () => {
  expect((await upload(most, 'back-', 30)).state).toBe('succeeded');
  const asked = { operation: 'disableUser', query: { q: 'back-' }, most };
  const act = await call('POST', '/jobs/bulk-acts', asked);
  expect((await over(act.body.id)).result.undoable).toBe(most);
  const undoing = await call('POST', `/jobs/bulk-acts/${act.body.id}/undo`, {});
  // To count them takes as long as to undo many of them.
  await until(async () => (await jobOf(undoing.body.id)).progress.done > 0, 'the first of them', 30_000);
  console.child.kill('SIGKILL');
  await console.stop();
  await start();
  const { state, result } = await over(undoing.body.id);
  const left = await allDisabledOf('back-');
  expect([state, result.done, result.undoable]).toEqual(['interrupted', most - left, most - left]);
  const again = await call('POST', `/jobs/bulk-acts/${undoing.body.id}/undo`, {}, { Prefer: 'wait=30' });
  expect((await over(again.body.id)).result).toMatchObject({ done: most - left, failed: 0 });
  expect(await allDisabledOf('back-')).toBe(most);
}, 300_000);

test('what an Undo that was killed, and one that was stopped, have left is undone by the next', async () => {
  expect((await upload(most, 'rest-', 30)).state).toBe('succeeded');
  const asked = { operation: 'disableUser', query: { q: 'rest-' }, most };
  const { id } = (await call('POST', '/jobs/bulk-acts', asked)).body;
  expect((await over(id)).result.undoable).toBe(most);
  const undo = () => call('POST', `/jobs/bulk-acts/${id}/undo`, {});
  const undoOf = async () => (await call('GET', `/jobs/bulk-acts/${id}`)).body.undo;

  const killed = await undo();
  await until(async () => (await jobOf(killed.body.id)).progress.done > 0, 'the first of them', 30_000);
  expect([(await undo()).status, (await undoOf()).undoneBy]).toEqual([409, killed.body.id]);
  console.child.kill('SIGKILL');
  await console.stop();
  await start();
  expect((await over(killed.body.id)).state).toBe('interrupted');
  const afterKill = await allDisabledOf('rest-');
  expect(await undoOf()).toMatchObject({ things: afterKill, undoneBy: null });

  const stopped = await undo();
  await until(async () => (await jobOf(stopped.body.id)).progress.done > 0, 'the first of them', 30_000);
  await call('POST', `/jobs/${stopped.body.id}/cancel`, undefined, { Prefer: 'wait=30' });
  const afterStop = await allDisabledOf('rest-');
  expect(afterStop).toBeLessThan(afterKill);
  expect(await undoOf()).toMatchObject({ things: afterStop, undoneBy: null });

  const last = await undo();
  expect((await over(last.body.id)).result).toMatchObject({ done: afterStop, failed: 0, left: 0 });
  expect(await allDisabledOf('rest-')).toBe(0);
  expect(await undoOf()).toMatchObject({ undoneBy: last.body.id });
  const again = await undo();
  expect([again.status, again.body.detail]).toEqual([409, 'This was undone already.']);
}, 300_000);
