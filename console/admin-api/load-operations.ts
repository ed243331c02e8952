/**
 * The table of operations, loaded by its first use: a start has no use for it. Its schemas take 80 ms to make, so its
 * files come one after the other, with other calls between.
 */
import { setImmediate } from 'node:timers/promises';
import { once } from '../../platform/async/once.ts';

/** What several of them need comes first. Whoever is missing here comes with the table, in one go with all that are. */
const parts: readonly (() => Promise<unknown>)[] = [
  () => import('../operations/lists.ts'),
  () => import('../operations/run-operation.ts'),
  () => import('./access-questions.ts'),
  () => import('./access-usage.ts'),
  () => import('./approvals.ts'),
  () => import('./audit/audit-operations.ts'),
  () => import('./backups.ts'),
  () => import('./bulk-acts/bulk-act-operations.ts'),
  () => import('./clients/client-operations.ts'),
  () => import('./cluster/cluster-operations.ts'),
  () => import('./cluster/cp.ts'),
  () => import('./cluster/health.ts'),
  () => import('./cluster/maps.ts'),
  () => import('./cluster/member-commands.ts'),
  () => import('./cluster/queues.ts'),
  () => import('./cluster/wan.ts'),
  () => import('./configuration.ts'),
  () => import('./identity-providers.ts'),
  () => import('./jobs.ts'),
  () => import('./keys.ts'),
  () => import('./licence.ts'),
  () => import('./me.ts'),
  () => import('./members.ts'),
  () => import('./roles.ts'),
  () => import('./sessions/session-logouts.ts'),
  () => import('./sessions/sessions.ts'),
  () => import('./settings.ts'),
  () => import('./traffic/history.ts'),
  () => import('./traffic/calls.ts'),
  () => import('./users/user-passwords.ts'),
  () => import('./users/users.ts'),
];

/** Rejects as `import` does. */
export const loadOperations = once(async () => {
  for (const load of parts) {
    await load();
    await setImmediate();
  }
  const { operations } = await import('./table.ts');
  return operations;
});
