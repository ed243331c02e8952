/** The fields of a user. */
import { type AddState, type ErrorOf, renderAddPage } from '../change-form.tsx';
import { ChoicesField, TextField } from '../fields.tsx';

export interface UserForm {
  readonly displayName: string;
  readonly email: string;
  readonly roles: readonly RoleChoice[];
}

export interface RoleChoice {
  readonly id: string;
  readonly meaning: string | undefined;
  readonly isChosen: boolean;
}

export const usersPath = [{ title: 'Users', href: '/access/users' }];

interface UserFieldsProps {
  readonly form: UserForm;
  readonly errorOf: ErrorOf;
}

export function UserFields({ form: { displayName, email, roles }, errorOf }: UserFieldsProps) {
  return (
    <>
      <TextField
        name="displayName"
        label="Name"
        hint="In full, for people."
        isOptional
        value={displayName}
        error={errorOf('displayName')}
      />
      <TextField
        name="email"
        label="Email"
        inputMode="email"
        hint="Nothing is sent there."
        isOptional
        value={email}
        error={errorOf('email')}
      />
      <ChoicesField
        id="roles"
        legend="Roles"
        error={errorOf('roles')}
        choices={roles.map(({ id, meaning, isChosen }) => ({
          name: `role:${id}`,
          label: id,
          meaning,
          isChosen,
        }))}
      />
    </>
  );
}

export interface NewUserModel extends AddState {
  readonly id: string;
  readonly form: UserForm;
}

export function renderNewUser({ id, form, ...state }: NewUserModel): string {
  return renderAddPage({
    ...state,
    path: usersPath,
    title: 'Add user',
    about: 'The person is invited: the next page has a link by which they choose a password.',
    id: { label: 'User name', hint: 'By which the person signs in, in any case.', value: id },
    fields: (errorOf) => <UserFields form={form} errorOf={errorOf} />,
  });
}
