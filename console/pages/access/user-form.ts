/** The form of a user: what was typed in it, and the change that this is. */
import type { RoleChoice, UserForm } from '../../../views/management/access/user-form.tsx';
import type { ShownUser } from '../../../views/management/access/users.tsx';
import type { Form } from '../../http/form.ts';
import { controlsFor } from '../forms.ts';
import { commandWith, setDifference, type TypedChange, textDifference } from '../ways/change-ways.ts';

export function emptyForm(roles: readonly Omit<RoleChoice, 'isChosen'>[]): UserForm {
  const choices = roles.map((role) => ({ ...role, isChosen: false }));
  return { displayName: '', email: '', roles: choices, eligibleRoles: choices };
}

export function formOf(form: Form, roles: readonly Omit<RoleChoice, 'isChosen'>[]): UserForm {
  return {
    displayName: form.get('displayName')?.trim() ?? '',
    email: form.get('email')?.trim() ?? '',
    roles: roles.map((role) => ({ ...role, isChosen: form.has(`role:${role.id}`) })),
    eligibleRoles: roles.map((role) => ({ ...role, isChosen: form.has(`eligible:${role.id}`) })),
  };
}

function newOf({ displayName, email, roles, eligibleRoles }: UserForm) {
  const eligible = chosenOf(eligibleRoles);
  return {
    ...(displayName !== '' && { displayName }),
    ...(email !== '' && { email }),
    roles: chosenOf(roles),
    ...(eligible.length > 0 && { eligibleRoles: eligible }),
  };
}

/** What is left empty is taken away. */
function changeOf({ displayName, email, roles, eligibleRoles }: UserForm) {
  return {
    displayName: displayName || null,
    email: email || null,
    roles: chosenOf(roles),
    eligibleRoles: chosenOf(eligibleRoles),
  };
}

function chosenOf(roles: readonly RoleChoice[]): readonly string[] {
  return roles.filter(({ isChosen }) => isChosen).map(({ id }) => id);
}

export function addition(id: string, typed: UserForm): TypedChange {
  const body = newOf(typed);
  const { displayName = null, email = null, roles, eligibleRoles = [] } = body;
  const command = ['user', 'add', id, '--invite'];
  return {
    operation: 'createUser',
    body: { id, ...body },
    command: [
      ...command,
      ...roles.flatMap((role) => ['--role', role]),
      ...eligibleRoles.flatMap((role) => ['--eligible-role', role]),
      ...textDifference('name', null, displayName),
      ...textDifference('email', null, email),
    ],
  };
}

export function edit(user: ShownUser, typed: UserForm): TypedChange {
  const { id } = user;
  const body = changeOf(typed);
  return {
    operation: 'updateUser',
    params: { user: id },
    body,
    command: commandWith(
      ['user', 'update', id],
      [
        textDifference('name', user.displayName, body.displayName),
        textDifference('email', user.email, body.email),
        setDifference('role', user.roles, body.roles),
        setDifference('eligible-role', user.eligibleRoles, body.eligibleRoles),
      ],
    ),
    stored: user,
  };
}

export const fieldOf = controlsFor(['id', 'displayName', 'email', 'roles', 'eligibleRoles']);
