import { createPublicKey } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { type AuditStoreDeps, openAuditStore } from '../../console/audit/audit-store.ts';
import { createChain, linkCharacters, prefixBytes } from '../../console/audit/chain.ts';
import { isSignedBy, readCheckpoint } from '../../console/audit/checkpoint.ts';
import type { Entry } from '../../console/audit/entry.ts';
import { expiredIn } from '../../console/audit/retention.ts';
import { entriesOf, lineOf, segmentsOf, writersOf } from '../../console/audit/segments/segment-reader.ts';
import { verifyAudit } from '../../console/audit/verify/verify.ts';
import { writerLimits } from '../../console/audit/writer.ts';
import { builtFile } from '../../platform/installation.ts';
import { waitFor } from '../helpers/console.ts';
import { newAuditDirectory } from './support.ts';

vi.setConfig({ testTimeout: 20_000 });

/** As it is built: sources run in no thread of the tests. */
const program = pathToFileURL(builtFile('console/audit/audit-thread.js'));
const seed = Buffer.alloc(32, 7).toString('base64url');

function open(dataDir: string, given: Partial<AuditStoreDeps> = {}) {
  const said: object[] = [];
  const checkpoints: string[] = [];
  const log = {
    info: (first: unknown) => said.push({ info: first }),
    error: (first: unknown) => said.push({ error: first }),
  } as unknown as AuditStoreDeps['log'];
  const faults = { lostAuditLines: 0 };
  const onCheckpoint = (line: string) => checkpoints.push(line);
  const store = openAuditStore({ dataDir, log, faults, now: Date.now, onCheckpoint, program, ...given });
  const record = (i: number) =>
    store.record('login', { outcome: 'success', actor: `person-${i}`, requestId: `rq-${i}` });
  const refuse = (event: string) => store.record(event, { outcome: 'denied' });
  return { ...store, record, refuse, said, checkpoints, faults };
}

function entriesIn(dataDir: string): Entry[] {
  const writer = writersOf(join(dataDir, 'audit'))[0] ?? 'none';
  return [...entriesOf(join(dataDir, 'audit'), writer)].map((stored) => JSON.parse(lineOf(stored)));
}

/** Every link, from the first entry on. */
function expectWholeChain(dataDir: string): void {
  const directory = join(dataDir, 'audit');
  for (const writer of writersOf(directory)) {
    const chain = createChain();
    let seq = 0;
    for (const entry of entriesOf(directory, writer)) {
      const bytes = Buffer.from(entry.stored);
      chain.add(bytes, prefixBytes, bytes.length);
      expect(entry.seq).toBe(++seq);
      expect(bytes.toString('latin1', 0, linkCharacters)).toBe(chain.linkText());
    }
  }
}

const requestsIn = (dataDir: string) => entriesIn(dataDir).flatMap(({ requestId }) => requestId ?? []);
const counting = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, i) => `rq-${from + i}`);

