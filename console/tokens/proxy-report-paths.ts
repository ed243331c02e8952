/** Where a member proxy in a process of its own reports what it has refused. */
export const denialReportsPath = '/api/v1/refusals';
/** Where it reports what has been used there. */
export const usageReportsPath = '/api/v1/usage-reports';
/** Where it reports what it has counted. */
export const processReportsPath = '/api/v1/process-reports';
