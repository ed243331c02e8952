/**
 * Consoles that share a database, and the proxies beside them, are exchanged for another version one by one while clients
 * ask all the time: no request fails. Longer: SHARED_UPGRADE_SECONDS, of each test.
 */
import { once } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schemaVersion } from '../../console/storage/postgres/schema/migrate.ts';
import { type RunningConsole, runFailing } from '../helpers/console.ts';
import { type RelyingParty, startRelyingParty } from '../helpers/relying-party.ts';
import { buildOlderVersion, type OlderVersion, whyNotBuilt } from './older-version.ts';
import { createRolling, type Rolling, registerWith } from './rolling.ts';
import { type SeparateProxies, startSeparateProxies } from './separate-proxies.ts';
import { startTogether, type Together, whyNotTogether } from './support.ts';

/** The first with PostgreSQL: form 1 of the tables. It says itself that it goes with one form later, so there is no way back to it. */
const firstPreview = '60c2e2d714e2ab7f22a6b7393caf2b1b5f3c4df3';
/** Of form 4, two before this one's: it serves beside it in either order. */
const earlierForm = 'dc766138a8583daa21a428ba638e5ee6ae5d4df7';
const whyNot = whyNotTogether ?? whyNotBuilt([firstPreview, earlierForm]);

/** On a quiet machine. */
const isFull = process.env.SHARED_UPGRADE_SECONDS !== undefined;
const seconds = Number(process.env.SHARED_UPGRADE_SECONDS ?? 0);
const count = isFull ? 3 : 2;
/** Of a full run as it is by itself; else for a machine on which nothing may run for seconds. */
const graceSeconds = isFull ? '5' : '60';

describe.skipIf(whyNot !== undefined)(`consoles of several versions on one database${whyNot ?? ''}`, () => {
  let older: Readonly<Record<'first' | 'same', OlderVersion>>;
  let all: Together;
  let proxies: SeparateProxies;
  let party: RelyingParty;
  let rolling: Rolling;
  beforeAll(async () => {
    const [first, same] = await Promise.all([
      buildOlderVersion(firstPreview),
      buildOlderVersion(earlierForm),
    ]);
    older = { first, same };
    party = await startRelyingParty('board');
    all = await startTogether({
      count,
      script: first.console,
      hasOwnMembers: true,
      front: { repeats: 'without connection' },
    });
    const client = await registerWith(all, party);
    proxies = await startSeparateProxies(all, client, [first.proxy, first.proxy], graceSeconds);
    rolling = createRolling({ all, proxies, party, isFull, seconds });
  }, 300_000);
  afterAll(async () => {
    await proxies?.stop();
    await all?.stop();
    await party?.close();
    await Promise.all(Object.values(older ?? {}).map((version) => version.remove()));
  }, 120_000);

  test(
    'from the first preview to this version: consoles, then proxies, and no request fails',
    async () => {
      await rolling.underLoad('up from the first preview', async (after) => {
        for (const n of all.consoles.keys()) {
          await rolling.exchange(n);
          await after();
        }
        for (const n of proxies.all.keys()) {
          await proxies.exchange(n);
          await after();
        }
      });
    },
    roomFor(1),
  );

  test('the first preview does not start any more, and says so', async () => {
    const refused = await startRefused(older.first.console);
    expect(refused).toContain(
      `have form ${schemaVersion}, of a later version of the console: start that one`,
    );
  }, 60_000);

  test(
    'back to a version of an earlier form, and up again: proxies, then consoles, and no request fails',
    async () => {
      await rolling.underLoad('back, and up again', async (after) => {
        for (const version of [older.same, undefined]) {
          await proxies.exchange(0, version?.proxy);
          for (const n of all.consoles.keys()) {
            await rolling.exchange(n, version?.console);
            await after();
          }
        }
      });
    },
    roomFor(2),
  );

  test(
    'this version goes on, and starts, at tables that a later one has widened',
    async () => {
      await rolling.underLoad('beside a later form', async (after) => {
        await changeTables({ version: schemaVersion + 1, servesFrom: schemaVersion }, [
          'create table later (id text primary key, at timestamptz not null default now())',
          'alter table account add column later_note text',
          'alter table client add column later_flag boolean not null default false',
          'create index concurrently later_note on account (later_note)',
        ]);
        await after();
        for (const n of all.consoles.keys()) {
          await rolling.exchange(n);
          await after();
        }
      });
      const [form] = await all.query<{ version: number }>('select version from cluster_console');
      expect(form).toEqual({ version: schemaVersion + 1 });
    },
    roomFor(1),
  );

  test('what a later one takes away ends it, in order, and it does not start any more', async () => {
    await changeTables({ version: schemaVersion + 2, servesFrom: schemaVersion + 1 }, [
      'alter table account drop column later_note',
    ]);
    const sentence = `The tables in the database have form ${schemaVersion + 2}, of a later version of the console: start that one.`;
    await Promise.all(all.consoles.map((console) => endsBy(console, sentence)));
    expect(await startRefused()).toContain(sentence);
  }, 60_000);

  /** As a later version does: it says first whom the tables serve. */
  async function changeTables(
    form: { readonly version: number; readonly servesFrom: number },
    statements: readonly string[],
  ): Promise<void> {
    const client = new pg.Client({ connectionString: all.databaseUrl });
    await client.connect();
    try {
      await client.query(`set search_path = ${new URL(all.databaseUrl).searchParams.get('schema')}`);
      await client.query(
        'update cluster_console set migrating_to = $1, serves_from = greatest(serves_from, $2)',
        [form.version, form.servesFrom],
      );
      await client.query("set lock_timeout = '2s'");
      for (const statement of statements) await client.query(statement);
      await client.query('update cluster_console set version = $1, migrating_to = null', [form.version]);
    } finally {
      await client.end();
    }
  }

  async function startRefused(script?: string): Promise<string> {
    const env = { CONSOLE_DATABASE_URL: all.databaseUrl, CONSOLE_URL: all.url, CONSOLE_PORT: '0' };
    const { code, stderr } = await runFailing({ env, ...(script !== undefined && { script }) });
    expect(code).toBe(1);
    return stderr;
  }

  async function endsBy({ child, stderr }: RunningConsole, sentence: string): Promise<void> {
    if (child.exitCode === null) await once(child, 'close');
    expect([child.exitCode, stderr()]).toEqual([0, expect.stringContaining(sentence)]);
  }
});

/** @param times  how often all of them are exchanged */
function roomFor(times: number): number {
  return 120_000 * times + seconds * 3_000;
}
