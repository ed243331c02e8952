/** Which members join and leave when one says who its cluster's are (docs/member-surface.md#cluster-information). */
import type { ClusterView } from './cluster-view.ts';
import type { KnownMember } from './member.ts';

export interface MemberChanges {
  /** Base addresses. */
  readonly joining: readonly string[];
  readonly leaving: readonly KnownMember[];
}

/**
 * Those that the cluster names join; those that it no longer names, and nobody configured, leave.
 *
 * @param teller  the member that says so
 */
export function changesIn(
  known: readonly KnownMember[],
  { credentials, address }: Pick<KnownMember, 'credentials' | 'address'>,
  { members }: Pick<ClusterView, 'members'>,
): MemberChanges {
  const { protocol } = new URL(address);
  const found = members.map((member) => member.address);
  const isKnown = (name: string) => known.some(({ names }) => names.has(name.toLowerCase()));
  return {
    joining: found.filter((name) => !isKnown(name)).map((name) => `${protocol}//${name}`),
    leaving: known.filter(
      // Members of another set are of another cluster, which this one does not name.
      (member) =>
        !member.isConfigured &&
        member.credentials === credentials &&
        !found.some((name) => member.names.has(name.toLowerCase())),
    ),
  };
}
