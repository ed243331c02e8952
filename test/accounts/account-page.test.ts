import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';
import { noticesTo, register, signInTo, startRelyingParty } from '../helpers/relying-party.ts';
import { refresh, signInForTokens, userinfo } from '../helpers/sign-in.ts';
import { copyUser } from '../helpers/store.ts';
import {
  createUserAgent,
  formsOf,
  type Reply,
  signedInTitle,
  textOf,
  titleOf,
  type UserAgent,
} from '../helpers/user-agent.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const edge =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0';
const better = 'quite-another-sentence-7';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console?.stop());

let count = 0;
let person: { username: string; password: string };
beforeEach(async () => {
  person = { ...admin, username: `person${count++}` };
  await copyUser(console, 'ada', person.username);
});

const browser = (userAgent = firefox) =>
  createUserAgent(console.url, { headers: { 'user-agent': userAgent } });
const isSignedIn = async (agent: UserAgent) => (await agent.get('/account')).status === 200;
const change = (agent: UserAgent, home: Reply, fields: Record<string, string>) =>
  agent.submit(
    home,
    { current_password: admin.password, password: better, password_again: better, ...fields },
    { action: '/account/password' },
  );

describe('changing the password', () => {
  test('ends every session and refresh token but starts this one anew (S34)', async () => {
    const [here, there] = [browser(), browser(edge)];
    const home = await here.signIn(person);
    const tokens = await signInForTokens(console, there, {}, person);
    const old = new Map(here.cookies);
    const reply = await change(here, home, {});
    expect([reply.status, textOf(reply)]).toEqual([200, expect.stringContaining('Your password is changed')]);
    expect(await isSignedIn(here)).toBe(true);
    expect(await isSignedIn(there)).toBe(false);
    expect((await refresh(console, tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect((await userinfo(console, tokens.access_token)).status).toBe(401);
    const thief = browser();
    for (const [name, cookie] of old) thief.cookies.set(name, cookie);
    expect(await isSignedIn(thief)).toBe(false);
    expect(titleOf(await browser().signIn(person))).toBe('Problem: Sign in');
    expect((await browser().signIn({ ...person, password: better })).status).toBe(200);
  });

  test.each([
    [
      'a wrong current password',
      { current_password: 'wrong-staple-battery-1' },
      /current password is not right/,
    ],
    ['no current password', { current_password: '' }, /current password is not right/],
    ['a weak one', { password: 'password1234', password_again: 'password1234' }, /easy to guess/],
    ['two different ones', { password_again: 'yet-another-sentence-8' }, /not the same/],
  ])('%s changes nothing (S25)', async (_name, fields, problem) => {
    const [here, there] = [browser(), browser(edge)];
    const home = await here.signIn(person);
    await there.signIn(person);
    const reply = await change(here, home, fields);
    expect([reply.status, textOf(reply)]).toEqual([400, expect.stringMatching(problem)]);
    for (const secret of [better, admin.password]) expect(reply.body).not.toContain(secret);
    expect(await isSignedIn(there)).toBe(true);
    expect((await browser().signIn(person)).status).toBe(200);
  });

  test('needs the form of this browser, and a session (S31)', async () => {
    const agent = browser();
    const home = await agent.signIn(person);
    const forged = await change(agent, home, { csrf: 'x' });
    const foreign = await agent.submit(
      home,
      {},
      { action: '/account/password', headers: { origin: 'null' } },
    );
    expect([forged.status, foreign.status]).toEqual([403, 403]);
    agent.cookies.delete('console_session');
    const signedOut = await change(agent, home, {});
    expect([signedOut.status, signedOut.headers.location]).toEqual([303, '/login']);
    expect((await browser().signIn(person)).status).toBe(200);
  });

  test('of changes that are made at the same time one counts, and the others are signed out (S34)', async () => {
    const agent = browser();
    const home = await agent.signIn(person);
    const cookies = new Map(agent.cookies);
    const words = ['heron', 'walnut', 'gravel', 'tundra'].map((word) => `quite-another-${word}-7`);
    const replies = await Promise.all(
      words.map((password) => {
        const each = browser();
        for (const [name, cookie] of cookies) each.cookies.set(name, cookie);
        return change(each, home, { password, password_again: password });
      }),
    );
    const done = words.filter((_, index) => replies[index]!.status === 200);
    expect(done).toHaveLength(1);
    const others = replies.filter(({ status }) => status !== 200);
    expect(others.map(({ status, headers }) => [status, headers.location])).toEqual(
      Array(3).fill([303, '/login']),
    );
    const signedIn = await Promise.all(
      words.map(async (password) => (await browser().signIn({ ...person, password })).status),
    );
    expect(signedIn).toEqual(words.map((password) => (password === done[0] ? 200 : 401)));
  });
});

describe('the list of sessions', () => {
  const sessionForms = ({ body }: Reply) =>
    formsOf(body).filter(({ action }) => action === '/account/sessions');

  test('names each, and ends one at once with what was issued under it (S34)', async () => {
    const [here, there] = [browser(), browser(edge)];
    const tokens = await signInForTokens(console, there, {}, person);
    const home = await here.signIn(person);
    const text = textOf(home);
    expect(text).toMatch(/Firefox on Linux This one/);
    expect(text).toMatch(/Edge on Windows Since/);
    expect(text).toContain('127.0.0.1');
    expect(sessionForms(home)).toHaveLength(1);
    const reply = await here.submit(home, {}, { action: '/account/sessions' });
    expect(textOf(reply)).toContain('The session has ended.');
    expect(textOf(reply)).not.toContain('Edge on Windows');
    expect(await isSignedIn(there)).toBe(false);
    expect((await refresh(console, tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect(await isSignedIn(here)).toBe(true);
  });

  test('one that several requests end at the same time is told to its application once (S39)', async () => {
    const shop = await startRelyingParty(`shop-of-${person.username}`);
    onTestFinished(() => void shop.close());
    await register(console, shop);
    const [here, there] = [browser(), browser(edge)];
    await signInTo(console, there, shop, person);
    const home = await here.signIn(person);
    await Promise.all(
      Array.from({ length: 6 }, () => here.submit(home, {}, { action: '/account/sessions' })),
    );
    await console.waitFor(() => noticesTo(console, shop.id).length > 0, 'the notice');
    // Of a session that ends later: whatever the first one sent is out by then.
    await signInTo(console, there, shop, person);
    await here.submit(await here.get('/account'), {}, { action: '/account/sessions' });
    await console.waitFor(() => shop.posted.length > 1, 'the second notice');
    const sids = shop.posted.map(({ token }) => decodeJwt(token).sid);
    expect(new Set(sids).size).toBe(sids.length);
  });

  test('the session of somebody else cannot be ended (S34)', async () => {
    const [here, there] = [browser(), browser(edge)];
    const other = await there.signIn();
    const spare = browser(edge);
    await spare.signIn();
    const key = sessionForms(await there.follow(await there.get('/account')))[0]!.hidden.session!;
    expect(key).toBeTruthy();
    const home = await here.signIn(person);
    const { csrf } = formsOf(home.body)[0]!.hidden;
    await here.post('/account/sessions', { csrf: csrf!, session: key });
    expect(await isSignedIn(there)).toBe(true);
    expect(await isSignedIn(spare)).toBe(true);
    expect(titleOf(other)).toMatch(signedInTitle);
  });

  test('what stands for a session in the form is not its id (S32)', async () => {
    const [here, there] = [browser(), browser(edge)];
    await there.signIn(person);
    const home = await here.signIn(person);
    for (const agent of [here, there]) {
      expect(home.body).not.toContain(agent.cookies.get('console_session')!.value);
    }
  });

  test('applications that were signed in to are listed', async () => {
    const agent = browser();
    await signInForTokens(console, agent, {}, person);
    const page = await agent.get('/account');
    expect(textOf(page)).toMatch(/application-dashboard Since/);
    // It leads back to where it was signed in to.
    expect(page.body).toMatch(/<a href="http:\/\/localhost:\d+\/">application-dashboard<\/a>/);
  });
});

test('the sign-in before this one is told', async () => {
  const [first, second] = [browser(), browser()];
  expect(textOf(await first.signIn(person))).toContain('First sign-in');
  const begun = Math.floor(Date.now() / 1000);
  await console.waitFor(() => Math.floor(Date.now() / 1000) > begun, 'the next second');
  expect(textOf(await second.signIn(person))).not.toContain('First sign-in');
  expect(textOf(await first.get('/account'))).toContain('First sign-in');
});
