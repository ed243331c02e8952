/**
 * Says of each writer whether its entries are what was written, from the files, the public key, and check-points that were
 * kept elsewhere: offline, without a console (decision 0036).
 */
import type { KeyObject } from 'node:crypto';
import { type Checkpoint, isSignedBy } from '../checkpoint.ts';
import { segmentsOf, writersOf } from '../segments/segment-reader.ts';
import type { Finding, WalkDeps } from './state.ts';
import { type Walked, walkWriter } from './walk.ts';
import { type SegmentToWalk, storedIn, type WalkedSegments } from './walk-alone.ts';
import { walkInThreads } from './walk-threads.ts';

export type { Finding, Verdict } from './state.ts';

export interface VerifyDeps {
  /** `audit` of a data directory, or a copy of it. */
  readonly directory: string;
  /** Of the key that signs check-points; without it signatures are not checked. */
  readonly publicKey: KeyObject | undefined;
  /** Kept elsewhere. */
  readonly anchors: readonly Checkpoint[];
}

export interface WriterReport extends Finding {
  readonly writer: string;
  readonly entries: number;
  /** Entries that were left out for lack of room, as the audit itself says. */
  readonly gaps: number;
  /** Entries of which by law only the hash is left, as the audit itself says. */
  readonly erased: number;
  /** Entries behind the last check-point. */
  readonly unsigned: number;
  /** The last one that was looked at. */
  readonly lastSeq: number;
  /** Of its last check-point, ISO 8601; empty: none. */
  readonly lastCheckpointAt: string;
}

export interface VerifyReport {
  readonly isGood: boolean;
  readonly writers: readonly WriterReport[];
}

/** One whose signature does not fit proves nothing. */
export class ForgedAnchorError extends Error {
  override readonly name = 'ForgedAnchorError';
}

/** @throws {ForgedAnchorError} */
export function verifyAudit(deps: VerifyDeps, walked?: WalkedSegments): VerifyReport {
  checkAnchors(deps);
  return reportOfAll(
    walksOf(deps).map((walk) => walkWriter(walk, walked)),
    deps.anchors,
  );
}

/** @throws {ForgedAnchorError} */
export function checkAnchors({ publicKey, anchors }: Pick<VerifyDeps, 'publicKey' | 'anchors'>): void {
  for (const anchor of lastOfEach(anchors)) {
    if (publicKey && !isSignedBy(anchor, publicKey))
      throw new ForgedAnchorError(
        `The check-point ${anchor.seq} of ${anchor.writer} is not signed with this key.`,
      );
  }
}

/** Of all writers together: one says of the others how far they were, and what was taken from them. */
export function reportOfAll(all: readonly Walked[], anchors: readonly Checkpoint[]): VerifyReport {
  const writers = all.map((one) => reportOf(one, all, anchors));
  return { isGood: writers.every(({ verdict }) => goodVerdicts.has(verdict)), writers };
}

/**
 * The same, by as many threads as there are processors.
 *
 * @param program  the thread, where it is not this program's
 * @param isServing  this process has others to answer: it reads none itself that a thread can
 * @throws {ForgedAnchorError}
 */
export async function verifyInThreads(
  deps: VerifyDeps,
  program?: URL,
  isServing = false,
): Promise<VerifyReport> {
  const segments = walksOf(deps).flatMap(({ writer, segments, anchors }) =>
    segments.map((segment): SegmentToWalk => ({ writer, segment, anchors })),
  );
  // One is walked through before a thread has begun.
  if (segments.length < 2 && !isServing) return verifyAudit(deps);
  return verifyAudit(deps, await walkInThreads(segments, { publicKey: deps.publicKey, program }));
}

function walksOf({ directory, publicKey, anchors }: VerifyDeps): readonly WalkDeps[] {
  const named = new Set([...writersOf(directory), ...anchors.map(({ writer }) => writer)]);
  return [...named].sort().map((writer) => ({
    storedAt: storedIn(directory, writer),
    writer,
    segments: segmentsOf(directory, writer),
    publicKey,
    anchors: anchors.filter((anchor) => anchor.writer === writer),
  }));
}

const goodVerdicts = new Set(['ok', 'gap', 'unsigned_tail']);

function reportOf(one: Walked, all: readonly Walked[], anchors: readonly Checkpoint[]): WriterReport {
  const { writer, entries, gaps, unsigned, erased } = one;
  const finding =
    one.finding ??
    unexplained(one, all) ??
    behindHeads(one, all, anchors) ??
    (gaps.count > 0
      ? { verdict: 'gap' as const, seq: gaps.first, says: `${gaps.count} entries had no room` }
      : unsigned > 0
        ? {
            verdict: 'unsigned_tail' as const,
            seq: one.lastSeq - unsigned + 1,
            says: 'no check-point is behind these',
          }
        : { verdict: 'ok' as const });
  const { lastSeq, lastCheckpointAt } = one;
  const counts = { entries, gaps: gaps.count, erased: erased.length, unsigned };
  return { writer, ...finding, ...counts, lastSeq, lastCheckpointAt };
}

/** What was thrown away or erased has an entry that says so, of whichever writer. */
function unexplained({ writer, erased, begins }: Walked, all: readonly Walked[]): Finding | undefined {
  const isSaid = (seq: number) => all.some(({ erasures }) => erasures.has(`${writer} ${seq}`));
  const silent = erased.find((seq) => !isSaid(seq));
  if (silent !== undefined)
    return { verdict: 'removed', seq: silent, says: 'it is erased, and no entry says by whom' };
  if (begins.seq <= 1) return undefined;
  const isKept = all.some(({ retained }) => retained.has(`${writer} ${begins.seq - 1} ${begins.previous}`));
  return isKept
    ? undefined
    : {
        verdict: 'removed',
        seq: 1,
        last: begins.seq - 1,
        says: 'files are missing, and no entry says that their time had come',
      };
}

/** Check-points of other writers say how far this one was. */
function behindHeads(
  one: Walked,
  all: readonly Walked[],
  anchors: readonly Checkpoint[],
): Finding | undefined {
  const heads = [...all.flatMap(({ headsSeen }) => [...headsSeen]), ...anchors.map(({ heads }) => heads)];
  let most = 0;
  for (const head of heads) most = Math.max(most, head[one.writer]?.seq ?? 0);
  if (most <= one.lastSeq) return undefined;
  return { verdict: 'cut', seq: one.lastSeq + 1, last: most, says: 'a check-point has seen these' };
}

function lastOfEach(anchors: readonly Checkpoint[]): readonly Checkpoint[] {
  const last = new Map<string, Checkpoint>();
  for (const anchor of anchors) {
    const known = last.get(anchor.writer);
    if (!known || known.seq <= anchor.seq) last.set(anchor.writer, anchor);
  }
  return [...last.values()];
}
