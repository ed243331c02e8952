/** `/api/v1/jobs`, `/backups` and `/imports`: work that outlives the call, and the process that does it. */
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTheMiddle, manyUsers } from '../bulk/support.ts';
import { runTool } from '../helpers/commands.ts';
import { apiToken, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { until, withStore } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly progress: { readonly done: number; readonly step: string };
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly problem: { readonly code: string; readonly detail: string } | null;
  readonly endedAt: string | null;
}

interface At {
  readonly url: string;
  readonly token: string;
}

async function call({ url, token }: At, method: string, path: string, body?: string, headers = {}) {
  const response = await fetch(`${url}/api/v1/${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}
const octets = { 'Content-Type': 'application/octet-stream' };
const upload = (at: At, query: string, body: string, headers = {}) =>
  call(at, 'POST', `imports?${query}`, body, { ...octets, ...headers });
const jobOf = async (at: At, id: string) => (await call(at, 'GET', `jobs/${id}`)).body as Job;
const over = async (at: At, id: string) => {
  await until(async () => (await jobOf(at, id)).endedAt !== null, 'the end of the job', 60_000);
  return jobOf(at, id);
};
const countOf = async (at: At, prefix: string) => {
  const { body } = await call(at, 'GET', `users?limit=500&q=${prefix}`);
  return body.items.length as number;
};

let console: RunningConsole;
let at: At;
beforeAll(async () => {
  console = await startConsole();
  at = { url: console.url, token: await apiToken(console) };
});
afterAll(() => console?.stop());

describe('a backup', () => {
  test('is made as a job, listed, and put back by the command line alone', async () => {
    const { status, headers, body } = await call(at, 'POST', 'backups', undefined, { Prefer: 'wait=30' });
    expect([status, body.state, body.kind]).toEqual([200, 'succeeded', 'backup']);
    expect(headers.get('location')).toBe(`/api/v1/jobs/${body.id}`);
    const id = String(body.result.backup);
    const listed = (await call(at, 'GET', 'backups')).body;
    expect(listed.items).toEqual([{ id, createdAt: expect.any(String), bytes: expect.any(Number) }]);
    expect((await call(at, 'GET', `backups/${id}`)).body).toEqual(listed.items[0]);

    const rejected = await call(at, 'POST', `backups/${id}/restore`);
    expect([rejected.status, rejected.body.code]).toEqual([409, 'conflict']);
    expect(rejected.body.detail).toContain(`npx console restore <CONSOLE_DATA_DIR>/backups/${id}`);
    const dataDir = await usedDataDir();
    const restored = await runTool(['restore', join(console.dataDir, 'backups', id)], { dataDir });
    expect(restored.code, restored.stderr).toBe(0);
    await rm(dataDir, { recursive: true, force: true });
    await console.waitFor(
      () => console.log().some(({ event, target }) => event === 'store.backed_up' && target === body.id),
      'its audit line',
    );
  });

  test('that was cut off is said to be, and leaves nothing behind', async () => {
    const dataDir = await usedDataDir();
    const folder = join(dataDir, 'backups');
    const partial = () => existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.partial'));
    let job: Job | undefined;
    // A copy that was quicker than the signal is made again.
    for (let tries = 0; tries < 5 && job?.state !== 'interrupted'; tries++) {
      const cut = await startConsole({ dataDir });
      const there = { url: cut.url, token: await apiToken(cut) };
      const begun = (await call(there, 'POST', 'backups')).body as Job;
      const deadline = Date.now() + 10_000;
      while (!partial() && (await Promise.resolve(Date.now())) < deadline) {
        if (existsSync(join(folder, begun.id.replace('job', 'bak')))) break;
      }
      cut.child.kill('SIGKILL');
      await cut.stop();
      const next = await startConsole({ dataDir });
      job = await over({ url: next.url, token: await apiToken(next) }, begun.id);
      await next.stop();
    }
    expect(job).toMatchObject({ state: 'interrupted', problem: { code: 'interrupted' }, result: null });
    expect(job!.problem!.detail).toContain('Ask for it again');
    expect(partial()).toBe(false);
    await rm(dataDir, { recursive: true, force: true });
  }, 60_000);
});

describe('an import', () => {
  test('is followed to its end, line by line of what it does', async () => {
    const { status, headers, body } = await upload(at, 'of=users&format=csv', manyUsers(300, 'even-'));
    expect([status, headers.get('location')]).toEqual([202, `/api/v1/jobs/${body.id}`]);
    const stream = await fetch(`${at.url}/api/v1/jobs/${body.id}/events`, {
      headers: { Authorization: `Bearer ${at.token}` },
    });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    const said = (await stream.text()).split('\n\n').filter((event) => event.startsWith('event: job'));
    const last = JSON.parse(said.at(-1)!.split('\ndata: ')[1]!) as Job;
    expect(last).toMatchObject({
      state: 'succeeded',
      result: { added: 300, existing: 0, rejected: 0, leftOut: [] },
    });
    expect(await jobOf(at, body.id)).toEqual(last);
    expect(await countOf(at, 'even-')).toBe(300);
    expect(readdirSync(join(console.dataDir, 'jobs'))).toEqual([]);
  });

  test('writes nothing unless every line is right, or leaves out what is wrong', async () => {
    const lines = 'username,roles\nright-1,Viewer\nright-2,Nothing\nright-3,Viewer\n';
    const wait = { Prefer: 'wait=30' };
    const failed = await upload(at, 'of=users&format=csv', lines, wait);
    expect([failed.status, failed.body.state, failed.body.problem.code]).toEqual([
      200,
      'failed',
      'import_rejected',
    ]);
    expect(failed.body.problem.detail).toMatch(/^Line 3: .*Nothing was written\.$/);
    expect(await countOf(at, 'right-')).toBe(0);
    const checked = await upload(at, 'of=users&format=csv&continue=true&onlyCheck=true', lines, wait);
    expect(checked.body.result).toMatchObject({ added: 2, rejected: 1 });
    expect(await countOf(at, 'right-')).toBe(0);
    const partly = await upload(at, 'of=users&format=csv&continue=true', lines, wait);
    expect(partly.body.result).toMatchObject({ added: 2, rejected: 1, leftOut: [{ line: 3 }] });
    const again = await upload(at, 'of=users&format=csv&continue=true&skipExisting=true', lines, wait);
    expect(again.body.result).toMatchObject({ added: 0, existing: 2, rejected: 1 });
    const client = JSON.stringify({ id: 'imported', scopes: ['svc:health:read'] });
    const clients = await upload(at, 'of=clients&format=jsonl', `${client}\n`, wait);
    expect(clients.body).toMatchObject({ state: 'succeeded', result: { added: 1 } });
  });

  test('whose console is killed in the middle goes on from its mark, and adds nobody twice', async () => {
    const { dataDir, id, count, prefix } = await inTheMiddle((lines, of) =>
      brokenOff(lines, of, async ({ child, stop }) => {
        child.kill('SIGKILL');
        await stop();
      }),
    );
    const next = await startConsole({ dataDir });
    const job = await over({ url: next.url, token: await apiToken(next) }, id);
    expect(job).toMatchObject({ state: 'succeeded', result: { added: count, existing: 0, rejected: 0 } });
    expect(await next.stop()).toBe(0);
    expect(await storedIn(dataDir, prefix)).toBe(count);
    await rm(dataDir, { recursive: true, force: true });
  }, 90_000);

  test('goes on after an orderly stop, too', async () => {
    const { dataDir, id, count, prefix } = await inTheMiddle((lines, of) =>
      brokenOff(lines, of, async ({ stop }) => expect(await stop()).toBe(0)),
    );
    const next = await startConsole({ dataDir });
    const job = await over({ url: next.url, token: await apiToken(next) }, id);
    expect(job).toMatchObject({ state: 'succeeded', result: { added: count } });
    await next.stop();
    expect(await storedIn(dataDir, prefix)).toBe(count);
    await rm(dataDir, { recursive: true, force: true });
  }, 90_000);

  test('that is cancelled stops, and keeps what it has stored', async () => {
    const { id, prefix } = await inTheMiddle(async (lines, of) => {
      const begun = (await upload(at, 'of=users&format=csv', manyUsers(lines, of))).body as Job;
      await untilStoring(at, begun.id);
      const cancelled = await call(at, 'POST', `jobs/${begun.id}/cancel`, undefined, { Prefer: 'wait=30' });
      if ((await jobOf(at, begun.id)).state === 'succeeded') return undefined;
      expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled']);
      return { id: begun.id, prefix: of };
    });
    const again = await call(at, 'POST', `jobs/${id}/cancel`);
    expect([again.status, again.body.code]).toEqual([409, 'conflict']);
    expect(await countOf(at, prefix)).toBeGreaterThan(0);
  }, 90_000);
});

test('one caller follows four at a time, and others are not held up by that (S83)', async () => {
  // It is not over before it is cancelled.
  const { id } = (await upload(at, 'of=users&format=csv', manyUsers(100_000, 'open-'))).body as Job;
  const follow = (token = at.token) => {
    const leaves = new AbortController();
    const headers = { Authorization: `Bearer ${token}` };
    const { signal } = leaves;
    return fetch(`${at.url}/api/v1/jobs/${id}/events`, { headers, signal }).then((response) => ({
      response,
      leave: () => leaves.abort(),
    }));
  };
  const open = await Promise.all(Array.from({ length: 4 }, () => follow()));
  expect(open.map(({ response }) => response.status)).toEqual([200, 200, 200, 200]);
  const refused = (await follow()).response;
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await refused.json()).toMatchObject({ code: 'too_many_requests' });
  // What everything is looked at for is one of them, and what is short is not.
  expect((await call(at, 'GET', 'configuration')).status).toBe(429);
  expect((await call(at, 'GET', 'jobs')).status).toBe(200);
  const resource = `${at.url}/api`;
  const person = (await signInForTokens(console, createUserAgent(at.url), { resource })).access_token;
  const other = await follow(person);
  expect(other.response.status).toBe(200);
  // Who leaves makes room.
  open[0]!.leave();
  await until(async () => (await call(at, 'GET', 'configuration')).status === 200, 'room');
  expect((await call(at, 'POST', `jobs/${id}/cancel`, undefined, { Prefer: 'wait=30' })).status).toBe(200);
  await Promise.all(open.slice(1).map(({ response }) => response.text()));
  other.leave();
}, 90_000);

test('jobs are listed, the newest first, by state and kind, page by page', async () => {
  const all = (await call(at, 'GET', 'jobs')).body.items as Job[];
  expect(all.length).toBeGreaterThan(4);
  expect(all.map(({ id }) => id)).toEqual(
    all
      .map(({ id }) => id)
      .sort()
      .reverse(),
  );
  const backups = (await call(at, 'GET', 'jobs?kind=backup&state=succeeded')).body;
  expect(backups.items.map(({ kind }: Job) => kind)).toEqual(['backup']);
  const first = (await call(at, 'GET', 'jobs?limit=3')).body;
  const rest = (await call(at, 'GET', `jobs?limit=500&cursor=${first.next}`)).body;
  expect([...first.items, ...rest.items]).toEqual(all);
});

describe('is refused, and nothing is kept (S53)', () => {
  const rows: readonly (readonly [string, string, string, number])[] = [
    ['no collection', 'format=csv', 'x', 400],
    ['another collection', 'of=roles&format=csv', 'x', 400],
    ['another format', 'of=users&format=xml', 'x', 400],
    ['a parameter that nobody knows', 'of=users&format=csv&force=true', 'x', 400],
    ['a dry run', 'of=users&format=csv&dryRun=true', 'x', 400],
  ];
  test.each(rows)('an import with %s', async (_what, query, body, status) => {
    const refused = await upload(at, query, body);
    expect([refused.status, refused.body.code]).toEqual([status, 'invalid_request']);
    expect(readdirSync(join(console.dataDir, 'jobs'))).toEqual([]);
  });

  test('a body of another type, an id that is none, and who may not', async () => {
    expect(
      (await call(at, 'POST', 'imports?of=users&format=csv', 'x', { 'Content-Type': 'text/csv' })).status,
    ).toBe(400);
    for (const path of ['jobs/job_1', 'jobs/..%2f..%2fx', `jobs/job_${'0'.repeat(32)}`, 'backups/bak_x']) {
      expect([path, (await call(at, 'GET', path)).status]).toEqual([path, 404]);
    }
    const viewer = { ...at, token: await apiToken(console, 'app:Viewer') };
    expect((await call(viewer, 'GET', 'jobs')).status).toBe(403);
    expect((await call(viewer, 'POST', 'backups')).status).toBe(403);
    expect((await upload(viewer, 'of=users&format=csv', 'x')).status).toBe(403);
  });
});

/** A console of its own, ended while it stores. @returns undefined when all was stored before */
async function brokenOff(count: number, prefix: string, end: (console: RunningConsole) => Promise<unknown>) {
  const dataDir = await usedDataDir();
  const first = await startConsole({ dataDir });
  const there = { url: first.url, token: await apiToken(first) };
  const { id } = (await upload(there, 'of=users&format=csv', manyUsers(count, prefix))).body as Job;
  await untilStoring(there, id);
  await end(first);
  const stored = await storedIn(dataDir, prefix);
  expect(stored).toBeGreaterThan(0);
  if (stored < count) return { dataDir, id, count, prefix };
  await rm(dataDir, { recursive: true, force: true });
  return undefined;
}

/** Its first mark, or its end when that was quicker than who asks. */
function untilStoring(at: At, id: string): Promise<void> {
  const isStoring = async () => {
    const { progress, endedAt } = await jobOf(at, id);
    return endedAt !== null || /storing, up to line/.test(progress.step);
  };
  return until(isStoring, 'a mark', 60_000);
}

function storedIn(dataDir: string, prefix: string): Promise<number> {
  return withStore(dataDir, async ({ records }) => {
    let [count, after]: [number, string | undefined] = [0, undefined];
    do {
      const page = await records.users({ limit: 500, after, beginning: prefix });
      count += page.records.length;
      after = page.next;
    } while (after !== undefined);
    return count;
  });
}
