/**
 * Custom roles: names for sets of permissions, made by administrators. Tokens carry the name only, and what it
 * opens is looked up when a call comes; a role that is gone opens nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import { ProblemError, problems } from '../../platform/errors.ts';
import { checkIsNew, checkVersion } from '../storage/record-version.ts';
import type { RoleRecord } from '../storage/records.ts';
import type { Registry, RegistryTransaction } from '../storage/storage.ts';
import { checkName, checkPermissions, describedBy } from './custom-role-form.ts';
import { createRoleHolders, mostNamed, type RoleHolders } from './role-holders.ts';
import { isRole, roleDescriptions, roleMeanings, roles } from './roles.ts';
import type { AccountRecords } from './voiding.ts';

export interface NewRole {
  readonly name: string;
  /** In the spelling of scopes: `svc:map:orders-*:read`. */
  readonly permissions: readonly string[];
  /** For people; one line. */
  readonly description?: string | undefined;
}

export type CustomRoles = ReturnType<typeof createCustomRoles>;

export interface RoleChange {
  /** undefined for one that is new; the same as `after` when nothing has changed. */
  readonly before: RoleRecord | undefined;
  readonly after: RoleRecord;
}

export interface RemovedRole extends RoleHolders {
  readonly removed: RoleRecord;
}

/** What a change depends on besides. */
export interface RoleConditions {
  /** Only when it still is of that (record-version.ts). */
  readonly version?: string | undefined;
  /** Only when there is none yet. */
  readonly isNew?: boolean;
  /** Of what it opens before and after. */
  readonly checkMayGrant?: (...these: readonly Pick<RoleRecord, 'permissions'>[]) => void;
}

