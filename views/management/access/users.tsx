/** Users: who may sign in. */
import { Form } from '../../elements/form.tsx';
import { Time } from '../../elements/time.tsx';
import { renderDocument } from '../../layout.tsx';
import { Text, useText } from '../../texts/elements.tsx';
import type { Translate, WordKey } from '../../texts/text.ts';
import { Ago, dateOf } from '../ago.tsx';
import { Copyable } from '../copyable.tsx';
import { DetailPage, Done, type DoneNotice, Facts, Id, More, Part } from '../detail.tsx';
import type { FiltersModel } from '../filters.tsx';
import { EditPart, type EditState, NotSaved, type Owner } from '../forms/change-form.tsx';
import type { FrameModel } from '../frame.tsx';
import { History, type HistoryModel } from '../history/history.tsx';
import { ListPage, type ListState } from '../list.tsx';
import type { NotRead } from '../live/not-read.tsx';
import { NameCell } from '../name-cell.tsx';
import { State, type StateKind } from '../state.tsx';
import { LogoutsPart, type ShownLogout } from './logouts.tsx';
import { switchAct, ToEnable } from './switch.tsx';
import {
  CallsOf,
  effectiveHrefOf,
  elevationFacts,
  type OpenCalls,
  type OpenElevation,
  type OpenSessions,
  SessionsOf,
} from './user-access.tsx';
import { UserFields, type UserForm, usersPath } from './user-form.tsx';

