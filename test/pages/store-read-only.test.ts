/** Every form, opened while the store took writes and sent while it takes none: a page that says that nothing was changed. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import { admin, type RunningConsole, startConsole, untilReady } from '../helpers/console.ts';
import { canFreeze, chattr } from '../helpers/frozen-disk.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../helpers/postgres.ts';
import { refresh, signInForTokens } from '../helpers/sign-in.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';
import {
  addOneOfEach,
  storedIn,
  typedIn,
  unlinked,
  type Walked,
  type WalkedForm,
  walk,
} from '../helpers/walk.ts';

/** What changes nothing that is recorded: asked, looked at, or of one's own pages. */
const unrecorded = ['try', 'get', 'pin', 'unpin', 'preview', 'later', 'leave'];
const ofOneself = /^\/(?:account\/display|observe\/health)$/;

const isRecorded = ({ action, filled, isUpload }: WalkedForm) =>
  !isUpload &&
  !unrecorded.includes(filled.do!) &&
  !ofOneself.test(action) &&
  action !== '/connect/logout/confirm';

const isOfMembers = ({ action, filled }: WalkedForm) =>
  action.startsWith('/cluster/') || filled.do === 'test';

async function walkedFrom(console: RunningConsole): Promise<{ ada: UserAgent; walked: Walked }> {
  const ada = createUserAgent(console.url);
  await ada.signIn();
  await addOneOfEach(console);
  return { ada, walked: await walk(ada, [...unlinked, '/cluster/wan/atlantic/london']) };
}

const isReady = async ({ url }: RunningConsole) => (await fetch(`${url}/ready`)).status === 200;

function expectUnchanged(reply: Reply, code: string, what: string): void {
  expect([what, reply.status]).toEqual([what, 503]);
  expect(textOf(reply), what).toMatch(/Nothing was changed\b.*Try again shortly\./);
  if (reply.body.includes('<body class="narrow">'))
    expect(reply.body, what).toContain(`<dd class="code">${code}</dd>`);
}

async function expectRefused(ada: UserAgent, form: WalkedForm, code: string): Promise<void> {
  const what = `${form.action} ${form.filled.do}`;
  const reply = await ada.post(form.action, typedIn(form));
  // Nothing is selected in the list.
  if (reply.headers.location?.endsWith('refused=nothing')) return;
  expectUnchanged(reply, code, what);
  // The page of the account says it itself.
  if (form.action === '/account/password') return;
  const back = /class="actions"><a href="([^"]+)" class="button primary"/.exec(reply.body)?.[1];
  expect([what, back && (await ada.get(back)).status]).toEqual([what, 200]);
}

describe.skipIf(!canFreeze)('an audit that cannot be written', () => {
  let console: RunningConsole;
  let ada: UserAgent;
  let walked: Walked;
  let directory: string;

  beforeAll(async () => {
    console = await startConsole({ env: { MEMBER_CONFIG: writeMemberConfig() } });
    ({ ada, walked } = await walkedFrom(console));
    directory = join(console.dataDir, 'audit');
  }, 120_000);
  afterAll(() => console?.stop());

  test('leaves every page there, and no form changes anything', async () => {
    const before = await storedIn(console);
    chattr('+i', directory);
    try {
      // What is refused has an entry, too.
      const isOff = async () => {
        await ada.post('/account/display', { csrf: '' });
        return !(await isReady(console));
      };
      await until(isOff, 'a console that is not ready', 20_000);
      for (const href of walked.pages) {
        const { status } = await ada.get(href);
        expect([200, 303].includes(status), `${href}: ${status}`).toBe(true);
      }
      const forms = walked.forms.filter(isRecorded);
      expect(forms.length).toBeGreaterThan(70);
      for (const form of forms) await expectRefused(ada, form, 'audit_unavailable');
    } finally {
      chattr('-i', directory);
    }
    await untilReady(console.url);
    expect(await storedIn(console)).toEqual(before);
  }, 120_000);
});

const whyNot = postgresPrograms === undefined ? ' (skipped: apt-get install postgresql)' : '';

