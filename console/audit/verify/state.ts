/** How far the walk through a writer's entries has come: which entry is due, and whether one is it. */
import type { KeyObject } from 'node:crypto';
import { type Chain, createChain, linkCharacters, prefixBytes } from '../chain.ts';
import type { Checkpoint, WriterHead } from '../checkpoint.ts';
import { erasedHash } from '../erased-entry.ts';
import type { Segment, SegmentHeader } from '../segments/segment-form.ts';
import type { StoredEntry } from '../segments/segment-reader.ts';

export type Verdict =
  | 'ok'
  | 'changed'
  | 'removed'
  | 'inserted'
  | 'swapped'
  | 'repeated'
  | 'cut'
  | 'rolled_back'
  | 'gap'
  | 'unsigned_tail';

export interface Finding {
  readonly verdict: Verdict;
  /** The first entry that it is about. */
  readonly seq?: number;
  /** The last one, where that is known and another. */
  readonly last?: number;
  readonly says?: string;
}

/** Of a check-point that was kept elsewhere, what is compared. */
export type Anchor = Pick<Checkpoint, 'seq' | 'time' | 'signed'>;

export interface ChainDeps {
  readonly writer: string;
  readonly publicKey: KeyObject | undefined;
  /** Of this writer. */
  readonly anchors: readonly Anchor[];
  /** An entry that was walked through already, with its link. */
  readonly storedAt: (seq: number) => Buffer | undefined;
}

export interface WalkDeps extends ChainDeps {
  readonly segments: readonly Segment[];
}

/** How far a walk has come, and what it has met. */
export interface State {
  readonly deps: ChainDeps;
  chain: Chain;
  seq: number;
  entries: number;
  unsigned: number;
  lastCheckpoint: number;
  lastTime: string;
  /** Anchors that are to come, the next one last. */
  readonly anchors: Anchor[];
  /** The last one that was as it was kept. */
  lastAnchor: number;
  readonly gaps: { count: number; first: number };
  readonly erased: number[];
  readonly erasures: Set<string>;
  readonly retained: Set<string>;
  /** The last one of each writer that signs. */
  heads: Readonly<Record<string, WriterHead>>;
}

/** @param header  of the segment where it begins */
export function startOf(
  deps: ChainDeps,
  header: Pick<SegmentHeader, 'firstSeq' | 'previous'> | undefined,
): State {
  const first = header?.firstSeq ?? 1;
  return {
    deps,
    chain: createChain(header?.previous),
    seq: first - 1,
    entries: 0,
    unsigned: 0,
    lastCheckpoint: 0,
    lastTime: '',
    anchors: deps.anchors.filter(({ seq }) => seq >= first).sort((a, b) => b.seq - a.seq),
    lastAnchor: first - 1,
    gaps: { count: 0, first: 0 },
    erased: [],
    erasures: new Set(),
    retained: new Set(),
    heads: {},
  };
}

/** Goes on to it when it is the entry that comes next; else nothing has changed. */
export function isNext({ chain, seq, erased }: State, { stored, seq: said }: StoredEntry): boolean {
  if (said !== seq + 1) return false;
  chain.add(stored, prefixBytes, stored.length);
  if (linkIs(chain, stored)) return true;
  chain.undo();
  const e = erasedHash(stored);
  if (!e) return false;
  // The line is gone; what it was is still in the chain.
  chain.addHash(e);
  if (linkIs(chain, stored)) {
    erased.push(said);
    return true;
  }
  chain.undo();
  return false;
}

function linkIs(chain: Chain, stored: Buffer): boolean {
  return stored.toString('latin1', 0, linkCharacters) === chain.linkText();
}

/** Whoever has computed the chain anew has changed something since the last check-point. */
export function changedSince({ lastCheckpoint }: State, last: number, says: string): Finding {
  return { verdict: 'changed', seq: lastCheckpoint + 1, last, says };
}
