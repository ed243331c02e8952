/** Answers what is asked of the audit, from its files and their index. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Entry } from '../entry.ts';
import { readEntry } from '../erased-entry.ts';
import { createBlockSource } from '../index/block-source.ts';
import { listEntries } from '../index/entry-list.ts';
import { isMatch } from '../index/filter.ts';
import { openIndexStore } from '../index/index-store.ts';
import { createIndexer } from '../index/indexer.ts';
import { createKnownSegments } from '../index/known-segments.ts';
import { findEntry, ownTermsOf, traceEntries } from '../index/one-entry.ts';
import { blockOf } from '../segments/segment-form.ts';
import { entriesIn, lineOf } from '../segments/segment-reader.ts';
import { exportPart } from './export-part.ts';
import type { Asks, Gets, QuestionKind, Reached } from './questions.ts';

export interface AuditAnswersDeps {
  /** Of the writers' folders. */
  readonly directory: string;
  readonly indexDirectory: string;
  /** Of the console. */
  readonly version: string;
}

/** Until the index is there, who asks waits for so long. */
const patienceMs = 2000;
/** What follows looks for news so often. */
const pollMs = 150;
/** Of followed entries in one answer. */
const mostFollowed = 500;
const mostChecked = 5000;

export function createAuditAnswers({ directory, indexDirectory, version }: AuditAnswersDeps) {
  const segments = createKnownSegments(directory);
  const source = createBlockSource({ segmentsOf: segments.of });
  const store = openIndexStore(indexDirectory);
  const indexer = createIndexer({ store, segments });
  let isClosed = false;

  const answers: { [K in QuestionKind]: (asked: Asks<K>) => Gets<K> | Promise<Gets<K>> } = {
    list: (asked) => ({ ...listEntries(asked, deps()), total: totalOf() }),
    entry: ({ writer, seq }) => ({ entry: findEntry(writer, seq, deps()) }),
    trace: ({ id }) => ({ entries: traceEntries(id, deps()) }),
    forget,
    export: (asked) => exportPart(asked, { ...deps(), segments, latestBefore, version }),
    follow,
  };

  return {
    segments,
    /** @returns undefined while the index is made */
    async answer<K extends QuestionKind>(kind: K, asked: Asks<K>): Promise<Gets<K> | undefined> {
      return (await isIndexed()) ? answers[kind](asked) : undefined;
    },
    /** Also when nobody asks. */
    catchUp: indexer.catchUp,
    async close() {
      isClosed = true;
      await indexer.stop();
      source.close();
      await store.close();
    },
  };

  function deps() {
    return { store, source: source.reader(), rows: indexer.rows() };
  }

  async function forget({ entry }: Asks<'forget'>): Promise<Gets<'forget'>> {
    source.reopen();
    const { writer, seq } = entry;
    const row = indexer.rows().get(writer);
    const terms = ownTermsOf(entry, deps());
    if (row) await store.forget(row.id, blockOf(seq), terms);
    return { terms: terms.length };
  }

  async function isIndexed(): Promise<boolean> {
    const caughtUp = indexer.catchUp().then(() => true);
    const tooLong = new AbortController();
    const waited = delay(patienceMs, false, { signal: tooLong.signal }).catch(() => false);
    return Promise.race([caughtUp, waited]).finally(() => tooLong.abort());
  }

  function latestBefore(writer: number, block: number): number | undefined {
    return store.block(writer, block)?.latest;
  }

  function totalOf(): number {
    return [...indexer.rows().values()].reduce(
      (total, { firstSeq, seq }) => total + (seq === 0 ? 0 : seq - firstSeq + 1),
      0,
    );
  }

  async function follow({ filter, after, waitMs }: Asks<'follow'>): Promise<Gets<'follow'>> {
    if (!after) return { entries: [], after: ends() };
    const until = performance.now() + waitMs;
    let place = after;
    for (;;) {
      const found = entriesAfter(place, filter);
      place = found.after;
      const isOver = isClosed || performance.now() >= until;
      if (found.entries.length > 0 || (isOver && !found.isCut))
        return { entries: found.entries, after: place };
      if (!found.isCut) await delay(pollMs);
      await indexer.catchUp();
    }
  }

  function ends(): Reached {
    return Object.fromEntries([...indexer.rows()].map(([writer, { seq }]) => [writer, seq]));
  }

  function entriesAfter(after: Reached, filter: Asks<'follow'>['filter']) {
    const entries: Entry[] = [];
    const reached: Record<string, number> = { ...after };
    let checked = 0;
    for (const [writer, { seq }] of indexer.rows()) {
      const from = (reached[writer] ?? 0) + 1;
      if (from > seq) continue;
      for (const stored of entriesIn(segments.of(writer), writer, { from, until: seq + 1, onDamage() {} })) {
        if (entries.length >= mostFollowed || checked++ >= mostChecked) {
          return { entries, after: reached, isCut: true };
        }
        if (Number.isNaN(stored.seq)) continue;
        reached[writer] = stored.seq;
        const entry = readEntry(lineOf(stored));
        if (entry && isMatch(entry, filter)) entries.push(entry);
      }
      reached[writer] = Math.max(reached[writer] ?? 0, seq);
    }
    return { entries, after: reached, isCut: false };
  }
}
