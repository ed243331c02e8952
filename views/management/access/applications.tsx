/** Applications: dashboards and others that people sign in to through this console. */
import { renderDocument } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import { numberIn, type Translate } from '../../texts/text.ts';
import { Ago, dateOf } from '../ago.tsx';
import { DetailPage, Done, type DoneNotice, type Fact, Facts, Id, Part } from '../detail.tsx';
import type { FiltersModel } from '../filters.tsx';
import { EditPart, type EditState, NotSaved, type Owner } from '../forms/change-form.tsx';
import type { FrameModel } from '../frame.tsx';
import { History, type HistoryModel } from '../history/history.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { NameCell } from '../name-cell.tsx';
import { type Snippet, Snippets } from '../snippets.tsx';
import { State } from '../state.tsx';
import { ApplicationFields, type ApplicationForm, applicationsPath } from './application-form.tsx';
import {
  ClientActs,
  ClientState,
  LastClientActs,
  NewSecret,
  Secrets,
  type ShownSecret,
} from './client-parts.tsx';
import { LogoutsPart, logoutStates, type ShownLogout } from './logouts.tsx';
import { ToEnable } from './switch.tsx';

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
  readonly clientUri: string | null;
  readonly logoUri: string | null;
  /** Null: all that its users have. */
  readonly maxRoles: readonly string[] | null;
  readonly secrets: readonly ShownSecret[];
  readonly owner: Owner;
  readonly lastUsedAt: string | null;
  readonly createdAt: string | null;
  readonly openSessions?: { readonly value: number; readonly isExact: boolean };
  readonly lastLogout?: ShownLastLogout | null;
}

type ShownLastLogout = Pick<ShownLogout, 'state' | 'endedAt'>;

export function applicationHref(id: string): string {
  return `/access/applications/${encodeURIComponent(id)}`;
}

export interface ApplicationsModel extends ListState {
  readonly applications: readonly ShownApplication[];
  readonly filters: FiltersModel;
}

export function renderApplications(model: ApplicationsModel): string {
  return renderDocument(<Applications {...model} />, model.frame.presentation);
}

function Applications({ applications, ...list }: ApplicationsModel) {
  const t = useText();
  return (
    <ListPage
      {...list}
      title={t('common.applications')}
      about={t('common.dashboardsOthersPeopleSign')}
      columns={[
        { title: t('common.name'), sortBy: 'id' },
        { title: t('access.status') },
        { title: t('applications.at'), isMinor: true },
        { title: t('applications.rolesItGets'), isMinor: true },
        { title: t('access.openSessions'), isNumber: true },
        { title: t('applications.lastLogout'), isMinor: true },
        { title: t('access.lastUsed'), isMinor: true },
      ]}
      rows={applications.map((application) => ({
        key: application.id,
        cells: [
          <NameCell key="name" {...application} href={applicationHref(application.id)} />,
          <ClientState key="status" status={application.status} />,
          <bdi key="at">{originOf(application)}</bdi>,
          rolesText(application, t),
          <OpenSessions key="sessions" {...application} />,
          <LastLogout key="logout" last={application.lastLogout} now={list.frame.now} />,
          <Ago key="used" at={dateOf(application.lastUsedAt)} now={list.frame.now} />,
        ],
      }))}
      empty={<p>{t('applications.noneYet')}</p>}
    />
  );
}

function originOf({ redirectUris: [first = ''] }: ShownApplication): string {
  return URL.canParse(first) ? new URL(first).origin : first;
}

function rolesText({ maxRoles }: ShownApplication, t: Translate): string {
  if (maxRoles === null) return t('applications.allOfItsUsers');
  return maxRoles.join(', ') || t('common.none');
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
  readonly notice?: DoneNotice | undefined;
  /** Shown this once. */
  readonly secret?: string | undefined;
}

export function renderApplication(model: ApplicationModel): string {
  return renderDocument(<Application {...model} />, model.frame.presentation);
}

