/** Where the specification puts the management calls of the cluster (docs/member-surface.md#changes-of-the-cluster). */
export const management = 'rest/management/cluster';
