/** `POST /api/v1/jobs/bulk-acts`: one act on many things, each by the rules of its own operation. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { type ApiCaller, apiCaller } from './support.ts';

let console: RunningConsole;
let call: ApiCaller;

beforeAll(async () => {
  console = await startConsole({ env: { CONSOLE_API_CHANGE_RATE: '0' } });
  call = apiCaller(console, '', await apiToken(console));
});
afterAll(() => console?.stop());

const bulk = (body: unknown, headers = {}) =>
  call('POST', '/jobs/bulk-acts', body as object, { Prefer: 'wait=30', ...headers });
const add = async (...ids: readonly string[]) => {
  for (const id of ids) expect((await call('POST', '/users', { id, roles: [] })).status).toBe(201);
};
const statusOf = async (id: string) => (await call('GET', `/users/${id}`)).body.status as unknown;
const entries = (event: string) => console.log().filter((line) => line.event === event);

describe('an act on things that are named', () => {
  test('is done to each as its operation does it, and says how many', async () => {
    await add('one', 'two', 'three');
    const { status, body } = await bulk({ operation: 'disableUser', ids: ['one', 'two', 'one'] });
    expect([status, body.kind, body.state]).toEqual([200, 'disable-users', 'succeeded']);
    expect(body.result).toEqual({
      operation: 'disableUser',
      done: 2,
      undoable: 2,
      waiting: 0,
      failed: 0,
      left: 0,
      failures: [],
    });
    expect(body.progress).toMatchObject({ done: 2, total: 2 });
    expect([await statusOf('one'), await statusOf('two'), await statusOf('three')]).toEqual([
      'disabled',
      'disabled',
      'invited',
    ]);
    // Each has its own entry, which the job joins; the act as a whole has two.
    const own = entries('user.disabled').filter(({ requestId }) => requestId === body.id);
    expect(own.map(({ target, outcome }) => [target, outcome])).toEqual([
      ['one', 'success'],
      ['two', 'success'],
    ]);
    await console.waitFor(
      () => entries('bulk_act.ended').some(({ target }) => target === 'disableUser'),
      'the entry of its end',
    );
    expect(entries('bulk_act.started').at(-1)).toMatchObject({
      outcome: 'success',
      target: body.id,
      changes: { operation: 'disableUser', things: 2 },
    });
  });

  test('is told of each that is refused, and holds up no other', async () => {
    await add('alive');
    const ids = ['gone-already', 'alive', '../../etc/passwd', 'x'.repeat(256)];
    const { body } = await bulk({ operation: 'disableUser', ids });
    expect([body.state, body.result.done, body.result.failed]).toEqual(['succeeded', 1, 3]);
    expect(body.result.failures.map(({ id, code }: { id: string; code: string }) => [id, code])).toEqual([
      ['gone-already', 'not_found'],
      ['../../etc/passwd', 'not_found'],
      ['x'.repeat(256), 'not_found'],
    ]);
    expect(await statusOf('alive')).toBe('disabled');
  });

  test('leaves the last administrator', async () => {
    const { body } = await bulk({ operation: 'disableUser', ids: ['ada'] });
    expect(body.result).toMatchObject({ done: 0, failed: 1, failures: [{ id: 'ada' }] });
    expect(await statusOf('ada')).toBe('active');
  });

  test('names a hundred failures, and counts all', async () => {
    const ids = Array.from({ length: 150 }, (_, n) => `nobody-${n}`);
    const { body } = await bulk({ operation: 'enableUser', ids });
    expect([body.result.failed, body.result.failures.length]).toEqual([150, 100]);
  });

  test('asked for twice with one key is one job', async () => {
    await add('once');
    const key = { 'Idempotency-Key': 'bulk-once' };
    const first = await bulk({ operation: 'disableUser', ids: ['once'] }, key);
    const again = await bulk({ operation: 'disableUser', ids: ['once'] }, key);
    expect(again.body.id).toBe(first.body.id);
  });

  test('is only shown by a dry run', async () => {
    await add('dry');
    const { status } = await call('POST', '/jobs/bulk-acts?dryRun=true', {
      operation: 'disableUser',
      ids: ['dry'],
    });
    expect([status, await statusOf('dry')]).toEqual([200, 'invited']);
  });
});

describe('an act on what a query finds', () => {
  test('is done to all of it, over many pages of the list', async () => {
    const ids = Array.from({ length: 520 }, (_, n) => `found-${String(n).padStart(3, '0')}`);
    for (let at = 0; at < ids.length; at += 20)
      await Promise.all(ids.slice(at, at + 20).map((id) => add(id)));
    const { body: begun } = await bulk({ operation: 'deleteUser', query: { q: 'found-' }, most: 520 });
    const jobOf = async () => (await call('GET', `/jobs/${begun.id}`)).body;
    await until(async () => (await jobOf()).endedAt !== null, 'the end of the job', 60_000);
    expect((await jobOf()).result).toMatchObject({ done: 520, failed: 0, left: 0 });
    expect((await call('GET', '/users?q=found-')).body.items).toEqual([]);
  }, 90_000);

  test('is not begun when it finds more than it was asked for', async () => {
    await add('more-1', 'more-2', 'more-3');
    const { body } = await bulk({ operation: 'disableUser', query: { q: 'more-' }, most: 2 });
    expect([body.state, body.problem.code, body.result.done]).toEqual(['failed', 'conflict', 0]);
    expect(body.problem.detail).toContain('Nothing was done');
    expect(await statusOf('more-1')).toBe('invited');
    const all = await bulk({ operation: 'disableUser', query: { q: 'more-' }, most: 3 });
    expect(all.body.result.done).toBe(3);
  });
});

describe('what an act has changed', () => {
  const undo = (id: string, query = '') =>
    call('POST', `/jobs/bulk-acts/${id}/undo${query}`, {}, { Prefer: 'wait=30' });
  const undoOf = async (id: string) => (await call('GET', `/jobs/bulk-acts/${id}`)).body.undo;

  test('is taken back, once, and what was so before is left', async () => {
    await add('undo-1', 'undo-2', 'undo-off');
    await call('POST', '/users/undo-off/disable');
    const ids = ['undo-1', 'undo-off', 'undo-2', 'undo-nobody'];
    const { body: act } = await bulk({ operation: 'disableUser', ids });
    expect(act.result).toMatchObject({ done: 3, undoable: 2, failed: 1 });
    const { things, until: end, undoneBy } = await undoOf(act.id);
    expect([things, undoneBy]).toEqual([2, null]);
    expect(Date.parse(end) - Date.parse(act.createdAt)).toBe(24 * 3_600_000);
    const dry = await undo(act.id, '?dryRun=true');
    expect([dry.status, await statusOf('undo-1'), (await undoOf(act.id)).undoneBy]).toEqual([
      200,
      'disabled',
      null,
    ]);
    const { status, body } = await undo(act.id);
    expect([status, body.kind, body.state]).toEqual([200, 'enable-users', 'succeeded']);
    expect(body.result).toMatchObject({ operation: 'enableUser', done: 2, undoable: 2, failed: 0 });
    expect([await statusOf('undo-1'), await statusOf('undo-2'), await statusOf('undo-off')]).toEqual([
      'invited',
      'invited',
      'disabled',
    ]);
    const started = entries('bulk_act.started').at(-1);
    expect(started).toMatchObject({
      target: body.id,
      changes: { operation: 'enableUser', undoes: act.id },
    });
    const own = entries('user.enabled').filter(({ requestId }) => requestId === body.id);
    expect(own.map(({ target }) => target)).toEqual(['undo-1', 'undo-2']);
    expect((await undoOf(act.id)).undoneBy).toBe(body.id);
    const again = await undo(act.id);
    expect([again.status, again.body.code, again.body.detail]).toEqual([
      409,
      'conflict',
      'This was undone already.',
    ]);
    // What was taken back is an act as well.
    expect((await undo(body.id)).body.result).toMatchObject({ operation: 'disableUser', done: 2 });
    expect(await statusOf('undo-1')).toBe('disabled');
  });

  test('by somebody else meanwhile is left, and named', async () => {
    await add('since-1', 'since-2', 'since-3');
    const ids = ['since-1', 'since-2', 'since-3'];
    const { body: act } = await bulk({ operation: 'disableUser', ids });
    await call('PATCH', '/users/since-1', { displayName: 'Somebody else was here' });
    await call('POST', '/users/since-2/enable');
    const { body } = await undo(act.id);
    expect(body.result).toMatchObject({
      done: 1,
      failed: 2,
      failures: [
        { id: 'since-1', code: 'precondition_failed' },
        { id: 'since-2', code: 'precondition_failed' },
      ],
    });
    expect(await Promise.all(ids.map(statusOf))).toEqual(['disabled', 'invited', 'invited']);
  });

  test('by a query is taken back, and so are clients and applications', async () => {
    await add('query-1', 'query-2');
    const all = await bulk({ operation: 'disableUser', query: { q: 'query-' }, most: 2 });
    expect((await undo(all.body.id)).body.result).toMatchObject({ done: 2 });
    await call('POST', '/clients', { id: 'undo-client', scopes: [] });
    await call('POST', '/applications', {
      id: 'undo-app',
      redirectUris: ['https://a.example.com/cb'],
    });
    for (const [operation, path] of [
      ['disableClient', '/clients/undo-client'],
      ['disableApplication', '/applications/undo-app'],
    ] as const) {
      const { body } = await bulk({ operation, ids: [path.split('/').at(-1)] });
      expect((await call('GET', path)).body.status).toBe('disabled');
      expect((await undo(body.id)).body.result).toMatchObject({ done: 1, failed: 0 });
      expect((await call('GET', path)).body.status).toBe('active');
    }
  });

  test('that cannot be undone, or is nothing, is not', async () => {
    await add('gone-1', 'ended-1', 'same-1');
    const removed = await bulk({ operation: 'deleteUser', ids: ['gone-1'] });
    const ended = await bulk({ operation: 'endUserSessions', ids: ['ended-1'] });
    const same = await bulk({ operation: 'enableUser', ids: ['same-1'] });
    for (const { body } of [removed, ended, same]) {
      expect([body.result.done, body.result.undoable, await undoOf(body.id)]).toEqual([1, 0, null]);
      const reply = await undo(body.id);
      expect([reply.status, reply.body.code]).toEqual([409, 'conflict']);
    }
    const backup = (await call('POST', '/backups', {}, { Prefer: 'wait=30' })).body.id;
    expect((await undo(backup)).status).toBe(404);
    expect((await undo('job_00000000000000000000000000000000')).status).toBe(404);
  });

  test('is taken back by nobody else, and not by who may no longer do the opposite (S49)', async () => {
    await add('others-1');
    const { body: act } = await bulk({ operation: 'disableUser', ids: ['others-1'] });
    const machine = async (id: string, scope: string) => {
      const { secret } = (await call('POST', '/clients', { id, scopes: [scope] })).body;
      const reply = await fetch(`${console.url}/oauth2/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
      });
      return apiCaller(console, '', ((await reply.json()) as { access_token: string }).access_token);
    };
    const other = await machine('undoer', 'api:users:write');
    expect((await other('POST', `/jobs/bulk-acts/${act.id}/undo`)).status).toBe(404);
    expect(await statusOf('others-1')).toBe('disabled');
  });
});

describe('what is refused', () => {
  test.each([
    ['an operation that is not for many', { operation: 'createUser', ids: ['a'] }],
    ['an operation that there is not', { operation: 'everything', ids: ['a'] }],
    ['neither ids nor a query', { operation: 'disableUser' }],
    ['both', { operation: 'disableUser', ids: ['a'], query: {}, most: 1 }],
    ['no ids', { operation: 'disableUser', ids: [] }],
    ['too many ids', { operation: 'disableUser', ids: Array.from({ length: 1001 }, (_, n) => `${n}`) }],
    ['a query without its number', { operation: 'disableUser', query: {} }],
    ['a filter that the list does not have', { operation: 'disableUser', query: { colour: 'red' }, most: 1 }],
    ['a value that the filter does not take', { operation: 'disableUser', query: { status: 'x' }, most: 1 }],
    ['a place in the list', { operation: 'disableUser', query: { limit: '1' }, most: 1 }],
    ['more than may be', { operation: 'disableUser', query: {}, most: 250_001 }],
  ])('is %s: nothing begins', async (_, body) => {
    const jobs = async () => (await call('GET', '/jobs')).body.count.value as number;
    const before = await jobs();
    const { status, body: problem } = await bulk(body);
    expect([status, problem.code]).toEqual([400, 'invalid_request']);
    expect(await jobs()).toBe(before);
  });

  test('is whoever may not run the operation, or list what it finds', async () => {
    const scope = 'api:sessions:write';
    const { secret } = (await call('POST', '/clients', { id: 'ender', scopes: [scope] })).body;
    const reply = await fetch(`${console.url}/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`ender:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
    });
    const { access_token: token } = (await reply.json()) as { access_token: string };
    const own = apiCaller(console, '', token);
    const denied = await own('POST', '/jobs/bulk-acts', { operation: 'disableUser', ids: ['three'] });
    expect([denied.status, denied.body.code]).toEqual([403, 'insufficient_scope']);
    const unseen = await own('POST', '/jobs/bulk-acts', { operation: 'endSession', query: {}, most: 1 });
    expect([unseen.status, unseen.body.code]).toEqual([403, 'insufficient_scope']);
    const allowed = await own('POST', '/jobs/bulk-acts', { operation: 'endSession', ids: ['nosuchsession'] });
    expect([200, 202]).toContain(allowed.status);
    expect(await statusOf('three')).toBe('invited');
  });
});
