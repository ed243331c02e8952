/** What a row of use needs, and whether somebody's roles and scopes open it: by the rules that decide on calls. */
import {
  type Grants,
  grantsOf,
  type Permission,
  type StructureNeed,
} from '../../member-proxy/authorization/permissions.ts';
import { ruleTable } from '../../member-proxy/authorization/rule-table.ts';
import { isOpen } from '../../member-proxy/authorization/rules.ts';
import { ProblemError } from '../../platform/errors.ts';
import { checkAccess } from '../operations/access-check.ts';
import { namesOfText, tokenRows, type UsageRow } from './usage-row.ts';

export interface Principal {
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
}

type PermissionsOf = (role: string) => readonly string[] | 'all' | undefined;

/** `unknown`: names that were not told apart are perhaps open, and perhaps not. */
export type Outcome = 'open' | 'closed' | 'unknown';

/** Whether a row is about calls, and not about the tokens of calls; and of a permission that there is. */
export function isOfCalls([, permission, structure]: UsageRow): boolean {
  return permission !== '' && structure !== tokenRows.asked && structure !== tokenRows.administrator;
}

/** One object each, by which what a caller has is looked up. */
const structures: ReadonlyMap<string, StructureNeed> = new Map(
  ruleTable.flatMap(({ structure }) =>
    structure ? [[`${structure.kind}:${structure.action}`, structure] as const] : [],
  ),
);

export function structureOf(row: UsageRow): StructureNeed | undefined {
  return structures.get(row[2]);
}

/** @returns decides on rows for somebody with these roles and scopes, whose grants are worked out once */
export function createDecide(principal: Principal, permissionsOf: PermissionsOf): (row: UsageRow) => Outcome {
  const grants = grantsOf(principal, permissionsOf);
  return (row) =>
    row[1].startsWith('api:') ? apiOutcome(row[1], principal, permissionsOf) : memberOutcome(row, grants);
}

function memberOutcome(row: UsageRow, grants: Grants): Outcome {
  const permission = row[1] as Permission;
  const structure = structureOf(row);
  const names = namesOfText(row[3]);
  if (structure === undefined) return isOpen({ permission }, [], grants) ? 'open' : 'closed';
  if (names !== undefined) return isOpen({ permission, structure }, names, grants) ? 'open' : 'closed';
  if (grants.has(permission)) return 'open';
  return grants.namesOf(structure).length > 0 ? 'unknown' : 'closed';
}

/** Some reads are for Viewers too and some are not: both are counted as one. */
function apiOutcome(permission: string, { roles, scopes }: Principal, permissionsOf: PermissionsOf): Outcome {
  const [, object = '', kind] = permission.split(':');
  const isOpenAs = (access: 'read' | 'inspect' | 'write') => {
    const actor = { kind: 'client', id: '', via: 'api', roles, scopes } as const;
    try {
      checkAccess({ object, access }, actor, { permissionsOf, now: Date.now });
      return true;
    } catch (error) {
      if (error instanceof ProblemError) return false;
      throw error;
    }
  };
  if (kind === 'write') return isOpenAs('write') ? 'open' : 'closed';
  if (isOpenAs('inspect')) return 'open';
  return isOpenAs('read') ? 'unknown' : 'closed';
}
