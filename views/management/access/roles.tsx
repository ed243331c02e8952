/** Roles: what people may do, built in or made of permissions. */
import { renderDocument } from '../../layout.tsx';
import { Text, useText } from '../../texts/elements.tsx';
import { numberIn, type Translate, textsIn } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import { DetailPage, Done, type DoneNotice, Facts, Id, More, Part } from '../detail.tsx';
import type { FiltersModel } from '../filters.tsx';
import {
  type AddState,
  EditPart,
  type EditState,
  type ErrorOf,
  NotSaved,
  type Owner,
  renderAddPage,
} from '../forms/change-form.tsx';
import { TextField } from '../forms/fields.tsx';
import type { FrameModel } from '../frame.tsx';
import { History, type HistoryModel } from '../history/history.tsx';
import { OpenLink } from '../history/open-link.tsx';
import { ListPage, type ListState } from '../list.tsx';
import type { NotRead } from '../live/not-read.tsx';
import { AccessFields, type AccessForm } from './access-fields.tsx';
import { CallsOf, effectiveHrefOfRole, type OpenCalls } from './user-access.tsx';
import { userHref } from './users.tsx';

/** As the admin API has it. */
export interface ShownRole {
  readonly id: string;
  readonly description: string | null;
  readonly permissions: readonly string[];
  readonly owner: Owner;
  readonly builtIn: boolean;
  /** A hundred at most. */
  readonly users: readonly string[];
  readonly userCount: number;
  readonly updatedAt: string | null;
}

export function roleHref(id: string): string {
  return `/access/roles/${encodeURIComponent(id)}`;
}

export interface RolesModel extends ListState {
  readonly roles: readonly (ShownRole & { readonly sentence: string })[];
  readonly filters: FiltersModel;
}

export function renderRoles(model: RolesModel): string {
  return renderDocument(<Roles {...model} />, model.frame.presentation);
}

function Roles({ roles, ...list }: RolesModel) {
  const t = useText();
  return (
    <ListPage
      {...list}
      title={t('common.roles')}
      about={t('roles.about')}
      columns={[
        { title: t('common.name'), sortBy: 'id' },
        { title: t('roles.opens') },
        { title: t('access.kind') },
        { title: t('common.users'), isNumber: true },
      ]}
      rows={roles.map(({ id, sentence, builtIn, userCount }) => ({
        key: id,
        isFixed: builtIn,
        cells: [
          <a key="name" href={roleHref(id)}>
            <bdi>{id}</bdi>
          </a>,
          sentence,
          builtIn ? t('roles.builtIn') : t('roles.custom'),
          userCount === 0 ? '0' : <a href={holdersHref(id)}>{numberIn(t.language, userCount)}</a>,
        ],
      }))}
      isWhole={isOwnAlone(list.filters)}
      empty={<p>{t('roles.noOwnYet')}</p>}
    />
  );
}

/** Those that every installation has are left out, and nothing else. */
function isOwnAlone({ asked: { builtIn, ...others } }: FiltersModel): boolean {
  return builtIn === 'false' && Object.keys(others).length === 0;
}

function holdersHref(id: string): string {
  return `/access/users?role=${encodeURIComponent(id)}`;
}

export interface RoleForm {
  readonly description: string;
  readonly access: AccessForm;
}

export interface RoleModel extends EditState {
  readonly frame: FrameModel;
  readonly role: ShownRole;
  /** What it opens. */
  readonly sentence: string;
  readonly form: RoleForm;
  readonly mayChange: boolean;
  /** May add one that is like it. */
  readonly mayCopy: boolean;
  readonly notice?: DoneNotice | undefined;
  /** Undefined for who may not see them. */
  readonly calls?: readonly OpenCalls[] | NotRead | undefined;
  /** Absent for who may not read the audit. */
  readonly history?: HistoryModel | undefined;
}

export const rolesPath = (t: Translate) => [{ title: t('common.roles'), href: '/access/roles' }];

export function renderRole(model: RoleModel): string {
  return renderDocument(<Role {...model} />, model.frame.presentation);
}

