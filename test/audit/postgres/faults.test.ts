/** What may go away while several consoles write one audit: each acknowledged change has its entry, once, whatever it was. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createEntryBody } from '../../../console/audit/entry.ts';
import { verifyRows } from '../../../console/audit/rows/verify/verify-rows.ts';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import { machineToken, type RunningConsole, waitFor } from '../../helpers/console.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { write } from '../forgeries.ts';
import { type Consoles, openConsoles } from './support.ts';

/** More of them on request: `AUDIT_KILLS=100`. */
const rounds = Number(process.env.AUDIT_KILLS ?? 3);
/** Longer on request: `AUDIT_AWAY_SECONDS=60`. */
const awaySeconds = Number(process.env.AUDIT_AWAY_SECONDS ?? 3);

vi.setConfig({ testTimeout: 90_000 + rounds * 10_000 + awaySeconds * 1_000 });

describe.skipIf(postgresPrograms === undefined)('faults while several write, where PostgreSQL is', () => {
  let postgres: Postgres;
  let consoles: Consoles;
  let one: RunningConsole;
  let other: RunningConsole;
  let directory: string;

  beforeAll(async () => {
    // What it has acknowledged has to be there after a kill.
    postgres = await startPostgres({ isDurable: true });
    consoles = await openConsoles(postgres);
    directory = await consoles.newDataDir();
    one = await consoles.start(directory);
    other = await consoles.start();
  }, 120_000);
  afterAll(async () => {
    await consoles?.close();
    await postgres?.close();
  }, 120_000);

  /** Two change something at each of these, until they are over. @returns ids of what was acknowledged */
  async function whileChanging(at: readonly RunningConsole[], name: string, work: () => Promise<void>) {
    const done: string[] = [];
    let isOver = false;
    const changing = at.flatMap((console, c) =>
      [0, 1].map(async (lane) => {
        for (let n = 0; !isOver; n++) {
          const id = `${name}-${c}-${lane}-${n}`;
          const body = { id, scopes: ['svc:health:read'] };
          const answer = await consoles
            .callAt(console, 'POST', '/api/v1/clients', body)
            .catch(() => undefined);
          if (answer?.status === 201) done.push(id);
          else await delay(50);
        }
      }),
    );
    await work();
    isOver = true;
    await Promise.all(changing);
    return done;
  }

  /** As `console` lists them. */
  async function added(console: RunningConsole, name: string): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await consoles.api<{
        items: readonly { event: string; object: { id: string } | null }[];
        next: string | null;
      }>(console, 'GET', `/audit?event=client.added&outcome=success&limit=200${cursor}`);
      ids.push(...page.items.map(({ object }) => object!.id).filter((id) => id.startsWith(`${name}-`)));
      if (page.next === null) return ids.sort();
      cursor = `&cursor=${encodeURIComponent(page.next)}`;
    }
  }

  /** Some were done and never answered. */
  async function expectOnce(console: RunningConsole, name: string, done: readonly string[]): Promise<void> {
    await vi.waitFor(
      async () => expect(await added(console, name)).toEqual(expect.arrayContaining([...done])),
      { timeout: 30_000, interval: 500 },
    );
    const all = await added(console, name);
    expect(new Set(all).size).toBe(all.length);
  }

  const outboxIsEmpty = () =>
    vi.waitFor(
      async () =>
        expect(await consoles.query(`select payload from artifact where kind = 'AuditOutbox'`)).toEqual([]),
      { timeout: 30_000, interval: 500 },
    );

  /** For what is in the outbox. */
  const aMinuteLater = () =>
    consoles.query(`update artifact set payload = jsonb_set(payload::jsonb, '{at}',
      to_jsonb((payload ->> 'at')::bigint - 61000))::json where kind = 'AuditOutbox'`);

  const report = () => verifyRows({ databaseUrl: consoles.databaseUrl, publicKey: undefined, anchors: [] });

  test(`consoles that are killed ${rounds} times`, async () => {
    const done: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const name = `killed-${round}`;
      const ids = await whileChanging([one, other], name, async () => {
        await delay(500 + Math.random() * 1000);
        const ended = new Promise((resolve) => one.child.once('exit', resolve));
        one.child.kill('SIGKILL');
        await ended;
        await delay(200);
      });
      expect(ids.length).toBeGreaterThan(0);
      done.push(...ids);
      one = await consoles.start(directory);
    }
    for (const console of [one, other]) await expectOnce(console, 'killed', done);
    await outboxIsEmpty();
    expect(await report()).toMatchObject({ isGood: true });
  });

  test('a database that is killed', async () => {
    const ids = await whileChanging([one, other], 'crashed', async () => {
      await delay(1000);
      process.kill(postgres.pid(), 'SIGKILL');
      await startAgain();
      for (const console of [one, other]) await ready(console);
      await delay(1000);
    });
    expect(ids.length).toBeGreaterThan(0);
    for (const console of [one, other]) await expectOnce(console, 'crashed', ids);
    // Of some nobody knew whether they were done: they are told when they are old.
    await aMinuteLater();
    await outboxIsEmpty();
    const done = await consoles.query<{ n: number }>(
      `select count(*)::int as n from client where id like 'crashed-%'`,
    );
    expect(await added(one, 'crashed')).toHaveLength(done[0]!.n);
    expect(await report()).toMatchObject({ isGood: true });
  });

  /** What the dead server has left of its processes ends first. */
  async function startAgain(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await postgres.start();
        return;
      } catch (error) {
        if (attempt === 20) throw error;
        await delay(250);
      }
    }
  }

  async function ready({ port }: RunningConsole): Promise<void> {
    const until = performance.now() + 30_000;
    for (;;) {
      const response = await fetch(`http://localhost:${port}/ready`).catch(() => undefined);
      if (response?.status === 200) return;
      expect(performance.now()).toBeLessThan(until);
      await delay(100);
    }
  }

  test(`a database that is away for ${awaySeconds} s: what is written meanwhile is there afterwards`, async () => {
    const tokenAt = async (console: RunningConsole) => {
      consoles.front.choose(console.port);
      const token = await machineToken(consoles.front);
      const { jti } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
      return jti as string;
    };
    // Clients that have called before.
    for (const console of [one, other]) await tokenAt(console);
    await postgres.stop();
    const tokens: string[] = [];
    const until = performance.now() + awaySeconds * 1000;
    do {
      for (const console of [one, other]) tokens.push(await tokenAt(console));
      await delay(100);
    } while (performance.now() < until);
    const list = await consoles.callAt(one, 'GET', '/api/v1/audit');
    expect(list.status).toBe(503);
    await postgres.start();
    for (const console of [one, other]) await ready(console);
    for (const console of [one, other]) {
      for (const jti of tokens) {
        await vi.waitFor(async () => {
          const items = await consoles.entries(console, `?joinedBy=${encodeURIComponent(jti)}`);
          expect(items.filter(({ event }) => event === 'token.issued')).toHaveLength(1);
        }, 20_000);
      }
    }
    const said = one.log().map(({ msg }) => msg);
    expect(said).toContain('the database takes no entries of the audit: they wait in its files');
    expect(said).toContain('the database takes entries of the audit again');
  });

  test('what a console has left that does not come back is written by another, once it is old', async () => {
    const storage = await openPostgresStorage({ url: consoles.databaseUrl });
    const bodyOf = createEntryBody();
    const leave = (id: string, at: number) =>
      storage.artifacts.put('AuditOutbox', id, {
        payload: {
          id,
          at,
          owner: 'gone0000',
          bodies: [
            bodyOf(
              {
                event: 'client.added',
                outcome: 'success',
                object: { kind: 'client', id: `left-${id}` },
                change: { scopes: { add: ['a'] } },
                outbox: `${id}.0`,
              },
              at,
            ),
          ],
        },
      });
    await leave('young', Date.now() + 30_000);
    await leave('old', Date.now() - 61_000);
    await vi.waitFor(async () => expect(await added(one, 'left')).toEqual(['left-old']), {
      timeout: 40_000,
      interval: 500,
    });
    // Its owner comes back, and has it in a file of its own.
    const late = await consoles.newDataDir();
    const { openWriter } = await import('../../../console/audit/writer.ts');
    const back = openWriter({
      directory: join(late, 'audit'),
      writer: 'gone0000',
      now: Date.now,
      onCheckpoint() {},
      onFull() {},
    });
    const fields = { event: 'client.added', outcome: 'success', outbox: 'old.0' } as const;
    back.add(bodyOf({ ...fields, object: { kind: 'client', id: 'left-old' } }, Date.now()));
    back.close();
    const third = await consoles.start(late);
    await vi.waitFor(
      async () =>
        expect(await consoles.query(`select seq from audit_chain where writer = 'gone0000'`)).toMatchObject([
          { seq: '1' },
        ]),
      20_000,
    );
    expect(await added(third, 'left')).toEqual(['left-old']);
    const left = await storage.artifacts.list('AuditOutbox', 10);
    expect(left.map(({ artifact }) => artifact.payload.id)).toEqual(['young']);
    await storage.artifacts.remove('AuditOutbox', 'young');
    await storage.close();
    await third.stop();
    expect(await report()).toMatchObject({ isGood: true });
  });

  test('a data directory that is lost takes no entry of a change along', async () => {
    const lost = await consoles.newDataDir();
    const third = await consoles.start(lost);
    const ids = await whileChanging([third], 'lost', async () => {
      await delay(1500);
      const ended = new Promise((resolve) => third.child.once('exit', resolve));
      third.child.kill('SIGKILL');
      await ended;
      rmSync(lost, { recursive: true, force: true });
    });
    await aMinuteLater();
    await expectOnce(one, 'lost', ids);
    await outboxIsEmpty();
  });

  test('what is too old is removed by one of them, and an entry says so', async () => {
    const old = await consoles.newDataDir();
    const days = 24 * 60 * 60 * 1000;
    await write(join(old, 'audit'), 1500, { name: 'longago', time: Date.now() - 3 * days });
    // All of them have to agree about what stays; who leads removes.
    await Promise.all([one.stop(), other.stop()]);
    const env = { CONSOLE_AUDIT_DAYS: '1' };
    const third = await consoles.start(old, env);
    one = await consoles.start(directory, env);
    await waitFor(() => third.log().some(({ event }) => event === 'audit.retention'), 'retention', 30_000);
    await vi.waitFor(async () => {
      const rows = await consoles.query<{ n: number }>(`select count(*)::int as n from audit_entry
        where chain = (select id from audit_chain where writer = 'longago')`);
      expect(rows[0]!.n).toBeLessThan(30);
    }, 30_000);
    const said = await consoles.entries(one, '?event=audit.retention');
    expect(said).toHaveLength(1);
    expect(await report()).toMatchObject({ isGood: true });
  });
});
