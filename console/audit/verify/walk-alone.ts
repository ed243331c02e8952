/**
 * A segment says where it begins, so it can be walked through before those before it. What is as it was written is added up
 * afterwards, in order; any other is walked through again then, when it is known what came before.
 */
import type { KeyObject } from 'node:crypto';
import { dirname } from 'node:path';
import { createChain } from '../chain.ts';
import type { WriterHead } from '../checkpoint.ts';
import type { Segment } from '../segments/segment-form.ts';
import { entriesOf } from '../segments/segment-reader.ts';
import { type Anchor, type State, startOf } from './state.ts';
import { walkSegment } from './walk-segment.ts';

/** Goes from thread to thread: plain values. */
export interface WalkedSegment {
  /** Of its last entry. */
  readonly seq: number;
  readonly head: Uint8Array;
  readonly entries: number;
  /** Behind its last check-point, or all. */
  readonly unsigned: number;
  /** 0: there is none. */
  readonly lastCheckpoint: number;
  readonly lastTime: string;
  readonly heads: Readonly<Record<string, WriterHead>>;
  /** Before its first entry, where there was none. */
  readonly lastAnchor: number;
  readonly gaps: { readonly count: number; readonly first: number };
  readonly erased: readonly number[];
  readonly erasures: ReadonlySet<string>;
  readonly retained: ReadonlySet<string>;
}

/** By the path of the segment. */
export type WalkedSegments = ReadonlyMap<string, WalkedSegment>;

export interface SegmentToWalk {
  readonly writer: string;
  readonly segment: Segment;
  /** Of its writer, of entries from its first on. */
  readonly anchors: readonly Anchor[];
}

/** @returns undefined when something is not what was written */
export function walkAlone(
  { writer, segment, anchors }: SegmentToWalk,
  publicKey: KeyObject | undefined,
): WalkedSegment | undefined {
  const { header } = segment;
  if (!header) return undefined;
  const storedAt = storedIn(dirname(dirname(segment.path)), writer);
  const state = startOf({ writer, publicKey, anchors, storedAt }, header);
  if (walkSegment(state, segment)) return undefined;
  const { seq, entries, unsigned, lastCheckpoint, lastTime, heads, lastAnchor, gaps } = state;
  const { erased, erasures, retained } = state;
  const head = state.chain.head();
  return {
    ...{ seq, head, entries, unsigned, lastCheckpoint, lastTime, heads, lastAnchor, gaps },
    ...{ erased, erasures, retained },
  };
}

/** @param directory  of the writers' folders */
export function storedIn(directory: string, writer: string): (seq: number) => Buffer | undefined {
  return (seq) => {
    const [entry] = entriesOf(directory, writer, { from: seq, until: seq + 1, onDamage() {} });
    return entry?.stored;
  };
}

export function goOnBehind(state: State, walked: WalkedSegment): void {
  const { seq, head, entries, unsigned, lastCheckpoint, lastTime, heads, lastAnchor, gaps } = walked;
  const isSigned = lastCheckpoint > 0;
  state.chain = createChain(Buffer.from(head));
  state.entries += entries;
  state.unsigned = isSigned ? unsigned : state.unsigned + unsigned;
  if (isSigned) Object.assign(state, { lastCheckpoint, lastTime, heads });
  if (lastAnchor > state.seq) state.lastAnchor = lastAnchor;
  state.seq = seq;
  while (state.anchors.length > 0 && state.anchors.at(-1)!.seq <= seq) state.anchors.pop();
  if (state.gaps.count === 0) state.gaps.first = gaps.first;
  state.gaps.count += gaps.count;
  state.erased.push(...walked.erased);
  for (const one of walked.erasures) state.erasures.add(one);
  for (const one of walked.retained) state.retained.add(one);
}
