import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { historyFiles, mostSeries } from '../../console/metrics/history/files.ts';
import { createReadHistory } from '../../console/metrics/history/read-history.ts';
import { openHistory } from '../../console/metrics/history/record-history.ts';
import type { MainNumbers } from '../../console/metrics/main-numbers.ts';
import { numbersOf } from '../helpers/history.ts';

const start = Date.UTC(2026, 10, 23, 12);
const minuteMs = 60_000;
const dayMs = 86_400_000;

/** A history whose clock and numbers are the test's. */
async function newHistory(dataDir = mkdtempSync(join(tmpdir(), 'history-'))) {
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const state = { at: start, numbers: new Map([[0, numbersOf({})]]) };
  const now = () => state.at;
  const open = () =>
    openHistory({
      dataDir,
      now,
      readNumbers: async () => state.numbers,
      readTotals: async () => ({ users: 3, clients: 4 }),
      log: { warn: () => {} },
    });
  let recorder = await open();
  onTestFinished(() => recorder.close());
  const question = { names: [], since: start - minuteMs, until: start + dayMs, points: 100_000 };
  return {
    dataDir,
    state,
    /** Five seconds later. */
    async next(numbers: Map<number, MainNumbers> = state.numbers, afterMs = 5_000) {
      state.at += afterMs;
      state.numbers = numbers;
      await recorder.record();
    },
    async restart() {
      await recorder.close();
      recorder = await open();
      await recorder.record();
    },
    first: () => recorder.record(),
    read: (asked = {}) => createReadHistory(dataDir, now)({ ...question, ...asked }),
    /** What is known of one series, point by point. */
    async values(name: string, asked = {}) {
      const { series } = await this.read(asked);
      return series.find((one) => one.name === name)?.mean.filter((value) => value !== null) ?? [];
    },
  };
}

const one = (counts: Partial<MainNumbers['counts']>, members = {}) =>
  new Map([[0, numbersOf(counts, members)]]);

test('rates are per second between two readings, and states are sums of all processes', async () => {
  const history = await newHistory();
  await history.first();
  await history.next(
    new Map([
      [0, numbersOf({ tokens: 5, cpuMicros: 2_500_000, loopBusyMs: 1, loopIdleMs: 3 })],
      [7, numbersOf({ tokens: 10 })],
    ]),
  );
  expect(await history.values('tokens')).toEqual([3]);
  expect(await history.values('connections')).toEqual([4]);
  expect(await history.values('cpuCores')).toEqual([0.5]);
  expect(await history.values('eventLoopBusy')).toEqual([0.25]);
  expect(await history.values('users')).toEqual([3]);
  // Nobody has called.
  expect(await history.values('callP99Ms')).toEqual([]);
});

test('a process that has ended, and one that is new, make no rate fall below nothing', async () => {
  const history = await newHistory();
  await history.first();
  await history.next(new Map([[1, numbersOf({ tokens: 1000 })]]));
  await history.next(new Map([[2, numbersOf({ tokens: 10 })]]));
  expect(await history.values('tokens')).toEqual([200, 2]);
});

test('five minutes have the mean, the least and the most, also over a restart in between', async () => {
  const history = await newHistory();
  await history.first();
  for (let count = 5; count <= 150; count += 5) await history.next(one({ tokens: count * 5 }));
  await history.restart();
  for (let count = 155; count <= 290; count += 5) await history.next(one({ tokens: 1000 + count * 5 }));
  history.state.at += 2 * dayMs;
  const { stepSeconds, series } = await history.read({ names: ['tokens'], since: start });
  expect(stepSeconds).toBe(300);
  expect(series[0]).toMatchObject({ name: 'tokens' });
  const [mean, least, most] = [series[0]!.mean, series[0]!.least, series[0]!.most].map(
    (points) => points.filter((value) => value !== null)[0],
  );
  expect([least, most]).toEqual([5, 205]);
  expect(mean).toBeCloseTo((5 * 57 + 205) / 58, 3);
});

test('a window is shown with as many points as were asked for', async () => {
  const history = await newHistory();
  await history.first();
  for (let count = 1; count <= 12; count++) await history.next(one({ tokens: 25 * count * count }));
  const { from, stepSeconds, series } = await history.read({
    names: ['tokens'],
    since: start,
    until: start + 55_000,
    points: 4,
  });
  expect([from, stepSeconds]).toEqual([start, 15]);
  expect(series[0]!.mean).toEqual([15, 45, 75, 105]);
  expect(series[0]!.least).toEqual([5, 35, 65, 95]);
  expect(series[0]!.most).toEqual([25, 55, 85, 115]);
});

