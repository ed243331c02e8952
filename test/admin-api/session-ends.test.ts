/** `POST /api/v1/sessions/end-all`: the end of all sessions, as a job that outlives its console. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillStore } from '../../bench/growth/growth-store.ts';
import { toolDone } from '../helpers/commands.ts';
import { admin, apiToken, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { freePort } from '../helpers/ports.ts';
import { until, withStore } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { type ApiCaller, apiCaller } from './support.ts';

/** More than bulk actions could once find. */
const sessions = 10_050;
let dataDir: string;
let port: number;
let console: RunningConsole;
let call: ApiCaller;

async function start(): Promise<void> {
  console = await startConsole({ dataDir, port });
  call = apiCaller(console, '', await apiToken(console));
}
const fill = (count: number) =>
  withStore(dataDir, (store) => fillStore(store, { users: 50, clients: 1, sessions: count }));

beforeAll(async () => {
  dataDir = await usedDataDir();
  port = await freePort();
  await fill(sessions);
  await start();
}, 60_000);
afterAll(async () => {
  await console?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const jobOf = async (id: string) => (await call('GET', `/jobs/${id}`)).body;
const countNow = async () => (await call('GET', '/sessions?limit=1')).body.count;
const doneBeyond = (id: string, done: number) =>
  until(async () => (await jobOf(id)).progress.done > done, `${done} of them`, 60_000);
const over = async (id: string) => {
  await until(async () => (await jobOf(id)).endedAt !== null, 'the end of the job', 300_000);
  return jobOf(id);
};
const entries = (event: string) => console.log().filter((line) => line.event === event);

test('a dry run ends none, and a reason has words', async () => {
  const { status, body } = await call('POST', '/sessions/end-all?dryRun=true', { reason: 'only a look' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 202, result: { kind: 'end-all-sessions', state: 'queued' } });
  expect((await call('POST', '/sessions/end-all', { reason: 'x' })).status).toBe(400);
  expect((await countNow()).isExact).toBe(false);
});

test('it ends more than ten thousand, through a stop, and after a kill; nobody who signs in meanwhile', async () => {
  const begun = await call('POST', '/sessions/end-all', { reason: 'a stolen key' });
  const { id } = begun.body;
  expect([begun.status, begun.body.resumable]).toEqual([202, true]);
  await doneBeyond(id, 300);
  expect((await jobOf(id)).progress).toMatchObject({
    total: sessions,
    unit: 'things',
    step: 'acting on each',
  });
  expect(entries('bulk_act.started').at(-1)).toMatchObject({
    target: id,
    reason: 'a stolen key',
    changes: { operation: 'endAllSessions', reason: 'a stolen key' },
  });
  // In order: what is done is counted exactly.
  await console.stop();
  const before = console
    .log()
    .filter(({ event, outcome }) => event === 'session.ended' && outcome === 'success');
  await start();
  await doneBeyond(id, before.length + 300);
  await until(
    async () => Date.now() > Date.parse(begun.body.createdAt) + 6_000,
    'a sign-in that is later',
    10_000,
  );
  const later = createUserAgent(console.url);
  await later.signIn(admin);
  console.child.kill('SIGKILL');
  await console.stop();
  await start();
  const { state, result, progress } = await over(id);
  expect([state, result.failed, result.left, result.waiting]).toEqual(['succeeded', 0, 0, 0]);
  // Of the last half a second before the kill nobody counts any more what was done; the audit has all.
  expect(result.done).toBeGreaterThan(sessions - 1000);
  expect(result.done).toBeLessThanOrEqual(sessions);
  expect(progress.done).toBe(progress.total);
  expect(await countNow()).toEqual({ value: 1, isExact: true });
  expect((await later.get('/account')).status).toBe(200);
  await console.waitFor(() => entries('bulk_act.ended').length > 0, 'the entry of its end');
  expect(entries('bulk_act.ended').at(-1)).toMatchObject({
    outcome: 'success',
    target: 'endAllSessions',
    changes: { job: id, done: result.done, failed: 0 },
  });
  const own = await call('GET', `/audit?joinedBy=${id}&event=session.ended&limit=1`);
  expect(own.body.items[0]).toMatchObject({ event: 'session.ended', outcome: 'success', requestId: id });
}, 600_000);

test('it can be stopped, and by a command it is begun and followed', async () => {
  await console.stop();
  await fill(2000);
  await start();
  const tool = (...args: string[]) => toolDone([...args, '--json'], { dataDir });
  const begun = await tool('session', 'end-all', '--everybody', '--reason', 'a drill', '--no-wait', '--yes');
  const { id } = JSON.parse(begun.stdout) as { id: string };
  await doneBeyond(id, 50);
  expect((await call('GET', `/jobs/${id}`)).body.startedBy).toMatch(/./);
  const { body } = await call('POST', `/jobs/${id}/cancel`, undefined, { Prefer: 'wait=30' });
  expect([body.state, body.result.done > 50, body.result.left > 0]).toEqual(['cancelled', true, true]);
  expect((await countNow()).value).toBeGreaterThan(0);
  const key = { 'Idempotency-Key': 'the-end-of-all-0123456789', Prefer: 'wait=0' };
  const first = await call('POST', '/sessions/end-all', { reason: 'once' }, key);
  expect((await call('POST', '/sessions/end-all', { reason: 'once' }, key)).body.id).toBe(first.body.id);
  expect((await call('POST', '/sessions/end-all', { reason: 'another' }, key)).status).toBe(422);
  await over(first.body.id);
  const all = JSON.parse((await tool('session', 'end-all', '--everybody', '--yes')).stdout);
  expect([all.state, all.result.failed]).toEqual(['succeeded', 0]);
  expect(await countNow()).toEqual({ value: 0, isExact: true });
}, 600_000);

test('whoever may end sessions and no more ends those of people who have no more, and is refused the others', async () => {
  const users = ['ada', 'modest'];
  await call('POST', '/users', { id: 'modest', password: admin.password, roles: [] });
  for (const username of users)
    await createUserAgent(console.url).signIn({ username, password: admin.password });
  const scope = 'api:sessions:write';
  const { secret } = (await call('POST', '/clients', { id: 'ender', scopes: [scope] })).body;
  const reply = await fetch(`${console.url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`ender:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  });
  const own = apiCaller(console, '', ((await reply.json()) as { access_token: string }).access_token);
  const { body } = await own('POST', '/sessions/end-all', {}, { Prefer: 'wait=30' });
  expect([body.state, body.result.done, body.result.failed]).toEqual(['succeeded', 1, 1]);
  expect(body.result.failures[0].code).toBe('escalation');
  expect((await own('GET', `/jobs/bulk-acts/${body.id}`)).body.result).toEqual(body.result);
  expect((await call('GET', '/sessions')).body.items.map(({ user }: { user: string }) => user)).toEqual([
    'ada',
  ]);
});

test('a command says what does not go together', async () => {
  const tool = (...args: string[]) =>
    toolDone(['session', 'end-all', ...args, '--yes'], { dataDir }).catch(({ message }) => message);
  expect(await tool()).toContain('or --everybody');
  expect(await tool('--everybody', '--user', 'ada')).toContain('--everybody stands alone');
  expect(await tool('--user', 'ada', '--reason', 'why not')).toContain('--reason goes with --everybody');
});
