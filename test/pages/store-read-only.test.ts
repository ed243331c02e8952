/** Every form, opened while the store took writes and sent while it takes none: a page that says that nothing was changed. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import { type RunningConsole, startConsole, untilReady } from '../helpers/console.ts';
import { canFreeze, chattr } from '../helpers/frozen-disk.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../helpers/postgres.ts';
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
      for (const form of forms) await expectRefused(form);
    } finally {
      chattr('-i', directory);
    }
    await untilReady(console.url);
    expect(await storedIn(console)).toEqual(before);
  }, 120_000);

  async function expectRefused(form: WalkedForm): Promise<void> {
    const what = `${form.action} ${form.filled.do}`;
    const reply = await ada.post(form.action, typedIn(form));
    // Nothing is selected in the list.
    if (reply.headers.location?.endsWith('refused=nothing')) return;
    expectUnchanged(reply, 'audit_unavailable', what);
    // The page of the account says it itself.
    if (form.action === '/account/password') return;
    const back = /class="actions"><a href="([^"]+)" class="button primary"/.exec(reply.body)?.[1];
    expect([what, back && (await ada.get(back)).status]).toEqual([what, 200]);
  }
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

  test('says so on every page and to every form, and nothing is changed', async () => {
    const before = await storedIn(console);
    await setReadOnly(true);
    const isAway = async () => (await ada.get('/account')).status === 503;
    await until(isAway, 'a page that says so', 20_000);
    for (const href of walked.pages) {
      const { status } = await ada.get(href);
      expect([href, status]).toEqual([href, 503]);
    }
    for (const form of walked.forms.filter(isRecorded)) {
      const what = `${form.action} ${form.filled.do}`;
      expectUnchanged(await ada.post(form.action, typedIn(form)), 'storage_unavailable', what);
    }
    await setReadOnly(false);
    await untilReady(console.url);
    await until(async () => !(await isAway()), 'pages again', 20_000);
    expect(await storedIn(console)).toEqual(before);
  }, 120_000);
});
