import type { Rule } from '../authorization/rule-table.ts';
import type { Target } from '../request-target.ts';

const maxPollSeconds = 86_400;
/** Seconds for which neither the real engine nor our own member waits (docs/member-surface.md#queues). */
const atOnce = /^(?:0*|-\d+)$/;

/**
 * For how many seconds a call may wait for an item; undefined for one that does not wait. Where the text of the seconds
 * is none that a member is known to take, only the member knows, so the call counts as one that may wait.
 */
export function waitOf(method: string, { structure }: Rule, { sent }: Target): number | undefined {
  if (structure?.action !== 'poll' || method === 'HEAD') return undefined;
  // /svc/rest/queues/{queue}/{seconds}; our own member reads one slash behind them as none.
  const [, , , , queue = '', asked = ''] = sent.split('/', 6);
  // The real engine ends the queue's name at an encoded slash (docs/member-surface.md#routing).
  if (atOnce.test(asked) && !/%2f/i.test(queue)) return undefined;
  return /^\d+$/.test(asked) ? Math.min(Number(asked), maxPollSeconds) : 0;
}

/** The same poll for another member. @param waitedMs  how long it has waited already, milliseconds */
export function withSecondsLeft(sent: string, waitedMs: number): string {
  return sent.replace(/\/(\d+)(?=\/?$)/, (_all, asked: string) => {
    const left = Math.max(0, Number(asked) - Math.round(waitedMs / 1000));
    return `/${left}`;
  });
}