function Role(model: RoleModel) {
  const t = useText();
  const { frame, role, sentence, errors, notice, mayChange, mayCopy, calls } = model;
  return (
    <DetailPage
      frame={frame}
      path={rolesPath(t)}
      title={role.id}
      acts={
        mayCopy && (
          <a class="button" href={`/access/roles?do=new&from=${encodeURIComponent(role.id)}`}>
            {t('access.copy')}
          </a>
        )
      }
      about={sentence}
      problem={errors.length > 0 ? <NotSaved /> : undefined}
      notice={notice && <Done {...notice} action={roleHref(role.id)} hidden={{ csrf: model.csrf }} />}
    >
      <Facts
        facts={[
          { name: t('roles.nameInTokens'), value: <Id>{role.id}</Id> },
          { name: t('access.kind'), value: role.builtIn ? t('roles.builtInStays') : t('roles.custom') },
          ...(role.builtIn
            ? []
            : [{ name: t('roles.description'), value: role.description ?? t('common.none') }]),
          ...(role.updatedAt === null
            ? []
            : [{ name: t('roles.changed'), value: <Ago at={new Date(role.updatedAt)} now={frame.now} /> }]),
          ...(calls
            ? [
                {
                  name: t('users.mayCall'),
                  value: <CallsOf href={effectiveHrefOfRole(role.id)} calls={calls} />,
                },
              ]
            : []),
        ]}
      />
      <Holders {...role} />
      {mayChange && !role.builtIn && <Edit {...model} />}
      {model.history && <History {...model.history} href={roleHref(role.id)} now={frame.now} />}
      {mayChange && !role.builtIn && (
        <More acts={[{ label: t('access.remove'), href: `${roleHref(role.id)}?do=remove` }]} />
      )}
    </DetailPage>
  );
}

function Holders({ id, users, userCount }: ShownRole) {
  const t = useText();
  return (
    <Part id="users" title={t('roles.whoHasIt')}>
      {users.length === 0 ? (
        <p class="empty">{t('roles.nobody')}</p>
      ) : (
        <ul class="rows boxed">
          {users.slice(0, 10).map((name) => (
            <li key={name}>
              <OpenLink href={userHref(name)}>
                <bdi>{name}</bdi>
              </OpenLink>
            </li>
          ))}
          {userCount > 10 && (
            <li>
              <OpenLink href={holdersHref(id)}>{t('roles.allHolders', { count: userCount })}</OpenLink>
            </li>
          )}
        </ul>
      )}
    </Part>
  );
}

function Edit({ role, form, ...state }: RoleModel) {
  const t = useText();
  return (
    <EditPart
      {...state}
      href={roleHref(role.id)}
      about={t('roles.countsFromNextCall')}
      fields={(errorOf) => <RoleFields form={form} errorOf={errorOf} />}
    />
  );
}

interface RoleFieldsProps {
  readonly form: RoleForm;
  readonly errorOf: ErrorOf;
}

function RoleFields({ form: { description, access }, errorOf }: RoleFieldsProps) {
  const t = useText();
  return (
    <>
      <TextField
        name="description"
        label={t('roles.description')}
        hint={t('roles.oneLine')}
        isOptional
        value={description}
        error={errorOf('description')}
      />
      <AccessFields form={access} errorOf={errorOf} />
    </>
  );
}

export interface NewRoleModel extends AddState {
  readonly id: string;
  readonly form: RoleForm;
  /** The built-in role that it is to be like. */
  readonly like?: LikeBuiltIn | undefined;
}

interface LikeBuiltIn {
  readonly id: string;
  /** Each would open more than that role does. */
  readonly leftOut: readonly string[];
}

export function renderNewRole({ id, form, like, ...state }: NewRoleModel): string {
  const t = textsIn(state.frame.presentation.language);
  return renderAddPage({
    ...state,
    path: rolesPath(t),
    title: t('roles.addRole'),
    about: t('roles.madeOf'),
    before: like && <LikeBuiltIn {...like} />,
    ...(like && { hidden: { from: like.id } }),
    id: {
      label: t('common.name'),
      hint: t('roles.nameHint'),
      value: id,
    },
    fields: (errorOf) => <RoleFields form={form} errorOf={errorOf} />,
  });
}

/** What is filled in, and what no role of one's own can have of it. */
function LikeBuiltIn({ id, leftOut }: LikeBuiltIn) {
  const t = useText();
  return (
    <>
      <p>{t('roles.filledIn', { role: id })}</p>
      {leftOut.length > 0 && (
        <p>
          <Text
            id="roles.leftOutMore"
            gaps={{ role: <bdi>{id}</bdi>, permissions: <span class="code">{leftOut.join(', ')}</span> }}
          />
        </p>
      )}
      <p>{t(id === 'Admin' ? 'roles.leftOutOfAdmin' : 'roles.leftOutOfBuiltIn', { role: id })}</p>
    </>
  );
}