test('a point stays as it is while the window moves on: no plot changes what it has shown', async () => {
  const history = await newHistory();
  await history.first();
  let tokens = 0;
  for (let count = 1; count <= 60; count++) {
    tokens += count % 7 === 0 ? 500 : 5;
    await history.next(one({ tokens }));
  }
  const seen = new Map<number, number | null>();
  for (let later = 0; later < 40; later++) {
    const since = start + later * 5_000;
    const asked = { names: ['tokens'], since, until: since + 100_000, points: 8 };
    const { from, stepSeconds, series } = await history.read(asked);
    const { mean } = series[0]!;
    expect(mean.length).toBeLessThanOrEqual(8);
    expect(from).toBeGreaterThan(since - stepSeconds * 1000);
    expect(from).toBeLessThanOrEqual(since);
    for (const [at, value] of mean.entries()) {
      const begins = from + at * stepSeconds * 1000;
      // The first is cut, and the last goes on.
      if (begins < since || begins + stepSeconds * 1000 > since + 100_000) continue;
      expect(seen.get(begins) ?? value).toBe(value);
      seen.set(begins, value);
    }
  }
  expect(seen.size).toBeGreaterThan(15);
});

test('where nothing ran there are holes, not noughts', async () => {
  const history = await newHistory();
  await history.first();
  await history.next(one({ tokens: 5 }));
  await history.next(one({ tokens: 5 }), 20_000);
  const { series } = await history.read({ names: ['tokens'], since: start, until: start + 20_000 });
  expect(series[0]!.mean).toEqual([1, null, null, null, 0]);
});

test('a clock that is set back leaves out one reading, and goes on', async () => {
  const history = await newHistory();
  await history.first();
  await history.next(one({ tokens: 50 }));
  await history.next(one({ tokens: 100 }), -minuteMs);
  await history.next(one({ tokens: 105 }));
  expect(await history.values('tokens', { since: start - 5 * minuteMs })).toEqual([1]);
  history.state.at = start + minuteMs;
  expect(await history.values('tokens', { since: start - 5 * minuteMs })).toEqual([1, 10]);
});

test('each member has series of its own, and one can be asked for alone', async () => {
  const history = await newHistory();
  const member = (calls: number) => ({ calls, callsFailed: 5, latencies: [0, 0, 5] });
  await history.first();
  await history.next(one({}, { '10.0.0.1:5701': member(10), '10.0.0.2:5701': member(20) }));
  const { series } = await history.read({
    names: ['memberCalls', 'memberCallP99Ms'],
    member: '10.0.0.2:5701',
  });
  expect(series.map(({ name, member: of }) => [name, of])).toEqual([
    ['memberCallP99Ms', '10.0.0.2:5701'],
    ['memberCalls', '10.0.0.2:5701'],
  ]);
  expect(series[1]!.mean.filter((value) => value !== null)).toEqual([4]);
});

test('members that come and go never take the columns of what is there, nor of each other', async () => {
  const history = await newHistory();
  await history.first();
  for (let round = 0; round < 60; round++) {
    const members = { [`10.0.0.${round}:5701`]: { calls: 5, callsFailed: 0, latencies: [] } };
    await history.next(one({ tokens: 5 * (round + 1) }, members));
  }
  const { series } = await history.read();
  expect(series.length).toBeLessThanOrEqual(mostSeries);
  expect((await history.values('tokens')).every((value) => value === 1)).toBe(true);
  const first = series.find(({ name, member }) => name === 'memberCalls' && member === '10.0.0.0:5701');
  expect(first!.mean.filter((value) => value !== null && value !== 0)).toEqual([1]);
  // Longer than there is history, nobody has seen them: their columns are free.
  history.state.at += 40 * dayMs;
  const late = { '10.9.9.9:5701': { calls: 5, callsFailed: 0, latencies: [] } };
  await history.next(one({ tokens: 1000 }, late));
  await history.next(one({ tokens: 1000 }, late));
  const now = await history.read({ since: history.state.at - minuteMs, until: history.state.at });
  expect(now.series.filter(({ member }) => member !== undefined).map(({ member }) => member)).toEqual([
    '10.9.9.9:5701',
    '10.9.9.9:5701',
  ]);
});

