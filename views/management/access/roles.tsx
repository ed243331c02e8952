/** Roles: what people may do, built in or made of permissions. */
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
import { DetailPage, Facts, Id, More, Part } from '../detail.tsx';
import { TextField } from '../fields.tsx';
import type { FrameModel } from '../frame.tsx';
import { History, type HistoryModel } from '../history/history.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { AccessFields, type AccessForm } from './access-fields.tsx';
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
}

export function renderRoles({ roles, ...list }: RolesModel): string {
  return renderDocument(
    <ListPage
      {...list}
      title="Roles"
      about="What people may do: three that every installation has, and your own."
      columns={[{ title: 'Name' }, { title: 'Opens' }, { title: 'Kind' }, { title: 'Users', isNumber: true }]}
      rows={roles.map(({ id, sentence, builtIn, userCount }) => ({
        key: id,
        cells: [
          <a key="name" href={roleHref(id)}>
            <bdi>{id}</bdi>
          </a>,
          sentence,
          builtIn ? 'Built in' : 'Custom',
          userCount === 0 ? (
            '0'
          ) : (
            <a href={holdersHref(id)}>{new Intl.NumberFormat('en').format(userCount)}</a>
          ),
        ],
      }))}
      empty={<p>No roles.</p>}
    />,
  );
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
  readonly notice?: string | undefined;
  /** Absent for who may not read the audit. */
  readonly history?: HistoryModel | undefined;
}

const rolesPath = [{ title: 'Roles', href: '/access/roles' }];

export function renderRole(model: RoleModel): string {
  const { frame, role, sentence, errors, notice, mayChange } = model;
  return renderDocument(
    <DetailPage
      frame={frame}
      path={rolesPath}
      title={role.id}
      acts={
        mayChange &&
        !role.builtIn && (
          <a class="button" href={`/access/roles?do=new&from=${encodeURIComponent(role.id)}`}>
            Copy
          </a>
        )
      }
      about={sentence}
      problem={errors.length > 0 ? 'Nothing was saved.' : undefined}
      notice={notice}
    >
      <Facts
        facts={[
          { name: 'Name in tokens', value: <Id>{role.id}</Id> },
          { name: 'Kind', value: role.builtIn ? 'Built in: it stays as it is' : 'Custom' },
          ...(role.builtIn ? [] : [{ name: 'Description', value: role.description ?? 'None' }]),
          ...(role.updatedAt === null
            ? []
            : [{ name: 'Changed', value: <Ago at={new Date(role.updatedAt)} now={frame.now} /> }]),
        ]}
      />
      <Holders {...role} />
      {mayChange && !role.builtIn && <Edit {...model} />}
      {model.history && <History {...model.history} href={roleHref(role.id)} now={frame.now} />}
      {mayChange && !role.builtIn && (
        <More acts={[{ label: 'Remove', href: `${roleHref(role.id)}?do=remove` }]} />
      )}
    </DetailPage>,
  );
}

function Holders({ id, users, userCount }: ShownRole) {
  return (
    <Part id="users" title="Who has it">
      {users.length === 0 ? (
        <p class="empty">Nobody.</p>
      ) : (
        <ul class="rows boxed">
          {users.slice(0, 10).map((name) => (
            <li key={name}>
              <a href={userHref(name)}>
                <bdi>{name}</bdi>
              </a>
            </li>
          ))}
          {userCount > 10 && (
            <li>
              <a href={holdersHref(id)}>All {new Intl.NumberFormat('en').format(userCount)}</a>
            </li>
          )}
        </ul>
      )}
    </Part>
  );
}

function Edit({ role, form, ...state }: RoleModel) {
  return (
    <EditPart
      {...state}
      href={roleHref(role.id)}
      about="It counts from the next call on, for everybody who has the role."
      fields={(errorOf) => <RoleFields form={form} errorOf={errorOf} />}
    />
  );
}

interface RoleFieldsProps {
  readonly form: RoleForm;
  readonly errorOf: ErrorOf;
}

function RoleFields({ form: { description, access }, errorOf }: RoleFieldsProps) {
  return (
    <>
      <TextField
        name="description"
        label="Description"
        hint="One line for people."
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
}

export function renderNewRole({ id, form, ...state }: NewRoleModel): string {
  return renderAddPage({
    ...state,
    path: rolesPath,
    title: 'Add role',
    about: 'A role of your own, made of what it opens. People get it on their page.',
    id: {
      label: 'Name',
      hint: 'As it stands in tokens: letters, digits, dots, hyphens and underscores. It stays as it is.',
      value: id,
    },
    fields: (errorOf) => <RoleFields form={form} errorOf={errorOf} />,
  });
}
