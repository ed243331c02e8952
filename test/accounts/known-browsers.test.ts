/** The cookie of a browser that has signed in before: it proves itself with a name, names nobody, and opens nothing. */
import type { Context } from 'koa';
import { describe, expect, test } from 'vitest';
import { createKnownBrowsers } from '../../console/accounts/guessing/known-browsers.ts';

const cookieName = 'console_browser';
const secret = 'a-secret-of-the-console';
const known = createKnownBrowsers({ cookieName, isSecure: true, secret });

/** A browser as far as its cookie goes. */
function browser(cookie?: string) {
  const sent: { value: string; options: Record<string, unknown> }[] = [];
  const cookies = {
    get: (name: string) => (name === cookieName ? (sent.at(-1)?.value ?? cookie) : undefined),
    set: (_name: string, value: string, options: Record<string, unknown>) =>
      void sent.push({ value, options }),
  };
  const ctx = { cookies } as unknown as Context;
  return { ctx, sent, value: () => sent.at(-1)?.value ?? '' };
}

const signedIn = (...names: readonly string[]) => {
  const one = browser();
  for (const name of names) known.remember(one.ctx, name);
  return one;
};

test('is known at the account it has signed in to, however the name is typed, and at no other', () => {
  const { ctx } = signedIn('Ada');
  const id = known.find(ctx, 'ada');
  expect(id).toMatch(/^[\w-]{16}$/);
  expect(known.find(ctx, 'ADA')).toBe(id);
  for (const name of ['grace', '', 'ada ', 'adа']) expect(known.find(ctx, name)).toBeUndefined();
});

test('keeps its name at an account, and has another one at another account and in another browser', () => {
  const one = signedIn('ada', 'grace');
  const id = known.find(one.ctx, 'ada');
  known.remember(one.ctx, 'ada');
  expect(known.find(one.ctx, 'ada')).toBe(id);
  expect(known.find(one.ctx, 'grace')).not.toBe(id);
  expect(known.find(signedIn('ada').ctx, 'ada')).not.toBe(id);
});

test('knows five accounts; the one that it signed in to longest ago gives way', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const { ctx, value } = signedIn(...names);
  known.remember(ctx, 'a');
  known.remember(ctx, 'f');
  expect(value().split('.')).toHaveLength(5);
  expect(names.filter((name) => known.find(ctx, name))).toEqual(['a', 'c', 'd', 'e']);
  expect(known.find(ctx, 'f')).toBeDefined();
});

test('its cookie is out of reach of scripts and other sites, and says no name (S33)', () => {
  const { sent, value } = signedIn('ada');
  expect(sent.at(-1)!.options).toEqual({
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: true,
    signed: false,
    maxAge: 400 * 86_400_000,
  });
  expect(value()).not.toContain('ada');
  const plain = browser();
  createKnownBrowsers({ cookieName, isSecure: false, secret }).remember(plain.ctx, 'ada');
  expect(plain.sent.at(-1)!.options).toMatchObject({ secure: false });
});

describe('is not known by a cookie', () => {
  const value = signedIn('ada').value();
  const [id, proof] = [value.slice(0, 16), value.slice(16)];
  test.each([
    ['that is not there', undefined],
    ['that is empty', ''],
    ['of another name of a browser', `${'A'.repeat(16)}${proof}`],
    ['of another proof', `${id}${'A'.repeat(43)}`],
    ['that is cut', value.slice(0, -1)],
    ['that is longer', `${value}A`],
    ['behind five others', [...Array(5).fill('A'.repeat(59)), value].join('.')],
    ['behind a kilobyte of others', `${'x'.repeat(1024)}.${value}`],
    ['with what no cookie has', `${value.slice(0, -1)}\u0000`],
  ])('%s', (_what, cookie) => {
    expect(known.find(browser(cookie).ctx, 'ada')).toBeUndefined();
  });

  test('of another console', () => {
    const elsewhere = createKnownBrowsers({ cookieName, isSecure: true, secret: 'another secret' });
    expect(elsewhere.find(browser(value).ctx, 'ada')).toBeUndefined();
    expect(known.find(browser(value).ctx, 'ada')).toBe(id);
  });

  test('and what was made up in it goes with the next sign-in', () => {
    const { ctx, value: now } = browser(`made-up.${value}.<script>`);
    known.remember(ctx, 'grace');
    expect(now().split('.')).toHaveLength(2);
    expect(known.find(ctx, 'ada')).toBe(id);
  });
});
