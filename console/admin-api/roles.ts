/** `/api/v1/roles`: the built-in roles and the custom ones, by the same rules and words as `npx console role`. */
import { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { CustomRoles, RoleChange } from '../accounts/custom-roles.ts';
import type { RoleHolders } from '../accounts/role-holders.ts';
import { roles as builtInRoles, isRole, roleDescriptions } from '../accounts/roles.ts';
import { changesBetween } from '../operations/changes.ts';
import { type Cursors, defaultItems, type ListedQuery, listOf, listQuery } from '../operations/lists.ts';
import { type Answer, type Operation, operation } from '../operations/operation.ts';
import { holdOf, holdView, ownerOf, ownerView } from '../operations/owner.ts';
import { dateTime, resource, view } from '../operations/resource-fields.ts';
import { readName, sortedPageOf, sortParameter } from '../operations/sorted-lists.ts';
import { versionOf } from '../storage/record-version.ts';
import type { RoleRecord } from '../storage/records.ts';

export interface RoleNeeds {
  readonly roles: CustomRoles;
  readonly cursors: Cursors;
}

const roleId = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/,
    'it has 1 to 64 letters from A to Z, digits and the characters . _ -, and starts with a letter',
  )
  .meta({ description: 'The name of the role, as it stands in the claim `roles`.', example: 'OrdersReader' });
const fields = {
  permissions: z
    .array(z.string().max(256))
    .min(1)
    .max(100)
    .meta({ description: 'In the spelling of scopes.', example: ['svc:map:orders-*:read'] }),
  description: z.string().max(200).meta({ description: 'One line for people.' }),
};
const role = resource({ fields, defaults: { description: null } });
const roleView = view({
  id: roleId,
  description: fields.description.nullable(),
  permissions: z
    .array(z.string())
    .meta({ description: 'In the spelling of scopes; none of a built-in one.' }),
  builtIn: z.boolean().meta({ description: 'Every installation has it, and it cannot be changed.' }),
  users: z.array(z.string()).meta({ description: 'Names of those who have it; a hundred at most.' }),
  userCount: z.number().int(),
  createdAt: dateTime.nullable(),
  updatedAt: dateTime.nullable(),
  owner: ownerView,
  hold: holdView.nullable(),
}).meta({ id: 'Role' });
const params = z.strictObject({ role: roleId });

export const roleOperations: readonly Operation<RoleNeeds>[] = [
  operation({
    id: 'listRoles',
    method: 'GET',
    path: '/roles',
    summary: 'Lists the roles, the built-in ones first.',
    access: 'read',
    query: listQuery({
      q: z.string().max(64).meta({ description: 'The beginning of its name, in any case.' }).exactOptional(),
      builtIn: z.enum(['true', 'false']).exactOptional(),
      sort: sortParameter(['id'], 'All by name; by default the built-in ones stand first.'),
    }),
    answer: listOf(roleView),
    async run({ query }, { roles, cursors }: RoleNeeds) {
      const { q = '', builtIn } = query;
      const custom = new Set(roles.list().map(({ id }) => id));
      const names = roles
        .names()
        .filter((name) => name.toLowerCase().startsWith(q.toLowerCase()))
        .filter((name) => builtIn === undefined || (builtIn === 'false') === custom.has(name));
      const named = names.map((id) => ({ id }));
      const page =
        sortedPageOf('listRoles', named, { id: ({ id }) => readName(id) }, query, cursors) ??
        usualPage(named, query, cursors);
      const items = await Promise.all(page.items.map(({ id }) => viewOf(id, roles)));
      return { body: { ...page, items } };
    },
  }),
  operation({
    id: 'createRole',
    method: 'POST',
    path: '/roles',
    summary: 'Adds a custom role.',
    access: 'write',
    event: 'role.added',
    isOneChange: true,
    isMaking: true,
    body: role.input.extend({ id: roleId }),
    answer: roleView,
    async run({ body: { id, ...input }, checkMayGrant }, { roles }: RoleNeeds) {
      const after = await roles.add(newRole(id, input), { checkMayGrant });
      return changed({ before: undefined, after }, roles);
    },
  }),
  operation({
    id: 'putRole',
    method: 'PUT',
    path: '/roles/{role}',
    summary: 'Adds a custom role of this name, or replaces all of the one that there is.',
    access: 'write',
    event: 'role.updated',
    isOneChange: true,
    params,
    body: role.input,
    answer: roleView,
    async run({ params: { role: id }, body, ifMatch: version, isNew, checkMayGrant }, { roles }: RoleNeeds) {
      const conditions = { version, isNew, checkMayGrant };
      return changed(await roles.put(newRole(notBuiltIn(id), body), conditions), roles);
    },
  }),
  operation({
    id: 'readRole',
    method: 'GET',
    path: '/roles/{role}',
    summary: 'Shows a role and who has it.',
    access: 'read',
    params,
    answer: roleView,
    async run({ params: { role: id } }, { roles }: RoleNeeds) {
      return isRole(id) ? { body: await viewOf(id, roles) } : shown(roles.get(id), roles);
    },
  }),
  operation({
    id: 'updateRole',
    method: 'PATCH',
    path: '/roles/{role}',
    summary: 'Changes what is named; counts from the next call on.',
    access: 'write',
    event: 'role.updated',
    isOneChange: true,
    params,
    body: role.patch,
    answer: roleView,
    async run({ params: { role: id }, body, ifMatch: version, checkMayGrant }, { roles }: RoleNeeds) {
      const { permissions, description } = role.changed(body);
      const change = {
        ...(permissions && { permissions }),
        ...(description !== undefined && { description: description ?? '' }),
      };
      return changed(await roles.update(notBuiltIn(id), change, { version, checkMayGrant }), roles);
    },
  }),
  operation({
    id: 'deleteRole',
    method: 'DELETE',
    path: '/roles/{role}',
    summary: 'Removes a custom role, and takes it from everybody who has it.',
    access: 'write',
    event: 'role.removed',
    isOneChange: true,
    params,
    async run({ params: { role: id }, ifMatch: version, checkMayGrant }, { roles }: RoleNeeds) {
      const { removed, names, ended = [] } = await roles.remove(notBuiltIn(id), { version, checkMayGrant });
      const changes = changesBetween({ ...said(removed), users: names }, undefined);
      return { target: id, also: ended, changes };
    },
  }),
];

