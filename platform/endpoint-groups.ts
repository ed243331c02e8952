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
