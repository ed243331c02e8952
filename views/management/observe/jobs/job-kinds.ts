/** What jobs are called. */
import type { Translate, WordKey } from '../../../texts/text.ts';

/** What each kind of job is called; another one by its kind. */
export const jobKinds: Readonly<Record<string, WordKey>> = {
  backup: 'jobs.backup',
  'drain-queue': 'drains.job',
  'read-map-entries': 'readings.job',
  'verify-audit': 'jobs.verifyAudit',
  'import-users': 'jobs.importUsers',
  'import-clients': 'jobs.importClients',
  'disable-users': 'jobs.disableUsers',
  'enable-users': 'jobs.enableUsers',
  'end-user-sessions': 'jobs.endUserSessions',
  'remove-users': 'jobs.removeUsers',
  'disable-clients': 'jobs.disableClients',
  'enable-clients': 'jobs.enableClients',
  'remove-clients': 'jobs.removeClients',
  'disable-applications': 'jobs.disableApplications',
  'enable-applications': 'jobs.enableApplications',
  'remove-applications': 'jobs.removeApplications',
  'remove-roles': 'jobs.removeRoles',
  'end-sessions': 'jobs.endSessions',
  'end-all-sessions': 'sessions.endAll',
};

export interface NamedJob {
  readonly kind: string;
  /** The map or queue that it is about. */
  readonly structure: { readonly kind: 'map' | 'queue'; readonly name: string } | null;
}

export function jobTitle({ kind, structure }: NamedJob, t: Translate): string {
  const name = structure?.name;
  if (name !== undefined && kind === 'drain-queue') return t('drains.jobOf', { name });
  if (name !== undefined && kind === 'read-map-entries') return t('readings.jobOf', { name });
  const word = jobKinds[kind];
  return word === undefined ? kind : t(word);
}
