/** Users: who may sign in. */
import { Form } from '../../elements/form.tsx';
import { Time } from '../../elements/time.tsx';
import { renderDocument } from '../../layout.tsx';
import { Ago, dateOf } from '../ago.tsx';
import { EditPart, type EditState, type Owner } from '../change-form.tsx';
import { Copyable } from '../copyable.tsx';
import { DetailPage, Done, Facts, Id, Part } from '../detail.tsx';
import type { FiltersModel } from '../filters.tsx';
import type { FrameModel } from '../frame.tsx';
import { History, type HistoryModel } from '../history/history.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { NameCell } from '../name-cell.tsx';
import { State, type StateKind } from '../state.tsx';
import { LogoutsPart, type ShownLogout } from './logouts.tsx';
import { UserFields, type UserForm, usersPath } from './user-form.tsx';

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

export interface UsersModel extends ListState {
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
    <NameCell key="name" id={id} displayName={displayName} href={userHref(id)} />,
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

export interface UserModel extends EditState {
  readonly frame: FrameModel;
  readonly user: ShownUser;
  /** What is typed now. */
  readonly form: UserForm;
  readonly mayChange: boolean;
  /** Absent for who may not read the audit. */
  readonly history?: HistoryModel | undefined;
  /** Absent for who may not see sessions. */
  readonly logouts?: readonly ShownLogout[] | undefined;
  /** Who reads the page is this user. */
  readonly isReader: boolean;
  readonly notice?: { readonly text: string; readonly undo?: string | undefined } | undefined;
  /** A link by which the person chooses a password: shown this once. */
  readonly link?: { readonly href: string; readonly expiresAt: string } | undefined;
}

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
      {model.logouts && model.logouts.length > 0 && (
        <LogoutsPart
          about="Whether applications have confirmed the sessions that ended within a day."
          of="client"
          logouts={model.logouts}
          now={frame.now}
        />
      )}
      {model.mayChange && <Edit {...model} />}
      {model.history && <History {...model.history} href={userHref(user.id)} now={frame.now} />}
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
      about={
        <>
          Give it to the person alone: whoever has it chooses the password, once. It is shown here once, and
          counts until <Time at={new Date(expiresAt)} />.
        </>
      }
    >
      <Copyable>
        <bdi class="secret">{href}</bdi>
      </Copyable>
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

function Danger({ user: { id, status, origin }, isReader }: UserModel) {
  const href = userHref(id);
  const acts = [
    { name: 'end-everything', label: 'End everything', isShown: !isReader && status !== 'disabled' },
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
