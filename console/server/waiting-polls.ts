import type { MemberProxy } from '../../member-proxy/proxy.ts';
import { shownStructure } from '../metrics/call-sums.ts';

/** How many polls wait, by `queue:jobs`. */
export function waitingPollsOf({
  waitingByQueue,
}: Pick<MemberProxy, 'waitingByQueue'>): [id: string, polls: number][] {
  return [...waitingByQueue()].flatMap(([path, polls]) => {
    const id = shownStructure(path.slice('/svc/rest/'.length));
    return id === null ? [] : [[id, polls] as [string, number]];
  });
}
