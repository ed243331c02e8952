/** The fields of a user. */
import { useText } from '../../texts/elements.tsx';
import { type Translate, textsIn } from '../../texts/text.ts';
import { type AddState, type ErrorOf, renderAddPage } from '../forms/change-form.tsx';
import { ChoicesField, TextField } from '../forms/fields.tsx';

export interface UserForm {
  readonly displayName: string;
  readonly email: string;
  readonly roles: readonly RoleChoice[];
  /** That the person may take for a while. */
  readonly eligibleRoles: readonly RoleChoice[];
}

export interface RoleChoice {
  readonly id: string;
  readonly meaning: string | undefined;
  readonly isChosen: boolean;
}

export const usersPath = (t: Translate) => [{ title: t('common.users'), href: '/access/users' }];

interface UserFieldsProps {
  readonly form: UserForm;
  readonly errorOf: ErrorOf;
}

export function UserFields({ form: { displayName, email, roles, eligibleRoles }, errorOf }: UserFieldsProps) {
  const t = useText();
  return (
    <>
      <TextField
        name="displayName"
        label={t('common.name')}
        hint={t('users.inFull')}
        isOptional
        value={displayName}
        error={errorOf('displayName')}
      />
      <TextField
        name="email"
        label={t('field.email')}
        inputMode="email"
        hint={t('users.nothingSentThere')}
        isOptional
        value={email}
        error={errorOf('email')}
      />
      <ChoicesField
        id="roles"
        legend={t('common.roles')}
        error={errorOf('roles')}
        choices={roles.map(({ id, meaning, isChosen }) => ({
          name: `role:${id}`,
          label: id,
          meaning,
          isChosen,
        }))}
      />
      <ChoicesField
        id="eligibleRoles"
        legend={t('users.eligibleRoles')}
        hint={t('users.eligibleHint')}
        error={errorOf('eligibleRoles')}
        choices={eligibleRoles.map(({ id, isChosen }) => ({
          name: `eligible:${id}`,
          label: id,
          meaning: undefined,
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
  const t = textsIn(state.frame.presentation.language);
  return renderAddPage({
    ...state,
    path: usersPath(t),
    title: t('users.inviteUser'),
    about: t('users.personInvited'),
    id: { label: t('users.userName'), hint: t('users.nameOrAddress'), value: id },
    fields: (errorOf) => <UserFields form={form} errorOf={errorOf} />,
  });
}
