/** The kinds of jobs, with what they work on. */
import { createBulkTarget } from '../bulk/target.ts';
import { createBackups } from '../jobs/backups.ts';
import { createImportKind } from '../jobs/imports.ts';
import type { JobKind } from '../jobs/job-kind.ts';
import { idsByTime } from '../storage/time-ordered-id.ts';
import type { Services } from './services.ts';

export function createJobKinds({
  settings: { dataDir },
  storage,
  outbound,
  now,
}: Services): Readonly<Record<string, JobKind>> {
  const target = createBulkTarget({
    storage,
    isServing: true,
    now,
    newId: idsByTime(now),
    checkOutboundUrl: outbound.check,
  });
  return {
    backup: createBackups({ dataDir, storage }).kind,
    'import-users': createImportKind({ dataDir, target, collection: 'users' }),
    'import-clients': createImportKind({ dataDir, target, collection: 'clients' }),
  };
}
