/** Files of jobs on one PostgreSQL: whoever works on a job, or fetches its file, need not be who has taken it in. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  apiToken,
  freePort,
  machineToken,
  type RunningConsole,
  startConsole,
} from '../../helpers/console.ts';
import { type LoadBalancer, startLoadBalancer } from '../../helpers/load-balancer.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';

interface Job {
  readonly id: string;
  readonly state: string;
  readonly result: { readonly added?: number };
  readonly items?: number;
}

describe.skipIf(postgresPrograms === undefined)('consoles on PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  let front: LoadBalancer;
  let leader: RunningConsole;
  let other: RunningConsole;
  let admin: string;
  let database: string;

  beforeAll(async () => {
    [postgres, front] = await Promise.all([startPostgres(), startLoadBalancer()]);
    database = await postgres.createDatabase();
    const env = {
      CONSOLE_URL: front.url,
      CONSOLE_DATABASE_URL: postgres.url(database),
      CONSOLE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
    const start = async (more: object = {}) =>
      startConsole({ isFirstStart: true, port: await freePort(), env: { ...env, ...more } });
    leader = await start();
    const member = /^ +member +(\S+)$/m.exec(leader.stdout())![1]!;
    other = await start({ CONSOLE_MEMBERS: member });
    front.choose(leader.port);
    admin = await apiToken(front);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([leader?.stop(), other?.stop()]);
    await front?.close();
    await postgres?.close();
  }, 120_000);

  const call = (console: RunningConsole, method: string, path: string, body?: string, type = 'json') =>
    fetch(`http://127.0.0.1:${console.port}/api/v1/${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${admin}`,
        ...(body !== undefined && { 'Content-Type': `application/${type}` }),
      },
      ...(body !== undefined && { body }),
    });
  const patience = { timeout: 60_000, interval: 200 };
  const read = async <Body>(console: RunningConsole, path: string) =>
    (await (await call(console, 'GET', path)).json()) as Body;

  test('an import that is uploaded to a console that does not lead is worked on by the one that does, and its file is gone then', async () => {
    const people = Array.from({ length: 5_000 }, (_, n) => `shared-${n},Viewer`);
    const csv = ['username,roles', ...people, ''].join('\n');
    // More than one part.
    expect(csv.length * 4).toBeGreaterThan(256 * 1024);
    const padded = csv.replaceAll(',Viewer', `,${' '.repeat(60)}Viewer`);
    const begun = await call(other, 'POST', 'imports?of=users&format=csv', padded, 'octet-stream');
    expect(begun.status).toBe(202);
    const { id } = (await begun.json()) as Job;
    await expect
      .poll(() => read<Job>(other, `jobs/${id}`), { timeout: 60_000, interval: 200 })
      .toMatchObject({ state: 'succeeded', result: { added: 5_000 } });
    for (const { dataDir } of [leader, other]) {
      const folder = join(dataDir, 'jobs');
      expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
    }
    const left = await postgres.query(
      database,
      `select count(*)::int as n from artifact where kind = 'JobUploadPart'`,
    );
    expect(left).toEqual([{ n: 0 }]);
  }, 120_000);

  test('items that one console has taken out of a queue are fetched and removed at another, and lie encrypted until then', async () => {
    const writer = await machineToken(front);
    for (let n = 0; n < 20; n++) {
      const offered = await fetch(`http://127.0.0.1:${leader.port}/svc/rest/queues/shared`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${writer}`, 'Content-Type': 'text/plain' },
        body: `item-${n}`,
      });
      expect(offered.status).toBe(200);
    }
    const begun = await call(other, 'POST', 'queues/shared/drains', '{"most":100}');
    expect(begun.status).toBe(202);
    const { id } = (await begun.json()) as Job;
    const path = `queues/shared/drains/${id}`;
    await expect
      .poll(() => read<Job>(other, path), { timeout: 60_000, interval: 200 })
      .toMatchObject({ state: 'succeeded', items: 20 });
    const lines = await postgres.query(
      database,
      `select payload::text as line from artifact where kind = 'ItemFileLine'`,
    );
    expect(lines).toHaveLength(20);
    expect(JSON.stringify(lines)).not.toContain(Buffer.from('item-1').toString('base64'));
    for (const console of [other, leader]) {
      const text = await (await call(console, 'GET', `${path}/items`)).text();
      const values = text.split('\n').slice(0, -1);
      const items = values.map((line) =>
        Buffer.from((JSON.parse(line) as { value: string }).value, 'base64'),
      );
      expect(items.map(String)).toEqual(Array.from({ length: 20 }, (_, n) => `item-${n}`));
    }
    expect((await call(other, 'DELETE', `${path}/items`)).status).toBe(204);
    expect((await call(leader, 'GET', `${path}/items`)).status).toBe(404);
  }, 120_000);

  test('many keys that one console was asked for are read by the one that leads, given out by any, and lie encrypted', async () => {
    const keys = Array.from({ length: 40 }, (_, n) => `secret-key-${n}`);
    const begun = await call(other, 'POST', 'maps/shared/readings', JSON.stringify({ keys }));
    expect(begun.status).toBe(202);
    const { id } = (await begun.json()) as Job;
    for (const console of [other, leader]) {
      await expect
        .poll(() => read<Job>(console, `maps/shared/readings/${id}`), patience)
        .toMatchObject({ state: 'succeeded', entries: keys.map((key) => ({ id: key, bytes: null })) });
    }
    const lines = await postgres.query(
      database,
      `select payload::text as line from artifact where kind in ('Job', 'ReadKeys', 'ReadRows')`,
    );
    expect(lines.length).toBeGreaterThan(6);
    expect(JSON.stringify(lines)).not.toContain('secret-key');
  }, 120_000);

  test('an act on many that one console was asked for is undone by way of any, once', async () => {
    for (const id of ['pg-1', 'pg-2'])
      expect((await call(leader, 'POST', 'users', JSON.stringify({ id, roles: [] }))).status).toBe(201);
    const asked = JSON.stringify({ operation: 'disableUser', ids: ['pg-1', 'pg-2'] });
    const { id } = (await (await call(other, 'POST', 'jobs/bulk-acts', asked)).json()) as Job;
    await expect
      .poll(() => read<Job>(other, `jobs/bulk-acts/${id}`), patience)
      .toMatchObject({ state: 'succeeded', undo: { things: 2, undoneBy: null } });
    const replies = await Promise.all(
      [leader, other, leader, other].map((console) =>
        call(console, 'POST', `jobs/bulk-acts/${id}/undo`, '{}'),
      ),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([expect.toSatisfy((status) => [200, 202].includes(status)), 409, 409, 409]);
    await expect
      .poll(() => read<{ status: string }>(leader, 'users/pg-2'), patience)
      .toMatchObject({ status: 'invited' });
    await expect
      .poll(() => read<{ status: string }>(other, 'users/pg-1'), patience)
      .toMatchObject({ status: 'invited' });
  }, 120_000);

  test('an upload that is coming in when its console begins to lead is taken in whole', async () => {
    const path = '/api/v1/imports?of=users&format=csv';
    const headers = { Authorization: `Bearer ${admin}`, 'Content-Type': 'application/octet-stream' };
    const upload = request({ port: other.port, path, method: 'POST', headers });
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      upload.once('response', resolve).once('error', reject);
    });
    upload.write('username,roles\nslowly-1,Viewer\n');
    const folder = join(other.dataDir, 'jobs');
    await other.waitFor(() => existsSync(folder) && readdirSync(folder).length === 1, 'what has come so far');
    await leader.stop();
    await other.waitFor(
      () => other.log().some(({ msg }) => String(msg).startsWith('this console leads')),
      'the next leader',
    );
    // It has looked for what was left over before it works on anything.
    const quick = await call(
      other,
      'POST',
      'imports?of=users&format=csv',
      'username\nquick\n',
      'octet-stream',
    );
    const { id } = (await quick.json()) as Job;
    await expect.poll(() => read<Job>(other, `jobs/${id}`), patience).toMatchObject({ state: 'succeeded' });

    upload.end('slowly-2,Viewer\n');
    const taken = await answer;
    const body = JSON.parse(Buffer.concat(await taken.toArray()).toString()) as Job;
    expect([taken.statusCode, body]).toEqual([202, expect.objectContaining({ id: expect.any(String) })]);
    await expect
      .poll(() => read<Job>(other, `jobs/${body.id}`), patience)
      .toMatchObject({ state: 'succeeded', result: { added: 2 } });
    expect(readdirSync(folder)).toEqual([]);
  }, 120_000);
});
