/** Calls of a day by client, map and queue: what is written minute by minute, with the test's clock, and read again. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { callHistoryFiles, minuteMs, mostStructures } from '../../console/metrics/call-history/forms.ts';
import { createReadLastHour } from '../../console/metrics/call-history/last-hour.ts';
import {
  type MinuteOfCalls,
  newStructureCounts,
  noMinute,
  type StructureCounts,
  sumOfMinutes,
} from '../../console/metrics/call-history/minute-of-calls.ts';
import { createReadCallHistory } from '../../console/metrics/call-history/read-call-history.ts';
import { openCallHistory } from '../../console/metrics/call-history/record-call-history.ts';
import { type CallSubject, callSeriesOf } from '../../console/metrics/call-history/series-of-calls.ts';
import { createRecentCalls, type SeenCall } from '../../console/metrics/recent-calls.ts';

const start = Date.UTC(2026, 10, 23, 12);
const firstMinute = start / minuteMs;
const dayMinutes = 1_440;

async function newHistory() {
  const dataDir = mkdtempSync(join(tmpdir(), 'call-history-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const state = { minute: firstMinute, counted: noMinute, sizes: new Map<string, number>() };
  const asked: (readonly string[])[] = [];
  const open = () =>
    openCallHistory({
      dataDir,
      readMinute: async () => state.counted,
      takeSizes: () => state.sizes,
      onQueues: (ids) => asked.push(ids),
    });
  let recorder = await open();
  onTestFinished(() => recorder.close());
  return {
    dataDir,
    asked,
    async minute(counted: Partial<MinuteOfCalls>, sizes = new Map<string, number>()) {
      Object.assign(state, { counted: { ...noMinute, ...counted }, sizes });
      await recorder.record(state.minute);
      state.minute++;
    },
    skip(minutes: number) {
      state.minute += minutes;
    },
    /** The minute before is not over yet. */
    async restart() {
      await recorder.close();
      recorder = await open();
      state.minute--;
    },
    readLastHour: (ids: readonly string[]) => createReadLastHour(dataDir, () => state.minute * minuteMs)(ids),
    /** @param minutes  so far back */
    async read(subject: CallSubject, minutes = state.minute - firstMinute, points = minutes) {
      const now = state.minute * minuteMs;
      const read = createReadCallHistory(dataDir, () => now);
      const names = Object.keys(callSeriesOf(subject)) as (keyof ReturnType<typeof callSeriesOf>)[];
      const since = now - minutes * minuteMs;
      const history = await read({ subject, names, since, until: now - 1, points });
      return { ...history, ...Object.fromEntries(history.series.map((one) => [one.name, one])) } as Awaited<
        ReturnType<typeof read>
      > &
        Record<string, (typeof history.series)[number]>;
    },
  };
}

const billing = { kind: 'client', id: 'billing' } as const;
const orders = { kind: 'structure', id: 'map:orders' } as const;
const jobs = { kind: 'structure', id: 'queue:jobs' } as const;
const client = (id: string, fine: number, denied = 0, failed = 0) => [id, { fine, denied, failed }] as const;
const structure = (id: string, counts: Partial<StructureCounts>) =>
  [id, { ...newStructureCounts(), ...counts }] as const;

test('the calls of a client are rates point by point and sums of all, and a minute without any is nought', async () => {
  const history = await newHistory();
  await history.minute({ clients: [client('billing', 60, 6, 3), client('importer', 1)] });
  await history.minute({ clients: [client('importer', 1)] });
  await history.minute({ clients: [client('billing', 120)] });
  const { calls, callsDenied, callsFailed, isWhole, from, stepSeconds } = await history.read(billing);
  expect([from, stepSeconds, isWhole]).toEqual([start, 60, true]);
  expect(calls!.mean).toEqual([1.15, 0, 2]);
  expect([calls!.sum, callsDenied!.sum, callsFailed!.sum]).toEqual([189, 6, 3]);
  const coarse = await history.read(billing, 4, 2);
  expect(coarse.calls!.mean).toEqual([1.15, 1]);
  expect([coarse.calls!.least, coarse.calls!.most]).toEqual([
    [1.15, 0],
    [1.15, 2],
  ]);
});