/** As the admin API has it. */
export interface ShownUser {
  readonly id: string;
  readonly subject: string;
  readonly displayName: string | null;
  readonly email: string | null;
  readonly roles: readonly string[];
  /** That the person may take for a while. */
  readonly eligibleRoles: readonly string[];
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

export function renderUsers(model: UsersModel): string {
  return renderDocument(<Users {...model} />, model.frame.presentation);
}

function Users({ users, ...list }: UsersModel) {
  const t = useText();
  return (
    <ListPage
      {...list}
      title={t('common.users')}
      about={t('common.peopleWhoMaySign')}
      columns={[
        { title: t('common.name'), sortBy: 'id' },
        { title: t('access.status') },
        { title: t('common.roles') },
        { title: t('users.signsInWith') },
        { title: t('common.lastSignIn') },
      ]}
      rows={users.map((user) => ({ key: user.id, cells: cellsOf(user, list.frame, t) }))}
      empty={
        <p>
          {t('users.noUsersYet')} {t('users.forWhat')}
        </p>
      }
    />
  );
}

function cellsOf(
  { id, displayName, status, roles, origin, lastSignInAt }: ShownUser,
  { now }: FrameModel,
  t: Translate,
) {
  return [
    <NameCell key="name" id={id} displayName={displayName} href={userHref(id)} />,
    <UserState key="status" status={status} />,
    roles.length === 0 ? <span class="muted">{t('users.noRole')}</span> : roles.join(', '),
    origin.provider ?? t('common.password'),
    <Ago key="last" at={dateOf(lastSignInAt)} now={now} />,
  ];
}

const states: Readonly<Record<UserStatus, { readonly kind: StateKind; readonly word: WordKey }>> = {
  active: { kind: 'ok', word: 'users.active' },
  invited: { kind: 'warn', word: 'users.invited' },
  disabled: { kind: 'off', word: 'access.disabled' },
  locked: { kind: 'danger', word: 'users.locked' },
};

function UserState({ status }: { readonly status: UserStatus }) {
  const t = useText();
  return <State kind={states[status].kind}>{t(states[status].word)}</State>;
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
  /** Absent for who may not see it, and where it cannot be said now. */
  readonly calls?: readonly OpenCalls[] | NotRead | undefined;
  /** Absent for who may not see sessions. */
  readonly sessions?: OpenSessions | undefined;
  /** Roles that the person has for a while. */
  readonly elevations?: readonly OpenElevation[] | NotRead | undefined;
  readonly logouts?: readonly ShownLogout[] | undefined;
  /** Who reads the page is this user. */
  readonly isReader: boolean;
  readonly notice?: DoneNotice | undefined;
  /** A link by which the person chooses a password: shown this once. */
  readonly link?: { readonly href: string; readonly expiresAt: string } | undefined;
}

export function renderUser(model: UserModel): string {
  return renderDocument(<User {...model} />, model.frame.presentation);
}

function User(model: UserModel) {
  const t = useText();
  const { frame, user, errors, notice, csrf, link } = model;
  const hasErrors = errors.length > 0;
  return (
    <DetailPage
      frame={frame}
      path={usersPath(t)}
      title={user.displayName ?? user.id}
      state={<UserState status={user.status} />}
      acts={<FirstAct {...model} />}
      about={
        <>
          {sentenceOf(user, t)}
          {model.mayChange && user.status === 'disabled' && <ToEnable />}
        </>
      }
      problem={hasErrors ? <NotSaved /> : undefined}
      notice={notice && <Done {...notice} action={userHref(user.id)} hidden={{ csrf }} />}
    >
      {link && <PasswordLink {...link} />}
      <Facts
        facts={[
          { name: t('users.userName'), value: <Id>{user.id}</Id> },
          { name: t('users.subject'), value: <Id>{user.subject}</Id> },
          {
            name: t('users.signsInWith'),
            value: <bdi>{user.origin.provider ?? t('access.passwordOfConsole')}</bdi>,
          },
          { name: t('common.lastSignIn'), value: <Ago at={dateOf(user.lastSignInAt)} now={frame.now} /> },
          { name: t('access.added'), value: <Ago at={new Date(user.createdAt)} now={frame.now} /> },
          {
            name: t('common.sessions'),
            value: <SessionsOf user={user.id} sessions={model.sessions} now={frame.now} />,
          },
          ...elevationFacts({ ...model, mayEndElevations: model.mayChange || model.isReader }, t),
          ...(model.calls
            ? [
                {
                  name: t('users.mayCall'),
                  value: <CallsOf href={effectiveHrefOf(user.id)} calls={model.calls} />,
                },
              ]
            : []),
        ]}
      />
      {model.logouts && model.logouts.length > 0 && (
        <LogoutsPart
          about={t('users.whetherConfirmed')}
          of="client"
          logouts={model.logouts}
          now={frame.now}
        />
      )}
      {model.mayChange && <Edit {...model} />}
      {model.history && <History {...model.history} href={userHref(user.id)} now={frame.now} />}
      {model.mayChange && <LastActs {...model} />}
    </DetailPage>
  );
}

/** What an administrator gives somebody who has no password yet. */
function PasswordLink({ href, expiresAt }: { readonly href: string; readonly expiresAt: string }) {
  const t = useText();
  return (
    <Part
      id="link"
      title={t('users.linkToChoose')}
      about={<Text id="users.giveItAlone" gaps={{ until: <Time at={new Date(expiresAt)} /> }} />}
    >
      <Copyable>
        <bdi class="secret">{href}</bdi>
      </Copyable>
    </Part>
  );
}

function sentenceOf({ status, roles }: ShownUser, t: Translate): string {
  const may =
    roles.length === 0
      ? t('users.hasNoRole')
      : t('users.hasRoles', { n: roles.length, roles: roles.join(', ') });
  if (status === 'disabled') return t('users.cannotSignIn', { may });
  if (status === 'invited') return t('users.noPasswordYet', { may });
  if (status === 'locked') return t('users.tooManyTried', { may });
  return `${may}.`;
}

function FirstAct({ user: { id, status }, csrf, mayChange }: UserModel) {
  const t = useText();
  if (!mayChange || status !== 'invited') return null;
  return (
    <Form action={userHref(id)} hidden={{ csrf, do: 'invite' }}>
      <button type="submit" class="button primary">
        {t('users.makeInvitationLink')}
      </button>
    </Form>
  );
}

function Edit({ user, form, ...state }: UserModel) {
  const t = useText();
  return (
    <EditPart
      {...state}
      href={userHref(user.id)}
      about={t('users.changeOfRoles')}
      fields={(errorOf) => <UserFields form={form} errorOf={errorOf} />}
    />
  );
}

/** Nobody disables or removes themselves. */
function LastActs({ user: { id, status, origin }, csrf, isReader }: UserModel) {
  const t = useText();
  const href = userHref(id);
  const isEnabled = status !== 'disabled';
  const hasPasswordHere = origin.provider === null && status !== 'invited';
  const asking = (name: string, label: string) => ({ label, href: `${href}?do=${name}`, isMild: true });
  return (
    <More
      acts={[
        ...(isReader ? [] : [switchAct({ isEnabled, href, csrf }, t)]),
        ...(isReader || !isEnabled ? [] : [asking('end-everything', t('users.endEverything'))]),
        asking('end-sessions', t('users.endAllSessions')),
        ...(hasPasswordHere ? [asking('reset-password', t('users.resetPassword'))] : []),
        ...(isReader ? [] : [{ label: t('access.remove'), href: `${href}?do=remove` }]),
      ]}
    />
  );
}
