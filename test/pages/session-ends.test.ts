/** "End all sessions" of `/access/sessions`: asked about, typed, done as a job, and held where a second administrator has to agree. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi, personPassword, personWith, sendForm } from '../helpers/management.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../helpers/postgres.ts';
import { until } from '../helpers/store.ts';
import { startWithTwoAdministrators, type TwoAdministrators } from '../helpers/two-administrators.ts';
import { createUserAgent, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

const asking = '/access/sessions?do=end-all';
const isSignedIn = async (agent: UserAgent) => (await agent.get('/account')).status === 200;
const sessionsOf = async (console: RunningConsole) =>
  ((await callApi(console, 'GET', '/sessions?limit=1')) as { count: { value: number } }).count.value;

const stores = [
  ['the embedded store', true],
  ['PostgreSQL, where it is installed', postgresPrograms !== undefined],
] as const;

describe.each(stores)('with %s', (name, isThere) => {
  const run = isThere ? test : test.skip;
  let postgres: Postgres | undefined;
  let console: RunningConsole;
  let ada: UserAgent;
  let grace: UserAgent;

  beforeAll(async () => {
    if (!isThere) return;
    if (name.startsWith('Postgre')) postgres = await startPostgres();
    const env = postgres && {
      CONSOLE_DATABASE_URL: postgres.url(await postgres.createDatabase()),
      CONSOLE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
    console = await startConsole(env ? { isFirstStart: true, env } : {});
    ada = createUserAgent(console.url);
    await ada.signIn();
    grace = await personWith(console, 'grace', ['Viewer']);
  }, 120_000);
  afterAll(async () => {
    await console?.stop();
    await postgres?.close();
  });

  run('the list leads to a page that asks, in both languages, and so does all of it selected', async () => {
    const list = await ada.get('/access/sessions');
    expect(list.body).toContain(`href="${asking}"`);
    expect((await grace.get(asking)).status).toBe(403);
    expect((await ada.get('/access/sessions?do=end&all=true')).headers.location).toMatch(/do=end-all$/);
    const page = await ada.get(asking);
    expect(titleOf(page)).toBe('End all sessions');
    expect(textOf(page)).toContain('There are 2 sessions now.');
    const ways = await sendForm(ada, page, 'end-all', { show: 'ways', reason: 'a drill' });
    expect(textOf(ways)).toContain("npx console session end-all --everybody --reason 'a drill'");
    const german = await ada.get(asking, { 'Accept-Language': 'de' });
    expect(titleOf(german)).toBe('Alle Sitzungen beenden');
    expect(textOf(german)).toContain('Jetzt gibt es 2 Sitzungen.');
    const untyped = await sendForm(ada, page, 'end-all', { typed_name: 'all', reason: 'a drill' });
    expect([untyped.status, await sessionsOf(console)]).toEqual([400, 2]);
  });

  run('everybody is signed out, and the reason and the number are in the audit', async () => {
    const page = await ada.get(asking);
    const sent = await sendForm(ada, page, 'end-all', { typed_name: 'sessions', reason: 'a drill' });
    expect([sent.status, sent.headers.location]).toEqual([303, expect.stringMatching(/\?job=job_/)]);
    await until(async () => (await sessionsOf(console)) === 0, 'the end of all', 30_000);
    expect([await isSignedIn(ada), await isSignedIn(grace)]).toEqual([false, false]);
    const entryOf = (wanted: string) => console.log().find(({ event }) => event === wanted);
    await console.waitFor(() => entryOf('bulk_act.ended') && entryOf('bulk_act.started'), 'both entries');
    expect(entryOf('bulk_act.ended')).toMatchObject({
      target: 'endAllSessions',
      changes: { done: 2, failed: 0 },
    });
    expect(entryOf('bulk_act.started')).toMatchObject({ reason: 'a drill' });
    await ada.signIn(admin);
    const job = await ada.follow(await ada.get(sent.headers.location!));
    expect(textOf(job)).toContain('2 done.');
    const jobs = await ada.get('/observe/jobs');
    expect(textOf(jobs)).toContain('End all sessions');
  });
});

describe.each(['endAllSessions', 'sessions', 'endSession'])(
  'where %s needs a second administrator',
  (named) => {
    let two: TwoAdministrators;
    beforeAll(async () => {
      two = await startWithTwoAdministrators({ CONSOLE_APPROVALS_REQUIRE: named });
    }, 60_000);
    afterAll(() => two?.close());

    test('it waits for one, who sees why, and then each session ends without another question', async () => {
      const { console, ada, bob } = two;
      const page = await ada.get(asking);
      const fields = { typed_name: 'sessions', reason: 'a stolen key' };
      const sent = await ada.follow(await sendForm(ada, page, 'end-all', fields));
      expect(textOf(sent)).toContain('Nothing is changed yet: a second administrator has to approve it.');
      const href = new URL(sent.url).pathname;
      const shown = await bob.get(href);
      expect(titleOf(shown)).toBe('End all sessions');
      expect(textOf(shown)).toContain('a stolen key');
      expect([await isSignedIn(ada), await isSignedIn(bob)]).toEqual([true, true]);
      // Neither a program nor an act on many is a way round.
      for (const [path, body] of [
        ['/sessions/end-all', {}],
        ['/jobs/bulk-acts', { operation: 'endSession', query: {}, most: 9 }],
      ] as const) {
        const reply = await fetch(`${console.url}/api/v1${path}`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${await apiToken(console)}`,
            'Content-Type': 'application/json',
          },
          body: JSON.stringify(body),
        });
        expect([path, reply.status, ((await reply.json()) as { code: string }).code]).toEqual([
          path,
          403,
          'approval_required',
        ]);
      }
      const question = await bob.get(`${href}?do=approve`);
      await sendForm(bob, { ...question, url: console.url + href }, 'approve', {
        current_password: personPassword,
      });
      await until(async () => (await sessionsOf(console)) === 0, 'the end of all', 30_000);
      expect([await isSignedIn(ada), await isSignedIn(bob)]).toEqual([false, false]);
    });
  },
);
