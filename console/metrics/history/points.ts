/** How the slots of a ring are put together to points of a plot. */

export interface Points {
  /** Slot that the first point begins with: that of the question, or one before it of which nothing is read. */
  readonly from: number;
  readonly slotsEach: number;
  readonly count: number;
}

/** Fewer are no plot, and divide what was asked for evenly. */
const fewestAligned = 8;

/**
 * The points of a plot begin at a multiple of their slots, whatever slot the question begins with: what has been shown of a
 * time stays as it is while the time goes on, but for the first point and the last.
 *
 * @param first  slot that is asked for, and `last` the last such, which may be before it
 * @param most  points; there are no more
 */
export function pointsOf(first: number, last: number, most: number): Points {
  const slots = last - first + 1;
  if (most < fewestAligned) return pointsFrom(first, last, Math.ceil(slots / most));
  // The first point and the last may both be cut.
  const slotsEach = Math.max(1, Math.ceil((slots - 1) / (most - 1)));
  return pointsFrom(first - (first % slotsEach), last, slotsEach);
}

function pointsFrom(from: number, last: number, slots: number): Points {
  const slotsEach = Math.max(1, slots);
  return { from, slotsEach, count: Math.max(0, Math.ceil((last - from + 1) / slotsEach)) };
}
