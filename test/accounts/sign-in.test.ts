import { rm } from 'node:fs/promises';
import argon2 from 'argon2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { authorizationPath, callbackOf } from '../helpers/sign-in.ts';
import { copyUser, countUsers, editUser, until, withStore } from '../helpers/store.ts';
import { createUserAgent, type Reply, textOf, titleOf } from '../helpers/user-agent.ts';
import { medianRatios, spreadOf } from './even-times.ts';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole({ env: { CONSOLE_TRUSTED_PROXIES: '127.0.0.1,::1' } });
  await copyUser(console, 'ada', 'dormant');
  await editUser(console, 'dormant', (user) => ({ ...user, disabled: true, tokensValidFrom: Date.now() }));
});
afterAll(() => console?.stop());

let addresses = 0;
/** Each visitor comes from an address of its own, so that only the account is throttled. */
const newAddress = () =>
  `198.51.100.${++addresses % 250}, 203.0.113.${Math.floor(addresses / 250)}`.split(', ')[0]!;
const browserFrom = (address: string) =>
  createUserAgent(console.url, { headers: { 'x-forwarded-for': address } });
const newBrowser = () => browserFrom(newAddress());

const attempt = async (username: string, password: string, agent = newBrowser()): Promise<Reply> =>
  agent.submit(await agent.get('/login'), { username, password });

