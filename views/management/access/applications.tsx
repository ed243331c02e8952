/** Applications: dashboards and others that people sign in to through this console. */
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
import { ChoicesField, LinesField, TextField } from '../fields.tsx';
import type { FiltersModel } from '../filters.tsx';
import type { FrameModel } from '../frame.tsx';
import { type ListModel, ListPage, Table } from '../list.tsx';
import { type Snippet, Snippets } from '../snippets.tsx';
import { State, type StateKind } from '../state.tsx';
import {
  ClientActs,
  ClientName,
  ClientState,
  dateOf,
  NewSecret,
  RemovePart,
  Secrets,
  type ShownSecret,
} from './client-parts.tsx';
import { userHref } from './users.tsx';

/** As the admin API has it. */
export interface ShownApplication {
  readonly id: string;
  readonly status: 'active' | 'disabled';
  readonly displayName: string | null;
  readonly scopes: readonly string[];
  readonly isPublic: boolean;
  readonly firstParty: boolean;
  readonly redirectUris: readonly string[];
  readonly postLogoutUris: readonly string[];
  readonly backchannelLogoutUri: string | null;
  /** Null: all that its users have. */
  readonly maxRoles: readonly string[] | null;
  readonly secrets: readonly ShownSecret[];
  readonly owner: Owner;
  readonly lastUsedAt: string | null;
  readonly createdAt: string | null;
}

export interface ShownLogout {
  readonly endedAt: string;
  readonly user: string | null;
  readonly state: 'waiting' | 'told' | 'confirmed' | 'gave_up';
  readonly lastError: string | null;
}

export function applicationHref(id: string): string {
  return `/access/applications/${encodeURIComponent(id)}`;
}

export interface ApplicationsModel
  extends Pick<ListModel, 'frame' | 'count' | 'primary' | 'nextHref' | 'firstHref' | 'notice'> {
  readonly applications: readonly ShownApplication[];
  readonly filters: FiltersModel;
}

export function renderApplications({ applications, ...list }: ApplicationsModel): string {
  return renderDocument(
    <ListPage
      {...list}
      title="Applications"
      about="Dashboards and others that people sign in to through this console."
      columns={[
        { title: 'Name' },
        { title: 'Status' },
        { title: 'At' },
        { title: 'Roles that it gets' },
        { title: 'Last used' },
      ]}
      rows={applications.map((application) => ({
        key: application.id,
        cells: [
          <ClientName key="name" {...application} href={applicationHref(application.id)} />,
          <ClientState key="status" status={application.status} />,
          <bdi key="at">{originOf(application)}</bdi>,
          rolesText(application),
          <Ago key="used" at={dateOf(application.lastUsedAt)} now={list.frame.now} />,
        ],
      }))}
      empty={<p>No application yet: add one for each dashboard that people are to sign in to.</p>}
    />,
  );
}

function originOf({ redirectUris: [first = ''] }: ShownApplication): string {
  return URL.canParse(first) ? new URL(first).origin : first;
}

function rolesText({ maxRoles }: ShownApplication): string {
  if (maxRoles === null) return 'All of its users';
  return maxRoles.join(', ') || 'None';
}

export interface ApplicationForm {
  readonly displayName: string;
  /** Under which people reach it: asked for where a framework says the rest. */
  readonly url: string;
  /** A line each. */
  readonly redirectUris: string;
  readonly postLogoutUris: string;
  readonly backchannelLogoutUri: string;
  readonly isFirstParty: boolean;
  readonly roles: readonly { readonly id: string; readonly isChosen: boolean }[];
}

export interface ApplicationModel extends EditState {
  readonly frame: FrameModel;
  readonly application: ShownApplication;
  readonly form: ApplicationForm;
  readonly mayChange: boolean;
  readonly settings: readonly Snippet[];
  /** Absent for who may not see sessions. */
  readonly logouts?: readonly ShownLogout[] | undefined;
  readonly notice?: { readonly text: string; readonly undo?: string | undefined } | undefined;
  /** Shown this once. */
  readonly secret?: string | undefined;
}

const applicationsPath = [{ title: 'Applications', href: '/access/applications' }];

