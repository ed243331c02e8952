/** B9: what slows guessing keeps nobody out who knows the password and has not failed. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startGuessing } from '../../bench/guessing-load.ts';
import { createPlaces, type Turn } from '../../console/accounts/places.ts';
import { admin, apiToken, clientSecret, type RunningConsole, startConsole } from '../helpers/console.ts';
import { copyUser, withStore } from '../helpers/store.ts';
import { createUserAgent, type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';

let directory: string;
let console: RunningConsole;
const setClock = (seconds: number) => writeFile(join(directory, 'clock'), String(seconds));
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'console-clock-'));
  await setClock(0);
  console = await startConsole({
    env: {
      CONSOLE_TRUSTED_PROXIES: '127.0.0.1,::1',
      NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, '../oidc/movable-clock.mjs')).href}`,
      TEST_CLOCK_FILE: join(directory, 'clock'),
    },
  });
});
afterAll(async () => {
  await console?.stop();
  await rm(directory, { recursive: true, force: true });
});

let people = 0;
let person: { username: string; password: string };
beforeEach(async () => {
  person = { ...admin, username: `person${people++}` };
  await copyUser(console, 'ada', person.username);
});

interface ListedUsers {
  readonly items: readonly { readonly id: string; readonly status: string }[];
  readonly count: { readonly isExact: boolean } | null;
}

async function usersBy(query: string): Promise<ListedUsers> {
  const headers = { Authorization: `Bearer ${await apiToken(console)}` };
  const reply = await fetch(`${console.url}/api/v1/users?${query}`, { headers });
  expect(reply.status).toBe(200);
  return (await reply.json()) as ListedUsers;
}

let addresses = 0;
const newAddress = () => `10.${++addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`;
const browserFrom = (address: string) =>
  createUserAgent(console.url, { headers: { 'x-forwarded-for': address } });
const attempt = async (
  credentials: { username: string; password: string },
  agent: UserAgent = browserFrom(newAddress()),
): Promise<Reply> => agent.submit(await agent.get('/login'), credentials);
const wrong = () => ({ ...person, password: 'a-wrong-password-1' });
const wrongFrom = async (address: string, times: number) => {
  const replies = await Promise.all(
    Array.from({ length: times }, () => attempt(wrong(), browserFrom(address))),
  );
  return replies.map(({ status }) => status);
};

test('ten wrong passwords from one address keep nobody else of that name, or of that address, out (B9)', async () => {
  const address = newAddress();
  await wrongFrom(address, 12);
  expect((await attempt(person, browserFrom(address))).status).toBe(429);
  expect((await attempt(person)).status).toBe(303);
  expect((await attempt(admin, browserFrom(address))).status).toBe(303);
});

describe('a browser that has signed in before (B9)', () => {
  test('has a budget of its own, from an address where others have used theirs up (B9)', async () => {
    const address = newAddress();
    const agent = browserFrom(address);
    await agent.signIn(person);
    const cookie = [...agent.cookies.keys()].filter((name) => name !== 'console_browser');
    for (const name of cookie) agent.cookies.delete(name);
    await wrongFrom(address, 12);
    expect((await attempt(person, agent)).status).toBe(303);
  });

  test('which ends after ten, and then counts for nothing (B9)', async () => {
    const address = newAddress();
    const agent = browserFrom(address);
    await agent.signIn(person);
    const known = agent.cookies.get('console_browser')!;
    const knownFrom = (from: string) => {
      const other = browserFrom(from);
      other.cookies.set('console_browser', known);
      return other;
    };
    for (let n = 0; n < 10; n++) expect((await attempt(wrong(), knownFrom(address))).status).toBe(401);
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++) statuses.push((await attempt(wrong(), knownFrom(address))).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    expect((await attempt(person, knownFrom(address))).status).toBe(429);
  });

  test('is known at its own account only, and by no cookie that somebody made up (B9)', async () => {
    const agent = browserFrom(newAddress());
    await agent.signIn(person);
    const { value } = agent.cookies.get('console_browser')!;
    expect(value).toMatch(/^[\w-]{59}$/);
    const other = { ...admin, username: `person${people++}` };
    await copyUser(console, 'ada', other.username);
    for (const forged of [value, `${value.slice(0, 40)}A${value.slice(41)}`, '.'.repeat(2000)]) {
      const address = newAddress();
      const forger = browserFrom(address);
      forger.cookies.set('console_browser', { ...agent.cookies.get('console_browser')!, value: forged });
      const target = forged === value ? other : person;
      const replies: number[] = [];
      for (let n = 0; n < 11; n++) {
        replies.push((await attempt({ ...target, password: 'a-wrong-password-1' }, forger)).status);
      }
      expect(replies).toEqual([...Array(10).fill(401), 429]);
    }
  });

  test('its cookie is for this console alone (S33)', async () => {
    const reply = await attempt(person);
    const set = reply.setCookies.find((cookie) => cookie.startsWith('console_browser='));
    expect(set).toMatch(/; path=\/; expires=[^;]+; samesite=lax; httponly$/i);
  });
});

test('100 failures over all addresses are told as such; then the right password alone is let in (B9)', async () => {
  // No more at once than places to wait.
  const hundred = async (guess: () => Promise<Reply>) => {
    const replies: Reply[] = [];
    while (replies.length < 100) replies.push(...(await Promise.all(Array.from({ length: 20 }, guess))));
    return new Set(replies.map(({ status }) => status));
  };
  expect(await hundred(() => attempt(wrong()))).toEqual(new Set([401]));
  expect((await usersBy('status=locked')).items).toEqual([]);
  const dirty = newAddress();
  const rejected = await attempt(wrong(), browserFrom(dirty));
  expect(rejected.status).toBe(429);
  // Administrators see it.
  const locked = await usersBy('status=locked');
  expect(locked.items).toEqual([expect.objectContaining({ id: person.username, status: 'locked' })]);
  expect((await usersBy('status=locked&role=MetricsViewer')).items).toEqual([]);
  expect((await usersBy(`q=${person.username}`)).items[0]?.status).toBe('locked');
  const active = await usersBy('status=active&limit=500');
  expect(active.items.map(({ id }) => id)).not.toContain(person.username);
  expect(active.items.map(({ id }) => id)).toContain('ada');
  // On one page they are counted as they are listed; beyond it those who are locked are among them.
  expect(active.count).toEqual({ value: active.items.length, isExact: true });
  expect((await usersBy('status=active&limit=1')).count?.isExact).toBe(false);
  expect(textOf(rejected)).toContain('Too many failed attempts.');
  // An address that has failed is not looked at any more, and cannot tell that from having been wrong.
  const again = await attempt(person, browserFrom(dirty));
  expect(again.status).toBe(429);
  // A third of a second later than anybody else.
  const signIn = async (who: typeof person) => {
    const start = performance.now();
    expect((await attempt(who)).status).toBe(303);
    return performance.now() - start;
  };
  const others = await signIn(admin);
  expect(await signIn(person)).toBeLessThan(Math.max(2000, 300 + 3 * others));
  // A name that nobody has is told the same.
  const nobody = { username: `no${person.username}`, password: 'a-wrong-password-1' };
  expect(await hundred(() => attempt(nobody))).toEqual(new Set([401]));
  const other = await attempt(nobody);
  const plain = (reply: Reply) =>
    textOf(reply)
      .replace(/Try again in [^.]+\./, '')
      .replaceAll(nobody.username, '')
      .replaceAll(person.username, '');
  expect([other.status, plain(other)]).toEqual([429, plain(rejected)]);
  expect((await usersBy('status=locked')).items.map(({ id }) => id)).toEqual([person.username]);
}, 240_000);

test('a clock that is put back prolongs nothing, and one put forward forgives nothing (B9, D15)', async () => {
  const address = newAddress();
  await wrongFrom(address, 11);
  for (const seconds of [-86_400, 86_400, 0]) {
    await setClock(seconds);
    const rejected = await attempt(person, browserFrom(address));
    expect([seconds, rejected.status]).toEqual([seconds, 429]);
    expect(Number(rejected.headers['retry-after'])).toBeLessThanOrEqual(300);
  }
  // The store of an earlier process, whose clock was a day ahead.
  await withStore(console.dataDir, ({ artifacts }) =>
    artifacts.put('Throttle', `["pair","${person.username}","10.255.0.1"]`, {
      payload: { count: 50 },
      expiresAt: Date.now() / 1000 + 86_400,
    }),
  );
  const rejected = await attempt(person, browserFrom('10.255.0.1'));
  expect(rejected.status).toBe(429);
  expect(Number(rejected.headers['retry-after'])).toBeLessThanOrEqual(300);
});

describe('wrong client secrets (B9)', () => {
  const ask = async (secret: string) => {
    const start = performance.now();
    const { status } = await fetch(`${console.url}/oauth2/token`, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${btoa(`application-client:${secret}`)}`,
        'x-forwarded-for': '192.0.2.9',
      },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    return { status, ms: performance.now() - start };
  };

  test('are told slower and slower, and the right one at once (B9)', async () => {
    const from = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => ask('wrong')));
    for (let n = 1; n <= 7; n++) {
      const wrongOne = ask(`wrong-${n}`);
      const right = await ask(clientSecret);
      expect(right.status).toBe(200);
      const { status, ms } = await wrongOne;
      expect(status).toBe(401);
      // 50 ms, and half as much again each time; one is forgiven every three seconds.
      const forgiven = (performance.now() - from) / 3000;
      expect(ms).toBeGreaterThan(0.95 * 50 * 1.5 ** (n - 1 - forgiven));
    }
    // At once they are told one after the other, and more than eight not at all; the right one passes them.
    const flood = Array.from({ length: 24 }, (_, n) => ask(`flood-${n}`));
    const right = await ask(clientSecret);
    expect(right.status).toBe(200);
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    // While those that are slow to arrive come, some of the first have been told.
    for (const each of [401, 429]) {
      expect(statuses.filter((status) => status === each).length).toBeGreaterThanOrEqual(8);
    }
  }, 90_000);
});

describe('places for what costs much (B9)', () => {
  const inLine = async (turns: readonly (readonly [Turn['standing'], string, string])[]) => {
    const places = createPlaces(1, 5);
    const started: string[] = [];
    let finish = () => {};
    const first = { standing: 'suspect', group: '' } as const;
    const blocker = places.run(first, () => new Promise<void>((resolve) => (finish = resolve)));
    const all = turns.map(([standing, group, name]) =>
      places
        .run({ standing, group }, async () => void started.push(name))
        .catch((error) => started.push(`${name}: ${error.problem.code}`)),
    );
    await Promise.resolve();
    finish();
    await Promise.all([blocker, ...all]);
    return started;
  };

  test('go to who is known, then to who is clean; the lowest give way (B9)', async () => {
    const started = await inLine([
      ['suspect', 'a', 'm1'],
      ['clean', 'a', 'c1'],
      ['suspect', 'a', 'm2'],
      ['clean', 'a', 'c2'],
      ['known', 'a', 'k1'],
      ['clean', 'a', 'c3'],
      ['clean', 'a', 'c4'],
      ['clean', 'a', 'c5'],
    ]);
    expect(started).toEqual(['m2: busy', 'm1: busy', 'c5: busy', 'k1', 'c1', 'c2', 'c3', 'c4']);
  });

  test('many of one network keep nobody of another waiting, and give way first (B9)', async () => {
    const started = await inLine([
      ['clean', 'a', 'a1'],
      ['clean', 'a', 'a2'],
      ['clean', 'a', 'a3'],
      ['clean', 'a', 'a4'],
      ['clean', 'b', 'b1'],
      ['clean', 'b', 'b2'],
      ['clean', 'c', 'c1'],
    ]);
    expect(started).toEqual(['a4: busy', 'a3: busy', 'a1', 'b1', 'c1', 'a2', 'b2']);
  });
});

/** The full size: npm run bench -- guessing. */
test('100 sources guess at an account, and its owner at a clean address waits no longer than 2 seconds (B9)', async () => {
  const signIn = async () => {
    const agent = browserFrom(newAddress());
    const page = await agent.get('/login');
    const start = performance.now();
    const reply = await agent.submit(page, person);
    expect(reply.status).toBe(303);
    return performance.now() - start;
  };
  // What else the machine does slows a sign-in without any guesses too.
  const quiet = Math.max(await signIn(), await signIn(), await signIn());
  const guessing = startGuessing({ url: console.url, username: person.username, sources: 100, atOnce: 8 });
  const waits: number[] = [];
  const until = performance.now() + 6000;
  while (performance.now() < until) {
    waits.push(await signIn());
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const { statuses } = await guessing.stop();
  expect(statuses.get(303) ?? 0).toBe(0);
  expect(statuses.get(401) ?? 0).toBeLessThanOrEqual(100);
  expect(Math.max(...waits)).toBeLessThan(Math.max(2000, 8 * quiet));
}, 30_000);
