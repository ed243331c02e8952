/** The CP subsystem: its members, its groups, and the sessions of one group. */
import { renderDocument } from '../../layout.tsx';
import { Ago } from '../ago.tsx';
import { DetailPage, Id, More, Part } from '../detail.tsx';
import type { FrameModel } from '../frame.tsx';
import { Table } from '../list.tsx';
import { State } from '../state.tsx';

export interface ShownCp {
  readonly isAvailable: boolean;
  /** Why not. */
  readonly reason: string | null;
  readonly members: readonly { readonly id: string; readonly address: string }[];
  readonly groups: readonly { readonly id: string; readonly groupId: number }[];
}

export interface ShownCpSession {
  readonly id: string;
  readonly endpoint: string;
  readonly endpointName: string | null;
  readonly expiresAt: string | null;
}

export interface CpModel {
  readonly frame: FrameModel;
  readonly cp: ShownCp;
  /** Of the group that was asked for. */
  readonly sessions?: { readonly group: string; readonly items: readonly ShownCpSession[] } | undefined;
  readonly mayChange: boolean;
  readonly notice?: string | undefined;
}

export const cpHref = '/cluster/cp';

function actHref(fields: Readonly<Record<string, string>>): string {
  return `${cpHref}?${new URLSearchParams(fields)}`;
}

export function renderCp(model: CpModel): string {
  const { frame, cp, sessions, mayChange, notice } = model;
  return renderDocument(
    <DetailPage
      frame={frame}
      path={[]}
      title="CP subsystem"
      state={cp.isAvailable ? <State kind="ok">Available</State> : <State kind="off">Not available</State>}
      about={cp.reason ?? undefined}
      notice={notice}
    >
      {cp.isAvailable && <CpMembers {...model} />}
      {cp.isAvailable && <CpGroups {...model} />}
      {sessions && <CpSessions {...model} />}
      {cp.isAvailable && mayChange && (
        <More acts={[{ label: 'Reset CP subsystem', href: actHref({ do: 'reset' }) }]} />
      )}
    </DetailPage>,
  );
}

function CpMembers({ cp, mayChange }: CpModel) {
  return (
    <Part id="members" title="CP members">
      <Table
        title="CP members"
        columns={[{ title: 'UUID' }, { title: 'Address' }, { title: 'Act' }]}
        rows={cp.members.map(({ id, address }) => ({
          key: id,
          cells: [
            <Id key="id">{id}</Id>,
            <bdi key="address">{address}</bdi>,
            mayChange && <a href={actHref({ do: 'remove-member', id })}>Remove</a>,
          ],
        }))}
      />
    </Part>
  );
}

/** Members never remove it by itself, and it has no sessions. */
const metadata = 'METADATA';

function CpGroups({ cp, mayChange }: CpModel) {
  return (
    <Part id="groups" title="CP groups">
      <Table
        title="CP groups"
        columns={[{ title: 'Group' }, { title: 'Id', isNumber: true }, { title: 'Act' }]}
        rows={cp.groups.map(({ id, groupId }) => ({
          key: id,
          cells: [
            id === metadata ? (
              <bdi key="id">{id}</bdi>
            ) : (
              <a key="id" href={actHref({ group: id })}>
                <bdi>{id}</bdi>
              </a>
            ),
            groupId,
            mayChange && id !== metadata && <a href={actHref({ do: 'remove-group', id })}>Remove</a>,
          ],
        }))}
      />
    </Part>
  );
}

function CpSessions({ sessions, mayChange, frame }: CpModel) {
  const { group, items } = sessions!;
  return (
    <Part id="sessions" title={`Sessions of ${group}`}>
      {items.length === 0 ? (
        <p>The group has no session now.</p>
      ) : (
        <Table
          title="Sessions"
          columns={[{ title: 'Session' }, { title: 'Endpoint' }, { title: 'Expires' }, { title: 'Act' }]}
          rows={items.map(({ id, endpoint, endpointName, expiresAt }) => ({
            key: id,
            cells: [
              id,
              <bdi key="endpoint">{endpointName ?? endpoint}</bdi>,
              <Ago key="ends" at={expiresAt === null ? undefined : new Date(expiresAt)} now={frame.now} />,
              mayChange && <a href={actHref({ do: 'remove-session', group, id })}>Force-close</a>,
            ],
          }))}
        />
      )}
    </Part>
  );
}
