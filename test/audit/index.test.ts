/** The index of the audit: entries by filters, over writers, pages, clocks that go back, lost and wrong indexes. */
import { hash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { expect, onTestFinished, test } from 'vitest';
import type { Entry, EntryFields } from '../../console/audit/entry.ts';
import { eraseEntry } from '../../console/audit/erasure.ts';
import { createBlockSource } from '../../console/audit/index/block-source.ts';
import { type Asked, listEntries, type Place } from '../../console/audit/index/entry-list.ts';
import { changeTerm, isMatch, termsOf } from '../../console/audit/index/filter.ts';
import { openIndexStore } from '../../console/audit/index/index-store.ts';
import { createIndexer } from '../../console/audit/index/indexer.ts';
import { createKnownSegments } from '../../console/audit/index/known-segments.ts';
import { findEntry, ownTermsOf, traceEntries } from '../../console/audit/index/one-entry.ts';
import { closeSegment } from '../../console/audit/segments/segment-closing.ts';
import {
  entriesIn,
  entriesOf,
  lineOf,
  segmentsOf,
  writersOf,
} from '../../console/audit/segments/segment-reader.ts';
import { newAuditDirectory, start, writeSegment } from './support.ts';

async function opened(directory: string, indexDirectory = newIndexDirectory()) {
  const store = openIndexStore(indexDirectory);
  const segments = createKnownSegments(directory);
  const source = createBlockSource({ segmentsOf: segments.of });
  const indexer = createIndexer({ store, segments });
  const close = async () => {
    source.close();
    await store.close();
  };
  await indexer.catchUp();
  const deps = () => ({ store, source: source.reader(), rows: indexer.rows() });
  return {
    indexer,
    close,
    deps,
    list: (asked: Partial<Asked>) => listEntries({ filter: {}, limit: 50, ...asked }, deps()),
    /** The newest first; from the oldest on they are the same. */
    all(filter: Asked['filter'], limit = 50) {
      const found = allOf({ filter, limit });
      const fromOldest = allOf({ filter, limit, isOldestFirst: true });
      expect(places(fromOldest), JSON.stringify(filter)).toEqual(places(found).reverse());
      return found;
    },
  };

  function allOf(asked: Asked): Entry[] {
    const found: Entry[] = [];
    let from: Place | undefined;
    do {
      const page = listEntries({ ...asked, from }, deps());
      expect(page.entries.length).toBeLessThanOrEqual(asked.limit);
      found.push(...page.entries);
      from = page.next;
    } while (from);
    return found;
  }
}

function newIndexDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'audit-index-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** What a look at every line finds, newest first. */
function byHand(directory: string, filter: Asked['filter']): readonly Entry[] {
  return writersOf(directory)
    .flatMap((writer) => [...entriesOf(directory, writer)].map((one) => JSON.parse(lineOf(one)) as Entry))
    .filter((entry) => entry.event !== undefined && isMatch(entry, filter))
    .reverse();
}

const places = (entries: readonly Entry[]) => entries.map(({ writer, seq }) => `${writer}-${seq}`);

function varied(i: number): EntryFields {
  return {
    event: ['login', 'token.granted', 'client.updated', 'member.call'][i % 4]!,
    outcome: i % 7 === 0 ? 'denied' : 'success',
    actor: { kind: i % 5 === 0 ? 'client' : 'user', id: `actor-${i % 90}`, session: `ses_${i % 300}` },
    object: i % 3 === 0 ? { kind: 'map', id: `orders-${i % 12}` } : undefined,
    client: i % 2 === 0 ? `client-${i % 40}` : undefined,
    member: i % 4 === 3 ? `10.0.0.${i % 3}:5701` : undefined,
    decisionId: i % 7 === 0 ? `dec_${i}` : undefined,
    requestId: `rq_${i}`,
    ...(i % 611 === 0 && { change: { name: { from: 'Ada', to: `Ada ${i}` } } }),
    // Text of somebody that looks like it.
    ...(i % 50 === 0 && { detail: { asked: '"change":{' } }),
  };
}

const filters: readonly Asked['filter'][] = [
  {},
  { actor: 'actor-7' },
  { actor: 'actor-7', outcome: 'denied' },
  { actor: 'actor-7', event: 'member.call' },
  { actor: 'actor-7', event: 'member.call', outcome: 'denied' },
  { actor: 'actor-7', event: 'member.*' },
  { client: 'client-8' },
  { client: 'actor-15' },
  { objectKind: 'map' },
  { objectId: 'orders-3' },
  { objectId: 'orders-3', outcome: 'denied' },
  { objectId: 'orders-3', outcome: 'success' },
  { objectKind: 'map', objectId: 'orders-3', outcome: 'denied', actor: 'actor-21', event: 'token.granted' },
  { objectKind: 'map', objectId: 'orders-3', event: 'login' },
  { event: 'token.*', outcome: 'denied' },
  { event: 'client.updated', outcome: 'denied' },
  { member: '10.0.0.1:5701' },
  { decision: 'dec_700' },
  { id: 'rq_1234' },
  { id: 'ses_17' },
  { since: start + 1000, until: start + 1100 },
  { since: start + 1000, until: start + 1400, actor: 'actor-7' },
  { actor: 'nobody' },
  { isChange: true },
  { isChange: true, outcome: 'success', event: 'login' },
  { isChange: true, actor: 'actor-7' },
];

test('every filter finds what a look at each line finds, page by page, in open and closed segments', async () => {
  const directory = await newAuditDirectory();
  const head = writeSegment(directory, 'aaaa', { count: 3000, fields: varied });
  writeSegment(directory, 'aaaa', {
    number: 2,
    firstSeq: 3001,
    previous: head,
    count: 1234,
    fields: varied,
  });
  const [first] = segmentsOf(directory, 'aaaa');
  await closeSegment({
    segment: first!,
    header: first!.header!,
    entries: entriesIn([first!], 'aaaa'),
  });
  const index = await opened(directory);
  for (const filter of filters) {
    const wanted = places(byHand(directory, filter));
    expect(places(index.all(filter)), JSON.stringify(filter)).toEqual(wanted);
    expect(places(index.all(filter, 7)), JSON.stringify(filter)).toEqual(wanted);
  }
  await index.close();
});

test('entries of several writers come by their times, each once', async () => {
  const directory = await newAuditDirectory();
  for (const writer of ['aaaa', 'bbbb', 'cccc'])
    writeSegment(directory, writer, { count: 700, fields: varied });
  const index = await opened(directory);
  const found = index.all({ outcome: 'denied' }, 13);
  expect(new Set(places(found)).size).toBe(300);
  const times = found.map(({ time }) => Date.parse(time));
  expect(times).toEqual([...times].sort((a, b) => b - a));
  await index.close();
});

test('what is written later, or closed meanwhile, is found without opening the index anew', async () => {
  const directory = await newAuditDirectory();
  const indexDirectory = newIndexDirectory();
  writeSegment(directory, 'aaaa', { count: 100, fields: varied });
  const index = await opened(directory, indexDirectory);
  expect(index.all({})).toHaveLength(100);
  writeSegment(directory, 'aaaa', { count: 1000, fields: varied });
  await index.indexer.catchUp();
  expect(index.all({})).toHaveLength(1000);
  const [only] = segmentsOf(directory, 'aaaa');
  await closeSegment({ segment: only!, header: only!.header!, entries: entriesIn([only!], 'aaaa') });
  await index.indexer.catchUp();
  expect(places(index.all({ actor: 'actor-7' }))).toEqual(places(byHand(directory, { actor: 'actor-7' })));
  await index.close();
  const again = await opened(directory, indexDirectory);
  expect(again.all({})).toHaveLength(1000);
  await again.close();
});

test('a clock that went back hides nothing', async () => {
  const directory = await newAuditDirectory();
  const back = (i: number) => (i < 300 ? 5_000_000 + i : i);
  writeSegment(directory, 'aaaa', { count: 600, fields: varied, timeOf: (seq) => start + back(seq) });
  const index = await opened(directory);
  for (const filter of [
    { since: start + 320, until: start + 330 },
    { since: start + 5_000_010, until: start + 5_000_020 },
  ]) {
    expect(places(index.all(filter, 4))).toEqual(places(byHand(directory, filter)));
    expect(byHand(directory, filter)).toHaveLength(10);
  }
  expect(index.all({}, 17)).toHaveLength(600);
  await index.close();
});

/** Of entries that it says are indexed it knows no term. */
async function emptied(directory: string, form: string): Promise<void> {
  const database = open<Buffer, Buffer>({
    path: directory,
    noSubdir: false,
    keyEncoding: 'binary',
    encoding: 'binary',
  });
  await database.transaction(() => {
    const terms = [...database.getKeys({ start: Buffer.from('t'), end: Buffer.from('u') })];
    for (const term of terms) database.remove(term);
    database.put(Buffer.from('f'), Buffer.from(form));
  });
  await database.close();
}

test.each(['lost', 'damaged', 'of a store that was restored', 'of other entries', 'of the form before'])(
  'an index that is %s is made anew',
  async (what) => {
    const directory = await newAuditDirectory();
    const indexDirectory = newIndexDirectory();
    writeSegment(directory, 'aaaa', { count: 900, fields: varied });
    await (await opened(directory, indexDirectory)).close();
    if (what === 'lost') rmSync(indexDirectory, { recursive: true });
    if (what === 'damaged') {
      for (const file of readdirSync(indexDirectory)) {
        writeFileSync(join(indexDirectory, file), Buffer.alloc(20_000, 'x'));
      }
    }
    if (what === 'of the form before') await emptied(indexDirectory, 'audit index 1');
    if (what === 'of a store that was restored')
      writeSegment(directory, 'aaaa', { count: 500, fields: varied });
    if (what === 'of other entries')
      writeSegment(directory, 'aaaa', { count: 900, fields: (i) => varied(i + 1) });
    const index = await opened(directory, indexDirectory);
    for (const filter of filters) {
      expect(places(index.all(filter))).toEqual(places(byHand(directory, filter)));
    }
    await index.close();
  },
);

/** As a version leaves it that knows nothing of changes: it passes on what it does not know of a writer. */
async function unaware(directory: string, what: 'never knew' | 'has gone on'): Promise<void> {
  const database = open<Buffer, Buffer>({
    path: directory,
    noSubdir: false,
    keyEncoding: 'binary',
    encoding: 'binary',
  });
  await database.transaction(() => {
    const terms = [...database.getKeys({ start: Buffer.from('t'), end: Buffer.from('u') })];
    const ofChanges = hash('sha1', changeTerm, 'buffer').subarray(0, 7);
    const found = terms.filter((key) => key.subarray(5).equals(ofChanges));
    expect(found.length).toBeGreaterThan(0);
    for (const key of found) database.remove(key);
    const { changes, ...row } = JSON.parse(String(database.get(Buffer.from('waaaa'))));
    const kept = what === 'never knew' ? row : { ...row, changes: { ...changes, until: row.seq - 100 } };
    database.put(Buffer.from('waaaa'), Buffer.from(JSON.stringify(kept)));
  });
  await database.close();
}

test.each(['never knew', 'has gone on'] as const)(
  'of an index of a version that %s of changes each is found at once, and by the index in a while',
  async (what) => {
    const directory = await newAuditDirectory();
    const indexDirectory = newIndexDirectory();
    writeSegment(directory, 'aaaa', { count: 6000, fields: varied });
    await (await opened(directory, indexDirectory)).close();
    await unaware(indexDirectory, what);
    writeSegment(directory, 'aaaa', { count: 9000, fields: varied });
    const index = await opened(directory, indexDirectory);
    const wanted = places(byHand(directory, { isChange: true }));
    expect(wanted).toHaveLength(14);
    expect(index.deps().rows.get('aaaa')!.changes!.from).toBeGreaterThan(0);
    expect(places(index.all({ isChange: true }))).toEqual(wanted);
    await index.indexer.fillIn();
    expect(index.deps().rows.get('aaaa')!.changes).toEqual({ from: 0, until: 9000 });
    expect(places(index.all({ isChange: true }))).toEqual(wanted);
    expect(index.list({ filter: { isChange: true }, limit: 200 }).entries).toHaveLength(14);
    await index.close();
    const again = await opened(directory, indexDirectory);
    expect(again.deps().rows.get('aaaa')!.changes).toEqual({ from: 0, until: 9000 });
    expect(places(again.all({ isChange: true }))).toEqual(wanted);
    await again.close();
  },
);

test('an index that is behind the files, as an older copy of it is, is brought up', async () => {
  const directory = await newAuditDirectory();
  const indexDirectory = newIndexDirectory();
  writeSegment(directory, 'aaaa', { count: 300, fields: varied });
  await (await opened(directory, indexDirectory)).close();
  const older = newIndexDirectory();
  cpSync(indexDirectory, older, { recursive: true });
  writeSegment(directory, 'aaaa', { count: 900, fields: varied });
  await (await opened(directory, indexDirectory)).close();
  const index = await opened(directory, older);
  for (const filter of filters) {
    expect(places(index.all(filter))).toEqual(places(byHand(directory, filter)));
  }
  await index.close();
});

test('what only an erased entry said is in the index no more, and what its neighbours say is found', async () => {
  const directory = await newAuditDirectory();
  const own = { client: 'zebra', source: '10.9.9.9' };
  const fields = (i: number) => ({ ...varied(i), ...(i === 130 && own) });
  writeSegment(directory, 'aaaa', { count: 300, fields });
  const index = await opened(directory);
  const entry = findEntry('aaaa', 130, index.deps())!;
  const terms = ownTermsOf(entry, index.deps());
  const { store, rows } = index.deps();
  const row = rows.get('aaaa')!;
  const isIn = (term: string) => store.posting(row.id, 0, term) !== undefined;
  const ofClient = [...termsOf(entry)].find((term) => term.includes('zebra'))!;
  expect(terms).toContain(ofClient);
  expect(isIn(ofClient)).toBe(true);
  await store.forget(row.id, 2, terms);
  await eraseEntry({ directory, writer: 'aaaa', seq: 130, release() {} });
  expect(isIn(ofClient)).toBe(false);
  await index.close();
  const again = await opened(directory);
  for (const filter of filters) {
    const others = byHand(directory, filter).filter(({ seq }) => seq !== 130);
    expect(places(again.all(filter))).toEqual(places(others));
  }
  await again.close();
});

test('what retention took away is not there, and the rest is', async () => {
  const directory = await newAuditDirectory();
  const head = writeSegment(directory, 'aaaa', { count: 1000, fields: varied });
  writeSegment(directory, 'aaaa', { number: 2, firstSeq: 1001, previous: head, count: 500, fields: varied });
  const index = await opened(directory);
  rmSync(join(directory, 'aaaa', '00000001.log'));
  await index.indexer.catchUp();
  expect(index.all({})).toHaveLength(500);
  expect(places(index.all({ actor: 'actor-7' }))).toEqual(places(byHand(directory, { actor: 'actor-7' })));
  await index.close();
});

test('a refusal leads to the call, the token, its grant and the sign-in, by its decision id alone', async () => {
  const directory = await newAuditDirectory();
  const story: Readonly<Record<number, EntryFields>> = {
    100: { event: 'login', outcome: 'success', actor: { kind: 'user', id: 'grace', session: 'ses_x' } },
    300: {
      event: 'consent.granted',
      outcome: 'success',
      actor: { kind: 'user', id: 'grace', session: 'ses_x' },
      grantId: 'gr_x',
    },
    400: { event: 'token.granted', outcome: 'success', grantId: 'gr_x', tokenId: 'tok_x' },
    401: { event: 'token.granted', outcome: 'success', grantId: 'gr_x', tokenId: 'tok_y' },
    900: { event: 'access.denied', outcome: 'denied', tokenId: 'tok_x', decisionId: 'dec_x' },
  };
  const fields = (i: number): EntryFields => story[i] ?? varied(i);
  writeSegment(directory, 'aaaa', { count: 2000, fields });
  const index = await opened(directory);
  expect(traceEntries('dec_x', index.deps()).map(({ seq }) => seq)).toEqual([100, 300, 400, 900]);
  expect(traceEntries('dec_none', index.deps())).toEqual([]);
  expect(findEntry('aaaa', 900, index.deps())?.decisionId).toBe('dec_x');
  expect(findEntry('aaaa', 9000, index.deps())).toBeUndefined();
  await index.close();
});