describe('who cannot sign in (S28)', () => {
  const cases = [
    { name: 'an unknown user', username: 'nobody', password: admin.password },
    { name: 'a wrong password', username: 'ada', password: 'wrong-staple-battery-1' },
    { name: 'a disabled user with the right password', username: 'dormant', password: admin.password },
    {
      name: 'a disabled user with a wrong password',
      username: 'dormant',
      password: 'wrong-staple-battery-2',
    },
    { name: 'an empty password', username: 'ada', password: '' },
    { name: 'another case of the password', username: 'ada', password: admin.password.toUpperCase() },
    { name: 'the password with a space behind it', username: 'ada', password: `${admin.password} ` },
  ];

  test('all get the same 401, byte for byte but for the token and the typed name (S28)', async () => {
    const replies = await Promise.all(cases.map(({ username, password }) => attempt(username, password)));
    const same = replies.map((reply, index) => ({
      status: reply.status,
      headers: Object.keys(reply.headers).sort(),
      body: reply.body
        .replaceAll(/name="csrf" value="[^"]*"/g, '')
        .replaceAll(`value="${cases[index]!.username}"`, ''),
    }));
    expect(new Set(same.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(same[0]!.status).toBe(401);
    expect(textOf(replies[0]!)).toContain('The user name or the password is not right.');
    for (const reply of replies) expect(reply.setCookies.join()).not.toContain('console_session');
  });

  test('a password is never echoed (S28)', async () => {
    const reply = await attempt('ada', 'a-wrong-password-to-look-for');
    expect(reply.body).not.toContain('a-wrong-password-to-look-for');
  });

  test('all take the same time (S28)', async () => {
    const ratios = await medianRatios({
      kinds: ['ada', 'dormant', 'nobody'],
      // Nine of each stay below the ten that are let through.
      rounds: 9,
      // Without the decoy hash the unknown user would be answered in a fraction of the time.
      least: 0.5,
      begin: () =>
        withStore(console.dataDir, async ({ artifacts }) => {
          for (const name of ['ada', 'dormant', 'nobody'])
            await artifacts.remove('Throttle', `["account","${name}"]`);
        }),
      async time(username) {
        const agent = newBrowser();
        const page = await agent.get('/login');
        const start = performance.now();
        const reply = await agent.submit(page, { username, password: 'wrong-staple-battery-1' });
        expect(reply.status).toBe(401);
        return performance.now() - start;
      },
    });
    expect(spreadOf(ratios), JSON.stringify([...ratios])).toBeGreaterThan(0.5);
  });
});

describe('guessing (S29)', () => {
  test('of 50 guesses at once from one address at most ten are looked at; the rest are 429 with Retry-After (S29)', async () => {
    await copyUser(console, 'ada', 'guessed');
    const address = newAddress();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        attempt('guessed', `wrong-staple-battery-${index}`, browserFrom(address)),
      ),
    );
    const count = (status: number) => replies.filter((reply) => reply.status === status).length;
    expect(count(401) + count(429)).toBe(50);
    expect(count(401)).toBeLessThanOrEqual(10);
    const rejected = replies.find(({ status }) => status === 429)!;
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(rejected.headers['retry-after'])).toBeLessThanOrEqual(300);
    expect(textOf(rejected)).toMatch(/Too many failed attempts\. Try again in (5 minutes|\d+ seconds)\./);
    const right = await attempt('guessed', admin.password, browserFrom(address));
    expect([right.status, right.headers.location]).toEqual([429, undefined]);
    expect((await attempt('guessed', admin.password)).status).toBe(303);
  });

  test('spelling the name otherwise opens no other budget (S29)', async () => {
    await copyUser(console, 'ada', 'spelled');
    const browser = newBrowser();
    for (let guess = 0; guess < 10; guess++)
      await attempt(guess % 2 ? 'SPELLED' : 'ｓpelled', 'wrong-staple-1', browser);
    expect((await attempt('spelled', 'wrong-staple-battery-1', browser)).status).toBe(429);
  });

  test('one source is stopped after fifty names, whatever it claims to be (S29, S30)', async () => {
    const source = '192.0.2.77';
    const spoofed = (guess: number) => browserFrom(`10.0.0.${guess}, ${source}`);
    const guesses = Array.from({ length: 50 }, (_, n) =>
      attempt(`name-${n}`, 'wrong-staple-battery-1', spoofed(n)),
    );
    expect(new Set((await Promise.all(guesses)).map(({ status }) => status))).toEqual(new Set([401]));
    expect((await attempt('name-51', 'wrong-staple-battery-1', browserFrom(source))).status).toBe(429);
    expect((await attempt('ada', admin.password)).status).toBe(303);
  });

  test('what a stopped source sends is not counted against names, nor kept (S29)', async () => {
    const source = browserFrom('192.0.2.78');
    for (let guess = 0; guess < 60; guess++) await attempt(`many-${guess}`, 'wrong-staple-1', source);
    const kept = await withStore(console.dataDir, ({ artifacts }) =>
      Promise.all(Array.from({ length: 60 }, (_, n) => artifacts.get('Throttle', `["account","many-${n}"]`))),
    );
    expect(kept.filter(Boolean)).toHaveLength(50);
  });

  test('addresses of one IPv6 network are one source (S29)', async () => {
    for (let guess = 0; guess < 10; guess++) {
      await attempt('six', 'wrong-staple-1', browserFrom(`2001:db8:1:2:${guess + 1}::1`));
    }
    expect((await attempt('six', 'wrong-staple-1', browserFrom('2001:db8:1:2::ffff'))).status).toBe(429);
    expect((await attempt('six', 'wrong-staple-1', browserFrom('2001:db8:1:3::1'))).status).toBe(401);
  });

  test.each([
    { name: 'an IPv4 address', first: '::ffff:192.0.2.81', second: '192.0.2.81', other: '192.0.2.82' },
    { name: 'one in hexadecimal', first: '::ffff:c000:0253', second: '192.0.2.83', other: '192.0.2.84' },
    {
      name: 'an IPv6 address',
      first: '2001:0DB8:0009:0000:0000:0000:0000:0001',
      second: '2001:db8:9::1',
      other: '2001:db8:a::1',
    },
  ])(
    '$name that is written in another way is one source (S29, S30)',
    async ({ name, first, second, other }) => {
      const person = `spelt-${name.length}`;
      for (let guess = 0; guess < 10; guess++) await attempt(person, 'wrong-staple-1', browserFrom(first));
      expect((await attempt(person, 'wrong-staple-1', browserFrom(second))).status).toBe(429);
      expect((await attempt(person, 'wrong-staple-1', browserFrom(other))).status).toBe(401);
    },
  );

  test('a success forgets the failures before it (S29)', async () => {
    await copyUser(console, 'ada', 'forgetful');
    for (let round = 0; round < 2; round++) {
      for (let guess = 0; guess < 9; guess++) {
        expect((await attempt('forgetful', 'wrong-staple-battery-1')).status).toBe(401);
      }
      expect((await attempt('forgetful', admin.password)).status).toBe(303);
    }
  });

  test('nobody can be kept out of an open session, nor from changing the password in it (S29)', async () => {
    await copyUser(console, 'ada', 'harried');
    const agent = newBrowser();
    const home = await agent.signIn({ ...admin, username: 'harried' });
    const stranger = newBrowser();
    for (let guess = 0; guess < 11; guess++) await attempt('harried', 'wrong-staple-battery-1', stranger);
    expect((await attempt('harried', admin.password, stranger)).status).toBe(429);
    expect((await agent.get('/account')).status).toBe(200);
    expect(callbackOf(await agent.get(authorizationPath({ prompt: 'none' }))).has('code')).toBe(true);
    const password = 'quite-another-sentence-7';
    const fields = { current_password: admin.password, password, password_again: password };
    const changed = await agent.submit(home, fields, { action: '/account/password' });
    expect([changed.status, textOf(changed)]).toEqual([
      200,
      expect.stringContaining('Your password is changed'),
    ]);
  });

  test('guesses at the current password within a session are counted (S29)', async () => {
    await copyUser(console, 'ada', 'borrowed');
    const agent = newBrowser();
    const home = await agent.signIn({ ...admin, username: 'borrowed' });
    const password = 'quite-another-sentence-7';
    const guess = (current: string) =>
      agent.submit(
        home,
        { current_password: current, password, password_again: password },
        { action: '/account/password' },
      );
    const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => guess(`wrong-staple-${n}`)));
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(10);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(10);
    expect((await guess(admin.password)).status).toBe(429);
  });

  test('counters survive a restart (S29)', async () => {
    const dataDir = await usedDataDir();
    try {
      const first = await startConsole({ dataDir });
      const guess = async ({ url }: RunningConsole) => {
        const agent = createUserAgent(url);
        return agent.submit(await agent.get('/login'), { username: 'ada', password: 'wrong-staple-1' });
      };
      for (let n = 0; n < 10; n++) expect((await guess(first)).status).toBe(401);
      await first.stop();
      const second = await startConsole({ dataDir, port: first.port });
      expect((await guess(second)).status).toBe(429);
      await second.stop();
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

describe('the cost of hashing (S26)', () => {
  test.each([
    { name: 'a password of 1025 bytes', username: 'ada', password: 'p'.repeat(1025) },
    { name: 'fewer characters with more bytes', username: 'ada', password: 'é'.repeat(513) },
    { name: 'a user name without end', username: 'u'.repeat(5000), password: 'wrong-staple-1' },
  ])('$name is 400 before anything is hashed or counted (S26)', async ({ username, password }) => {
    const cost = async (form: { username: string; password: string }, status: number) => {
      const times: number[] = [];
      for (let n = 0; n < 12; n++) {
        const agent = newBrowser();
        const page = await agent.get('/login');
        const start = performance.now();
        const reply = await agent.submit(page, form);
        times.push(performance.now() - start);
        expect(reply.status).toBe(status);
      }
      return times.sort((a, b) => a - b)[6]!;
    };
    const rejected = await cost({ username, password }, 400);
    const right = await cost(admin, 303);
    expect(rejected).toBeLessThan(right / 2);
    expect((await attempt('ada', admin.password)).status).toBe(303);
  });

  test('more sign-ins than can wait are 503 with Retry-After, cost no attempt, and soon go again (S26)', async () => {
    const names = Array.from({ length: 120 }, (_, n) => `crowd-${n}`);
    const pages = await Promise.all(
      names.map(async (username) => {
        const agent = newBrowser();
        return { agent, username, page: await agent.get('/login') };
      }),
    );
    const replies = await Promise.all(
      pages.map(({ agent, page, username }) => agent.submit(page, { username, password: 'wrong-staple-1' })),
    );
    const busy = replies.flatMap(({ status }, index) => (status === 503 ? index : []));
    expect(busy.length).toBeGreaterThan(0);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401, 503]));
    const rejected = replies[busy[0]!]!;
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0);
    expect(titleOf(rejected)).toBe('Problem: Sign in');
    const counted = await withStore(console.dataDir, ({ artifacts }) =>
      artifacts.get('Throttle', `["account","${names[busy[0]!]}"]`),
    );
    expect(counted?.payload.count ?? 0).toBe(0);
    expect((await attempt('ada', admin.password)).status).toBe(303);
  });
});