function newRole(name: string, input: object) {
  const { permissions, description } = role.complete(input);
  return { name, permissions: permissions ?? [], ...(description === null ? {} : { description }) };
}

/** The built-in ones first. */
function usualPage(all: readonly { readonly id: string }[], query: ListedQuery, cursors: Cursors) {
  const { limit = defaultItems } = query;
  const from = placeAfter(
    all.map(({ id }) => id),
    cursors.read('listRoles', query),
  );
  const items = all.slice(from, from + limit);
  const hasMore = from + limit < all.length;
  const next = hasMore ? cursors.write('listRoles', query, items.at(-1)!.id) : null;
  return { items, next, count: { value: all.length, isExact: true } };
}

/** Names stand in their order, so that a list goes on behind one that has gone meanwhile. */
function placeAfter(names: readonly string[], last: string | undefined): number {
  if (last === undefined) return 0;
  if (isRole(last)) return names.indexOf(last) + 1;
  const next = names.findIndex((name) => !isRole(name) && name.localeCompare(last) > 0);
  return next < 0 ? names.length : next;
}

async function changed({ before, after }: RoleChange, roles: CustomRoles): Promise<Answer> {
  const changes = changesBetween(said(before), said(after));
  const added = before ? {} : ({ status: 201, event: 'role.added' } as const);
  return { ...(await shown(after, roles)), ...added, changes, isUnchanged: before === after };
}

/** What an administrator says of a role. */
function said(record: RoleRecord | undefined) {
  return record && { permissions: record.permissions, description: record.description ?? null };
}

async function shown(record: RoleRecord, roles: CustomRoles): Promise<Answer> {
  const body = await viewOf(record.id, roles, record);
  return { body, version: versionOf(record), target: record.id };
}

async function viewOf(name: string, roles: CustomRoles, record = roles.find(name)): Promise<object> {
  const { names: users, count: userCount }: RoleHolders = await roles.holdersOf(name);
  return {
    id: name,
    description: isRole(name) ? roleDescriptions[name] : (record?.description ?? null),
    permissions: record?.permissions ?? [],
    builtIn: isRole(name),
    users,
    userCount,
    createdAt: record ? new Date(record.createdAt).toISOString() : null,
    updatedAt: record ? new Date(record.updatedAt ?? record.createdAt).toISOString() : null,
    owner: ownerOf(record ?? {}),
    hold: holdOf(record ?? {}),
  };
}

/** @throws {ProblemError} `conflict` */
function notBuiltIn(id: string): string {
  if (!isRole(id)) return id;
  throw new ProblemError(problems.conflict, `${builtInRoles.join(', ')} are built in and stay as they are.`);
}
