/** The entries of one segment, and what those of the audit itself say. */
import { prefixBytes } from '../chain.ts';
import { type Checkpoint, isSignedBy, readCheckpoint } from '../checkpoint.ts';
import type { Segment } from '../segments/segment-form.ts';
import type { DamagedBlockError } from '../segments/segment-parts.ts';
import { entriesOfSegment, type StoredEntry } from '../segments/segment-reader.ts';
import { nameOf } from './name.ts';
import { type Anchor, changedSince, type Finding, isNext, type State } from './state.ts';

/** @returns the first that is not what was written; up to there the state has gone on */
export function walkSegment(state: State, segment: Segment): Finding | undefined {
  let damage: DamagedBlockError | undefined;
  const onDamage = (found: DamagedBlockError) => {
    damage ??= found;
  };
  const entries = entriesOfSegment(segment, state.deps.writer, { onDamage });
  for (const entry of entries) {
    if (damage) break;
    const finding = walkEntry(state, entry, entries);
    if (finding) return finding;
  }
  return damage && { verdict: 'changed', seq: state.seq + 1, says: damage.message };
}

/** @param rest  those behind it */
export function walkEntry(
  state: State,
  entry: StoredEntry,
  rest: Iterator<StoredEntry>,
): Finding | undefined {
  return isNext(state, entry) ? take(state, entry) : nameOf(state, entry, rest);
}

/** What entries of the audit itself say. */
function take(state: State, entry: StoredEntry): Finding | undefined {
  state.seq = entry.seq;
  state.entries++;
  state.unsigned++;
  const anchor = state.anchors.at(-1);
  const isAnchored = anchor?.seq === entry.seq;
  if (!isOfAudit(entry) && !isAnchored) return undefined;
  const line = entry.stored.toString('utf8', prefixBytes);
  const checkpoint = readCheckpoint(line);
  // What is not signed is forged, whatever else it should be.
  const forged = checkpoint && takeCheckpoint(state, checkpoint);
  if (forged) return forged;
  if (isAnchored) return compare(state, anchor, line);
  if (!checkpoint && !line.includes('"erased":{')) takeOwn(state, JSON.parse(line));
  return undefined;
}

function takeCheckpoint(state: State, checkpoint: Checkpoint): Finding | undefined {
  const { publicKey } = state.deps;
  if (!checkpoint.c.equals(state.chain.previous()) || (publicKey && !isSignedBy(checkpoint, publicKey)))
    return changedSince(state, checkpoint.seq, 'the check-point does not sign what is before it');
  state.lastCheckpoint = checkpoint.seq;
  state.lastTime = checkpoint.time;
  state.unsigned = 0;
  state.heads = checkpoint.heads;
  return undefined;
}

function compare(state: State, anchor: Anchor, line: string): Finding | undefined {
  state.anchors.pop();
  while (state.anchors.at(-1)?.seq === anchor.seq) state.anchors.pop();
  if (line.startsWith(`${anchor.signed},`)) {
    state.lastAnchor = anchor.seq;
    return undefined;
  }
  return {
    verdict: 'rolled_back',
    seq: state.lastAnchor + 1,
    last: anchor.seq,
    says: 'it goes on otherwise than the check-point kept elsewhere says',
  };
}

const placeBytes = '{"v":1,"writer":"","seq":,'.length;
const timeBytes = '"time":"2026-11-22T09:03:11.402Z",'.length;
const auditEvent = Buffer.from('"event":"audit.');
const beforeName = '"event":"'.length;

/** By the place of its event, which the number before it moves: looking for it costs as much as the chain. */
function isOfAudit({ writer, seq, stored }: StoredEntry): boolean {
  const at = prefixBytes + placeBytes + writer.length + digitsOf(seq) + timeBytes;
  if (stored[at + beforeName] !== auditEvent[beforeName]) return false;
  const end = at + auditEvent.length;
  return end <= stored.length && stored.compare(auditEvent, 0, auditEvent.length, at, end) === 0;
}

function digitsOf(seq: number): number {
  let digits = 1;
  for (let most = 10; seq >= most; most *= 10) digits++;
  return digits;
}

interface OwnEntry {
  readonly event: string;
  readonly outcome: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

function takeOwn(state: State, { event, outcome, detail = {} }: OwnEntry): void {
  if (event === 'audit.gap') {
    if (state.gaps.count === 0) state.gaps.first = state.seq;
    state.gaps.count += Number(detail.entries);
  } else if (event === 'audit.erased') {
    // What was asked for and not done explains nothing.
    if (outcome === 'success') state.erasures.add(`${detail.writer} ${detail.seq}`);
  } else if (event === 'audit.retention') state.retained.add(`${detail.writer} ${detail.seq} ${detail.c}`);
}
