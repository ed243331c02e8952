/** Directories behind the form of the sign-in page, at a real OpenLDAP server. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LdapProvider } from '../../console/federation/providers/schema.ts';
import { Secret } from '../../platform/secret.ts';
import { admin, freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { providerBase, storeWithProviders } from '../helpers/providers.ts';
import { authorizationPath, authorize, redeem } from '../helpers/sign-in.ts';
import { countUsers, editUser, until, withStore } from '../helpers/store.ts';
import {
  createUserAgent,
  type Reply,
  signedInTitle,
  textOf,
  titleOf,
  type UserAgent,
} from '../helpers/user-agent.ts';
import {
  emptyTree,
  type LdapServer,
  passwordPolicy,
  service,
  startLdapServer,
  suffix,
  whySkipped,
} from './ldap-server.ts';

const paula = { username: 'paula', password: 'paula-password-1' };
const person = (uid: string, password: string) => `
dn: uid=${uid},ou=people,${suffix}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: Piper
mail: ${uid}@example.org
userPassword: ${password}
`;
/** Among them somebody with the name of the administrator of the console. */
const people = `${emptyTree}${passwordPolicy}${[paula.username, 'otto', 'guest', admin.username].map((uid) => person(uid, `${uid}-password-1`)).join('')}`;
const groups = `
dn: cn=ops,ou=groups,${suffix}
objectClass: groupOfNames
cn: ops
member: uid=paula,ou=people,${suffix}
member: uid=otto,ou=people,${suffix}
member: uid=${admin.username},ou=people,${suffix}
`;

/** Guesses count against where they come from: each browser comes from elsewhere here. */
const env = { CONSOLE_TRUSTED_PROXIES: '127.0.0.1,::1' };
let sources = 0;
function browser({ url }: RunningConsole): UserAgent {
  sources += 1;
  return createUserAgent(url, { headers: { 'x-forwarded-for': `192.0.2.${sources}` } });
}

