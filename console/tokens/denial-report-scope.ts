/** Where a member proxy in a process of its own reports what it has refused. */
export const denialReportsPath = '/api/v1/refusals';