describe.skipIf(whyNot !== '')(`a database that has turned read-only${whyNot}`, () => {
  let postgres: Postgres;
  let database: string;
  let console: RunningConsole;
  let ada: UserAgent;
  let walked: Walked;

  beforeAll(async () => {
    postgres = await startPostgres();
    database = await postgres.createDatabase();
    console = await startConsole({
      isFirstStart: true,
      env: { CONSOLE_DATABASE_URL: postgres.url(database), MEMBER_CONFIG: writeMemberConfig() },
    });
    ({ ada, walked } = await walkedFrom(console));
  }, 120_000);
  afterAll(async () => {
    await console?.stop();
    await postgres?.close();
  }, 60_000);

  /** For connections that are made from now on, which are all. */
  async function setReadOnly(isReadOnly: boolean): Promise<void> {
    const change = isReadOnly
      ? 'set default_transaction_read_only = on'
      : 'reset default_transaction_read_only';
    await postgres.query(database, `set transaction_read_only = off; alter role console ${change}`);
    const others = 'usename = current_user and pid <> pg_backend_pid()';
    await postgres.query(database, `select pg_terminate_backend(pid) from pg_stat_activity where ${others}`);
  }

  const ways = [
    { name: 'to this user', begin: () => setReadOnly(true), end: () => setReadOnly(false) },
    {
      name: 'since it is a standby by now',
      begin: () => postgres.restartAsStandby(),
      end: () => postgres.query(database, 'select pg_promote()'),
    },
  ];

  test.each(ways)(
    'leaves every page there, and no form changes anything: $name',
    async ({ name, begin, end }) => {
      const tokens = await signInForTokens(console, createUserAgent(console.url));
      const before = await storedIn(console);
      // Another record of the session, which has expired: whoever comes upon it is to write so.
      await postgres.query(
        database,
        `insert into artifact (kind, key, payload, owners, uid_key, account_key, expires_at)
        select kind, key || '-${name}', payload, owners, uid_key, account_key, 1 from artifact
          where kind = 'Session' and account_key is not null and expires_at > 1`,
      );
      // Each of them is due to be prolonged by its next use.
      const soon = `update artifact set expires_at = expires_at - 900 where kind = 'Session' and expires_at > 1`;
      await postgres.query(database, soon);
      await begin();
      try {
        await until(async () => !(await isReady(console)), 'a console that is not ready', 20_000);
        await until(async () => (await ada.get('/account')).status === 200, 'pages again', 20_000);
        for (const href of walked.pages) {
          const { status } = await ada.get(href);
          // A file is kept: without what waits for the database it would be taken for all there is.
          const expected = /^\/observe\/audit\.(?:jsonl|csv)/.test(href) ? [503] : [200, 303];
          expect(expected.includes(status), `${href}: ${status}`).toBe(true);
        }
        expect(textOf(await ada.get('/'))).toContain('It cannot be written');
        await expectNothingChanged();
        await expectNobodyComesIn(tokens.refresh_token);
      } finally {
        await end();
      }
      await untilReady(console.url);
      expect(await storedIn(console)).toEqual(before);
      expect((await refresh(console, tokens.refresh_token)).status).toBe(200);
      // Who was signed in before still is.
      expect((await ada.get('/account')).status).toBe(200);
    },
    120_000,
  );

  /** What is refused for another reason is so as ever. */
  async function expectNothingChanged(): Promise<void> {
    const forms = walked.forms.filter((form) => isRecorded(form) && !isOfMembers(form));
    let refused = 0;
    for (const form of forms) {
      const reply = await ada.post(form.action, typedIn(form));
      const what = `${form.action} ${form.filled.do}: ${reply.headers.location}`;
      if (reply.headers.location?.endsWith('refused=nothing') || [400, 409].includes(reply.status)) continue;
      expectUnchanged(reply, 'storage_unavailable', what);
      refused++;
    }
    expect(refused).toBeGreaterThan(40);
    // What is done at members alone is in no store: the audit has it in its files.
    const put = walked.forms.find(({ action, filled }) => action.endsWith('/a1') && filled.do === 'put')!;
    expect((await ada.post(put.action, typedIn(put))).status).toBeLessThan(400);
  }

  /** What has to be written first is refused. */
  async function expectNobodyComesIn(refreshToken: string): Promise<void> {
    const stranger = createUserAgent(console.url);
    const page = await stranger.get('/login');
    expectUnchanged(await stranger.submit(page, { ...admin }), 'storage_unavailable', 'a sign-in');
    expect((await stranger.get('/account')).status).not.toBe(200);
    expect((await refresh(console, refreshToken)).status).toBe(503);
  }
});
