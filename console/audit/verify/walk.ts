/** One writer from its first entry to its last, or to the first that is not what was written. */
import type { KeyObject } from 'node:crypto';
import { type Chain, createChain, hashText, linkCharacters, prefixBytes, readHash } from '../chain.ts';
import { type Checkpoint, isSignedBy, readCheckpoint, type WriterHead } from '../checkpoint.ts';
import {
  type DamagedBlockError,
  entriesOf,
  entriesOfSegment,
  type Segment,
  type StoredEntry,
} from '../segment-reader.ts';

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

export interface WalkDeps {
  readonly directory: string;
  readonly writer: string;
  readonly segments: readonly Segment[];
  readonly publicKey: KeyObject | undefined;
  /** Of this writer. */
  readonly anchors: readonly Checkpoint[];
}

export interface Walked {
  readonly writer: string;
  readonly finding: Finding | undefined;
  readonly entries: number;
  readonly lastSeq: number;
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

interface State {
  readonly deps: WalkDeps;
  chain: Chain;
  seq: number;
  entries: number;
  unsigned: number;
  lastCheckpoint: number;
  lastTime: string;
  /** Anchors that are to come, the next one last. */
  readonly anchors: Checkpoint[];
  lastAnchor: number;
  readonly gaps: { count: number; first: number };
  readonly erased: number[];
  readonly erasures: Set<string>;
  readonly retained: Set<string>;
  /** The last one of each writer that signs. */
  heads: Readonly<Record<string, WriterHead>>;
}

export function walkWriter(deps: WalkDeps): Walked {
  const first = deps.segments[0]?.header;
  const begins = { seq: first?.firstSeq ?? 1, previous: first ? hashText(first.previous) : '' };
  const state: State = {
    deps,
    chain: createChain(first?.previous),
    seq: begins.seq - 1,
    entries: 0,
    unsigned: 0,
    lastCheckpoint: 0,
    lastTime: '',
    anchors: deps.anchors.filter(({ seq }) => seq >= begins.seq).sort((a, b) => b.seq - a.seq),
    lastAnchor: begins.seq - 1,
    gaps: { count: 0, first: 0 },
    erased: [],
    erasures: new Set(),
    retained: new Set(),
    heads: {},
  };
  const finding = walkSegments(state) ?? endBeforeAnchor(state);
  const { entries, unsigned, gaps, erased, erasures, retained } = state;
  return {
    writer: deps.writer,
    finding,
    entries,
    lastSeq: state.seq,
    begins,
    gaps,
    unsigned,
    erased,
    erasures,
    retained,
    headsSeen: [state.heads],
  };
}

function walkSegments(state: State): Finding | undefined {
  const { segments, writer } = state.deps;
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
    const finding = walkEntries(state, segment);
    if (finding) return finding;
  }
  return undefined;
}

function walkEntries(state: State, segment: Segment): Finding | undefined {
  let damage: DamagedBlockError | undefined;
  const onDamage = (found: DamagedBlockError) => {
    damage ??= found;
  };
  const entries = entriesOfSegment(segment, state.deps.writer, { onDamage });
  for (const entry of entries) {
    if (damage) break;
    if (!isNext(state, entry)) return nameOf(state, entry, entries);
    const finding = take(state, entry);
    if (finding) return finding;
  }
  return damage && { verdict: 'changed', seq: state.seq + 1, says: damage.message };
}

/** Goes on to it when it is the entry that comes next; else nothing has changed. */
function isNext({ chain, seq, erased }: State, { stored, seq: said }: StoredEntry): boolean {
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

function erasedHash(stored: Buffer): Buffer | undefined {
  try {
    return readHash(JSON.parse(stored.toString('utf8', prefixBytes)).erased?.e);
  } catch {
    return undefined; // no JSON
  }
}

/** What entries of the audit itself say. */
function take(state: State, entry: StoredEntry): Finding | undefined {
  state.seq = entry.seq;
  state.entries++;
  state.unsigned++;
  const anchor = state.anchors.at(-1);
  const isAnchored = anchor?.seq === entry.seq;
  if (!isOfAudit(entry.stored) && !isAnchored) return undefined;
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

/** Whoever has computed the chain anew has changed something since the last check-point. */
function changedSince({ lastCheckpoint }: State, last: number, says: string): Finding {
  return { verdict: 'changed', seq: lastCheckpoint + 1, last, says };
}

function compare(state: State, anchor: Checkpoint, line: string): Finding | undefined {
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

/** Where it ends before a check-point that was kept elsewhere. */
function endBeforeAnchor({ anchors, seq, lastAnchor, lastTime }: State): Finding | undefined {
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

const auditEvent = Buffer.from('"event":"audit.');
const timeBytes = ',"time":"2026-11-22T09:03:11.402Z",'.length;

/** By the place of its event: looking for it in each line costs as much as the chain. */
function isOfAudit(stored: Buffer): boolean {
  const seqAt = stored.indexOf(',"seq":', prefixBytes, 'latin1');
  const at = stored.indexOf(0x2c, seqAt + 1) + timeBytes;
  return (
    stored.compare(auditEvent, 0, auditEvent.length, at, Math.min(at + auditEvent.length, stored.length)) ===
    0
  );
}

interface OwnEntry {
  readonly event: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

function takeOwn(state: State, { event, detail = {} }: OwnEntry): void {
  if (event === 'audit.gap') {
    if (state.gaps.count === 0) state.gaps.first = state.seq;
    state.gaps.count += Number(detail.entries);
  } else if (event === 'audit.erased') state.erasures.add(`${detail.writer} ${detail.seq}`);
  else if (event === 'audit.retention') state.retained.add(`${detail.writer} ${detail.seq} ${detail.c}`);
}

const mostAhead = 256;

/** What has become of the entry that should come, by those that come instead. */
function nameOf(state: State, found: StoredEntry, rest: Iterator<StoredEntry>): Finding {
  const due = state.seq + 1;
  const ahead: StoredEntry[] = [found];
  while (ahead.length < mostAhead) {
    const { value, done } = rest.next();
    if (done) break;
    ahead.push(value as StoredEntry);
  }
  const at = ahead.findIndex((one, i) => i > 0 && isLinked(state, one));
  if (at < 0) {
    if (found.seq === due) return { verdict: 'changed', seq: due };
    return found.seq > due
      ? { verdict: 'removed', seq: due, last: found.seq - 1 }
      : { verdict: isRepeated(state, found) ? 'repeated' : 'inserted', seq: due };
  }
  // The one that is due comes later: what is before it does not belong there.
  const isElsewhere = ahead.slice(at).some((one) => one.seq === found.seq);
  if (found.seq > due && !isElsewhere) return { verdict: 'swapped', seq: due, last: found.seq };
  if (isRepeated(state, found) || (isElsewhere && isTwin(ahead, at, found)))
    return { verdict: 'repeated', seq: due, says: `entry ${found.seq} stands there once more` };
  return { verdict: 'inserted', seq: due };
}

function isLinked(state: State, entry: StoredEntry): boolean {
  const trial = { ...state, chain: createChain(state.chain.head()), erased: [] };
  return isNext(trial, entry);
}

function isTwin(ahead: readonly StoredEntry[], at: number, found: StoredEntry): boolean {
  return ahead.slice(at).some(({ stored }) => stored.equals(found.stored));
}

function isRepeated({ deps, seq }: State, { seq: said, stored }: StoredEntry): boolean {
  if (!(said <= seq)) return false;
  const [before] = entriesOf(deps.directory, deps.writer, { from: said, until: said + 1, onDamage() {} });
  return before?.stored.equals(stored) === true;
}
