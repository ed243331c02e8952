/** Users: who may sign in. */
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { Ago } from '../ago.tsx';
import {
  type AddState,
  EditPart,
  type EditState,
  type ErrorOf,
  type Owner,
  renderAddPage,
} from '../change-form.tsx';
import { DetailPage, Done, Facts, Id, Part } from '../detail.tsx';
import { ChoicesField, TextField } from '../fields.tsx';
import type { FiltersModel } from '../filters.tsx';
import type { FrameModel } from '../frame.tsx';
import { type ListModel, ListPage } from '../list.tsx';
import { State, type StateKind } from '../state.tsx';

/** As the admin API has it. */
export interface ShownUser {
  readonly id: string;
  readonly subject: string;
  readonly displayName: string | null;
  readonly email: string | null;
  readonly roles: readonly string[];
  readonly origin: { readonly provider: string | null; readonly subject: string | null };
  readonly status: UserStatus;
  readonly lastSignInAt: string | null;
  readonly owner: Owner;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type UserStatus = 'active' | 'invited' | 'disabled' | 'locked';

export interface UsersModel
  extends Pick<ListModel, 'frame' | 'count' | 'primary' | 'nextHref' | 'firstHref' | 'notice'> {
  readonly users: readonly ShownUser[];
  readonly filters: FiltersModel;
}

export function renderUsers({ users, ...list }: UsersModel): string {
  return renderDocument(
    <ListPage
      {...list}
      title="Users"
      about="People who may sign in, and what they may do."
      columns={[
        { title: 'Name' },
        { title: 'Status' },
        { title: 'Roles' },
        { title: 'Signs in with' },
        { title: 'Last sign-in' },
      ]}
      rows={users.map((user) => ({ key: user.id, cells: cellsOf(user, list.frame) }))}
      empty={<p>No users yet.</p>}
    />,
  );
}

function cellsOf({ id, displayName, status, roles, origin, lastSignInAt }: ShownUser, { now }: FrameModel) {
  return [
    <>
      <a href={userHref(id)}>
        <bdi>{displayName ?? id}</bdi>
      </a>
      {displayName !== null && (
        <>
          {' '}
          <bdi class="muted">{id}</bdi>
        </>
      )}
    </>,
    <UserState key="status" status={status} />,
    roles.length === 0 ? <span class="muted">No role</span> : roles.join(', '),
    origin.provider ?? 'Password',
    <Ago key="last" at={dateOf(lastSignInAt)} now={now} />,
  ];
}

const states: Readonly<Record<UserStatus, { readonly kind: StateKind; readonly word: string }>> = {
  active: { kind: 'ok', word: 'Active' },
  invited: { kind: 'warn', word: 'Invited' },
  disabled: { kind: 'off', word: 'Disabled' },
  locked: { kind: 'danger', word: 'Locked' },
};

function UserState({ status }: { readonly status: UserStatus }) {
  return <State kind={states[status].kind}>{states[status].word}</State>;
}

export function userHref(id: string): string {
  return `/access/users/${encodeURIComponent(id)}`;
}

function dateOf(text: string | null): Date | undefined {
  return text === null ? undefined : new Date(text);
}

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

export interface UserModel extends EditState {
  readonly frame: FrameModel;
  readonly user: ShownUser;
  /** What is typed now. */
  readonly form: UserForm;
  readonly mayChange: boolean;
  /** Who reads the page is this user. */
  readonly isReader: boolean;
  readonly notice?: { readonly text: string; readonly undo?: string | undefined } | undefined;
  /** A link by which the person chooses a password: shown this once. */
  readonly link?: { readonly href: string; readonly expiresAt: string } | undefined;
}

const usersPath = [{ title: 'Users', href: '/access/users' }];

export function renderUser(model: UserModel): string {
  const { frame, user, errors, notice, csrf, link } = model;
  const hasErrors = errors.length > 0;
  return renderDocument(
    <DetailPage
      frame={frame}
      path={usersPath}
      title={user.displayName ?? user.id}
      state={<UserState status={user.status} />}
      acts={<FirstAct {...model} />}
      about={<Sentence {...user} />}
      problem={hasErrors ? 'Nothing was saved.' : undefined}
      notice={notice && <Done {...notice} action={userHref(user.id)} hidden={{ csrf }} />}
    >
      {link && <PasswordLink {...link} />}
      <Facts
        facts={[
          { name: 'User name', value: <Id>{user.id}</Id> },
          { name: 'Subject', value: <Id>{user.subject}</Id> },
          { name: 'Signs in with', value: <bdi>{user.origin.provider ?? 'A password of this console'}</bdi> },
          { name: 'Last sign-in', value: <Ago at={dateOf(user.lastSignInAt)} now={frame.now} /> },
          { name: 'Added', value: <Ago at={new Date(user.createdAt)} now={frame.now} /> },
          {
            name: 'Sessions',
            value: <a href={`/access/sessions?user=${encodeURIComponent(user.id)}`}>Open sessions</a>,
          },
        ]}
      />
      {model.mayChange && <Edit {...model} />}
      {model.mayChange && <Danger {...model} />}
    </DetailPage>,
  );
}

/** What an administrator gives somebody who has no password yet. */
function PasswordLink({ href, expiresAt }: { readonly href: string; readonly expiresAt: string }) {
  return (
    <Part
      id="link"
      title="Link to choose a password"
      about={`Give it to the person alone: whoever has it chooses the password, once. It is shown here once, and counts until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC.`}
    >
      <bdi class="secret">{href}</bdi>
    </Part>
  );
}

function Sentence({ status, roles }: ShownUser) {
  const may =
    roles.length === 0
      ? 'Has no role, and so may do nothing'
      : `Has the role${roles.length === 1 ? '' : 's'} ${roles.join(', ')}`;
  if (status === 'disabled') return <>{may}; cannot sign in.</>;
  if (status === 'invited') return <>{may}; has not chosen a password yet.</>;
  if (status === 'locked') return <>{may}; too many wrong passwords were tried, and who tries waits.</>;
  return <>{may}.</>;
}

function FirstAct({ user: { id, status }, csrf, mayChange, isReader }: UserModel) {
  if (!mayChange) return null;
  const href = userHref(id);
  if (status === 'disabled') {
    return (
      <Form action={href} hidden={{ csrf, do: 'enable' }}>
        <button type="submit" class="button primary">
          Enable
        </button>
      </Form>
    );
  }
  if (status === 'invited') {
    return (
      <Form action={href} hidden={{ csrf, do: 'invite' }}>
        <button type="submit" class="button primary">
          Make invitation link
        </button>
      </Form>
    );
  }
  return isReader ? null : (
    <Form action={href} hidden={{ csrf, do: 'disable' }}>
      <button type="submit" class="button">
        Disable
      </button>
    </Form>
  );
}

function Edit({ user, form, ...state }: UserModel) {
  return (
    <EditPart
      {...state}
      href={userHref(user.id)}
      about="A change of roles ends what was issued to this user before."
      fields={(errorOf) => <UserFields form={form} errorOf={errorOf} />}
    />
  );
}

interface UserFieldsProps {
  readonly form: UserForm;
  readonly errorOf: ErrorOf;
}

function UserFields({ form: { displayName, email, roles }, errorOf }: UserFieldsProps) {
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

function Danger({ user: { id, status, origin }, isReader }: UserModel) {
  const href = userHref(id);
  const acts = [
    { name: 'end-sessions', label: 'End all sessions', isShown: true },
    {
      name: 'reset-password',
      label: 'Reset password',
      isShown: origin.provider === null && status !== 'invited',
    },
    { name: 'remove', label: 'Remove', isShown: !isReader },
  ].filter(({ isShown }) => isShown);
  return (
    <Part id="more" title="More" about="Each asks first, and says what it does.">
      <div class="actions">
        {acts.map(({ name, label }) => (
          <a key={name} class={`button${name === 'remove' ? ' danger' : ''}`} href={`${href}?do=${name}`}>
            {label}
          </a>
        ))}
      </div>
    </Part>
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
