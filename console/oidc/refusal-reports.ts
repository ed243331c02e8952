/** Where a member proxy in a process of its own reports what it has refused (`POST /api/v1/refusals`). */

/** The scope that opens it. */
export const refusalReportsScope = 'api:refusals:write';
export const refusalReportsPath = '/api/v1/refusals';