export function renderApplication(model: ApplicationModel): string {
  const { frame, application, form, errors, notice, csrf, secret, mayChange, logouts } = model;
  const href = applicationHref(application.id);
  return renderDocument(
    <DetailPage
      frame={frame}
      path={applicationsPath}
      title={application.displayName ?? application.id}
      state={<ClientState status={application.status} />}
      acts={<ClientActs client={application} href={href} csrf={csrf} mayChange={mayChange} />}
      about={`People sign in to it here, and it learns ${rolesSentence(application)}.`}
      problem={errors.length > 0 ? 'Nothing was saved.' : undefined}
      notice={notice && <Done {...notice} action={href} hidden={{ csrf }} />}
    >
      {secret !== undefined && <NewSecret secret={secret} />}
      <Facts
        facts={[
          { name: 'Client ID', value: <Id>{application.id}</Id> },
          { name: 'Kind', value: application.isPublic ? 'Public: it has no secret' : 'With a secret' },
          {
            name: 'Asks people',
            value: application.firstParty ? 'No: it is your own' : 'Whether they let it in',
          },
          {
            name: 'Sessions',
            value: (
              <a href={`/access/sessions?client=${encodeURIComponent(application.id)}`}>Open sessions</a>
            ),
          },
          { name: 'Last used', value: <Ago at={dateOf(application.lastUsedAt)} now={frame.now} /> },
          {
            name: 'Added',
            value: <Ago at={dateOf(application.createdAt)} now={frame.now} never="With the settings" />,
          },
        ]}
      />
      <Part id="settings" title="Settings to paste" about="Complete, but for secrets.">
        <Snippets snippets={model.settings} />
      </Part>
      {logouts && <Logouts logouts={logouts} application={application} now={frame.now} />}
      {!application.isPublic && (
        <Secrets secrets={application.secrets} href={href} now={frame.now} mayChange={mayChange} />
      )}
      {mayChange && (
        <EditPart
          {...model}
          href={href}
          about="An address that it had and loses ends what was issued to it."
          fields={(errorOf) => <ApplicationFields form={form} errorOf={errorOf} />}
        />
      )}
      {mayChange && <RemovePart href={href} />}
    </DetailPage>,
  );
}

function rolesSentence({ maxRoles }: ShownApplication): string {
  if (maxRoles === null) return 'all roles that they have';
  if (maxRoles.length === 0) return 'none of their roles';
  return `whether they have the role${maxRoles.length === 1 ? '' : 's'} ${maxRoles.join(', ')}`;
}

interface LogoutState {
  readonly kind: StateKind;
  readonly word: string;
}

const logoutStates: ReadonlyMap<ShownLogout['state'], LogoutState> = new Map([
  ['waiting', { kind: 'warn', word: 'Waiting' }],
  ['told', { kind: 'warn', word: 'Notified, not confirmed' }],
  ['confirmed', { kind: 'ok', word: 'Confirmed' }],
  ['gave_up', { kind: 'danger', word: 'Gave up' }],
]);

interface LogoutsProps {
  readonly logouts: readonly ShownLogout[];
  readonly application: ShownApplication;
  readonly now: Date;
}

function Logouts({ logouts, application, now }: LogoutsProps) {
  const about =
    application.backchannelLogoutUri === null
      ? 'It has no back-channel logout address: nobody tells it that a session has ended.'
      : 'Whether it has confirmed the sessions that ended within a day.';
  return (
    <Part id="logouts" title="Last logouts" about={about}>
      {logouts.length === 0 ? (
        <p class="empty">None within a day.</p>
      ) : (
        <Table
          title="Last logouts"
          columns={[{ title: 'User' }, { title: 'Outcome' }, { title: 'Ended' }, { title: 'Reason' }]}
          rows={logouts.map(({ endedAt, user, state, lastError }) => ({
            key: `${endedAt} ${user}`,
            cells: [
              user === null ? (
                'Removed'
              ) : (
                <a key="user" href={userHref(user)}>
                  <bdi>{user}</bdi>
                </a>
              ),
              <State key="state" kind={logoutStates.get(state)!.kind}>
                {logoutStates.get(state)!.word}
              </State>,
              <Ago key="ended" at={new Date(endedAt)} now={now} />,
              lastError ?? '',
            ],
          }))}
        />
      )}
    </Part>
  );
}

