/** What tokens are checked by without a look at any record (S34): marks of who has lost something, in bounded memory. */
import { beforeEach, describe, expect, test } from 'vitest';
import { validFrom } from '../../console/accounts/validity.ts';
import { voidMarkSeconds } from '../../console/accounts/void-marks.ts';
import { createClientRegistration } from '../../console/clients/client-registration.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import type { UserRecord } from '../../console/storage/records.ts';
import type { Storage } from '../../console/storage/storage.ts';
import { createVoids } from '../../console/tokens/voids/voids.ts';

const startMs = 1_800_000_000_500;
const ada: UserRecord = {
  id: 'ada',
  username: 'ada',
  roles: ['Viewer'],
  passwordHash: 'hash',
  disabled: false,
  createdAt: startMs - 86_400_000,
  tokensValidFrom: startMs - 86_400_000,
};
let nowMs: number;
let storage: Storage;
let registration: ReturnType<typeof createClientRegistration>;
let warnings: object[];

beforeEach(() => {
  nowMs = startMs;
  warnings = [];
  storage = createMemoryStorage({ now: () => nowMs });
  registration = createClientRegistration({
    ...storage,
    checkOutboundUrl: (url) => new URL(url),
    isRedirectOrigin: () => false,
    newSecret: () => 'a-secret-of-at-least-thirty-two-characters',
    now: () => nowMs,
  });
});

/** As another start, or another process, has it. */
async function load(limit?: number) {
  const voids = createVoids({
    ...storage,
    log: { warn: (fields) => void warnings.push(fields) },
    now: () => nowMs,
    limit,
  });
  await voids.load();
  return voids;
}

const seconds = () => Math.floor(nowMs / 1000);
const pass = (milliseconds: number) => {
  nowMs += milliseconds;
};
const machine = { id: 'robot', scopes: ['svc:data:read'] };

function putUser(user: UserRecord): Promise<void> {
  return storage.records.change(async (transaction) => transaction.put('users', user));
}

describe('a client (S34)', () => {
  test.each<{ name: string; end: () => Promise<unknown>; again?: () => Promise<unknown> }>([
    { name: 'removed', end: () => registration.remove('robot') },
    {
      name: 'removed and added again with the same id',
      end: () => registration.remove('robot'),
      again: () => registration.add(machine),
    },
    { name: 'disabled', end: () => registration.setDisabled('robot', true) },
    {
      name: 'disabled and enabled again',
      end: () => registration.setDisabled('robot', true),
      again: () => registration.setDisabled('robot', false),
    },
    {
      name: 'that loses a scope',
      end: () => registration.update('robot', { scopes: ['svc:health:read'] }),
      again: async () => {},
    },
  ])('$name: what it had is void, here and at the next start', async ({ end, again }) => {
    const voids = await load();
    await registration.add(machine);
    pass(5_000);
    const before = seconds();
    expect(voids.isVoid('robot', 'robot', before)).toBe(false);
    pass(5_000);
    await end();
    expect(voids.isVoid('robot', 'robot', before)).toBe(true);
    if (!again) expect(voids.isVoid('robot', 'robot', seconds() + 1)).toBe(true);
    pass(5_000);
    await again?.();
    for (const each of [voids, await load()]) {
      expect(each.isVoid('robot', 'robot', before)).toBe(true);
      expect(each.isVoid('robot', 'ada', before)).toBe(true);
      expect(each.isVoid('robot', 'robot', seconds())).toBe(again === undefined);
      expect(each.isVoid('another', 'another', before)).toBe(false);
    }
  });

  test('that is given a name only loses nothing, and is not remembered', async () => {
    const voids = await load();
    await registration.add(machine);
    await registration.update('robot', { name: 'Robot' });
    expect(voids.counts()).toMatchObject({ client: 0 });
  });
});

describe('an account (S34)', () => {
  test('that changes loses what it had; gone or disabled, everything', async () => {
    await putUser(ada);
    const voids = await load();
    const before = seconds();
    expect(voids.isVoid('app', 'ada', before)).toBe(false);
    pass(2_000);
    const changed = { ...ada, roles: ['MetricsViewer'], tokensValidFrom: validFrom(ada, nowMs) };
    await putUser(changed);
    expect([before, seconds(), seconds() + 1].map((iat) => voids.isVoid('app', 'ada', iat))).toEqual([
      true,
      true,
      false,
    ]);
    // A machine of that name is somebody else.
    expect(voids.isVoid('ada', 'ada', before)).toBe(false);
    await putUser({ ...changed, disabled: true });
    expect(voids.isVoid('app', 'ada', seconds() + 100)).toBe(true);
    await putUser(changed);
    expect(voids.isVoid('app', 'ada', seconds() + 1)).toBe(false);
    await storage.records.change(async (transaction) => transaction.remove('users', 'ada'));
    expect(voids.isVoid('app', 'ada', seconds() + 100)).toBe(true);
  });

  test('that is put back with an old date gets nothing back', async () => {
    await putUser(ada);
    const voids = await load();
    const before = seconds();
    pass(2_000);
    await storage.records.change(async (transaction) => transaction.remove('users', 'ada'));
    await putUser(ada);
    expect([before, seconds()].map((iat) => voids.isVoid('app', 'ada', iat))).toEqual([true, false]);
  });

  test('a thousand that are new are not remembered', async () => {
    const voids = await load();
    await storage.records.change(async (transaction) => {
      for (let n = 0; n < 1_000; n++) {
        transaction.put('users', { ...ada, id: `user-${n}`, username: `user-${n}` });
      }
    });
    expect(voids.counts()).toEqual({ account: 0, client: 0, crowded: 0 });
  });
});

describe('memory', () => {
  test('forgets marks when every token of before has expired', async () => {
    const voids = await load();
    for (let n = 0; n < 100; n++) {
      await registration.add({ ...machine, id: `robot-${n}` });
      await registration.remove(`robot-${n}`);
    }
    expect(voids.counts()).toMatchObject({ client: 100 });
    pass((voidMarkSeconds + 2) * 1000);
    for (let n = 0; n < 10; n++) {
      await registration.add({ ...machine, id: `late-${n}` });
      await registration.remove(`late-${n}`);
    }
    expect(voids.counts()).toMatchObject({ client: 10 });
  });

  test('with too many marks, whatever is older than the oldest of them is refused, and it says so', async () => {
    const voids = await load(10);
    const told: number[] = [];
    voids.onVoided(({ floors }) => void told.push(...floors.map(({ before }) => before)));
    const before = seconds();
    for (let n = 0; n < 11; n++) {
      pass(1_000);
      await registration.add({ ...machine, id: `robot-${n}` });
      await registration.remove(`robot-${n}`);
    }
    const { client, crowded } = voids.counts();
    expect([client, crowded, warnings.length]).toEqual([5, 1, 1]);
    // Those that are dropped had lost all until then, and so has everybody else.
    for (const id of ['robot-0', 'robot-5', 'bystander']) expect(voids.isVoid(id, id, before)).toBe(true);
    expect(voids.isVoid('robot-5', 'robot-5', before + 6)).toBe(true);
    expect(told).toEqual([before + 7]);
    expect(voids.isVoid('bystander', 'bystander', seconds())).toBe(false);
    expect(voids.isVoid('robot-10', 'robot-10', seconds() + 1)).toBe(true);
    // People have a bound of their own.
    expect(voids.isVoid('application-client', 'ada', seconds())).toBe(false);
  });
});