test('in-flight calls of a member are those of all processes, and a gap where it is not there', async () => {
  const history = await newHistory();
  const member = (inFlight?: number) => ({
    '10.0.0.1:5701': {
      ...{ calls: 0, callsFailed: 0, latencies: [] },
      ...(inFlight !== undefined && { inFlight }),
    },
  });
  await history.first();
  await history.next(
    new Map<number, MainNumbers>([
      [0, numbersOf({}, member(3))],
      [1, numbersOf({}, member(4))],
      [2, numbersOf({}, member())],
    ]),
  );
  await history.next(one({}, member()));
  await history.next(one({}, member(0)));
  const { series } = await history.read({
    names: ['memberCallsInFlight'],
    since: start,
    until: start + 14_999,
  });
  expect(series.map(({ mean }) => mean)).toEqual([[7, null, 0]]);
});

test('a history from before a series is read on, and the new one begins with a gap', async () => {
  const history = await newHistory();
  const member = (calls: number, inFlight?: number) => ({
    '10.0.0.1:5701': {
      ...{ calls, callsFailed: 0, latencies: [0, 0, 5] },
      ...(inFlight !== undefined && { inFlight }),
    },
  });
  await history.first();
  await history.next(one({}, member(10)));
  // What an earlier release has left has no column of it.
  const { columns: file } = historyFiles(history.dataDir);
  const former = readFileSync(file, 'utf8');
  expect(former).not.toContain('memberCallsInFlight');
  await history.restart();
  await history.next(one({}, member(20, 6)));
  const asked = { since: start, until: start + 9_999 };
  expect((await history.read({ ...asked, names: ['memberCallsInFlight'] })).series[0]!.mean).toEqual([
    null,
    6,
  ]);
  expect((await history.read({ ...asked, names: ['memberCalls'] })).series[0]!.mean).toEqual([2, 2]);
  const keys = (text: string) => (JSON.parse(text).columns as { key: string }[]).map(({ key }) => key);
  expect(keys(readFileSync(file, 'utf8')).slice(0, keys(former).length)).toEqual(keys(former));
});

test('where there is no room, members that have gone make some after two days, and nothing of theirs is shown as of others', async () => {
  const history = await newHistory();
  const member = (round: number) => ({
    [`10.0.0.${round}:5701`]: { calls: 5 * round, callsFailed: 0, latencies: [1], inFlight: 1 },
  });
  await history.first();
  for (let round = 1; round <= 40; round++) await history.next(one({}, member(round)));
  const late = '10.9.9.9:5701';
  const namesOf = async () =>
    (await history.read({ until: history.state.at })).series
      .filter(({ member: of }) => of === late)
      .map(({ name }) => name);
  const ofLate = { [late]: { calls: 5, callsFailed: 0, latencies: [1], inFlight: 1 } };
  history.state.at += dayMs;
  await history.next(one({}, ofLate));
  expect(await namesOf()).toEqual([]);
  history.state.at += dayMs;
  await history.next(one({}, ofLate));
  // Nobody has called it since the reading before, so that no call has taken its time.
  expect(await namesOf()).toEqual(['memberCalls', 'memberCallsFailed', 'memberCallsInFlight']);
  const { series } = await history.read({
    names: ['memberCallsInFlight'],
    member: late,
    since: start - minuteMs,
    until: history.state.at,
  });
  expect(series[0]!.mean.filter((value) => value !== null)).toHaveLength(1);
});

test.each(['', '{', 'null', '{"columns":[1,{"key":2},null]}'])(
  'a file of columns that holds %j makes the history begin anew',
  async (text) => {
    const history = await newHistory();
    await history.first();
    await history.next(one({ tokens: 5 }));
    writeFileSync(historyFiles(history.dataDir).columns, text);
    expect((await history.read()).series).toEqual([]);
    await history.restart();
    await history.next(one({ tokens: 15 }));
    expect(await history.values('tokens')).toEqual([2]);
    expect(JSON.parse(readFileSync(historyFiles(history.dataDir).columns, 'utf8')).columns).not.toEqual([]);
  },
);

test('where there is no history there are no series', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'history-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const read = createReadHistory(dataDir, () => start);
  expect(await read({ names: [], since: start - minuteMs, until: start, points: 10 })).toMatchObject({
    series: [],
  });
});
