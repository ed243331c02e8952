/** Sessions: where people are signed in. */
import { nameBrowser } from '../../elements/user-agent.ts';
import { renderDocument, renderPart } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import type { Translate, WordKey } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import { DetailPage, Facts, Id, More } from '../detail.tsx';
import type { FiltersModel } from '../filters.tsx';
import type { FrameModel } from '../frame.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { Live } from '../live/live.tsx';
import { RowAct } from '../row-act.tsx';
import { userHref } from './users.tsx';

/** As the admin API has it. */
export interface ShownSession {
  readonly id: string;
  readonly user: string;
  readonly clients: readonly string[];
  readonly provider: string | null;
  readonly startedAt: string;
  readonly lastSeenAt: string;
  readonly expiresAt: string;
  readonly address: string | null;
  readonly agent: string | null;
  readonly acr: string | null;
}

export function sessionHref(id: string): string {
  return `/access/sessions/${encodeURIComponent(id)}`;
}

export const sessionsPath = (t: Translate) => [{ title: t('common.sessions'), href: '/access/sessions' }];

export interface SessionsModel extends ListState {
  readonly sessions: readonly ShownSession[];
  /** The one by which the page is read. */
  readonly ownId?: string | undefined;
  readonly mayEnd: boolean;
  /** Asks about all of them. */
  readonly endAllHref?: string | undefined;
  readonly filters: FiltersModel;
}

export function renderSessions(model: SessionsModel): string {
  return renderDocument(<Sessions {...model} />, model.frame.presentation);
}

function Sessions({ sessions, ownId, mayEnd, endAllHref, ...list }: SessionsModel) {
  const t = useText();
  return (
    <ListPage
      {...list}
      title={t('common.sessions')}
      about={t('sessions.about')}
      columns={[
        { title: t('access.user') },
        { title: t('sessions.browser') },
        { title: t('sessions.from'), isMinor: true },
        { title: t('common.signedInWith'), isMinor: true },
        { title: t('common.applications'), isMinor: true },
        { title: t('common.started'), isMinor: true },
        { title: t('sessions.lastSeen') },
      ]}
      rows={sessions.map((session) => ({
        key: session.id,
        label: session.user,
        cells: [
          <>
            <a href={sessionHref(session.id)}>
              <bdi>{session.user}</bdi>
            </a>
            {session.id === ownId && <span class="tag">{t('account.thisOne')}</span>}
          </>,
          nameBrowser(session.agent ?? undefined, t),
          <span key="from" class="code">
            {session.address ?? t('access.unknown')}
          </span>,
          <bdi key="provider">{session.provider ?? t('common.password')}</bdi>,
          openedWith(session).join(', ') || t('common.none'),
          <Ago key="started" at={new Date(session.startedAt)} now={list.frame.now} />,
          <Ago key="seen" at={new Date(session.lastSeenAt)} now={list.frame.now} />,
        ],
        act: mayEnd && session.id !== ownId && (
          <RowAct
            label={t('sessions.endOne')}
            of={`${session.user}, ${nameBrowser(session.agent ?? undefined, t)}`}
            since={new Date(session.startedAt)}
            href={sessionHref(session.id)}
            act="end"
          />
        ),
      }))}
      empty={<p>{t('sessions.nobody')}</p>}
      after={endAllHref && <More acts={[{ label: t('sessions.endAll'), href: endAllHref }]} />}
    />
  );
}

/** Applications, but for this console itself. */
function openedWith({ clients }: ShownSession): readonly string[] {
  return clients.filter((client) => client !== 'console');
}

export interface SessionModel {
  readonly frame: FrameModel;
  readonly session: ShownSession;
  /** The page is read by it. */
  readonly isOwn: boolean;
  readonly mayEnd: boolean;
  /** All of the person. */
  readonly mayEndAll: boolean;
}

export function renderSession(model: SessionModel): string {
  return renderDocument(<Session {...model} />, model.frame.presentation);
}

function Session({ frame, session, isOwn, mayEnd, mayEndAll }: SessionModel) {
  const t = useText();
  const { id, user } = session;
  return (
    <DetailPage
      frame={frame}
      path={sessionsPath(t)}
      title={t('sessions.of', { user })}
      state={isOwn && <span class="tag">{t('account.thisOne')}</span>}
      acts={
        <>
          <Live />
          {mayEnd && (
            <a class="button" href={`${sessionHref(id)}?do=end`}>
              {t('sessions.end')}
            </a>
          )}
        </>
      }
      about={t('sessions.endingIt')}
    >
      <SessionFacts frame={frame} session={session} />
      {mayEndAll && (
        <More
          acts={[{ label: t('sessions.endAllOf', { user }), href: `${userHref(user)}?do=end-sessions` }]}
        />
      )}
    </DetailPage>
  );
}

interface SessionPartsModel extends Pick<SessionModel, 'session'> {
  readonly frame: Pick<FrameModel, 'now' | 'presentation'>;
}

/** What goes on while the page of one is open. */
export function sessionParts(model: SessionPartsModel): Readonly<Record<string, string>> {
  return { 'session-facts': renderPart(<SessionFacts {...model} />, model.frame.presentation) };
}

function SessionFacts({ frame, session }: SessionPartsModel) {
  const t = useText();
  const opened = openedWith(session);
  const { id, user, provider, startedAt, lastSeenAt, expiresAt, address, agent, acr } = session;
  return (
    <div id="session-facts" data-part="">
      <Facts
        facts={[
          { name: t('sessions.session'), value: <Id>{id}</Id> },
          {
            name: t('access.user'),
            value: (
              <a href={userHref(user)}>
                <bdi>{user}</bdi>
              </a>
            ),
          },
          { name: t('sessions.browser'), value: <Browser agent={agent} /> },
          { name: t('sessions.from'), value: <span class="code">{address ?? t('access.unknown')}</span> },
          { name: t('common.signedInWith'), value: <bdi>{provider ?? t('access.passwordOfConsole')}</bdi> },
          { name: t('sessions.acr'), value: acrIn(acr, t) },
          { name: t('common.started'), value: <Ago at={new Date(startedAt)} now={frame.now} /> },
          { name: t('sessions.lastSeen'), value: <Ago at={new Date(lastSeenAt)} now={frame.now} /> },
          { name: t('common.expires'), value: <Ago at={new Date(expiresAt)} now={frame.now} /> },
          {
            name: t('common.applications'),
            value:
              opened.length === 0
                ? t('common.none')
                : opened.map((client, at) => (
                    <span key={client}>
                      {at > 0 && ', '}
                      <a href={`/access/applications/${encodeURIComponent(client)}`}>
                        <bdi>{client}</bdi>
                      </a>
                    </span>
                  )),
          },
        ]}
      />
    </div>
  );
}

/** In words, with what it says of itself. */
function Browser({ agent }: Pick<ShownSession, 'agent'>) {
  const t = useText();
  return (
    <>
      {nameBrowser(agent ?? undefined, t)} {agent !== null && <bdi class="muted">{agent}</bdi>}
    </>
  );
}

/** As tokens have it, and in words where it is one of those of this console. */
function acrIn(acr: string | null, t: Translate): string {
  if (acr === null) return t('access.unknown');
  const word = acrWords[acr];
  return word === undefined ? acr : `${t(word)} (${acr})`;
}

const acrWords: Readonly<Record<string, WordKey>> = {
  pwd: 'common.password',
  federated: 'sessions.identityProvider',
};