describe('stored passwords (S25)', () => {
  const stored = (username: string) =>
    withStore(console.dataDir, async ({ records }) => (await records.userByName(username))!);
  const storedHash = async (username: string) => (await stored(username)).passwordHash;
  const idOf = async (username: string) => (await stored(username)).id;

  test('Argon2id with 19 MiB and two passes (S25)', async () => {
    expect(await storedHash('ada')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test('a hash with weaker parameters is replaced at the next sign-in, which keeps other sessions (S25)', async () => {
    await copyUser(console, 'ada', 'weathered');
    const weak = await argon2.hash(admin.password, {
      type: argon2.argon2id,
      memoryCost: 8192,
      timeCost: 2,
      parallelism: 1,
    });
    const before = await countUsers(console);
    await editUser(console, 'weathered', (user) => ({ ...user, passwordHash: weak }));
    await copyUser(console, 'ada', 'later');
    await until(async () => (await countUsers(console)) > before, 'the weaker hash to be known');
    const [one, other] = [newBrowser(), newBrowser()];
    await one.signIn({ ...admin, username: 'weathered' });
    expect(await storedHash('weathered')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await other.signIn({ ...admin, username: 'weathered' })).status).toBe(200);
    expect((await one.get('/account')).status).toBe(200);
  });

  test.each([
    ['cut', (hash: string) => hash.slice(0, 40)],
    ['of no known kind', (hash: string) => hash.replace('argon2id', 'argon9')],
    ['empty', () => ''],
  ])('a hash that is %s opens to no password, and the log names the account (S25)', async (kind, damage) => {
    const username = `damaged.${kind.replaceAll(' ', '.')}`;
    await copyUser(console, 'ada', username);
    const before = await countUsers(console);
    await editUser(console, username, (user) => ({ ...user, passwordHash: damage(user.passwordHash) }));
    await copyUser(console, 'ada', `${username}.later`);
    await until(async () => (await countUsers(console)) > before, 'the damaged hash to be known');
    const reply = await attempt(username, admin.password);
    expect(reply.status).toBe(401);
    expect(textOf(reply)).toContain('The user name or the password is not right.');
    const damaged = console.log().filter(({ msg }) => String(msg).includes('hash is damaged'));
    expect(damaged.at(-1)).toMatchObject({ level: 'error', subject: await idOf(username) });
    expect(JSON.stringify(damaged)).not.toContain('$argon');
  });
});

test('without a trusted proxy the forwarded address does not count (S30)', async () => {
  const direct = await startConsole();
  try {
    const guess = async (address: string) => {
      const agent = createUserAgent(direct.url, {
        headers: { 'x-forwarded-for': address, forwarded: `for=${address}` },
      });
      return agent.submit(await agent.get('/login'), {
        username: 'somebody',
        password: 'wrong-staple-1',
      });
    };
    for (let n = 0; n < 10; n++) expect((await guess(`192.0.2.${n}`)).status).toBe(401);
    expect((await guess('192.0.2.200')).status).toBe(429);
  } finally {
    await direct.stop();
  }
});
