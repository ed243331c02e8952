/** Who may call what, and at which member it would be answered: the rules, laid out for people. */

import type { MemberStatus } from '../members/members.ts';
import type { Principal } from './explain.ts';
import { type Grants, grantsOf } from './permissions.ts';
import type { RoleBook } from './role-permissions.ts';
import { type Rule, ruleTable } from './rule-table.ts';

/** A role, a user or a client, with what it brings along. */
export interface MatrixSubject extends Principal {
  /** Unique within one matrix. */
  readonly name: string;
}

export interface Matrix {
  readonly members: readonly MatrixMember[];
  readonly subjects: readonly MatrixSubject[];
  readonly endpoints: readonly MatrixEndpoint[];
}

export interface MatrixMember {
  /** `host:port`. */
  readonly name: string;
  readonly uuid: string | null;
  /** Whether it takes part. */
  readonly isIn: boolean;
}

export interface MatrixEndpoint extends Pick<Rule, 'methods' | 'group' | 'permission'> {
  /** `{name}` stands for one segment, `{name...}` for the rest. */
  readonly path: string;
  /** Whether it acts on the member that takes it and on no other. */
  readonly isLocal: boolean;
  /** By the name of the subject. */
  readonly access: Readonly<Record<string, MatrixCell>>;
}

export interface MatrixCell {
  /** `partly`: for some maps or queues only. */
  readonly outcome: 'allowed' | 'partly' | 'refused';
  /** The names that are open, which may end in `*`; of `partly` only. */
  readonly names?: readonly string[];
  /** What would have to be there; of `refused` only. */
  readonly missing?: string;
  /** Members where the group is off, so that nobody gets an answer. */
  readonly groupOffAt?: readonly string[];
}

/** @param members  as they are known now; none where nobody asks them */
export function createMatrix(
  subjects: readonly MatrixSubject[],
  roles: RoleBook,
  members: readonly MemberStatus[],
): Matrix {
  const held = subjects.map(({ name, ...principal }) => ({
    name,
    grants: grantsOf(principal, roles.permissionsOf),
  }));
  return {
    members: members.map(({ address, uuid = null, isIn }) => ({ name: nameOf(address), uuid, isIn })),
    subjects,
    endpoints: ruleTable.map((rule) => {
      const { methods, template, group, permission, isLocal = false } = rule;
      const off = members.filter(({ offGroups }) => offGroups.includes(group));
      const groupOffAt = off.map(({ address }) => nameOf(address));
      const cells = held.map(({ name, grants }) => [name, cellOf(rule, grants, groupOffAt)] as const);
      return { methods, path: template, group, permission, isLocal, access: Object.fromEntries(cells) };
    }),
  };
}

function cellOf({ permission, structure }: Rule, grants: Grants, groupOffAt: readonly string[]): MatrixCell {
  const off = groupOffAt.length > 0 ? { groupOffAt } : {};
  if (grants.has(permission)) return { outcome: 'allowed', ...off };
  const names = structure ? grants.namesOf(structure) : [];
  if (names.length > 0) return { outcome: 'partly', names, ...off };
  return { outcome: 'refused', missing: permission };
}

function nameOf(address: string): string {
  return new URL(address).host;
}
