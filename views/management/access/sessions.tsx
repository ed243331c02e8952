/** Sessions: where people are signed in. */
import { nameBrowser } from '../../elements/user-agent.ts';
import { renderDocument } from '../../layout.tsx';
import { textsIn } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import { DetailPage, Facts, Id } from '../detail.tsx';
import type { FiltersModel } from '../filters.tsx';
import type { FrameModel } from '../frame.tsx';
import { type ListModel, ListPage } from '../list.tsx';
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

export interface SessionsModel
  extends Pick<ListModel, 'frame' | 'count' | 'nextHref' | 'firstHref' | 'notice'> {
  readonly sessions: readonly ShownSession[];
  readonly filters: FiltersModel;
}

export function renderSessions({ sessions, ...list }: SessionsModel): string {
  return renderDocument(
    <ListPage
      {...list}
      title="Sessions"
      about="Where people are signed in, with the applications that they have opened."
      columns={[
        { title: 'User' },
        { title: 'Browser' },
        { title: 'From' },
        { title: 'Applications' },
        { title: 'Started' },
        { title: 'Last seen' },
      ]}
      rows={sessions.map((session) => ({
        key: session.id,
        cells: [
          <a key="user" href={sessionHref(session.id)}>
            <bdi>{session.user}</bdi>
          </a>,
          nameBrowser(session.agent ?? undefined, textsIn('en')),
          <span key="from" class="code">
            {session.address ?? 'Unknown'}
          </span>,
          openedWith(session).join(', ') || 'None',
          <Ago key="started" at={new Date(session.startedAt)} now={list.frame.now} />,
          <Ago key="seen" at={new Date(session.lastSeenAt)} now={list.frame.now} />,
        ],
      }))}
      empty={<p>Nobody is signed in.</p>}
    />,
  );
}

/** Applications, but for this console itself. */
function openedWith({ clients }: ShownSession): readonly string[] {
  return clients.filter((client) => client !== 'console');
}

export interface SessionModel {
  readonly frame: FrameModel;
  readonly session: ShownSession;
  readonly mayEnd: boolean;
}

export function renderSession({ frame, session, mayEnd }: SessionModel): string {
  const opened = openedWith(session);
  const { id, user, provider, startedAt, lastSeenAt, expiresAt, address, agent, acr } = session;
  return renderDocument(
    <DetailPage
      frame={frame}
      path={[{ title: 'Sessions', href: '/access/sessions' }]}
      title={`Session of ${user}`}
      acts={
        mayEnd && (
          <a class="button" href={`${sessionHref(id)}?do=end`}>
            End session
          </a>
        )
      }
      about="Ending it signs the person out of every application that was opened with it."
    >
      <Facts
        facts={[
          { name: 'Session', value: <Id>{id}</Id> },
          {
            name: 'User',
            value: (
              <a href={userHref(user)}>
                <bdi>{user}</bdi>
              </a>
            ),
          },
          { name: 'Browser', value: <bdi>{agent ?? 'Unknown'}</bdi> },
          { name: 'From', value: <span class="code">{address ?? 'Unknown'}</span> },
          { name: 'Signed in with', value: <bdi>{provider ?? 'A password of this console'}</bdi> },
          { name: 'Authentication (acr)', value: acr ?? 'Unknown' },
          { name: 'Started', value: <Ago at={new Date(startedAt)} now={frame.now} /> },
          { name: 'Last seen', value: <Ago at={new Date(lastSeenAt)} now={frame.now} /> },
          { name: 'Expires', value: <Ago at={new Date(expiresAt)} now={frame.now} /> },
          {
            name: 'Applications',
            value:
              opened.length === 0
                ? 'None'
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
    </DetailPage>,
  );
}
