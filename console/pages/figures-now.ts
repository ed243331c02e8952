/** How members, jobs and approvals are now: which operation says it, and what of its answer. */
import type { ListAnswer } from './lists.ts';

export const membersNow = {
  operation: 'listMembers',
  query: { limit: '500' },
  read: ({ items }: ListAnswer<{ readonly state: string }>) => ({
    count: items.length,
    /** That do not answer. */
    silent: items.filter(({ state }) => state === 'out').length,
  }),
} as const;

export const runningJobs = { operation: 'listJobs', query: { limit: '1', state: 'running' } } as const;

/** That wait for a second administrator. */
export const waitingApprovals = {
  operation: 'listApprovals',
  query: { limit: '1', state: 'waiting' },
} as const;