export interface CustomRolesDeps {
  readonly registry: Registry;
  readonly records: AccountRecords;
  readonly isPermission: (text: string) => boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const mostRoles = 500;

export function createCustomRoles({ registry, records, isPermission, now }: CustomRolesDeps) {
  const find = (name: string) => registry.get('roles', name);
  const { holdersOf, takeFromAll } = createRoleHolders({ records, now });

  return {
    find,
    /** @throws {ProblemError} `not_found` */
    get: (name: string): RoleRecord => find(name) ?? unknownRole(),
    list: (): readonly RoleRecord[] => sorted(registry.all('roles').values()),
    /** Every role that a user can have, the built-in ones first. */
    names: (): readonly string[] => [...roles, ...sorted(registry.all('roles').values()).map(({ id }) => id)],
    /** From memory; undefined for what is no custom role. */
    permissionsOf: (name: string): readonly string[] | undefined => find(name)?.permissions,
    /** In words, for a page; also of a name that stands for nothing any more. */
    meaningOf: (name: string): string => (isRole(name) ? roleDescriptions[name] : meaningOfCustom(name)),
    /** The same of a token that has the role. */
    meaningInTokens: (name: string): string => (isRole(name) ? roleMeanings[name] : meaningOfCustom(name)),
    holdersOf,
    add,
    /**
     * Adds a role, or replaces all of one but its name.
     *
     * @throws {ProblemError} as `add` and `update`
     */
    async put(role: NewRole, conditions: RoleConditions = {}): Promise<RoleChange> {
      if (!find(role.name)) {
        checkVersion(undefined, conditions.version);
        return { before: undefined, after: await add(role, conditions) };
      }
      return registry.update((transaction) => {
        checkIsNew(transaction.get('roles', role.name), conditions.isNew ?? false);
        return change(transaction, { ...role, description: role.description ?? '' }, conditions);
      });
    },
    /**
     * @param changed  what is left out stays
     * @throws {ProblemError} `invalid_request`, `not_found`, `precondition_failed`
     */
    update: (
      name: string,
      changed: Partial<Omit<NewRole, 'name'>>,
      conditions: RoleConditions = {},
    ): Promise<RoleChange & { readonly before: RoleRecord }> =>
      registry.update((transaction) => change(transaction, { name, ...changed }, conditions)),
    /**
     * Takes it from everybody who has it, too, and ends their sessions and tokens: were there another of this name
     * one day, it would not be theirs.
     *
     * @returns it, and those who had it
     * @throws {ProblemError} `not_found`, `precondition_failed`; `conflict` while rules of a provider give it
     */
    async remove(name: string, { version, checkMayGrant }: RoleConditions = {}): Promise<RemovedRole> {
      const checkRemovable = (source: Pick<RegistryTransaction, 'get' | 'all'>) => {
        const role = unchanged(source.get('roles', name), version);
        checkMayGrant?.(role);
        checkNoRuleGives(source, name);
        return role;
      };
      checkRemovable(registry);
      const before = await takeFromAll(name);
      const removed = await registry.update((transaction) => {
        const role = checkRemovable(transaction);
        transaction.remove('roles', name);
        return role;
      });
      // Whoever was given it meanwhile; from now on nobody is.
      const meanwhile = await takeFromAll(name);
      return {
        removed,
        names: [...new Set([...before.names, ...meanwhile.names])].sort().slice(0, mostNamed),
        count: before.count + meanwhile.count,
        ended: [...(before.ended ?? []), ...(meanwhile.ended ?? [])],
      };
    },
  };

  function meaningOfCustom(name: string): string {
    const role = find(name);
    if (!role) return 'Opens nothing: there is no such role any more.';
    return `${asOwnSentence(role.description)}${opened(role.permissions)}`;
  }

  /**
   * Whoever still has a role of this name from before, loses it first.
   *
   * @throws {ProblemError} `invalid_request`, `conflict` when the name is taken in whatever case
   */
  async function add(
    { name, permissions, description }: NewRole,
    { checkMayGrant }: Pick<RoleConditions, 'checkMayGrant'> = {},
  ): Promise<RoleRecord> {
    checkName(name);
    const role: RoleRecord = {
      id: name,
      permissions: checkPermissions(permissions, isPermission),
      ...describedBy(description),
      createdAt: now(),
    };
    checkMayGrant?.(role);
    checkIsFree(registry, name);
    await takeFromAll(name);
    await registry.update((transaction) => {
      checkIsFree(transaction, name);
      transaction.put('roles', role);
    });
    return role;
  }

  function change(
    transaction: RegistryTransaction,
    { name, permissions, description }: Pick<NewRole, 'name'> & Partial<NewRole>,
    { version, checkMayGrant }: RoleConditions,
  ) {
    const before = unchanged(transaction.get('roles', name), version);
    const { description: described, ...rest } = before;
    const after: RoleRecord = {
      ...rest,
      ...(permissions && { permissions: checkPermissions(permissions, isPermission) }),
      ...describedBy(description ?? described),
    };
    checkMayGrant?.(before, after);
    if (isDeepStrictEqual(after, before)) return { before, after: before };
    transaction.put('roles', { ...after, updatedAt: now() });
    return { before, after: transaction.get('roles', name)! };
  }
}

/** Whoever writes a description seldom ends it. */
function asOwnSentence(description: string | undefined): string {
  if (!description) return '';
  return `${description}${/[.!?…。؟]$/u.test(description) ? '' : '.'} `;
}

function opened(permissions: readonly string[]): string {
  const ofApi = permissions.filter((permission) => permission.startsWith('api:'));
  const ofMembers = permissions.filter((permission) => !ofApi.includes(permission));
  const places = [
    ['At the members', ofMembers],
    ['At the admin API', ofApi],
  ] as const;
  return places.flatMap(([at, these]) => (these.length > 0 ? [`${at}: ${these.join(', ')}.`] : [])).join(' ');
}

function unchanged(role: RoleRecord | undefined, version: string | undefined): RoleRecord {
  if (!role) return unknownRole();
  checkVersion(role, version);
  return role;
}

/** Names that differ in case alone would be taken for one another. */
function checkIsFree(transaction: Pick<RegistryTransaction, 'all'>, name: string): void {
  const all = [...transaction.all('roles').keys()];
  const taken = all.find((other) => other.toLowerCase() === name.toLowerCase());
  if (taken !== undefined)
    throw new ProblemError(problems.alreadyExists, `There is a role ${taken} already.`);
  if (all.length >= mostRoles) throw conflict(`There are ${mostRoles} roles already, and more are not kept.`);
}

/** The rules would give a role that opens nothing, and one day perhaps another of the same name. */
function checkNoRuleGives(transaction: Pick<RegistryTransaction, 'all'>, name: string): void {
  for (const provider of transaction.all('providers').values()) {
    if (givesRole(provider.roleRules, name)) {
      throw conflict(
        `Rules of the identity provider ${provider.id} give the role ${name}: change them first.`,
      );
    }
  }
}

/** @param roleRules  as the registry has it; its form belongs to the connectors */
function givesRole(roleRules: unknown, name: string): boolean {
  const { rules, defaultRole } = (roleRules ?? {}) as {
    rules?: readonly { role?: unknown }[];
    defaultRole?: unknown;
  };
  return defaultRole === name || (Array.isArray(rules) && rules.some((rule) => rule?.role === name));
}

function sorted(all: Iterable<RoleRecord>): readonly RoleRecord[] {
  return [...all].sort((one, other) => one.id.localeCompare(other.id));
}

function unknownRole(): never {
  throw new ProblemError(problems.notFound, 'There is no custom role of this name.');
}

function conflict(detail: string): ProblemError {
  return new ProblemError(problems.conflict, detail);
}
