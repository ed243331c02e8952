/** Which member gets a call, and which is next when it cannot be reached. */
import type { Candidate } from './member.ts';

const rankOut = 1e9;
const rankSuspect = 1e6;

/**
 * Least pending first; those that nothing answers at last come behind, and those that are out at the end.
 *
 * @param turn  grows by one from call to call; it breaks ties, so that calls one after the other go round
 * @param at    monotonic milliseconds
 */
export function rankMembers<T extends Candidate>(
  candidates: readonly T[],
  turn: number,
  at: number,
): readonly T[] {
  const count = candidates.length;
  for (let i = 0; i < count; i += 1) {
    const candidate = candidates[i]!;
    const standing = candidate.isTrusted ? 0 : candidate.isIn ? rankSuspect : rankOut;
    const place = (((i - turn) % count) + count) % count;
    candidate.rank = standing + (candidate.pending + 1) / candidate.share(at) + place / (count * 2);
  }
  return [...candidates].sort((a, b) => a.rank - b.rank);
}
