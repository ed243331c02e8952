import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSessions } from '../../console/accounts/sessions.ts';
import { toolDone } from '../helpers/commands.ts';
import { admin, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import {
  authorizationPath,
  authorize,
  callbackOf,
  redeem,
  refresh,
  signInForTokens,
  userinfo,
} from '../helpers/sign-in.ts';
import { copyUser, until, withStore } from '../helpers/store.ts';
import { createUserAgent, signedInTitle, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console?.stop());

const newAgent = () => createUserAgent(console.url);
const isSignedIn = async (agent: UserAgent) => (await agent.get('/account')).status === 200;
const canSignInSilently = async (agent: UserAgent) =>
  callbackOf(await agent.get(authorizationPath({ prompt: 'none' }))).has('code');
const sessionOf = (agent: UserAgent) => agent.cookies.get('console_session')?.value;

describe('the session id', () => {
  test.each(['/login', '/oauth2/authorize'])(
    'one that was brought along is never adopted at %s (S32)',
    async (path) => {
      const agent = newAgent();
      const planted = { value: 'planted-planted-planted-1', path: '/' };
      agent.cookies.set('console_session', planted);
      agent.cookies.set('console_session.sig', { value: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA', path: '/' });
      if (path === '/login') await agent.signIn();
      else await authorize(agent);
      expect(sessionOf(agent)).toMatch(/^[\w-]{21,}$/);
      expect(sessionOf(agent)).not.toBe(planted.value);
      const thief = newAgent();
      thief.cookies.set('console_session', planted);
      expect(await isSignedIn(thief)).toBe(false);
    },
  );

  test('a sign-in, and a confirmed one, gives a new id and the old one dies (S32)', async () => {
    const agent = newAgent();
    await agent.signIn();
    for (const again of [
      async () => {
        const page = await agent.follow(await agent.get(authorizationPath({ prompt: 'login' })));
        callbackOf(await agent.follow(await agent.submit(page, admin)));
      },
      async () => {
        const other = newAgent();
        const form = await other.get('/login');
        for (const [name, cookie] of other.cookies) agent.cookies.set(name, cookie);
        await agent.submit(form, admin);
      },
    ]) {
      const old = new Map(agent.cookies);
      await again();
      expect(sessionOf(agent)).not.toBe(old.get('console_session')?.value);
      const thief = newAgent();
      for (const [name, cookie] of old) thief.cookies.set(name, cookie);
      expect(await isSignedIn(thief)).toBe(false);
      expect(await isSignedIn(agent)).toBe(true);
    }
  });

  test('an id without its signature, or with another one, is no session (S32)', async () => {
    const agent = newAgent();
    await agent.signIn();
    const signature = agent.cookies.get('console_session.sig')!;
    for (const value of [undefined, 'AAAAAAAAAAAAAAAAAAAAAAAAAAA']) {
      agent.cookies.delete('console_session.sig');
      if (value) agent.cookies.set('console_session.sig', { value, path: '/' });
      expect(await isSignedIn(agent)).toBe(false);
    }
    agent.cookies.set('console_session.sig', signature);
    expect(await isSignedIn(agent)).toBe(true);
  });

  test('the store keeps neither session ids nor codes nor refresh tokens (S32, S79)', async () => {
    const agent = newAgent();
    const code = (await authorize(agent)).get('code')!;
    const tokens = (await redeem(console, code)).body;
    await agent.get(authorizationPath({ prompt: 'login' }));
    const kinds = ['Session', 'Interaction', 'AuthorizationCode', 'RefreshToken', 'Grant', 'SessionUse'];
    const stored = await withStore(console.dataDir, ({ artifacts }) =>
      Promise.all(kinds.map((kind) => artifacts.list(kind, 1000))),
    );
    const text = JSON.stringify(stored);
    for (const secret of [sessionOf(agent)!, code, tokens.refresh_token]) {
      expect(secret.length).toBeGreaterThan(20);
      expect(text).not.toContain(secret);
    }
  });
});

describe('another account over a live session', () => {
  beforeAll(() => copyUser(console, 'ada', 'eve'));
  const eve = { ...admin, username: 'eve' };

  test('in the same window: the first session ends', async () => {
    const agent = newAgent();
    const ofAda = await signInForTokens(console, agent);
    const page = await agent.follow(await agent.get(authorizationPath({ prompt: 'login' })));
    const end = callbackOf(await agent.follow(await agent.submit(page, eve)));
    const tokens = (await redeem(console, end.get('code'))).body;
    expect((await userinfo(console, tokens.access_token)).body.preferred_username).toBe('eve');
    expect((await refresh(console, ofAda.refresh_token)).body.error).toBe('invalid_grant');
    expect(textOf(await agent.get('/account'))).toContain('eve');
  });

  test('in a page from before the session began: no dead end', async () => {
    const agent = newAgent();
    const early = await agent.follow(await agent.get(authorizationPath()));
    const ofAda = await signInForTokens(console, agent);
    const end = await agent.follow(await agent.submit(early, eve));
    const tokens = (await redeem(console, callbackOf(end).get('code'))).body;
    expect((await userinfo(console, tokens.access_token)).body.preferred_username).toBe('eve');
    expect((await refresh(console, ofAda.refresh_token)).body.error).toBe('invalid_grant');
  });
});

describe('changes of an account by a command (S34)', () => {
  let count = 0;
  let person: { username: string; password: string };
  beforeEach(async () => {
    person = { ...admin, username: `person${count++}` };
    await copyUser(console, 'ada', person.username);
  });

  const change: Record<string, readonly string[]> = {
    disabled: ['disable'],
    removed: ['remove', '--yes'],
    'given another password': ['passwd', '--password-file', '-'],
    'given other roles': ['roles', '--role', 'Viewer'],
  };
  const make = (name: string) => {
    const [command = '', ...flags] = change[name]!;
    const args = ['user', command, person.username, ...flags];
    return toolDone(args, { dataDir: console.dataDir, stdin: 'another-staple-battery-7' });
  };

  test.each(Object.keys(change))(
    '%s ends sessions, refresh tokens, access tokens and codes, those of the same second too (S34)',
    async (name) => {
      const agent = newAgent();
      await startOfSecond();
      const tokens = await signInForTokens(console, agent, {}, person);
      const code = callbackOf(await agent.get(authorizationPath())).get('code');
      await make(name);
      await until(async () => !(await isSignedIn(agent)), 'the session to end', 1500);
      expect(await canSignInSilently(agent)).toBe(false);
      expect((await refresh(console, tokens.refresh_token)).body.error).toBe('invalid_grant');
      expect((await redeem(console, code)).body.error).toBe('invalid_grant');
      expect((await userinfo(console, tokens.access_token)).status).toBe(401);
    },
  );

  test('a sign-in right after a change counts at once', async () => {
    await startOfSecond();
    await make('given other roles');
    await until(async () => (await rolesAfterSignIn()).includes('Viewer'), 'the role to be known');

    async function rolesAfterSignIn(): Promise<unknown[]> {
      const agent = newAgent();
      const tokens = await signInForTokens(console, agent, {}, person);
      expect((await userinfo(console, tokens.access_token)).status).toBe(200);
      expect((await refresh(console, tokens.refresh_token)).status).toBe(200);
      expect(await isSignedIn(agent)).toBe(true);
      return (await userinfo(console, tokens.access_token)).body.roles as unknown[];
    }
  });

  test('a session that is ended by another process stays ended, whatever is under way (S34)', async () => {
    const agent = newAgent();
    await agent.signIn(person);
    const silent = () => agent.get(authorizationPath({ prompt: 'none' }));
    const underWay = Promise.all(Array.from({ length: 20 }, silent));
    await withStore(console.dataDir, async ({ artifacts }) => {
      const sessions = createSessions({
        artifacts,
        validSinceOf: async (ids) => new Map(ids.map((id) => [id, 0])),
        now: Date.now,
        idleSeconds: 1800,
        maxSeconds: 43_200,
        revokeTokens: async () => undefined,
      });
      await sessions.endAllOf(`subject-of-${person.username}`);
    });
    await underWay;
    expect(await canSignInSilently(agent)).toBe(false);
  });
});

describe('ends by time', () => {
  let directory: string;
  let timed: RunningConsole;
  const setClock = (seconds: number) => writeFile(join(directory, 'clock'), String(seconds));

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'console-clock-'));
    await setClock(0);
    timed = await startConsole({
      env: {
        NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, '../oidc/movable-clock.mjs')).href}`,
        TEST_CLOCK_FILE: join(directory, 'clock'),
        CONSOLE_SESSION_IDLE_SECONDS: '60',
        CONSOLE_SESSION_MAX_SECONDS: '300',
      },
    });
  });
  afterEach(async () => {
    await timed.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const silently = async (agent: UserAgent) =>
    callbackOf(await agent.get(authorizationPath({ prompt: 'none' }))).has('code');

  test('a session ends when it is idle, and its refresh tokens with it (S34)', async () => {
    const agent = createUserAgent(timed.url);
    const tokens = await signInForTokens(timed, agent);
    await setClock(61);
    expect((await refresh(timed, tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect(await silently(agent)).toBe(false);
    expect((await agent.get('/account')).headers.location).toBe('/login');
  });

  test.each([
    { use: 'a page', keep: (agent: UserAgent) => agent.get('/account') },
    { use: 'another application', keep: silently },
  ])('use of $use prolongs it, but never beyond its absolute end (S34)', async ({ keep }) => {
    const agent = createUserAgent(timed.url);
    const tokens = await signInForTokens(timed, agent);
    for (const seconds of [50, 100, 150, 200, 250]) {
      await setClock(seconds);
      await keep(agent);
    }
    await setClock(295);
    expect((await agent.get('/account')).status).toBe(200);
    await setClock(301);
    expect((await agent.get('/account')).headers.location).toBe('/login');
    expect(await silently(agent)).toBe(false);
    expect((await refresh(timed, tokens.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('a session that was found over stays so when the clock is put back (D15)', async () => {
    const agent = createUserAgent(timed.url);
    const tokens = await signInForTokens(timed, agent);
    await setClock(3600);
    expect((await agent.get('/account')).headers.location).toBe('/login');
    await setClock(0);
    expect((await agent.get('/account')).headers.location).toBe('/login');
    expect(await silently(agent)).toBe(false);
    expect((await refresh(timed, tokens.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('what began while the clock was ahead ends with a change of the account all the same (D15, S34)', async () => {
    const agent = createUserAgent(timed.url);
    await setClock(3600);
    const tokens = await signInForTokens(timed, agent);
    await setClock(0);
    const stdin = 'unrelated-walnut-ferry-17';
    const change = ['user', 'passwd', admin.username, '--password-file', '-'];
    await toolDone(change, { dataDir: timed.dataDir, stdin });
    for (const seconds of [0, 3600, 3605]) {
      await setClock(seconds);
      expect((await agent.get('/account')).headers.location).toBe('/login');
      expect((await userinfo(timed, tokens.access_token)).status).toBe(401);
      expect((await refresh(timed, tokens.refresh_token)).body.error).toBe('invalid_grant');
    }
  });

  test('a refresh is use too, and the session ends all the same (S34)', async () => {
    const agent = createUserAgent(timed.url);
    let token = (await signInForTokens(timed, agent)).refresh_token;
    for (const seconds of [50, 100, 150, 200, 250, 295]) {
      await setClock(seconds);
      const { status, body } = await refresh(timed, token);
      expect([seconds, status]).toEqual([seconds, 200]);
      token = body.refresh_token;
      // The answer does not wait for the session to be prolonged.
      const expected = Math.min(seconds + 60, 300);
      await until(async () => (await secondsOfSession()) >= expected - 1, `a session of ${expected} seconds`);
    }
    expect((await agent.get('/account')).status).toBe(200);
    await setClock(301);
    expect((await refresh(timed, token)).body.error).toBe('invalid_grant');
  });

  /** How long after its start the one session ends. */
  function secondsOfSession(): Promise<number> {
    return withStore(timed.dataDir, async ({ artifacts }) => {
      const [session] = await artifacts.list('Session', 1);
      return (session?.artifact.expiresAt ?? 0) - Number(session?.artifact.payload.loginTs);
    });
  }

  test('a code is good for 60 seconds (S19)', async () => {
    const [early, late] = [
      await authorize(createUserAgent(timed.url)),
      await authorize(createUserAgent(timed.url)),
    ];
    await setClock(55);
    expect((await redeem(timed, early.get('code'))).status).toBe(200);
    await setClock(61);
    expect((await redeem(timed, late.get('code'))).body.error).toBe('invalid_grant');
  });

  test('a sign-in page that has waited too long says what to do', async () => {
    const agent = createUserAgent(timed.url);
    const page = await agent.follow(await agent.get(authorizationPath()));
    await setClock(601);
    const reply = await agent.submit(page, admin);
    expect(reply.status).toBe(403);
    expect(textOf(reply)).toContain('Start it again from the application');
  });
});

test('sessions and refresh tokens survive a restart', async () => {
  const dataDir = await usedDataDir();
  try {
    const first = await startConsole({ dataDir });
    const agent = createUserAgent(first.url);
    const tokens = await signInForTokens(first, agent);
    const code = callbackOf(await agent.get(authorizationPath())).get('code');
    await first.stop();
    const second = await startConsole({ dataDir, port: first.port });
    expect((await agent.get('/account')).status).toBe(200);
    expect((await redeem(second, code)).status).toBe(200);
    expect((await refresh(second, tokens.refresh_token)).status).toBe(200);
    expect(titleOf(await agent.get('/account'))).toMatch(signedInTitle);
    await second.stop();
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

/** So that what follows happens within one second. */
async function startOfSecond(): Promise<void> {
  await until(async () => Date.now() % 1000 < 100, 'a second to begin');
}
