/** What has become of an entry that is not there, by those that stand there instead. */
import { createChain } from '../chain.ts';
import type { StoredEntry } from '../segments/segment-reader.ts';
import { type Finding, isNext, type State } from './state.ts';

const mostAhead = 256;

/** @param found  instead of the one that is due; `rest` are those behind it */
export function nameOf(state: State, found: StoredEntry, rest: Iterator<StoredEntry>): Finding {
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
  return deps.storedAt(said)?.equals(stored) === true;
}