describe.skipIf(whySkipped !== undefined)(`a directory${whySkipped ?? ''}`, () => {
  let directory: LdapServer;
  let console: RunningConsole;
  let dataDir: string;
  beforeAll(async () => {
    directory = await startLdapServer(people, groups);
    dataDir = await storeWithProviders(ldapProvider('staff', 'Staff directory', directory.port));
    console = await startConsole({ dataDir, env });
  });
  afterAll(async () => {
    await console?.stop();
    await directory?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  let agent: UserAgent;
  beforeEach(() => {
    agent = browser(console);
  });

  test('lets its people in by the form, with the roles of the rules', async () => {
    const home = await agent.signIn(paula);
    expect([home.status, titleOf(home)]).toEqual([200, expect.stringMatching(signedInTitle)]);
    expect(textOf(home)).toMatch(/Signed in with Staff directory Your password is kept and changed there/);
    expect(textOf(home)).toContain('paula@example.org');
    expect(textOf(home)).toContain('Viewer');
    expect(home.body).not.toContain('/account/password');
    const logins = console.log().filter(({ event }) => event === 'login');
    expect(logins.at(-1)).toMatchObject({ outcome: 'success', provider: 'staff' });
    // A directory is no place to send a browser to.
    const page = textOf(await browser(console).get('/login'));
    expect(page).not.toContain('Or sign in with');
    expect(page).toContain('With your account at this console, or at Staff directory.');
  });

  test('signs in to applications, and confirms a sign-in with the same password', async () => {
    const callback = await authorize(agent, {}, paula);
    expect((await redeem(console, callback.get('code'))).status).toBe(200);
    const page = await agent.follow(await agent.get(authorizationPath({ prompt: 'login' })));
    expect(titleOf(page)).toBe('Confirm it’s you');
    const again = await authorize(agent, { prompt: 'login' }, paula);
    expect((await redeem(console, again.get('code'))).status).toBe(200);
  });

  test('does not let somebody in as the local account of the same name (S45)', async () => {
    const users = await countUsers(console);
    const asked = await directory.asked(async () => {
      const reply = await agent.signIn({ ...admin, password: `${admin.username}-password-1` });
      expect(reply.status).toBe(401);
    });
    // A password that is kept here is tried nowhere else, not even a wrong one.
    expect(asked).not.toContain(`uid=${admin.username}`);
    expect(asked).not.toContain(`(uid=${admin.username})`);
    expect(await countUsers(console)).toBe(users);
    expect((await agent.signIn()).status).toBe(200);
  });

  test('for a known name, an unknown one and a wrong password it is asked as much, and the answer is the same (S28)', async () => {
    const attempts = [
      { username: admin.username, password: 'wrong-password-1' },
      { username: 'nobody-at-all', password: 'wrong-password-1' },
      { username: 'paula', password: 'wrong-password-1' },
    ];
    const seen: { binds: number; searches: number; page: string }[] = [];
    for (const credentials of attempts) {
      const someone = browser(console);
      let page = '';
      const asked = await directory.asked(async () => {
        const reply = await someone.signIn(credentials);
        expect(reply.status).toBe(401);
        page = textOf(reply);
      });
      const count = (what: RegExp) => [...asked.matchAll(what)].length;
      seen.push({ binds: count(/ BIND dn=/g), searches: count(/ SRCH base=/g), page });
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
    expect(seen[0]).toMatchObject({ page: expect.stringContaining('is not right') });
  });

  test('an account that is disabled here is refused like a wrong password (S28)', async () => {
    const otto = { username: 'otto', password: 'otto-password-1' };
    await agent.signIn(otto);
    await editUser(console, 'otto', (user) => ({ ...user, disabled: true }));
    await until(async () => (await agent.get('/account')).status !== 200, 'the end of the session', 15_000);
    const reply = await agent.signIn(otto);
    expect([reply.status, textOf(reply)]).toEqual([401, expect.stringContaining('is not right')]);
  });

  test('somebody whom no rule gives a role is told so, and makes no account (S45)', async () => {
    const users = await countUsers(console);
    const reply = await agent.signIn({ username: 'guest', password: 'guest-password-1' });
    expect([reply.status, textOf(reply)]).toEqual([403, expect.stringContaining('no rule of this console')]);
    expect(await countUsers(console)).toBe(users);
  });

  test('guesses are counted before the directory is asked (S29)', async () => {
    const guesser = browser(console);
    const guess = (password: string) => guesser.signIn({ username: 'guessed', password });
    for (let attempt = 0; attempt < 10; attempt++) expect((await guess(`wrong-${attempt}`)).status).toBe(401);
    const asked = await directory.asked(async () => {
      const reply = await guess('one too many');
      expect([reply.status, Number(reply.headers['retry-after'])]).toEqual([429, expect.any(Number)]);
    });
    expect(asked).not.toContain('SRCH');
  });

  test('an empty password is no proof', async () => {
    expect((await agent.signIn({ ...paula, password: '' })).status).toBe(401);
  });
});

describe('a directory that does not answer', () => {
  let console: RunningConsole;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await storeWithProviders(ldapProvider('staff', 'Staff directory', await freePort()));
    console = await startConsole({ dataDir, env });
  });
  afterAll(async () => {
    await console?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const signIn = (credentials: typeof admin): Promise<Reply> => browser(console).signIn(credentials);

  test('keeps no local account out', async () => {
    expect(titleOf(await signIn(admin))).toMatch(signedInTitle);
  });

  test('is told to whoever is not let in, whether the name is known here or not (S28)', async () => {
    const wrong = 'wrong-password-1';
    const [known, unknown] = [
      await signIn({ ...admin, password: wrong }),
      await signIn({ username: 'nobody', password: wrong }),
    ];
    for (const reply of [known, unknown]) {
      expect([reply.status, textOf(reply)]).toEqual([
        503,
        expect.stringContaining('a directory that may know them does not answer'),
      ]);
    }
    const without = (reply: Reply) => textOf(reply).replace(/request [\w-]+/, '');
    expect(without(known)).toBe(without(unknown));
  });

  test('what it could not check is given back, but for the bound of a day (B9)', async () => {
    for (const username of ['somebody', admin.username]) {
      const guess = () => signIn({ username, password: 'wrong-password-1' });
      for (let attempt = 0; attempt < 12; attempt++) expect((await guess()).status).toBe(503);
      // Whose password is kept here was looked at: a directory that is away must not lift every bound.
      const counted = await withStore(dataDir, ({ artifacts }) =>
        artifacts.get('Throttle', `["account","${username}"]`),
      );
      expect(counted?.payload.count).toBeGreaterThanOrEqual(12);
    }
    expect(titleOf(await signIn(admin))).toMatch(signedInTitle);
  });
});

function ldapProvider(id: string, name: string, port: number): LdapProvider {
  return {
    ...providerBase(id, name),
    kind: 'ldap',
    ldap: {
      url: `ldap://127.0.0.1:${port}`,
      allowPlaintext: true,
      find: {
        by: 'search',
        bindDn: service.dn,
        bindPassword: new Secret(service.password),
        baseDn: `ou=people,${suffix}`,
        filter: '(uid={username})',
      },
      groups: { baseDn: `ou=groups,${suffix}`, memberAttribute: 'member' },
    },
  };
}
