/**
 * Consoles that share a database, and the proxies beside them, are exchanged for another version one by one while clients
 * ask all the time: no request fails. Longer: SHARED_UPGRADE_SECONDS, of each test.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schemaVersion } from '../../console/storage/postgres/schema/migrate.ts';
import { clientSecret, machineToken, type RunningConsole, runFailing } from '../helpers/console.ts';
import { callApi } from '../helpers/management.ts';
import { type RelyingParty, signInTo, startRelyingParty } from '../helpers/relying-party.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { requestsOf } from './clients.ts';
import { type Load, startLoad, tried } from './load.ts';
import { buildOlderVersion, type OlderVersion, whyNotBuilt } from './older-version.ts';
import { type SeparateProxies, startSeparateProxies, untilTaken } from './separate-proxies.ts';
import { askAt, postTo, startTogether, type Together, whyNotTogether } from './support.ts';

/** The first with PostgreSQL: form 1 of the tables. It says itself that it goes with one form later, so there is no way back to it. */
const firstPreview = '60c2e2d714e2ab7f22a6b7393caf2b1b5f3c4df3';
/** Of form 4, two before this one's: it serves beside it in either order. */
const earlierForm = 'dc766138a8583daa21a428ba638e5ee6ae5d4df7';
const whyNot = whyNotTogether ?? whyNotBuilt([firstPreview, earlierForm]);

/** On a quiet machine. */
const isFull = process.env.SHARED_UPGRADE_SECONDS !== undefined;
const seconds = Number(process.env.SHARED_UPGRADE_SECONDS ?? 0);
const count = isFull ? 3 : 2;
/** As clients have it that are asked to come again. */
const patience = isFull ? 0 : 5;
const answerMs = isFull ? 5_000 : 20_000;
/** Of a full run as it is by itself; else for a machine on which nothing may run for seconds. */
const graceSeconds = isFull ? '5' : '60';
/** Of each client between two requests: the machine has consoles to start. */
const pauseMs = isFull ? 20 : 50;
/** Requests that go through beside each mixture. */
const fewest = 40;
const most = { steps: 10 } as const;

describe.skipIf(whyNot !== undefined)(`consoles of several versions on one database${whyNot ?? ''}`, () => {
  let older: Readonly<Record<'first' | 'same', OlderVersion>>;
  let all: Together;
  let proxies: SeparateProxies;
  let party: RelyingParty;
  const ended: RunningConsole[] = [];
  let publicPort: number;
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
    publicPort = Number(new URL(all.url).port);
    const client = { id: 'member-proxy', secret: 'secret-of-a-member-proxy-0123456789' };
    const scopes = ['api:revocations:read', 'api:refusals:write'];
    await callApi(all, 'POST', '/clients', { ...client, scopes });
    await callApi(all, 'POST', '/applications', {
      id: party.id,
      isPublic: true,
      firstParty: true,
      redirectUris: party.client.redirectUris,
      postLogoutUris: party.client.postLogoutRedirectUris,
      backchannelLogoutUri: party.client.backchannelLogoutUri,
      scopes: party.client.scopes,
      maxRoles: party.client.maxRoles,
    });
    proxies = await startSeparateProxies(all, client, [first.proxy, first.proxy], graceSeconds);
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
      await underLoad('up from the first preview', async (after) => {
        for (const n of all.consoles.keys()) {
          await exchange(n);
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
      await underLoad('back, and up again', async (after) => {
        for (const version of [older.same, undefined]) {
          await proxies.exchange(0, version?.proxy);
          for (const n of all.consoles.keys()) {
            await exchange(n, version?.console);
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
      await underLoad('beside a later form', async (after) => {
        await changeTables({ version: schemaVersion + 1, servesFrom: schemaVersion }, [
          'create table later (id text primary key, at timestamptz not null default now())',
          'alter table account add column later_note text',
          'alter table client add column later_flag boolean not null default false',
          'create index concurrently later_note on account (later_note)',
        ]);
        await after();
        for (const n of all.consoles.keys()) {
          await exchange(n);
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

  /** @param roll  calls `after` whenever another process has begun to serve */
  async function underLoad(what: string, roll: (after: () => Promise<void>) => Promise<void>): Promise<void> {
    const load = startLoad(await requestsOf(all.url, proxies.url), { pauseMs, patience });
    const outcome = await roll(() => beside(load)).then(load.stop, async (error: unknown) => {
      const { failed } = await load.stop();
      throw new Error(`${what}: ${failed.length} failed, ${failed.slice(0, 5).join('\n')}`, { cause: error });
    });
    process.stdout.write(
      `${what}: ${JSON.stringify(outcome.byKind)}, ${outcome.failed.length} failed, ${outcome.askedAgain} asked again\n`,
    );
    if (outcome.failed.length > 0)
      throw new Error(`${outcome.failed.slice(0, 5).join('\n')}\n${saidMeanwhile()}`);
    for (const [kind, done] of Object.entries(outcome.byKind)) expect([kind, done > 0]).toEqual([kind, true]);
  }

  /** Errors of consoles, those that have ended too, and what the proxies report. */
  function saidMeanwhile(): string {
    const errors = [...ended, ...all.consoles].flatMap(({ log }) =>
      log().filter(({ level }) => level === 'error'),
    );
    const reports = proxies.all.flatMap(({ log }) => log().filter((line) => !('audit' in line)));
    return [...errors, ...reports.slice(-10)].map((line) => JSON.stringify(line).slice(0, 1_500)).join('\n');
  }

  /** As docs/operations.md says. */
  async function exchange(n: number, script?: string): Promise<void> {
    ended.push(all.consoles[n]!);
    await all.front.drain(n);
    await untilTaken(`http://127.0.0.1:${all.consoles[n]!.port}`);
    await all.restart(n, 'SIGTERM', script);
    await all.front.undrain(n);
  }

  /** What one version writes the others know. */
  async function beside(load: Load): Promise<void> {
    const before = load.done();
    const begun = performance.now();
    const problems = await Promise.all(
      [revokedIsRefused, signedOutIsTold].map((work) => tried(async () => void (await work()), patience)),
    );
    expect(problems).toEqual([undefined, undefined]);
    await until(async () => load.done() > before + fewest, 'requests beside the new one', 30_000);
    await delay(Math.max(0, (seconds * 1_000) / most.steps - (performance.now() - begun)));
  }

  async function revokedIsRefused(): Promise<void> {
    const token = await machineToken(all);
    const authorization = { Authorization: `Bearer ${token}` };
    const ports = [...all.consoles, ...proxies.all.map(({ url }) => ({ port: Number(new URL(url).port) }))];
    const statuses = async () =>
      Promise.all(
        ports.map(({ port }) => askAt(port, publicPort, 'GET', '/svc/rest/cluster', authorization)),
      ).then((answers) => answers.map(({ status }) => status));
    await until(async () => (await statuses()).every((status) => status === 200), 'answers of all', answerMs);
    const basic = { Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` };
    expect((await postTo(publicPort, publicPort, '/oauth2/revoke', { token }, basic)).status).toBe(200);
    await until(
      async () => (await statuses()).every((status) => status === 401),
      'a refusal by all',
      answerMs,
    );
  }

  async function signedOutIsTold(): Promise<void> {
    const agent = createUserAgent(all.url);
    const { id_token } = await signInTo(all, agent, party);
    const before = party.posted.length;
    const query = new URLSearchParams({ id_token_hint: id_token });
    await agent.follow(await agent.get(`/connect/logout?${query}`));
    await until(async () => party.posted.length > before, 'the notice of a sign-out', 20_000);
  }

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
