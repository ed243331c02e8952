import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { allUsers, withStore } from '../helpers/store.ts';
import { createUserAgent, formsOf, signedInTitle, textOf, titleOf } from '../helpers/user-agent.ts';

const person = {
  username: 'Grace.H',
  email: 'grace@example.org',
  password: 'a-nice-harbour-in-fog',
  password_again: 'a-nice-harbour-in-fog',
};

/** Every test but the last leaves it without a user. */
let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole({
    env: { CONSOLE_ADMIN_USERNAME: undefined, CONSOLE_ADMIN_PASSWORD: undefined },
  });
});
afterAll(() => console?.stop());

const newAgent = () => createUserAgent(console.url);
const setupLink = () => /http:\/\/\S+\/setup\?token=\S+/.exec(console.stdout())![0];
const users = () => withStore(console.dataDir, allUsers);

test.each(['/setup', '/setup?token=', '/setup?token=wrong', `/setup?token=${'A'.repeat(32)}`])(
  '%s opens nothing (S27)',
  async (path) => {
    const agent = newAgent();
    const page = await agent.get(path);
    expect([page.status, formsOf(page.body)]).toEqual([403, []]);
    const { csrf } = formsOf((await agent.get(setupLink())).body)[0]!.hidden;
    const token = new URL(path, console.url).searchParams.get('token') ?? '';
    expect((await agent.post('/setup', { ...person, csrf: csrf!, token })).status).toBe(403);
    expect(await users()).toEqual([]);
  },
);

describe('what has to be corrected is shown with what was typed, but no password', () => {
  test.each([
    ['a weak password', { password: 'password1234', password_again: 'password1234' }, /easy to guess/],
    ['a short password', { password: 'short', password_again: 'short' }, /at least 12 characters/],
    ['an endless password', { password: 'x9'.repeat(600), password_again: 'x9'.repeat(600) }, /at most 256/],
    ['two passwords', { password_again: 'another-harbour-in-fog' }, /not the same/],
    [
      'no name, and two passwords',
      { username: '', password_again: 'another-harbour' },
      /user name has 1 to 64/,
    ],
    ['a name with spaces', { username: 'grace hopper' }, /user name has 1 to 64/],
    ['no name', { username: '' }, /user name has 1 to 64/],
    ['an address that is none', { email: 'grace' }, /not an e-mail address/],
  ])('%s (S25, S27)', async (_name, changes, problem) => {
    const agent = newAgent();
    const sent: typeof person = { ...person, ...changes };
    const reply = await agent.submit(await agent.get(setupLink()), sent);
    expect(reply.status).toBe(400);
    expect(titleOf(reply)).toBe('Problem: Create the first administrator');
    expect(textOf(reply)).toMatch(problem);
    for (const [name, value] of Object.entries(sent)) {
      const input = new RegExp(`<input id="${name}"[^>]*>`).exec(reply.body)![0];
      expect(input.includes(` value="${value}"`)).toBe(/username|email/.test(name) && value !== '');
      const isMarked = /password/.test(name) && 'password_again' in changes && !('username' in changes);
      expect(input.includes('aria-invalid="true"'), `${name} is marked as wrong`).toBe(isMarked);
    }
    expect(await users()).toEqual([]);
  });
});

test('the form of the set-up needs its token and its own site (S31)', async () => {
  const agent = newAgent();
  const page = await agent.get(setupLink());
  const rejected = [
    await agent.submit(page, { ...person, csrf: 'x' }),
    await agent.submit(page, person, { headers: { origin: 'https://evil.example' } }),
    await newAgent().submit(page, person),
  ];
  expect(rejected.map(({ status }) => status)).toEqual([403, 403, 403]);
  expect(await users()).toEqual([]);
});

test('there is no account before the set-up, and no development login (S27)', async () => {
  for (const username of ['admin', 'root', 'dev', 'ada']) {
    for (const password of [username, 'password']) {
      const agent = newAgent();
      // The sign-in page has no form yet; one that is made up gets no further.
      const { csrf = '' } = formsOf((await agent.get(setupLink())).body)[0]!.hidden;
      const reply = await agent.post('/login', { csrf, username, password });
      expect([reply.status, titleOf(reply)]).toEqual([401, 'Not set up yet']);
    }
  }
  expect((await newAgent().get('/interaction/abc')).status).toBe(404);
});

test('of three who use the link at the same time, one becomes the administrator, and it works no more (S27)', async () => {
  const names = ['one', 'two', 'three'];
  const pages = await Promise.all(
    names.map(async (username) => {
      const agent = newAgent();
      return { agent, username, page: await agent.get(setupLink()) };
    }),
  );
  const replies = await Promise.all(
    pages.map(({ agent, page, username }) => agent.submit(page, { ...person, username })),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([303, 409, 409]);
  const winner = names[replies.findIndex(({ status }) => status === 303)];
  expect(await users()).toMatchObject([{ username: winner, roles: ['Admin'], disabled: false }]);

  const again = await newAgent().get(setupLink());
  expect([again.status, formsOf(again.body)]).toEqual([403, []]);
  expect(textOf(again)).toContain('sign in instead');
  const [{ agent, page }] = pages as [(typeof pages)[0]];
  expect((await agent.submit(page, { ...person, username: 'mallory' })).status).toBe(403);
  expect(await users()).toHaveLength(1);
  const home = await newAgent().signIn({ username: winner!.toUpperCase(), password: person.password });
  expect(titleOf(home)).toMatch(signedInTitle);
  expect(textOf(home)).toContain('grace@example.org');
});
