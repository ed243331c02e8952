/** Where a member proxy in a process of its own reports what it has refused. */
export const refusalReportsPath = '/api/v1/refusals';
