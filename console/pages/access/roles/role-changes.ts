/** What the form of a role says, as a change by API, command and form, and what is asked before it is narrowed or removed. */
import type { RoleForm, ShownRole } from '../../../../views/management/access/roles.tsx';
import type { Translate } from '../../../../views/texts/text.ts';
import type { Form } from '../../../http/form.ts';
import { type Act, hitting } from '../../acts.ts';
import { picked } from '../../form-conflicts.ts';
import { controlsFor } from '../../forms.ts';
import { commandWith, setDifference, type TypedChange } from '../../ways/change-ways.ts';
import { accessFormOf, scopesOfForm, typedAccess } from '../granted-access.ts';

export function roleFormOf(
  { description, permissions }: Pick<ShownRole, 'description' | 'permissions'>,
  t: Translate,
): RoleForm {
  return { description: description ?? '', access: accessFormOf(permissions, t) };
}

export function typedForm(form: Form, t: Translate): RoleForm {
  return { description: form.get('description')?.trim() ?? '', access: typedAccess(form, t) };
}

function given({ description, access }: RoleForm) {
  return { description: description || null, permissions: scopesOfForm(access) };
}

export function addition(id: string, typed: RoleForm): TypedChange {
  const { description, permissions } = given(typed);
  const body = { permissions, ...(description !== null && { description }) };
  const said = description === null ? [] : ['--description', description];
  return {
    operation: 'createRole',
    body: { id, ...body },
    command: ['role', 'add', id, '--scope', permissions.join(' '), ...said],
  };
}

export function edit(role: ShownRole, typed: RoleForm): TypedChange {
  const { id } = role;
  const body = given(typed);
  // No flag takes a description away.
  const isCleared = body.description === null && role.description !== null;
  const command = commandWith(
    ['role', 'update', id],
    [
      isCleared || body.description === role.description ? [] : ['--description', body.description ?? ''],
      setDifference('scope', role.permissions, body.permissions),
    ],
  );
  return {
    operation: 'updateRole',
    params: { role: id },
    body,
    command,
    hasNoCommand: isCleared,
    stored: role,
  };
}

/** Permissions are spelt as scopes, and stand in the same fields. */
export const fieldOf = controlsFor(['id', 'description'], new Map([['permissions', 'scopes']]));

/** @returns undefined where nothing is taken away, or from nobody */
export function narrowing(
  { id, permissions, userCount }: ShownRole,
  change: TypedChange,
  form: Form,
  t: Translate,
): Act | undefined {
  const { operation, body } = picked(form, change);
  const left = new Set((body.permissions as readonly string[] | undefined) ?? permissions);
  const taken = permissions.filter((permission) => !left.has(permission));
  if (taken.length === 0 || userCount === 0) return undefined;
  const { csrf: _, do: _do, show: _show, ...typed } = Object.fromEntries(form);
  return {
    name: 'save',
    operation,
    title: t('roles.narrowNamed', { id }),
    effects: [t('roles.usersLose', { n: userCount, lost: taken.join(', ') }), t('roles.countsFromNextCall')],
    button: t('roles.narrow'),
    hidden: { ...typed, ...hitting(userCount) },
  };
}

export function removal({ id, userCount }: ShownRole, t: Translate): Act {
  const holders = userCount === 0 ? t('roles.nobodyHasIt') : t('roles.takenFrom', { n: userCount });
  return {
    name: 'remove',
    operation: 'deleteRole',
    title: t('users.removeNamed', { id }),
    effects: [holders, t('access.cannotBeUndone')],
    button: t('roles.removeRole'),
    isDangerous: true,
    typedName: id,
  };
}