function Application(model: ApplicationModel) {
  const t = useText();
  const { frame, application, form, errors, notice, csrf, secret, mayChange, logouts } = model;
  const href = applicationHref(application.id);
  return (
    <DetailPage
      frame={frame}
      path={applicationsPath(t)}
      title={application.displayName ?? application.id}
      state={<ClientState status={application.status} />}
      acts={<ClientActs isPublic={application.isPublic} href={href} mayChange={mayChange} />}
      about={
        <>
          {rolesSentence(application, t)}
          {mayChange && application.status === 'disabled' && <ToEnable />}
        </>
      }
      problem={errors.length > 0 ? <NotSaved /> : undefined}
      notice={notice && <Done {...notice} action={href} hidden={{ csrf }} />}
    >
      {secret !== undefined && <NewSecret secret={secret} />}
      <Facts facts={factsOf(application, logouts?.[0], frame.now, t)} />
      <Part
        id="settings"
        title={t('applications.settingsToPaste')}
        about={t('applications.completeButSecrets')}
      >
        <Snippets snippets={model.settings} />
      </Part>
      {logouts && <Logouts logouts={logouts} application={application} now={frame.now} />}
      {!application.isPublic && (
        <Secrets client={application} href={href} now={frame.now} mayChange={mayChange} />
      )}
      {mayChange && (
        <EditPart
          {...model}
          href={href}
          about={t('applications.editAbout')}
          fields={(errorOf) => <ApplicationFields form={form} errorOf={errorOf} />}
        />
      )}
      {model.history && <History {...model.history} href={href} now={frame.now} />}
      {mayChange && <LastClientActs client={application} href={href} csrf={csrf} />}
    </DetailPage>
  );
}

/** @param newest  of the logouts of a day, of which another try may follow */
function factsOf(
  application: ShownApplication,
  newest: ShownLogout | undefined,
  now: Date,
  t: Translate,
): readonly Fact[] {
  return [
    { name: t('access.clientId'), value: <Id>{application.id}</Id> },
    {
      name: t('access.kind'),
      value: application.isPublic ? t('applications.public') : t('applications.withSecret'),
    },
    ...(application.clientUri === null
      ? []
      : [
          {
            name: t('applications.homePage'),
            value: <a href={application.clientUri}>{application.clientUri}</a>,
          },
        ]),
    {
      name: t('applications.asksPeople'),
      value: application.firstParty ? t('applications.noYourOwn') : t('applications.whetherLetIn'),
    },
    {
      name: t('common.sessions'),
      value: (
        <a href={`/access/sessions?client=${encodeURIComponent(application.id)}`}>
          {sessionsText(application, t)}
        </a>
      ),
    },
    {
      name: t('applications.lastLogout'),
      value: <LastLogout last={newest ?? application.lastLogout} now={now} />,
    },
    { name: t('access.lastUsed'), value: <Ago at={dateOf(application.lastUsedAt)} now={now} /> },
    {
      name: t('access.added'),
      value: <Ago at={dateOf(application.createdAt)} now={now} never={t('access.withSettings')} />,
    },
  ];
}

function OpenSessions({ id, openSessions }: ShownApplication) {
  const t = useText();
  if (!openSessions) return null;
  const { value, isExact } = openSessions;
  const count = `${numberIn(t.language, value)}${isExact ? '' : '+'}`;
  if (value === 0) return <span>{count}</span>;
  return <a href={`/access/sessions?client=${encodeURIComponent(id)}`}>{count}</a>;
}

function sessionsText({ openSessions }: ShownApplication, t: Translate): string {
  if (!openSessions) return t('access.openSessions');
  const { value, isExact } = openSessions;
  return t(isExact ? 'applications.openSessions' : 'applications.openSessionsAtLeast', { n: value });
}

function LastLogout({
  last,
  now,
}: {
  readonly last?: ShownLastLogout | null | undefined;
  readonly now: Date;
}) {
  const t = useText();
  if (!last) return <span class="muted">{t('common.noneYet')}</span>;
  const { kind, word } = logoutStates.get(last.state)!;
  return (
    <>
      <Ago at={dateOf(last.endedAt)} now={now} /> <State kind={kind}>{t(word)}</State>
    </>
  );
}

function rolesSentence({ maxRoles }: ShownApplication, t: Translate): string {
  if (maxRoles === null) return t('applications.learnsAll');
  if (maxRoles.length === 0) return t('applications.learnsNone');
  return t('applications.learnsWhether', { n: maxRoles.length, roles: maxRoles.join(', ') });
}

interface LogoutsProps {
  readonly logouts: readonly ShownLogout[];
  readonly application: ShownApplication;
  readonly now: Date;
}

function Logouts({ logouts, application, now }: LogoutsProps) {
  const t = useText();
  const about =
    application.backchannelLogoutUri === null
      ? t('applications.noBackChannel')
      : t('applications.whetherConfirmed');
  return <LogoutsPart about={about} of="user" logouts={logouts} now={now} />;
}
