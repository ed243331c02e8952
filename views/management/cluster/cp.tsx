/** The CP subsystem: its members, its groups, and the sessions of one group. */
import { renderDocument, renderPart } from '../../layout.tsx';
import { Said, useText } from '../../texts/elements.tsx';
import { Ago } from '../ago.tsx';
import { DetailPage, More, Part } from '../detail.tsx';
import type { FrameModel } from '../frame.tsx';
import { ListId } from '../list-id.tsx';
import { Table } from '../lists/table.tsx';
import { Live } from '../live/live.tsx';
import { RowAct } from '../row-act.tsx';
import { State } from '../state.tsx';
import { memberHref } from './members.tsx';

export interface ShownCp {
  readonly isAvailable: boolean;
  /** A member has answered. */
  readonly isKnown: boolean;
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

export interface CpPartsModel {
  readonly frame: Pick<FrameModel, 'now' | 'presentation'>;
  readonly cp: ShownCp;
  /** Of the group that was asked for. */
  readonly sessions?: { readonly group: string; readonly items: readonly ShownCpSession[] } | undefined;
  /** Members of the cluster that are no CP members, by name; for who may make them some. */
  readonly others: readonly string[];
  readonly mayChange: boolean;
}

export interface CpModel extends CpPartsModel {
  readonly frame: FrameModel;
  readonly notice?: string | undefined;
}

export const cpHref = '/cluster/cp';

function actHref(fields: Readonly<Record<string, string>>): string {
  return `${cpHref}?${new URLSearchParams(fields)}`;
}

export function renderCp(model: CpModel): string {
  return renderDocument(<Cp {...model} />, model.frame.presentation);
}

function Cp(model: CpModel) {
  const t = useText();
  const { frame, notice } = model;
  return (
    <DetailPage
      frame={frame}
      path={[]}
      title={t('common.cpSubsystem')}
      state={<CpState {...model} />}
      acts={<Live />}
      notice={notice}
    >
      <CpParts {...model} />
    </DetailPage>
  );
}

/** What goes on while the page is open: none of it is a form. */
export function cpParts(model: CpPartsModel): Readonly<Record<string, string>> {
  const { presentation } = model.frame;
  return {
    'cp-state': renderPart(<CpState {...model} />, presentation),
    cp: renderPart(<CpParts {...model} />, presentation),
  };
}

function CpState({ cp }: CpPartsModel) {
  const t = useText();
  return (
    <span id="cp-state" data-part="">
      {!cp.isKnown && <State kind="unknown">{t('members.unknown')}</State>}
      {cp.isKnown && cp.isAvailable && <State kind="ok">{t('cp.available')}</State>}
      {cp.isKnown && !cp.isAvailable && <State kind="off">{t('cp.notAvailable')}</State>}
    </span>
  );
}

function CpParts(model: CpPartsModel) {
  const t = useText();
  const { cp, sessions, mayChange } = model;
  return (
    <div id="cp" class="parts">
      {cp.reason && (
        <p class="lede">
          <Said>{cp.reason}</Said>
        </p>
      )}
      {cp.isAvailable && <CpMembers {...model} />}
      {cp.isAvailable && model.others.length > 0 && <Others {...model} />}
      {cp.isAvailable && <CpGroups {...model} />}
      {sessions && <CpSessions {...model} />}
      {cp.isAvailable && mayChange && (
        <More acts={[{ label: t('cp.reset'), href: actHref({ do: 'reset' }) }]} />
      )}
    </div>
  );
}

/** Members write IPv4 addresses in brackets here, and nowhere else. */
function plainAddress(address: string): string {
  return address.replace(/^\[([\d.]+)\]/, '$1');
}

function CpMembers({ cp, mayChange }: CpPartsModel) {
  const t = useText();
  return (
    <Part id="members" title={t('cp.members')}>
      <Table
        title={t('cp.members')}
        columns={[{ title: 'UUID' }, { title: t('cp.address') }]}
        rows={cp.members.map(({ id, address }) => ({
          key: id,
          cells: [
            <ListId key="id" class="code select-all">
              {id}
            </ListId>,
            <bdi key="address">{plainAddress(address)}</bdi>,
          ],
          act: mayChange && (
            <RowAct label={t('cp.remove')} of={id} href={cpHref} act="remove-member" query={{ id }} />
          ),
        }))}
      />
    </Part>
  );
}

function Others({ others }: CpPartsModel) {
  const t = useText();
  return (
    <Part id="others" title={t('cp.others')} about={t('cp.othersAbout')}>
      <Table
        title={t('cp.others')}
        columns={[{ title: t('cp.member') }]}
        rows={others.map((id) => ({
          key: id,
          cells: [
            <a key="member" href={memberHref(id)}>
              <bdi>{id}</bdi>
            </a>,
          ],
          act: <RowAct label={t('cp.promote')} of={id} href={cpHref} act="promote" query={{ id }} />,
        }))}
      />
    </Part>
  );
}

/** Members never remove it by itself, and it has no sessions. */
const metadata = 'METADATA';

function CpGroups({ cp, mayChange }: CpPartsModel) {
  const t = useText();
  return (
    <Part id="groups" title={t('cp.groups')}>
      <Table
        title={t('cp.groups')}
        columns={[{ title: t('cp.group') }, { title: t('cp.id'), isNumber: true }]}
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
          ],
          act: mayChange && id !== metadata && (
            <RowAct label={t('cp.remove')} of={id} href={cpHref} act="remove-group" query={{ id }} />
          ),
        }))}
      />
    </Part>
  );
}

function CpSessions({ sessions, mayChange, frame }: CpPartsModel) {
  const t = useText();
  const { group, items } = sessions!;
  return (
    <Part id="sessions" title={t('cp.sessionsOf', { group })}>
      {items.length === 0 ? (
        <p>{t('cp.noSession')}</p>
      ) : (
        <Table
          title={t('common.sessions')}
          columns={[{ title: t('cp.session') }, { title: t('cp.endpoint') }, { title: t('common.expires') }]}
          rows={items.map(({ id, endpoint, endpointName, expiresAt }) => ({
            key: id,
            cells: [
              id,
              <bdi key="endpoint">{endpointName ?? endpoint}</bdi>,
              <Ago key="ends" at={expiresAt === null ? undefined : new Date(expiresAt)} now={frame.now} />,
            ],
            act: mayChange && (
              <RowAct
                label={t('cp.forceClose')}
                of={String(id)}
                href={cpHref}
                act="remove-session"
                query={{ group, id }}
              />
            ),
          }))}
        />
      )}
    </Part>
  );
}
