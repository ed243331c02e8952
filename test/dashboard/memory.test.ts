import { expect, test } from 'vitest';
import { createAuthorizationStates } from '../../dashboard/identity/authorization-states.ts';
import { createSessions, type NewSession } from '../../dashboard/identity/sessions.ts';
import { createHistory } from '../../dashboard/metrics/history.ts';
import { createWatched } from '../../dashboard/metrics/watched.ts';

const minute = 60_000;

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
  return { signIn: { tokens, subject, sid }, caller, history: createHistory(), watched: createWatched([]) };
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
  expect(history.rates('queue jobs')).toEqual([
    { from: 0, at: 2_000, value: 3 },
    { from: 2_000, at: 6_000, value: -2 },
  ]);
  expect(history.series('other')).toEqual([]);
});

test('a history reaches back five minutes and 300 samples, and its axis grows by whole minutes', () => {
  const history = createHistory();
  expect(history.span(0)).toBe(minute);
  for (let at = 0; at <= 10 * minute; at += 1000) history.add({ at, values: new Map([['x', at]]) });
  const points = history.series('x');
  expect(points).toHaveLength(300);
  expect(points[0]!.at).toBeGreaterThanOrEqual(5 * minute);
  expect(history.span(10 * minute)).toBe(5 * minute);
});

test('at most twelve queues are watched, each by a name that can be shown', () => {
  const watched = createWatched([]);
  expect(watched.add('')).toContain('Type the name');
  expect(watched.add('a\u0000b')).toContain('visible characters');
  for (let i = 0; i < 12; i++) expect(watched.add(`queue ${i}`)).toBeUndefined();
  expect(watched.add('one more')).toContain('12 queues are shown already');
  expect(watched.add('queue 3')).toBeUndefined();
  watched.remove('queue 3');
  expect(watched.add('one more')).toBeUndefined();
  expect(watched.names()).toHaveLength(12);
});
