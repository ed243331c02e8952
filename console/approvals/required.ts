/** Which operations a second administrator has to agree with: those that the setting names, and those by which it could be got round. */
import type { Operation } from '../operations/operation.ts';

type Named = Pick<Operation, 'id' | 'object' | 'event'>;

/**
 * Whoever may change these makes an approver of themselves, or what they lack by another way: while anything needs an
 * approval, they do too.
 */
const waysRound: ReadonlySet<string> = new Set([
  'backups',
  'configuration',
  'identity-providers',
  'imports',
  'settings',
  'users',
]);

/** Work at once, whatever an object needs: who is in danger does not wait for a second administrator. */
const emergencyActs: ReadonlySet<string> = new Set([
  'createBackup',
  'createConfigurationPlan',
  'deleteClientSecret',
  'deleteApplicationSecret',
  'deleteElevation',
  'disableApplication',
  'disableClient',
  'disableIdentityProvider',
  'disableUser',
  'endSession',
  'endSessions',
  'endUserSessions',
  'testIdentityProvider',
  'verifyAudit',
]);

/** @param named  ids of operations, and objects for all changes of them */
export function createIsRequired(named: readonly string[]): (operation: Named) => boolean {
  const names = new Set(named);
  return ({ id, object, event }) => {
    if (names.size === 0 || event === undefined || object === 'approvals') return false;
    if (names.has(id)) return true;
    // Whoever needs one to end a session needs one to end all.
    if (id === 'endAllSessions' && names.has('endSession')) return true;
    return (names.has(object) || waysRound.has(object)) && !emergencyActs.has(id);
  };
}

/** @returns names that stand for no change: a misspelt one would protect nothing */
export function unknownNames(named: readonly string[], operations: readonly Named[]): readonly string[] {
  const changes = operations.filter(({ event, object }) => event !== undefined && object !== 'approvals');
  const known = new Set(changes.flatMap(({ id, object }) => [id, object]));
  return named.filter((name) => !known.has(name));
}
