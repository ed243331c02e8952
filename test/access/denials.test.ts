/** What was refused lately: found again, and bounded however much there is. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createDenialLog, type DenialLog } from '../../console/access/denials.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import { type Storage, StorageUnavailableError } from '../../console/storage/storage.ts';
import type { DeniedCall } from '../../member-proxy/denied-call.ts';

let now = 0;
let stems = 0;
let storage: Storage;
let denials: DenialLog;
const warnings: unknown[] = [];

function open(artifacts = storage.artifacts): DenialLog {
  const log = { warn: (fields: object) => void warnings.push(fields) };
  return createDenialLog({ artifacts, newStem: () => `stem${stems++}`, now: () => now, log } as never);
}

beforeEach(() => {
  now = Date.UTC(2026, 10, 21);
  warnings.length = 0;
  storage = createMemoryStorage({ now: () => now });
  denials = open();
});

const call = (more: Partial<DeniedCall> = {}): DeniedCall => ({
  requestId: 'r',
  traceId: undefined,
  source: '10.0.0.1',
  method: 'GET',
  path: '/svc/rest/maps/orders/1',
  rule: undefined,
  member: undefined,
  status: 401,
  code: 'unauthorized',
  reason: 'Send an access token',
  caller: undefined,
  ...more,
});
const by = (subject: string, roles: readonly string[] = []) =>
  call({ caller: { subject, clientId: 'c', jti: 'j', roles, scopes: [] }, code: 'insufficient_scope' });
const stored = async () => (await storage.artifacts.list('RefusedCalls', 100_000)).length;

test('each denial is found by its id, in this process and in another, known callers and unknown ones', async () => {
  const ids = [denials.record(call()), denials.record(by('vera')), denials.record(call({ method: 'PUT' }))];
  expect(new Set(ids).size).toBe(3);
  expect(await denials.find(ids[1]!)).toMatchObject({
    caller: { subject: 'vera' },
    at: now,
    decisionId: ids[1],
  });
  const other = open();
  expect(await other.find(ids[0]!)).toMatchObject({ method: 'GET', code: 'unauthorized' });
  expect(await other.find(ids[2]!)).toMatchObject({ method: 'PUT' });
});

test.each([
  '',
  'x',
  'kstem0.0',
  'kstem0.0.zzz',
  'kstem0.zzzzzzzz.0',
  'nstem1.9.9',
  `k${'a'.repeat(5000)}.0.0`,
])('nothing is found by %j', async (id) => {
  denials.record(call());
  expect(await denials.find(id)).toBeUndefined();
});

test('a day later it is gone', async () => {
  const id = denials.record(call());
  await denials.flush();
  now += 25 * 3600_000;
  expect(await denials.find(id)).toBeUndefined();
});

describe('a flood (S90)', () => {
  test('of denials leaves the newest of them, and a store that has stopped to grow', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 300; round++) {
      for (let i = 0; i < 200; i++) ids.push(denials.record(by(`caller-${round}-${i}`)));
      await denials.flush();
    }
    expect(await stored()).toBe(100);
    expect(await denials.find(ids.at(-1)!)).toBeDefined();
    expect(await denials.find(ids.at(-9_800)!)).toBeDefined();
    expect(await denials.find(ids.at(-10_200)!)).toBeUndefined();
  });

  test('between two writings is kept up to a bound, in memory and in the store', async () => {
    for (let i = 0; i < 50_000; i++) denials.record(by(`caller-${i}`));
    await denials.flush();
    expect(await stored()).toBe(10);
  });

  test('of calls without a token leaves what known callers were refused', async () => {
    const id = denials.record(by('vera'));
    for (let round = 0; round < 120; round++) {
      for (let i = 0; i < 1_000; i++) denials.record(call({ source: `10.0.${i % 250}.${round}` }));
      await denials.flush();
    }
    expect(await stored()).toBe(101);
    expect(await denials.find(id)).toBeDefined();
  });

  test('of one caller leaves what others were refused, and the first of its own', async () => {
    const first = denials.record(by('loud'));
    for (let i = 0; i < 5_000; i++) denials.record(by('loud'));
    const last = denials.record(by('loud'));
    const other = denials.record(by('vera'));
    expect(await denials.find(first)).toBeDefined();
    expect(await denials.find(other)).toBeDefined();
    expect(await denials.find(last)).toBeUndefined();
    expect(await denials.find(denials.record(by('loud')))).toBeDefined();
  });

  test('of roles in one token is cut off', async () => {
    const id = denials.record(
      by(
        'vera',
        Array.from({ length: 5_000 }, (_, i) => `role-${i}`),
      ),
    );
    expect(JSON.stringify(await denials.find(id)).length).toBeLessThan(6_000);
  });
});

test('a store that cannot be written is told in the log, and harms no caller', async () => {
  const full = open({
    ...storage.artifacts,
    put: () => Promise.reject(new StorageUnavailableError('disk full')),
  });
  const id = full.record(call());
  expect(await full.find(id)).toBeUndefined();
  expect(warnings).toHaveLength(1);
});
