/** Links by which people choose a password: made by `/api/v1/users`, used in a browser. */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { createUserAgent, formsOf, type Reply, textOf, titleOf } from '../helpers/user-agent.ts';
import { type ApiCaller, apiCaller } from './support.ts';

const chosen = 'a-nice-harbour-in-fog';
const both = { password: chosen, password_again: chosen };
let console: RunningConsole;
let call: ApiCaller;
let count = 0;

beforeAll(async () => {
  console = await startConsole();
  call = apiCaller(console, '/users', await apiToken(console));
});
afterAll(() => console?.stop());

/** Of no one's session. */
const newAgent = () => createUserAgent(console.url);

async function invited(fields: object = { roles: ['Viewer'] }) {
  const id = `hugo${count++}`;
  expect((await call('POST', '', { id, ...fields })).body.status).toBe('invited');
  const { status, body } = await call('POST', `/${id}/invite`, {});
  expect(status).toBe(200);
  return { id, link: body.link as string, body };
}

const signedIn = async (id: string, password = chosen) =>
  textOf(await newAgent().signIn({ username: id, password })).includes('Sign out');

/** What a link that does not count is answered with. */
function expectNotValid(page: Reply): void {
  expect([page.status, formsOf(page.body)]).toEqual([403, []]);
  expect(textOf(page)).toContain('This link does not count');
}

test('somebody who is invited chooses a password by the link, once', async () => {
  const { id, link, body } = await invited();
  expect(body.user).toMatchObject({ id, status: 'invited' });
  const day = Date.parse(body.expiresAt) - Date.now();
  expect(day).toBeGreaterThan(86_000_000);
  expect(day).toBeLessThanOrEqual(86_400_000);
  expect(await signedIn(id)).toBe(false);

  const agent = newAgent();
  const page = await agent.get(link);
  expect([page.status, titleOf(page)]).toEqual([200, 'Choose your password']);
  expect(page.headers['cache-control']).toBe('no-store');
  expect(page.headers['content-security-policy']).toContain("script-src 'none'");
  expect(page.body).not.toMatch(/<script|\son\w+=/);
  const done = await agent.submit(page, both);
  expect([done.status, titleOf(done)]).toEqual([200, 'Your password is set']);
  expect(done.headers['cache-control']).toBe('no-store');
  expect((await agent.get('/account')).status).toBe(303);
  expect(await signedIn(id)).toBe(true);
  expect((await call('GET', `/${id}`)).body.status).toBe('active');

  expectNotValid(await newAgent().get(link));
  expectNotValid(
    await agent.submit(page, { password: 'another-harbour-7', password_again: 'another-harbour-7' }),
  );
  expect(await signedIn(id)).toBe(true);
  const line = await console.waitFor(
    () => console.log().find(({ event }) => event === 'invitation.accepted'),
    'the audit line',
  );
  expect(line).toMatchObject({ audit: true, outcome: 'success', actor: body.user.subject });
});

test('the store and the log have nothing of the link but its digest', async () => {
  const { link, id } = await invited();
  const token = new URL(link).searchParams.get('token')!;
  expect(Buffer.from(token, 'base64url').length).toBe(32);
  await console.waitFor(
    () => console.log().find(({ event, target }) => event === 'user.invited' && target === id),
    'the audit line',
  );
  expect(console.stderr() + console.stdout()).not.toContain(token);
  // grep ends with 1 when it has found nothing.
  const found = spawnSync('grep', ['-rl', '--', token, console.dataDir]);
  expect(found.status).toBe(1);
});

