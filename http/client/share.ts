/**
 * Whether one who holds so many places may take another: at most twice as many as are free. Alone he gets two thirds of
 * them, and the more others come, the less each may hold: there is always a place for somebody who has none yet.
 *
 * @param own   places that he holds
 * @param used  places that are taken, his own among them
 */
export function isWithinShare(own: number, used: number, most: number): boolean {
  return used < most && own < 2 * (most - used);
}