interface FieldsProps {
  readonly form: ApplicationForm;
  readonly errorOf: ErrorOf;
}

function NameField({ form, errorOf }: FieldsProps) {
  return (
    <TextField
      name="displayName"
      label="Name"
      hint="What people see of it."
      isOptional
      value={form.displayName}
      error={errorOf('displayName')}
    />
  );
}

function RoleFields({ form: { roles, isFirstParty }, errorOf }: FieldsProps) {
  return (
    <>
      <ChoicesField
        id="roles"
        legend="Roles that it gets"
        hint="Of those that the person has, these are in its tokens."
        error={errorOf('roles')}
        choices={roles.map(({ id, isChosen }) => ({ name: `role:${id}`, label: id, isChosen }))}
      />
      <ChoicesField
        id="trust"
        legend="Consent"
        choices={[
          {
            name: 'firstParty',
            label: 'It is our own',
            meaning: 'People are not asked whether they let it in.',
            isChosen: isFirstParty,
          },
        ]}
      />
    </>
  );
}

function AddressFields({ form, errorOf }: FieldsProps) {
  return (
    <>
      <LinesField
        name="redirectUris"
        label="Redirect URIs"
        hint="Where people come back to, a line each: https, or http at loopback. Compared character by character."
        value={form.redirectUris}
        error={errorOf('redirectUris')}
      />
      <LinesField
        name="postLogoutUris"
        label="Addresses after sign-out"
        hint="Where people may be sent after they have signed out, a line each."
        isOptional
        rows={2}
        value={form.postLogoutUris}
        error={errorOf('postLogoutUris')}
      />
      <TextField
        name="backchannelLogoutUri"
        label="Back-channel logout URI"
        inputMode="url"
        hint="Where the console posts a logout token when a session ends."
        isOptional
        value={form.backchannelLogoutUri}
        error={errorOf('backchannelLogoutUri')}
      />
    </>
  );
}

function ApplicationFields(props: FieldsProps) {
  return (
    <>
      <NameField {...props} />
      <AddressFields {...props} />
      <RoleFields {...props} />
    </>
  );
}

export interface NewApplicationModel extends AddState {
  readonly id: string;
  readonly form: ApplicationForm;
  readonly presets: readonly { readonly id: string; readonly label: string; readonly meaning: string }[];
  /** The id of the chosen one. */
  readonly preset: string;
  /** Its addresses come of one. */
  readonly hasUrl: boolean;
}

export function renderNewApplication({
  id,
  form,
  presets,
  preset,
  hasUrl,
  ...state
}: NewApplicationModel): string {
  return renderAddPage({
    ...state,
    path: applicationsPath,
    title: 'Add application',
    about: 'The next page has its secret, where it has one, and the settings to paste.',
    before: <Presets presets={presets} preset={preset} />,
    hidden: { for: preset },
    id: {
      label: 'Client ID',
      hint: 'Letters, digits, dots, hyphens and underscores. It stays as it is.',
      value: id,
    },
    fields: (errorOf) => (
      <>
        <NameField form={form} errorOf={errorOf} />
        {hasUrl ? (
          <TextField
            name="url"
            label="Address"
            inputMode="url"
            hint="Under which people reach it, such as https://orders.example.com. The rest follows from it."
            value={form.url}
            error={errorOf('url')}
          />
        ) : (
          <AddressFields form={form} errorOf={errorOf} />
        )}
        <RoleFields form={form} errorOf={errorOf} />
      </>
    ),
  });
}

function Presets({ presets, preset }: Pick<NewApplicationModel, 'presets' | 'preset'>) {
  return (
    <nav class="presets" aria-label="Made with">
      {presets.map(({ id, label, meaning }) => (
        <a
          key={id}
          class="preset boxed"
          href={`/access/applications?do=new&for=${id}`}
          aria-current={id === preset ? 'true' : undefined}
        >
          {label}
          <span class="hint">{meaning}</span>
        </a>
      ))}
    </nav>
  );
}
