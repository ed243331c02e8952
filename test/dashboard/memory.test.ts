import { expect, test } from 'vitest';
import { createAuthorizationStates } from '../../dashboard/identity/authorization-states.ts';
import { createSessions, type NewSession } from '../../dashboard/identity/sessions.ts';
import { createHistory, periodOf } from '../../dashboard/metrics/history.ts';
import { createWatched } from '../../dashboard/metrics/watched.ts';

const minute = 60_000;
const shortest = periodOf('5min');

function newSession(subject = 'somebody', sid?: string): NewSession {
  const tokens = { accessToken: 'a', refreshToken: 'r', idToken: 'i' };
  const caller = {
    subject,
    clientId: 'c',
    username: subject,
    roles: [],
    scopes: [],
    issuedAt: 0,
    expiresAt: 0,
  };
  return {
    signIn: { tokens, subject, sid },
    caller,
    watched: createWatched({ queues: [], entries: [] }),
    period: '5min',
  };
}

function sessionsAt(clock: { now: number }) {
  let count = 0;
  return createSessions({ now: () => clock.now, newId: () => `id-${count++}` });
}

test('a session ends after 30 minutes without use (S34)', () => {
  const clock = { now: 0 };
  const sessions = sessionsAt(clock);
  const { id } = sessions.create(newSession());
  clock.now += 30 * minute;
  expect(sessions.find(id)?.id).toBe(id);
  clock.now += 30 * minute + 1;
  expect(sessions.find(id)).toBeUndefined();
  expect(sessions.find(id)).toBeUndefined();
});

test('a session ends after 12 hours however much it is used (S34)', () => {
  const clock = { now: 0 };
  const sessions = sessionsAt(clock);
  const { id } = sessions.create(newSession());
  for (; clock.now <= 12 * 60 * minute; clock.now += 20 * minute) expect(sessions.find(id)).toBeDefined();
  expect(sessions.find(id)).toBeUndefined();
});

test('there are at most 10000 sessions; the one unused for longest makes room', () => {
  const sessions = sessionsAt({ now: 0 });
  const first = sessions.create(newSession());
  const second = sessions.create(newSession());
  for (let i = 2; i < 10_000; i++) sessions.create(newSession());
  expect(sessions.find(first.id)).toBeDefined();
  sessions.create(newSession());
  expect(sessions.find(second.id)).toBeUndefined();
  expect(sessions.find(first.id)).toBeDefined();
});

test('a logout by sid also ends sessions of the person that know no sid', () => {
  const sessions = sessionsAt({ now: 0 });
  const [known, unknown, other] = [newSession('a', 's1'), newSession('a'), newSession('a', 's2')].map(
    sessions.create,
  );
  expect(sessions.endAll({ subject: 'a', sid: 's1' })).toBe(2);
  expect([known, unknown, other].map((session) => sessions.find(session!.id) !== undefined)).toEqual([
    false,
    false,
    true,
  ]);
});

test('an attempt is good for ten minutes, once, in its own browser (S43)', () => {
  const clock = { now: 0 };
  const attempts = createAuthorizationStates({ now: () => clock.now });
  const attempt = (state: string) => ({ state, nonce: 'n', verifier: 'v', redirectUri: 'http://localhost/' });
  attempts.add('browser', attempt('one'));
  expect(attempts.take('other', 'one')).toBeUndefined();
  expect(attempts.take('browser', 'one')?.state).toBe('one');
  expect(attempts.take('browser', 'one')).toBeUndefined();
  attempts.add('browser', attempt('two'));
  clock.now += 10 * minute;
  expect(attempts.take('browser', 'two')).toBeUndefined();
  for (let i = 0; i <= 10_000; i++) attempts.add('browser', attempt(`many-${i}`));
  expect(attempts.take('browser', 'many-0')).toBeUndefined();
  expect(attempts.take('browser', 'many-1')).toBeDefined();
});

