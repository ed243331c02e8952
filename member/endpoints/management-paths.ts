/** Where the spec puts the management calls of the cluster (§4.1). */
export const management = 'rest/management/cluster';
