/** One writer from its first entry to its last, or to the first that is not what was written. */
import { hashText } from '../chain.ts';
import type { WriterHead } from '../checkpoint.ts';
import { changedSince, type Finding, type State, startOf, type WalkDeps } from './state.ts';
import { goOnBehind, type WalkedSegments } from './walk-alone.ts';
import { walkSegment } from './walk-segment.ts';

export interface Walked {
  readonly writer: string;
  readonly finding: Finding | undefined;
  readonly entries: number;
  readonly lastSeq: number;
  /** Of its last check-point, ISO 8601; empty: none, or none whose signature was checked. */
  readonly lastCheckpointAt: string;
  readonly begins: { readonly seq: number; readonly previous: string };
  readonly gaps: { readonly count: number; readonly first: number };
  /** Behind the last check-point. */
  readonly unsigned: number;
  /** Of which only the hash is left. */
  readonly erased: readonly number[];
  /** `writer seq` of what entries say was erased. */
  readonly erasures: ReadonlySet<string>;
  /** `writer seq c` of what entries say was thrown away last. */
  readonly retained: ReadonlySet<string>;
  readonly headsSeen: readonly Readonly<Record<string, WriterHead>>[];
}

/** @param walked  what is known of segments already */
export function walkWriter(deps: WalkDeps, walked: WalkedSegments = new Map()): Walked {
  const first = deps.segments[0]?.header;
  const begins = { seq: first?.firstSeq ?? 1, previous: first ? hashText(first.previous) : '' };
  const state = startOf(deps, first);
  return walkedOf(state, begins, walkSegments(deps, state, walked) ?? endBeforeAnchor(state));
}

/** @param begins  number of the first entry, and the whole hash before it */
export function walkedOf(state: State, begins: Walked['begins'], finding: Finding | undefined): Walked {
  const { entries, unsigned, gaps, erased, erasures, retained } = state;
  return {
    writer: state.deps.writer,
    finding,
    entries,
    lastSeq: state.seq,
    lastCheckpointAt: state.lastTime,
    begins,
    gaps,
    unsigned,
    erased,
    erasures,
    retained,
    headsSeen: [state.heads],
  };
}

function walkSegments(deps: WalkDeps, state: State, walked: WalkedSegments): Finding | undefined {
  const { segments, writer } = deps;
  for (const [i, segment] of segments.entries()) {
    const { header, number } = segment;
    const before = segments[i - 1];
    if (before && number !== before.number + 1)
      return {
        verdict: 'removed',
        seq: state.seq + 1,
        last: (header?.firstSeq ?? 0) - 1,
        says: `file ${before.number + 1} is missing`,
      };
    if (!header || header.writer !== writer || header.number !== number || header.firstSeq > state.seq + 1)
      return header && header.firstSeq > state.seq + 1
        ? {
            verdict: 'removed',
            seq: state.seq + 1,
            last: header.firstSeq - 1,
            says: `the end of the file before ${number} is missing`,
          }
        : { verdict: 'changed', seq: state.seq + 1, says: `the first line of file ${number}` };
    if (!header.previous.equals(state.chain.head()))
      return changedSince(state, state.seq, `file ${number} goes on from another entry`);
    const known = walked.get(segment.path);
    if (known && header.firstSeq === state.seq + 1) goOnBehind(state, known);
    else {
      const finding = walkSegment(state, segment);
      if (finding) return finding;
    }
  }
  return undefined;
}

/** Where it ends before a check-point that was kept elsewhere. */
export function endBeforeAnchor({ anchors, seq, lastAnchor, lastTime }: State): Finding | undefined {
  const last = anchors[0];
  if (!last) return undefined;
  if (lastTime > last.time)
    return {
      verdict: 'rolled_back',
      seq: lastAnchor + 1,
      last: last.seq,
      says: 'it was written on after an older copy was put in place',
    };
  return {
    verdict: 'cut',
    seq: seq + 1,
    last: last.seq,
    says: 'a check-point kept elsewhere is behind the end',
  };
}
