/** Of one of several processes: the sum stays what was set; 0 is no limit. */
export function shareOf(limit: number, processes: number): number {
  return Math.ceil(limit / processes);
}
