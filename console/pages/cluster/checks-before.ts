/** What is to be known before something is done to a member, or to all of them: what is fine, and where care is needed. */
import type { ShownMember } from '../../../views/management/cluster/member-state.tsx';
import { clusterStateOf, type ShownCluster } from '../../../views/management/cluster/operations.tsx';
import type { Translate } from '../../../views/texts/text.ts';

export function clusterChecks(
  { isSafe, migrationQueueSize }: Pick<ShownCluster, 'isSafe' | 'migrationQueueSize'>,
  t: Translate,
): readonly string[] {
  const safety =
    isSafe === null
      ? t('operations.carefulUnknown')
      : isSafe
        ? t('operations.fineInStep')
        : t('operations.carefulNotInStep');
  const queue =
    migrationQueueSize === null || migrationQueueSize === 0
      ? []
      : [t('operations.migrationsWait', { n: migrationQueueSize })];
  return [safety, ...queue];
}

/** Of a start after a recovery that has failed: whether backups are in sync says nothing for it. */
export function recoveryChecks(cluster: Pick<ShownCluster, 'clusterState'>, t: Translate): readonly string[] {
  if (cluster.clusterState === null) return [t('operations.stateNotKnown')];
  const { word } = clusterStateOf(cluster, t);
  return [t('operations.carefulRuns', { state: word })];
}

/**
 * Of one that is to end.
 *
 * @param members  all that are known, with this one
 * @param cluster  undefined where nothing is known of it
 */
export function memberChecks(
  { id, inFlight }: ShownMember,
  members: readonly ShownMember[],
  cluster: Pick<ShownCluster, 'isSafe' | 'migrationQueueSize'> | undefined,
  t: Translate,
): readonly string[] {
  const n = members.length;
  const left = members.filter((other) => other.id !== id && other.state === 'in').length;
  const waiting =
    inFlight === null
      ? []
      : [inFlight === 0 ? t('members.fineNobodyWaits') : t('members.carefulWaits', { n: inFlight })];
  return [
    ...(cluster ? clusterChecks(cluster, t) : []),
    t(left * 2 > n ? 'members.fineMajority' : 'members.carefulNoMajority', { n, left }),
    ...waiting,
  ];
}
