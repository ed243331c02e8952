import { expect, test } from 'vitest';
import { type LoginModel, renderLogin } from '../../views/login.tsx';
import { parseMarkup } from './markup.ts';

test.each([
  { seconds: 0.2, words: 'one second' },
  { seconds: 40, words: '40 seconds' },
  { seconds: 121, words: '3 minutes' },
])('a wait of $seconds s reads as $words, and no field is marked as wrong', ({ seconds, words }) => {
  const page = login({ problem: 'Too many attempts.', retryAfterSeconds: seconds });
  expect(alertOf(page)).toBe(`Too many attempts. Try again in ${words}.`);
  expect(page.find('input').some((input) => input.attributes.has('aria-invalid'))).toBe(false);
});

test('what was typed comes back, marked as wrong, with the problem as its description', () => {
  const page = login({ username: 'amelie', problem: 'Username or password is wrong.' });
  const [username, password] = page.find('input').filter((input) => input.attributes.has('id'));
  expect(username?.attributes.get('value')).toBe('amelie');
  for (const input of [username, password]) {
    expect(input?.attributes.get('aria-invalid')).toBe('true');
    expect(input?.attributes.get('aria-describedby')).toBe('problem');
  }
});

test('the form says whose passwords it takes', () => {
  const lede = (changes: Partial<LoginModel>) =>
    login(changes)
      .find('p')
      .find((paragraph) => paragraph.attributes.get('class') === 'lede')?.text;
  const directories = ['Corporate directory', 'Lab'];
  expect(lede({})).toBe('With your account at this console.');
  expect(lede({ directories })).toBe(
    'With your account at this console, or at Corporate directory, or at Lab.',
  );
  expect(lede({ directories, application: { name: 'dash' } })).toMatch(
    /^Sign in to continue to dash\. With your account/,
  );
  expect(lede({ directories, reauthenticate: true })).not.toContain('directory');
});

test('whoever has to confirm a password can not become somebody else', () => {
  const page = login({ username: 'amelie', reauthenticate: true });
  const username = page.find('input').find((input) => input.attributes.get('name') === 'username');
  expect(username?.attributes.get('value')).toBe('amelie');
  expect(username?.attributes.has('readonly')).toBe(true);
  expect(page.find('h1')[0]?.text).toBe('Confirm it’s you');
});

test('whoever has to sign in again elsewhere gets one link and no field', () => {
  const confirmWith = { name: 'Corp', href: '/login/x/start/corp' };
  const page = login({ username: 'amelie', reauthenticate: true, confirmWith });
  expect(page.find('input')).toEqual([]);
  expect(page.find('a').map((link) => [link.text, link.attributes.get('href')])).toEqual([
    ['Sign in with Corp', '/login/x/start/corp'],
  ]);
});

test('trouble elsewhere is told with what to quote, and no field is marked as wrong', () => {
  const reference = { code: 'login_failed', requestId: 'r-1' };
  const page = login({ problem: 'Corp does not answer.', reference });
  expect(alertOf(page)).toMatch(/^Corp does not answer\.\s*login_failed, request r-1$/);
  expect(page.find('input').some((input) => input.attributes.has('aria-invalid'))).toBe(false);
});

test('a quiet page has no problem, no other ways in and nothing to cancel', () => {
  const page = login({});
  expect(alertOf(page)).toBeUndefined();
  expect(page.find('a')).toEqual([]);
  expect(page.find('section')).toEqual([]);
});

function login(model: Partial<LoginModel>) {
  return parseMarkup(renderLogin({ action: '/login', csrf: 'c', ...model }));
}

function alertOf(page: ReturnType<typeof login>): string | undefined {
  return page.elements.find((element) => element.attributes.get('role') === 'alert')?.text;
}
