/** Several people at the same moment: what was right when a request began is looked at again when it ends. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Outcome, runTool } from '../commands/support.ts';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';
import { allUsers, copyUser, editUser, until, withStore } from '../helpers/store.ts';
import { createUserAgent, type Reply, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole({ env: { CONSOLE_TRUSTED_PROXIES: '127.0.0.1,::1' } });
});
afterAll(() => console?.stop());

let addresses = 0;
/** Of one network, whose members wait for each other. */
const newBrowser = (): UserAgent => {
  const address = `198.51.${100 + (++addresses >> 8)}.${addresses & 255}`;
  return createUserAgent(console.url, { headers: { 'x-forwarded-for': address } });
};
const tool = (...args: string[]): Promise<Outcome> =>
  runTool([...args, '--json'], { dataDir: console.dataDir, stdin: 'unrelated-walnut-ferry-17' });
const isSignedIn = async (agent: UserAgent) => (await agent.get('/account')).status === 200;
const known = (username: string) =>
  withStore(console.dataDir, async (storage) =>
    (await allUsers(storage)).find((user) => user.username === username),
  );

test('of three administrators who shut each other out, one stays (S55)', async () => {
  await copyUser(console, 'ada', 'bea');
  await copyUser(console, 'ada', 'cleo');
  const changes = await Promise.all([
    tool('user', 'disable', 'ada'),
    tool('user', 'roles', 'bea', '--role', 'Viewer'),
    tool('user', 'remove', '--yes', 'cleo'),
  ]);
  const refused = changes.filter(({ code }) => code !== 0);
  expect(refused.map((one) => [one.code, one.json().error])).toEqual([[1, 'last_administrator']]);
  const [ada, bea, cleo] = await Promise.all(['ada', 'bea', 'cleo'].map(known));
  const left = [ada, bea, cleo].filter((user) => user && !user.disabled && user.roles.includes('Admin'));
  expect(left).toHaveLength(1);
  await editUser(console, 'ada', (user) => ({ ...user, disabled: false, roles: ['Admin'] }));
}, 60_000);

test('of several who are to be called alike, one is added (D9)', async () => {
  const names = ['paula', 'PAULA', 'pau1a'];
  const added = await Promise.all(
    names.map((name) => tool('user', 'add', name, '--role', 'Viewer', '--password-file', '-')),
  );
  expect(added.map(({ code }) => code).sort()).toEqual([0, 1, 1]);
  for (const one of added.filter(({ code }) => code !== 0)) expect(one.json().error).toBe('already_exists');
  expect((await Promise.all(names.map(known))).filter(Boolean)).toHaveLength(1);
}, 60_000);

/** Of some other password. */
const otherHash = (hash: string) =>
  hash.replace(/\$(.)(.)([^$]*)$/, (_, one, two, rest) => `$${two}${one}${rest}`);

describe('a password that is looked at while the account changes', () => {
  const changes: readonly { name: string; change: Parameters<typeof editUser>[2] }[] = [
    {
      name: 'another password',
      change: (user) => ({
        ...user,
        passwordHash: otherHash(user.passwordHash),
        tokensValidFrom: Date.now(),
      }),
    },
    { name: 'being disabled', change: (user) => ({ ...user, disabled: true, tokensValidFrom: Date.now() }) },
    { name: 'removal', change: () => undefined },
  ];

  test('signs nobody in by what it was: another password, being disabled, removal (S34)', async () => {
    const people = changes.map((_, n) => `waiting-${n}`);
    for (const username of people) await copyUser(console, 'ada', username);
    const pages = await Promise.all(
      Array.from({ length: 48 + people.length }, async () => {
        const agent = newBrowser();
        return { agent, page: await agent.get('/login') };
      }),
    );
    const attempt = (index: number, username: string, password: string): Promise<Reply> =>
      pages[index]!.agent.submit(pages[index]!.page, { username, password });
    const crowd = Array.from({ length: 48 }, (_, n) => attempt(n, `crowd-${n}`, 'wrong-staple-1'));
    let isAnswered = false;
    const waiting = people.map((username, n) => attempt(48 + n, username, admin.password));
    void Promise.race(waiting).then(() => (isAnswered = true));
    for (const [n, username] of people.entries()) await editUser(console, username, changes[n]!.change);
    // Whoever signed in just before the change may hear of it just after.
    await delay(150);
    const wasInTime = !isAnswered;
    const replies = await Promise.all(waiting);
    await Promise.all(crowd);
    // Whoever was looked at before the change had a session, and has it no more.
    if (wasInTime) expect(replies.map(({ status }) => status)).toEqual([401, 401, 401]);
    const agents = pages.slice(48).map(({ agent }) => agent);
    expect(await Promise.all(agents.map(isSignedIn))).toEqual([false, false, false]);
  });
});

describe('a browser that is known (B9)', () => {
  const entriesOf = (agent: UserAgent) => agent.cookies.get('console_browser')?.value.split('.') ?? [];

  test('is known at five accounts, those that it signed in to last (B9)', async () => {
    const people = Array.from({ length: 6 }, (_, n) => `household-${n}`);
    for (const username of people) await copyUser(console, 'ada', username);
    const agent = newBrowser();
    const first: string[] = [];
    for (const username of people) {
      for (const name of [...agent.cookies.keys()])
        if (name !== 'console_browser') agent.cookies.delete(name);
      expect((await agent.signIn({ ...admin, username })).status).toBe(200);
      first.push(entriesOf(agent)[0]!);
      expect(entriesOf(agent)).toEqual([...first].reverse().slice(0, 5));
    }
    // Known again, it comes to the front with the entry that it has.
    for (const name of [...agent.cookies.keys()]) if (name !== 'console_browser') agent.cookies.delete(name);
    await agent.signIn({ ...admin, username: people[2]! });
    expect(entriesOf(agent)).toEqual([first[2], first[5], first[4], first[3], first[1]]);
  });

  test('is no stranger for what stands in its cookie beside a good entry (B9)', async () => {
    await copyUser(console, 'ada', 'cluttered');
    const agent = newBrowser();
    await agent.signIn({ ...admin, username: 'cluttered' });
    const [good] = entriesOf(agent);
    const cookie = agent.cookies.get('console_browser')!;
    const junk = ['x', '', 'y'.repeat(59), `${good}z`];
    const stranger = newBrowser();
    for (let n = 0; n < 11; n++) {
      await stranger.submit(await stranger.get('/login'), {
        username: 'cluttered',
        password: 'wrong-staple-1',
      });
    }
    const right = { ...admin, username: 'cluttered' };
    stranger.cookies.set('console_browser', { ...cookie, value: junk.join('.') });
    expect((await stranger.submit(await stranger.get('/login'), right)).status).toBe(429);
    stranger.cookies.set('console_browser', { ...cookie, value: [...junk, good].join('.') });
    expect((await stranger.submit(await stranger.get('/login'), right)).status).toBe(303);
    expect(entriesOf(stranger)).toEqual([good, 'y'.repeat(59)]);
    await until(async () => isSignedIn(stranger), 'the session');
  });
});
