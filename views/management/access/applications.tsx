/** Applications: dashboards and others that people sign in to through this console. */
import { renderDocument } from '../../layout.tsx';
import { textsIn } from '../../texts/text.ts';
import { Ago, dateOf } from '../ago.tsx';
import { EditPart, type EditState, type Owner } from '../change-form.tsx';
import { DetailPage, Done, type Fact, Facts, Id, More, Part } from '../detail.tsx';
import type { FiltersModel } from '../filters.tsx';
import type { FrameModel } from '../frame.tsx';
import { History, type HistoryModel } from '../history/history.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { NameCell } from '../name-cell.tsx';
import { type Snippet, Snippets } from '../snippets.tsx';
import { State } from '../state.tsx';
import { ApplicationFields, type ApplicationForm, applicationsPath } from './application-form.tsx';
import { ClientActs, ClientState, NewSecret, Secrets, type ShownSecret } from './client-parts.tsx';
import { LogoutsPart, logoutStates, type ShownLogout } from './logouts.tsx';

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
  /** Of one that is shown by itself. */
  readonly openSessions?: { readonly value: number; readonly isExact: boolean };
  readonly lastLogout?: ShownLastLogout | null;
}

interface ShownLastLogout {
  readonly state: 'confirmed' | 'gave_up';
  readonly endedAt: string;
}

export function applicationHref(id: string): string {
  return `/access/applications/${encodeURIComponent(id)}`;
}

export interface ApplicationsModel extends ListState {
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
          <NameCell key="name" {...application} href={applicationHref(application.id)} />,
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

export interface ApplicationModel extends EditState {
  readonly frame: FrameModel;
  readonly application: ShownApplication;
  readonly form: ApplicationForm;
  readonly mayChange: boolean;
  /** Absent for who may not read the audit. */
  readonly history?: HistoryModel | undefined;
  readonly settings: readonly Snippet[];
  /** Absent for who may not see sessions. */
  readonly logouts?: readonly ShownLogout[] | undefined;
  readonly notice?: { readonly text: string; readonly undo?: string | undefined } | undefined;
  /** Shown this once. */
  readonly secret?: string | undefined;
}

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
      <Facts facts={factsOf(application, frame.now)} />
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
      {model.history && <History {...model.history} href={href} now={frame.now} />}
      {mayChange && <More acts={[{ label: 'Remove', href: `${href}?do=remove` }]} />}
    </DetailPage>,
  );
}

function factsOf(application: ShownApplication, now: Date): readonly Fact[] {
  return [
    { name: 'Client ID', value: <Id>{application.id}</Id> },
    { name: 'Kind', value: application.isPublic ? 'Public: it has no secret' : 'With a secret' },
    {
      name: 'Asks people',
      value: application.firstParty ? 'No: it is your own' : 'Whether they let it in',
    },
    {
      name: 'Sessions',
      value: (
        <a href={`/access/sessions?client=${encodeURIComponent(application.id)}`}>
          {sessionsText(application)}
        </a>
      ),
    },
    {
      name: 'Last logout',
      value: <LastLogout last={application.lastLogout} now={now} />,
    },
    { name: 'Last used', value: <Ago at={dateOf(application.lastUsedAt)} now={now} /> },
    {
      name: 'Added',
      value: <Ago at={dateOf(application.createdAt)} now={now} never="With the settings" />,
    },
  ];
}

function sessionsText({ openSessions }: ShownApplication): string {
  if (!openSessions) return 'Open sessions';
  const { value, isExact } = openSessions;
  return `${isExact ? '' : 'At least '}${value} open session${value === 1 ? '' : 's'}`;
}

function LastLogout({
  last,
  now,
}: {
  readonly last?: ShownLastLogout | null | undefined;
  readonly now: Date;
}) {
  if (!last) return <>None yet</>;
  const { kind, word } = logoutStates.get(last.state)!;
  return (
    <>
      <Ago at={dateOf(last.endedAt)} now={now} /> <State kind={kind}>{textsIn('en')(word)}</State>
    </>
  );
}

function rolesSentence({ maxRoles }: ShownApplication): string {
  if (maxRoles === null) return 'all roles that they have';
  if (maxRoles.length === 0) return 'none of their roles';
  return `whether they have the role${maxRoles.length === 1 ? '' : 's'} ${maxRoles.join(', ')}`;
}

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
  return <LogoutsPart about={about} of="user" logouts={logouts} now={now} />;
}
