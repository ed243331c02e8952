/** What can be done to many things at once: operations on one thing, with the list that finds things for them. */

export interface ManyAct {
  /** Of one thing. */
  readonly operation: string;
  /** What names the thing in the path. */
  readonly param: string;
  /** The operation that lists such things, by `id`. */
  readonly list: string;
  /** The kind of the job. */
  readonly job: string;
  /** The operation that takes it back; absent: nothing does. */
  readonly undo?: string;
}

export const manyActs: readonly ManyAct[] = [
  { operation: 'disableUser', param: 'user', list: 'listUsers', job: 'disable-users', undo: 'enableUser' },
  { operation: 'enableUser', param: 'user', list: 'listUsers', job: 'enable-users', undo: 'disableUser' },
  { operation: 'endUserSessions', param: 'user', list: 'listUsers', job: 'end-user-sessions' },
  { operation: 'deleteUser', param: 'user', list: 'listUsers', job: 'remove-users' },
  {
    operation: 'disableClient',
    param: 'client',
    list: 'listClients',
    job: 'disable-clients',
    undo: 'enableClient',
  },
  {
    operation: 'enableClient',
    param: 'client',
    list: 'listClients',
    job: 'enable-clients',
    undo: 'disableClient',
  },
  { operation: 'deleteClient', param: 'client', list: 'listClients', job: 'remove-clients' },
  {
    operation: 'disableApplication',
    param: 'client',
    list: 'listApplications',
    job: 'disable-applications',
    undo: 'enableApplication',
  },
  {
    operation: 'enableApplication',
    param: 'client',
    list: 'listApplications',
    job: 'enable-applications',
    undo: 'disableApplication',
  },
  { operation: 'deleteApplication', param: 'client', list: 'listApplications', job: 'remove-applications' },
  { operation: 'deleteRole', param: 'role', list: 'listRoles', job: 'remove-roles' },
  { operation: 'endSession', param: 'session', list: 'listSessions', job: 'end-sessions' },
];

/** @param kind  of a job */
export function isManyAct(kind: string): boolean {
  return manyActs.some(({ job }) => job === kind);
}

/** @param operation  on one thing */
export function isUndoableAct(operation: string): boolean {
  return manyActs.some((act) => act.operation === operation && act.undo !== undefined);
}

/** Named one by one. */
export const mostNamed = 1000;
/** Found by a query: their ids are held while the job works, some 25 MB. */
export const mostFound = 250_000;
/** Of which a page says how many there are, and behind which nobody waits with an act of their own. */
export const mostCounted = 10_000;
