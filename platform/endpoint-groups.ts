import { ProblemError, problems } from './errors.ts';

/** The groups that a member switches as a whole (docs/member-surface.md#endpoint-groups). */
export const endpointGroups = [
  'CLUSTER_READ',
  'CLUSTER_WRITE',
  'HEALTH_CHECK',
  'PERSISTENCE',
  'WAN',
  'DATA',
  'CP',
] as const;

export type EndpointGroup = (typeof endpointGroups)[number];

/**
 * What a call to a member comes to whose endpoint group is off there.
 *
 * @param host  `host:port` of the member
 * @param isRestOff  all of its groups are off
 */
export function groupDisabled(group: EndpointGroup, host: string, isRestOff: boolean): ProblemError {
  const key = `network.rest-api.endpoint-groups.${group}.enabled: true`;
  return new ProblemError(
    problems.groupDisabled,
    isRestOff
      ? `REST is off at the member ${host}. Set network.rest-api.enabled: true and ${key} in its configuration and restart it`
      : `The endpoint group ${group} is off at the member ${host}. Set ${key} in its configuration and restart it`,
  );
}