test('where no console ran there are holes, and after a day a minute makes room for a new one', async () => {
  const history = await newHistory();
  await history.minute({ clients: [client('billing', 60)] });
  history.skip(2);
  await history.minute({ clients: [client('billing', 60)] });
  expect((await history.read(billing)).calls!.mean).toEqual([1, null, null, 1]);
  history.skip(dayMinutes - 4);
  await history.minute({});
  const { calls } = await history.read(billing, dayMinutes);
  expect([calls!.sum, calls!.mean.at(-1), calls!.mean.length]).toEqual([60, 0, dayMinutes]);
});

test('a restart within a minute adds to what that minute has', async () => {
  const history = await newHistory();
  await history.minute({
    clients: [client('billing', 10, 1)],
    structures: [structure('map:orders', { fine: 11, found: 3, mostBytes: 90, values: 3, valueBytes: 100 })],
  });
  await history.restart();
  await history.minute({
    clients: [client('billing', 20)],
    structures: [structure('map:orders', { fine: 20, found: 1, mostBytes: 50, values: 1, valueBytes: 50 })],
  });
  expect((await history.read(billing)).calls!.sum).toBe(31);
  const { reads, valueBytes } = await history.read(orders);
  expect(reads!.sum).toBe(4);
  expect([valueBytes!.mean, valueBytes!.most]).toEqual([[37.5], [90]]);
});

test('a map has its hit share by all reads of a point, and nothing where nobody read', async () => {
  const history = await newHistory();
  await history.minute({
    structures: [structure('map:orders', { fine: 12, found: 9, missed: 1, written: 2 })],
  });
  await history.minute({ structures: [structure('map:orders', { fine: 90, missed: 90 })] });
  await history.minute({});
  const { hitShare, reads, puts } = await history.read(orders);
  expect(hitShare!.mean).toEqual([0.9, 0, null]);
  expect((await history.read(orders, 3, 1)).hitShare!.mean).toEqual([0.09]);
  expect([reads!.sum, puts!.sum, hitShare!.sum]).toEqual([100, 2, null]);
});

test('a queue has its size and the polls that wait as they were, also without a call', async () => {
  const history = await newHistory();
  const called = structure('queue:jobs', { fine: 7, written: 5, found: 1, missed: 1 });
  await history.minute({ structures: [called], waiting: [['queue:jobs', 4]] }, new Map([['queue:jobs', 12]]));
  await history.minute({}, new Map([['queue:jobs', 9]]));
  await history.minute({});
  const { queueSize, pollsWaiting, offers, polls, pollsEmpty } = await history.read(jobs);
  expect(queueSize!.mean).toEqual([12, 9, null]);
  expect(pollsWaiting!.mean).toEqual([4, 0, null]);
  expect([offers!.sum, polls!.sum, pollsEmpty!.sum]).toEqual([5, 1, 1]);
});

test('the last hour of many at once is sums, with the states that were known last', async () => {
  const history = await newHistory();
  const older = structure('map:orders', { fine: 1_000, found: 1_000, mostBytes: 9_000 });
  await history.minute({ structures: [older, structure('queue:jobs', { fine: 1 })] });
  history.skip(70);
  const read = {
    fine: 12,
    denied: 2,
    failed: 1,
    found: 9,
    missed: 1,
    values: 3,
    valueBytes: 120,
    mostBytes: 90,
  };
  const queue = structure('queue:jobs', { fine: 3, written: 2, found: 1 });
  const jobs = ['queue:jobs', 4] as const;
  await history.minute(
    { structures: [structure('map:orders', read), queue], waiting: [jobs] },
    new Map([jobs]),
  );
  await history.minute({ structures: [structure('map:orders', read)] }, new Map([['queue:jobs', 9]]));
  await history.minute({});
  const [none, orders, of] = await history.readLastHour(['map:none', 'map:orders', 'queue:jobs']);
  expect(none).toEqual({ ...newStructureCounts(), minutes: 3, size: undefined, waiting: undefined });
  expect(orders).toMatchObject({ fine: 24, denied: 4, failed: 2, found: 18, missed: 2, mostBytes: 90 });
  expect(orders).toMatchObject({ values: 6, valueBytes: 240, minutes: 3 });
  expect(of).toMatchObject({ written: 2, found: 1, size: 9, waiting: 0 });
});

