/** What one process does for all that answer: it sends what applications have to be told. */
import type { Audit, Logger } from '../../platform/log.ts';
import { isManyAct, mostCounted } from '../admin-api/bulk-acts/acts.ts';
import { dashboardClientId } from '../clients/clients.ts';
import type { Job } from '../jobs/job.ts';
import { createJobRunner } from '../jobs/job-runner.ts';
import { readingKind } from '../jobs/map-readings.ts';
import { drainKind } from '../jobs/queue-drains.ts';
import { endAllKind } from '../jobs/session-ends.ts';
import { createLicenceModule } from '../licence/module.ts';
import { startLogoutNotices } from '../logout/module.ts';
import type { KnownMembers } from '../members/own-calls.ts';
import type { LeadingServices } from './services/leading-services.ts';
import type { Services } from './services.ts';

export interface DutiesDeps {
  readonly services: LeadingServices;
  readonly audit: Audit;
  readonly log: Logger;
  /** As they are known now. */
  readonly members: KnownMembers;
}

/** @returns a function that breaks off what is being sent: the next start takes it up */
export function startDuties({ services, members, ...shared }: DutiesDeps): () => Promise<void> {
  const needs = { ...services, ...shared };
  const licences = createLicenceModule({ ...needs, audience: dashboardClientId });
  const notices = startLogoutNotices(needs);
  const jobs = startJobs(services, members, shared);
  return async () => {
    await Promise.all([licences.close(), notices.close(), jobs.close()]);
  };
}

/** What jobs are made of is loaded when there is one. */
function startJobs(
  services: Services,
  members: KnownMembers,
  shared: Omit<DutiesDeps, 'services' | 'members'>,
) {
  const runner = createJobRunner({
    ...services,
    ...shared,
    kinds: async () => (await import('./jobs/job-kinds.ts')).createJobKinds(services, members, shared.audit),
    waitQueueOf,
  });
  void runner.start();
  return runner;
}

/**
 * For acts on many, unless there are very many, and for keys of a map, somebody waits before the page; a drain and a reading take as long as members do. None of
 * them holds up a backup, another queue, or another person.
 */
function waitQueueOf({ kind, input, startedBy }: Pick<Job, 'kind' | 'input' | 'startedBy'>): string {
  if (isManyAct(kind)) return Number(input.most) > mostCounted ? 'large acts' : 'acts';
  if (kind === endAllKind) return endAllKind;
  if (kind === readingKind) return `${readingKind} ${startedBy}`;
  return kind === drainKind ? `${drainKind} ${input.queue}` : 'others';
}