describe('what is recorded', () => {
  test('is in the file within 50 ms or so, chained, and on the disk with a signed check-point within a second or so', async () => {
    const dataDir = await newAuditDirectory();
    const store = open(dataDir);
    store.useKey(seed);
    for (let i = 0; i < 100; i++) store.record(i);
    await waitFor(() => requestsIn(dataDir).length === 100, 'the entries', 5_000);
    await waitFor(() => store.checkpoints.length === 1, 'the check-point', 5_000);
    const checkpoint = readCheckpoint(store.checkpoints[0]!.slice(prefixBytes))!;
    const key = createPublicKey(readFileSync(join(dataDir, 'audit', 'checkpoint-key.pem')));
    expect(isSignedBy(checkpoint, key)).toBe(true);
    expect(
      isSignedBy({ ...checkpoint, signed: checkpoint.signed.replace('"seq":101', '"seq":100') }, key),
    ).toBe(false);
    expect(checkpoint).toMatchObject({ seq: 101, writer: writersOf(join(dataDir, 'audit'))[0] });
    await store.close();
    expect(requestsIn(dataDir)).toEqual(counting(0, 100));
    expectWholeChain(dataDir);
    expect(store.said).toEqual([]);
  });

  test('waits for nobody who wants it written, and no change that came before is behind', async () => {
    const dataDir = await newAuditDirectory();
    const store = open(dataDir);
    for (let i = 0; i < 50; i++) {
      store.record(i);
      await store.written();
      expect(requestsIn(dataDir).at(-1)).toBe(`rq-${i}`);
    }
    await store.close();
  });

  test('goes on in the same chain at the next start, of the same writer', async () => {
    const dataDir = await newAuditDirectory();
    for (let start = 0; start < 3; start++) {
      const store = open(dataDir);
      store.useKey(seed);
      for (let i = 10 * start; i < 10 * start + 10; i++) store.record(i);
      await store.close();
    }
    expect(requestsIn(dataDir)).toEqual(counting(0, 30));
    expect(writersOf(join(dataDir, 'audit'))).toHaveLength(1);
    expectWholeChain(dataDir);
    expect(
      entriesIn(dataDir)
        .map(({ event }) => event)
        .filter((event) => event !== 'login'),
    ).toEqual(['audit.checkpoint', 'audit.checkpoint', 'audit.checkpoint']);
  });

  test('by a process beside is a chain of its own, whose end the other one signs', async () => {
    const dataDir = await newAuditDirectory();
    const beside = open(dataDir, { isBeside: true });
    beside.record(1);
    await beside.close();
    const [other] = writersOf(join(dataDir, 'audit'));
    const store = open(dataDir);
    store.useKey(seed);
    store.record(2);
    await store.close();
    const heads = readCheckpoint(store.checkpoints[0]!.slice(prefixBytes))!.heads;
    const [last] = entriesOf(join(dataDir, 'audit'), other!);
    expect(heads[other!]).toEqual({ seq: 1, link: last!.stored.toString('latin1', 0, linkCharacters) });
    expect(Object.keys(heads).sort()).toEqual(writersOf(join(dataDir, 'audit')));
  });
});

describe('segments', () => {
  const limits = { ...writerLimits, segmentBytes: 20_000 };

  test('that are full are signed and closed, and the next one begins with the whole hash of before', async () => {
    const dataDir = await newAuditDirectory();
    const store = open(dataDir, { limits });
    store.useKey(seed);
    for (let i = 0; i < 500; i++) {
      store.record(i);
      if (i % 20 === 0) await store.written();
    }
    await store.close();
    const [writer] = writersOf(join(dataDir, 'audit'));
    const segments = segmentsOf(join(dataDir, 'audit'), writer!);
    expect(segments.length).toBeGreaterThan(3);
    for (const { path } of segments.slice(0, -1)) {
      expect(existsSync(path)).toBe(false);
      expect(existsSync(`${path}.gz`)).toBe(true);
    }
    expect(requestsIn(dataDir)).toEqual(counting(0, 500));
    expectWholeChain(dataDir);
    const last = [...entriesOf(join(dataDir, 'audit'), writer!)]
      .filter(({ segment }) => segment === 1)
      .at(-1)!;
    expect(readCheckpoint(lineOf(last))).toBeDefined();
  });

  test('are closed after a day', async () => {
    const dataDir = await newAuditDirectory();
    const first = open(dataDir, { limits: { ...writerLimits, segmentMs: 1 } });
    first.record(1);
    await first.written();
    first.record(2);
    await first.written();
    await first.close();
    expect(segmentsOf(join(dataDir, 'audit'), writersOf(join(dataDir, 'audit'))[0]!).length).toBeGreaterThan(
      1,
    );
    expectWholeChain(dataDir);
  });

  test('stay in order, and stay, when the clock is put back while they are written', async () => {
    const dataDir = await newAuditDirectory();
    const hour = 60 * 60 * 1000;
    let at = Date.parse('2026-11-22T09:00:00Z');
    const limits = { ...writerLimits, segmentBytes: 2_000 };
    for (const [i, change] of [0, hour, -3 * hour, 0, 2 * hour].entries()) {
      at += change;
      const store = open(dataDir, { now: () => at, limits, retention: { days: 1 } });
      for (let n = 0; n < 10; n++) {
        store.record(10 * i + n);
        await store.written();
      }
      await store.close();
    }
    expect(requestsIn(dataDir)).toEqual(counting(0, 50));
    expectWholeChain(dataDir);
    const directory = join(dataDir, 'audit');
    expect(verifyAudit({ directory, publicKey: undefined, anchors: [] }).isGood).toBe(true);
  });

  test('have a check-point every so many entries, however fast they come', async () => {
    const dataDir = await newAuditDirectory();
    const store = open(dataDir, { limits: { ...writerLimits, checkpointEntries: 100 } });
    store.useKey(seed);
    for (let i = 0; i < 450; i++) store.record(i);
    await store.close();
    expect(
      entriesIn(dataDir)
        .filter(({ event }) => event === 'audit.checkpoint')
        .map(({ seq }) => seq),
    ).toEqual([101, 202, 303, 404, 455]);
  });
});

