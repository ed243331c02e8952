import { expect, test } from 'vitest';
import { type AccountModel, renderAccount } from '../../views/account.tsx';
import { nameBrowser } from '../../views/elements/user-agent.ts';
import { textsIn } from '../../views/texts/text.ts';
import { parseMarkup } from './markup.ts';

const at = new Date('2025-11-02T09:05:59Z');
const model: AccountModel = {
  username: 'amelie',
  roles: [],
  signedInAt: at,
  sessionEndsAt: at,
  applications: [],
  sessions: [],
  signOut: { action: '/sign-out', csrf: 'token' },
  csrf: 'c',
  passwordAction: '/account/password',
  endSessionAction: '/account/sessions/end',
  minPasswordLength: 12,
  displayAction: '/account/display',
  zones: ['UTC'],
};

test('every session but this one has a button that ends it', () => {
  const sessions = ['a', 'b', 'c'].map((key) => ({ key, isCurrent: key === 'b', startedAt: at }));
  const page = parseMarkup(renderAccount({ ...model, sessions }));
  const keys = page.find('input').filter((input) => input.attributes.get('name') === 'session');
  expect(keys.map((input) => input.attributes.get('value'))).toEqual(['a', 'c']);
  const ending = page.find('form').filter((form) => form.attributes.get('action') === model.endSessionAction);
  expect(ending).toHaveLength(2);
});

test('times are in UTC, for people and for programs', () => {
  const time = parseMarkup(renderAccount(model)).find('time')[0];
  expect(time?.text).toBe('2 November 2025, 09:05 UTC');
  expect(time?.attributes.get('datetime')).toBe('2025-11-02T09:05:59.000Z');
});

test('what is empty says so', () => {
  const page = parseMarkup(renderAccount(model));
  const empty = page.elements.filter((element) => element.attributes.get('class') === 'empty');
  expect(empty.map((element) => element.text)).toEqual([
    'You have no role yet. An administrator can give you one.',
    'No open session.',
    'None so far.',
  ]);
});

const webkit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
test.each([
  [undefined, 'Unknown browser'],
  ['', 'Unknown browser'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['x'.repeat(200), `${'x'.repeat(80)}…`],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/143.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [`Mozilla/5.0 (Linux; Android 15) ${webkit} Chrome/143.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
  [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/143.0 Safari/537.36 Edg/143.0`, 'Edge on Windows'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Version/18.0 Safari/605.1`, 'Safari on macOS'],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${webkit} Version/18.0 Safari/604.1`,
    'Safari on iPhone',
  ],
])('the browser %j is called %j', (userAgent, name) => {
  expect(nameBrowser(userAgent, textsIn('en'))).toBe(name);
});