test('rates are the change per second between samples that have the measure', () => {
  const history = createHistory();
  const sizes: [number, number | undefined][] = [
    [0, 10],
    [2_000, 16],
    [4_000, undefined],
    [6_000, 8],
  ];
  for (const [at, size] of sizes) {
    history.add({ at, values: new Map(size === undefined ? [] : [['queue jobs', size]]) });
  }
  expect(history.rates('queue jobs', shortest, 6_000)).toEqual([
    { from: 0, at: 2_000, value: 3 },
    { from: 2_000, at: 6_000, value: -2 },
  ]);
  expect(history.series('other', shortest, 6_000)).toEqual([]);
});

test('a history reaches back five minutes by seconds, an hour and a day by larger steps, and no further', () => {
  const history = createHistory();
  const now = 26 * 60 * minute;
  expect(history.span(['x'], shortest, 0)).toBe(minute);
  for (let at = 0; at <= now; at += 1000) history.add({ at, values: new Map([['x', at]]) });
  for (const [id, points] of [
    ['5min', 301],
    ['1h', 181],
    ['24h', 289],
  ] as const) {
    const period = periodOf(id);
    const [whole, ...others] = history.series('x', period, now);
    expect(others).toEqual([]);
    expect(whole).toHaveLength(points);
    expect(whole![0]!.at).toBeGreaterThanOrEqual(now - period.spanMs);
    expect(whole!.at(-1)).toEqual({ at: now, value: now });
    expect(history.span(['x'], period, now)).toBe(period.spanMs);
  }
  expect(periodOf('a year').id).toBe('5min');
});

test('what nobody looked at is a gap: no line and no rate goes over it', () => {
  const history = createHistory();
  for (const at of [0, 2_000, 90_000, 92_000]) history.add({ at, values: new Map([['x', at / 1000]]) });
  expect(history.series('x', shortest, 92_000).map((part) => part.map(({ at }) => at))).toEqual([
    [0, 2_000],
    [90_000, 92_000],
  ]);
  expect(history.rates('x', shortest, 92_000).map(({ from, at }) => [from, at])).toEqual([
    [0, 2_000],
    [90_000, 92_000],
  ]);
});

test('of more than 500 measures the history keeps those that were measured last', () => {
  const history = createHistory();
  for (let n = 0; n <= 500; n++) history.add({ at: n, values: new Map([[`queue ${n}`, 1]]) });
  expect(history.series('queue 0', shortest, 500)).toEqual([]);
  expect(history.series('queue 1', shortest, 500)).toEqual([[{ at: 1, value: 1 }]]);
});

test('at most twelve queues and twelve entries are watched, each by a name that can be shown', () => {
  const watched = createWatched({ queues: [], entries: [] });
  expect(watched.addQueue('')).toContain('Type the name');
  expect(watched.addQueue('a\u0000b')).toContain('visible characters');
  for (let i = 0; i < 12; i++) expect(watched.addQueue(`queue ${i}`)).toBeUndefined();
  expect(watched.addQueue('one more')).toContain('12 queues are shown already');
  expect(watched.addQueue('queue 3')).toBeUndefined();
  watched.removeQueue('queue 3');
  expect(watched.addQueue('one more')).toBeUndefined();
  expect(watched.queues()).toHaveLength(12);

  expect(watched.addEntry({ map: 'orders', key: '' })).toContain('Type the name of a map and a key');
  expect(watched.addEntry({ map: 'a\u0000b', key: '1' })).toContain('visible characters');
  expect(watched.addEntry({ map: 'orders', key: 'k'.repeat(201) })).toContain('200 visible characters');
  for (let i = 0; i < 12; i++) expect(watched.addEntry({ map: 'orders', key: `${i}` })).toBeUndefined();
  expect(watched.addEntry({ map: 'orders', key: '12' })).toContain('12 entries are shown already');
  watched.removeEntry({ map: 'orders', key: '3' });
  expect(watched.addEntry({ map: 'orders', key: '12' })).toBeUndefined();
  expect(watched.entries().size).toBe(12);
});