describe('what a killed process has left', () => {
  async function used(count = 10): Promise<{ dataDir: string; file: string }> {
    const dataDir = await newAuditDirectory();
    const store = open(dataDir);
    for (let i = 0; i < count; i++) store.record(i);
    await store.close();
    return { dataDir, file: join(dataDir, 'audit', writersOf(join(dataDir, 'audit'))[0]!, '00000001.log') };
  }

  async function goOn(dataDir: string) {
    const store = open(dataDir);
    store.record(10);
    await store.close();
    return store;
  }

  test.each([
    ['half a line', 'AAAAAAAAAAAAAAAA {"v":1,"wri'],
    ['zeros', '\0'.repeat(5_000)],
  ])('is cut off when it is %s', async (_name, rest) => {
    const { dataDir, file } = await used();
    appendFileSync(file, rest);
    await goOn(dataDir);
    expect(requestsIn(dataDir)).toEqual(counting(0, 11));
    expectWholeChain(dataDir);
  });

  test('may be a segment without its first line', async () => {
    const { dataDir, file } = await used();
    writeFileSync(file, '{"v":1,"seg');
    await goOn(dataDir);
    expect(requestsIn(dataDir)).toEqual(['rq-10']);
    expectWholeChain(dataDir);
  });

  test('is left as it is when it was changed, and another chain begins', async () => {
    const { dataDir, file } = await used();
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('person-4', 'person-5'));
    const size = statSync(file).size;
    const store = await goOn(dataDir);
    expect(store.said).toMatchObject([{ error: { reason: expect.stringContaining('changed at entry 5') } }]);
    expect(statSync(file).size).toBe(size);
    expect(writersOf(join(dataDir, 'audit'))).toHaveLength(2);
    expect(readdirSync(join(dataDir, 'audit')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('a disk that takes nothing', () => {
  test('is told once, entries wait, and what had no room is one entry with exact counts when it takes them again', async () => {
    const dataDir = await newAuditDirectory();
    writeFileSync(join(dataDir, 'audit'), 'in the way');
    const available: boolean[] = [];
    const store = open(dataDir, { mostWaiting: 20_000, onAvailable: (is) => available.push(is) });
    store.useKey(seed);
    store.record(0);
    await waitFor(() => available.length > 0, 'the failure');
    await store.written();
    for (let i = 1; i < 300; i++) store.record(i);
    for (let i = 0; i < 10; i++) store.refuse('member.call');
    expect(store.isAvailable()).toBe(false);
    const lost = store.faults.lostAuditLines;
    expect(lost).toBeGreaterThan(100);
    rmSync(join(dataDir, 'audit'));
    await waitFor(() => available.at(-1) === true, 'the disk');
    await waitFor(
      () => entriesIn(dataDir).some(({ event }) => event === 'audit.gap'),
      'the entry of the gap',
    );
    store.record(300);
    await store.close();
    const entries = entriesIn(dataDir);
    const kept = entries.filter(({ event }) => event === 'login').length;
    const [gap, ...more] = entries.filter(({ event }) => event === 'audit.gap');
    expect(more).toEqual([]);
    expect(gap!.detail).toMatchObject({ entries: lost, events: { login: 301 - kept, 'member.call': 10 } });
    expect(lost).toBe(301 - kept + 10);
    expect(available).toEqual([false, true]);
    expect(store.said).toMatchObject([{ error: { code: expect.any(String) } }, { info: expect.any(String) }]);
    expectWholeChain(dataDir);
  });
});

describe('files whose time has come', () => {
  const limits = { ...writerLimits, segmentBytes: 20_000 };

  async function filled(retention: AuditStoreDeps['retention']): Promise<string> {
    const dataDir = await newAuditDirectory();
    const store = open(dataDir, { limits, ...(retention && { retention }) });
    store.useKey(seed);
    for (let i = 0; i < 600; i++) {
      store.record(i);
      if (i % 20 === 0) await store.written();
      const isFirstGone = () =>
        segmentsOf(join(dataDir, 'audit'), writersOf(join(dataDir, 'audit'))[0]!)[0]!.number > 1;
      if (i === 400 && retention?.bytes) await waitFor(isFirstGone, 'the first file to go');
    }
    await store.close();
    return dataDir;
  }

  const verify = (dataDir: string) =>
    verifyAudit({
      directory: join(dataDir, 'audit'),
      publicKey: createPublicKey(readFileSync(join(dataDir, 'audit', 'checkpoint-key.pem'))),
      anchors: [],
    });

  test('go, oldest first, with an entry that says so: what stays checks from there', async () => {
    const dataDir = await filled({ bytes: 5_000 });
    const entries = entriesIn(dataDir);
    expect(entries[0]!.seq).toBeGreaterThan(1);
    expect(requestsIn(dataDir)).toEqual(counting(600 - requestsIn(dataDir).length, 600));
    const said = entries.filter(({ event }) => event === 'audit.retention');
    expect(said.at(-1)!.detail).toMatchObject({ writer: entries[0]!.writer, seq: entries[0]!.seq - 1 });
    expect(verify(dataDir)).toMatchObject({ isGood: true, writers: [{ verdict: 'ok' }] });
    const [writer] = writersOf(join(dataDir, 'audit'));
    const [first] = segmentsOf(join(dataDir, 'audit'), writer!);
    rmSync(`${first!.path}.gz`, { force: true });
    rmSync(first!.path, { force: true });
    expect(verify(dataDir)).toMatchObject({ isGood: false, writers: [{ verdict: 'removed', seq: 1 }] });
  });

  test('stay where nobody has said for how long, and while they are young', async () => {
    for (const retention of [undefined, { days: 1 }]) {
      const dataDir = await filled(retention);
      expect(requestsIn(dataDir)).toEqual(counting(0, 600));
      expect(verify(dataDir)).toMatchObject({ isGood: true });
    }
  });

  test('are those that ended before the day that is named', async () => {
    const dataDir = await filled(undefined);
    const directory = join(dataDir, 'audit');
    expect(expiredIn(directory, { days: 1 }, Date.now())).toEqual([]);
    const [expired, ...more] = expiredIn(directory, { days: 1 }, Date.now() + 25 * 3_600_000);
    expect(more).toEqual([]);
    const segments = segmentsOf(directory, writersOf(directory)[0]!);
    expect(expired!.paths).toEqual(segments.slice(0, -1).map(({ path }) => `${path}.gz`));
  });
});