test('what was only refused has no ring, and no member is asked for its size', async () => {
  const history = await newHistory();
  await history.minute({
    structures: [structure('queue:made-up', { denied: 5 }), structure('queue:jobs', { fine: 1 })],
  });
  expect(history.asked).toEqual([['queue:jobs']]);
  expect(readdirSync(callHistoryFiles(history.dataDir).structures)).toHaveLength(1);
});

test('more names than there is room for: who was called of late stays, and the answer says that calls are missing', async () => {
  const history = await newHistory();
  const many = (from: number) =>
    Array.from({ length: mostStructures }, (_, i) => structure(`map:${from + i}`, { fine: 1 }));
  await history.minute({ structures: [structure('map:orders', { fine: 1 })] });
  await history.minute({ structures: many(0) });
  expect((await history.read(orders)).isWhole).toBe(false);
  expect((await history.read(orders)).calls!.sum).toBe(1);
  history.skip(60);
  await history.minute({ structures: many(1_000) });
  expect((await history.read(orders)).calls!.sum).toBe(0);
  expect(readdirSync(callHistoryFiles(history.dataDir).structures)).toHaveLength(mostStructures);
});

test('what a minute of calls comes to is told by client, by map and by queue, of several processes as one', () => {
  const recent = createRecentCalls(() => start);
  const call = (more: Partial<SeenCall>): SeenCall => ({
    method: 'GET',
    path: '/svc/rest/maps/orders/1',
    route: '/svc/rest/maps/{mapName}/{key...}',
    status: 200,
    clientId: 'billing',
    member: 'http://10.0.0.1:5701',
    durationMs: 1,
    requestId: 'r',
    decisionId: undefined,
    structureAction: 'read',
    valueBytes: 40,
    ...more,
  });
  const queue = { path: '/svc/rest/queues/jobs/5', route: '/svc/rest/queues/{queueName}/{seconds}' };
  for (const one of [
    call({}),
    call({ status: 204, valueBytes: 0 }),
    call({ method: 'HEAD' }),
    call({ method: 'POST', structureAction: 'write', valueBytes: 20 }),
    call({ method: 'POST', structureAction: 'write', valueBytes: undefined }),
    call({ method: 'DELETE', structureAction: 'write', valueBytes: 0 }),
    call({ status: 403, valueBytes: 300 }),
    call({ ...queue, structureAction: 'poll' }),
    call({ ...queue, structureAction: 'poll', status: 204 }),
    call({ ...queue, structureAction: 'poll', status: 0 }),
    call({ ...queue, structureAction: 'offer', method: 'POST' }),
  ]) {
    recent.record(one);
  }
  const own = { ...recent.minuteOf(firstMinute), waiting: [['queue:jobs', 2]] } as MinuteOfCalls;
  const both = sumOfMinutes([own, own]);
  expect(both.clients).toEqual([['billing', { fine: 18, denied: 2, failed: 2 }]]);
  expect(both.waiting).toEqual([['queue:jobs', 4]]);
  expect(new Map(both.structures)).toEqual(
    new Map([
      [
        'map:orders',
        {
          fine: 12,
          denied: 2,
          failed: 0,
          found: 2,
          missed: 2,
          written: 4,
          values: 4,
          valueBytes: 120,
          mostBytes: 40,
        },
      ],
      [
        'queue:jobs',
        {
          fine: 6,
          denied: 0,
          failed: 2,
          found: 2,
          missed: 2,
          written: 2,
          values: 0,
          valueBytes: 0,
          mostBytes: 0,
        },
      ],
    ]),
  );
  expect(recent.minuteOf(firstMinute - 1)).toEqual({ clients: [], structures: [], isWhole: true });
});