test('of two who use a link at the same time one has chosen', async () => {
  const { id, link } = await invited();
  const passwords = ['first-harbour-in-fog', 'second-harbour-in-fog', 'third-harbour-in-fog'];
  const pages = await Promise.all(
    passwords.map(async (password) => {
      const agent = newAgent();
      return agent.submit(await agent.get(link), { password, password_again: password });
    }),
  );
  expect(pages.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
  const works = await Promise.all(passwords.map((password) => signedIn(id, password)));
  expect(works).toEqual(pages.map(({ status }) => status === 200));
});

describe('what has to be corrected is shown, and uses nothing up', () => {
  test.each([
    ['a weak password', { password: 'password1234', password_again: 'password1234' }, /easy to guess/],
    ['a short one', { password: 'short', password_again: 'short' }, /at least 12 characters/],
    ['two different ones', { ...both, password_again: 'another' }, /not the same/],
    ['none', { password: '', password_again: '' }, /at least 12 characters/],
  ])('%s (S25)', async (_what, fields, problem) => {
    const { id, link } = await invited();
    const agent = newAgent();
    const page = await agent.submit(await agent.get(link), fields);
    expect([page.status, titleOf(page)]).toEqual([400, 'Problem: Choose your password']);
    expect(textOf(page)).toMatch(problem);
    expect(page.body).not.toContain(` value="${fields.password || 'no such'}"`);
    expect((await agent.submit(page, both)).status).toBe(200);
    expect(await signedIn(id)).toBe(true);
  });
});

test('the form needs its token and its own site (S31)', async () => {
  const { link, id } = await invited();
  const agent = newAgent();
  const page = await agent.get(link);
  const rejected = [
    await agent.submit(page, { ...both, csrf: 'x' }),
    await agent.submit(page, both, { headers: { origin: 'https://evil.example' } }),
  ];
  expect(rejected.map(({ status }) => status)).toEqual([403, 403]);
  expect((await call('GET', `/${id}`)).body.status).toBe('invited');
});

test.each(['', '?token=', '?token=wrong', `?token=${'A'.repeat(43)}`, `?token=${'A'.repeat(5000)}`])(
  '/invitation%s opens nothing',
  async (query) => {
    expectNotValid(await newAgent().get(`/invitation${query}`));
  },
);

describe('a link does not count any more', () => {
  test.each([
    ['once there is a newer one', (id: string) => call('POST', `/${id}/invite`, {})],
    ['once a password is reset', (id: string) => call('POST', `/${id}/reset-password`, {})],
    [
      'once an administrator has chosen a password',
      (id: string) => call('POST', `/${id}/reset-password`, { password: chosen }),
    ],
    ['while its account is disabled', (id: string) => call('POST', `/${id}/disable`)],
    ['when its account is gone', (id: string) => call('DELETE', `/${id}`)],
  ])('%s', async (_when, change) => {
    const { id, link } = await invited();
    const agent = newAgent();
    const page = await agent.get(link);
    expect((await change(id)).status).toBeLessThan(300);
    expectNotValid(await newAgent().get(link));
    expectNotValid(
      await agent.submit(page, {
        password: 'a-late-harbour-in-fog',
        password_again: 'a-late-harbour-in-fog',
      }),
    );
    expect(await signedIn(id, 'a-late-harbour-in-fog')).toBe(false);
  });

  test('but does after roles and name have changed', async () => {
    const { id, link } = await invited();
    await call('PATCH', `/${id}`, { roles: ['MetricsViewer'], displayName: 'Hugo' });
    const agent = newAgent();
    expect((await agent.submit(await agent.get(link), both)).status).toBe(200);
    expect((await call('GET', `/${id}`)).body).toMatchObject({ roles: ['MetricsViewer'], status: 'active' });
  });
});

describe('reset-password', () => {
  test('ends the password and every session, until another is chosen by the link', async () => {
    const { id } = await invited();
    await call('POST', `/${id}/reset-password`, { password: chosen });
    const open = newAgent();
    await open.signIn({ username: id, password: chosen });
    const { body } = await call('POST', `/${id}/reset-password`, { ttlSeconds: 300 });
    expect(body.user).toMatchObject({ id, status: 'invited' });
    expect(Date.parse(body.expiresAt) - Date.now()).toBeLessThanOrEqual(300_000);
    expect((await open.get('/account')).status).toBe(303);
    expect(await signedIn(id)).toBe(false);
    const agent = newAgent();
    const password = 'a-newer-harbour-in-fog';
    await agent.submit(await agent.get(body.link), { password, password_again: password });
    expect(await signedIn(id, password)).toBe(true);
    expect(await signedIn(id)).toBe(false);
  });

  test('or takes a password, and gives no link then', async () => {
    const { id } = await invited();
    const { status, body } = await call('POST', `/${id}/reset-password`, { password: chosen });
    expect([status, body.link, body.expiresAt, body.user.status]).toEqual([200, null, null, 'active']);
    expect(JSON.stringify(body)).not.toContain(chosen);
    expect(await signedIn(id)).toBe(true);
    const line = await console.waitFor(
      () => console.log().find(({ event, target }) => event === 'user.password_reset' && target === id),
      'the audit line',
    );
    expect(JSON.stringify(line)).not.toContain(chosen);
  });

  test.each([
    ['a life that is too short', { ttlSeconds: 299 }],
    ['one that is too long', { ttlSeconds: 604_801 }],
    ['one that is text', { ttlSeconds: '300' }],
    ['a password and a life', { ttlSeconds: 300, password: chosen }],
    ['an unknown member', { email: true }],
  ])('refuses %s, and the password stays (S53)', async (_what, body) => {
    const { id } = await invited();
    await call('POST', `/${id}/reset-password`, { password: chosen });
    const reply = await call('POST', `/${id}/reset-password`, body);
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
    expect(await signedIn(id)).toBe(true);
  });

  test('refuses a weak password', async () => {
    const { id } = await invited();
    expect((await call('POST', `/${id}/reset-password`, { password: id.repeat(3) })).body.code).toBe(
      'weak_password',
    );
  });
});

test('who has a password is not invited', async () => {
  const { id } = await invited();
  await call('POST', `/${id}/reset-password`, { password: chosen });
  const reply = await call('POST', `/${id}/invite`, {});
  expect([reply.status, reply.body.code]).toEqual([409, 'conflict']);
  expect(await signedIn(id)).toBe(true);
});
