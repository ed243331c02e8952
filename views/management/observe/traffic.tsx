/** Calls of the last hour: who has called what, what was denied, and what took longest. */
import { renderDocument, renderPart } from '../../layout.tsx';
import { Notice } from '../../message.tsx';
import { Text, useText } from '../../texts/elements.tsx';
import { numberIn, type Translate } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import { Part } from '../detail.tsx';
import { Chips, Filters, type FiltersModel, isFiltered } from '../filters.tsx';
import { type FrameModel, ManagementPage } from '../frame.tsx';
import { OpenLink } from '../history/open-link.tsx';
import { Table } from '../lists/table.tsx';
import { Live } from '../live/live.tsx';
import { type PlotModel, Plots } from '../plot.tsx';
import { decisionHref, joinedHref } from './audit.tsx';
import { Named, Status, shortly, whatOf } from './call-cells.tsx';
import { type CallGroup, type Denials, DeniedMost, Groups } from './call-groups.tsx';
import { Waiting, type WaitingProps } from './open-calls.tsx';
import { type Narrowing, trafficHref } from './traffic-address.ts';

/** As the admin API has it. */
export interface ShownTraffic {
  readonly since: string;
  readonly minutes: number;
  readonly calls: number;
  readonly denied: number;
  readonly failed: number;
  readonly clients: readonly CallGroup[];
  readonly structures: readonly CallGroup[];
  readonly members: readonly CallGroup[];
  readonly statuses: readonly CallGroup[];
  readonly perMinute: readonly { readonly calls: number; readonly denied: number; readonly failed: number }[];
  readonly denials: readonly Denials[];
  readonly slowest: readonly ShownCall[];
  readonly latest: readonly ShownCall[];
}

export interface ShownCall {
  readonly at: string;
  readonly method: string;
  readonly route: string | null;
  readonly client: string | null;
  readonly structure: string | null;
  readonly member: string | null;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string;
  readonly decisionId: string | null;
}

export interface TrafficPartsModel extends WaitingProps {
  readonly frame: Pick<FrameModel, 'now' | 'presentation'>;
  readonly filters: FiltersModel;
  /** As the filter says it now. */
  readonly asked: Narrowing;
  readonly plots: readonly PlotModel[];
  readonly traffic: ShownTraffic;
}

export interface TrafficModel extends TrafficPartsModel {
  readonly frame: FrameModel;
  readonly notice?: string | undefined;
}

export function renderTraffic(model: TrafficModel): string {
  return renderDocument(<Traffic {...model} />, model.frame.presentation);
}

function Traffic(model: TrafficModel) {
  const t = useText();
  const { frame, filters, notice } = model;
  return (
    <ManagementPage frame={frame} title={t('common.traffic')} acts={<Live />}>
      <p class="lede">{t('traffic.about')}</p>
      {notice && <Notice>{notice}</Notice>}
      <Filters {...filters} />
      <Chips {...filters} />
      <TrafficParts {...model} />
      <Tail {...model} />
    </ManagementPage>
  );
}

/** What goes on while the page is open. */
export function trafficParts(model: TrafficPartsModel): Readonly<Record<string, string>> {
  return { traffic: renderPart(<TrafficParts {...model} />, model.frame.presentation) };
}

/** The last lines, which follow what comes. */
export function tailParts(model: TailModel): Readonly<Record<string, string>> {
  return { tail: renderPart(<Tail {...model} />, model.frame.presentation) };
}

function TrafficParts(model: TrafficPartsModel) {
  const t = useText();
  const { traffic, filters, plots, asked } = model;
  return (
    <div id="traffic" class="parts">
      <Sums {...traffic} />
      <Waiting {...model} />
      {traffic.calls === 0 ? (
        <Nothing isOfFilter={isFiltered(filters)} />
      ) : (
        <>
          <Plots plots={plots} />
          <div class="columns">
            {groupsOf(traffic, t).map((group) => (
              <Groups key={group.id} {...group} asked={asked} />
            ))}
          </div>
          <DeniedMost denials={traffic.denials} asked={asked} />
          <Calls {...model} id="slowest" title={t('traffic.slowest')} calls={traffic.slowest.slice(0, 10)} />
        </>
      )}
    </div>
  );
}

function groupsOf({ clients, structures, members, statuses }: ShownTraffic, t: Translate) {
  return [
    { id: 'clients', title: t('traffic.clients'), name: 'client', groups: clients },
    { id: 'structures', title: t('traffic.structures'), name: 'structure', groups: structures },
    { id: 'members', title: t('common.members'), name: 'member', groups: members },
    { id: 'statuses', title: t('traffic.statuses'), name: 'status', groups: statuses },
  ] as const;
}

function Sums({ calls, denied, failed, minutes }: ShownTraffic) {
  const t = useText();
  const share = (count: number) => (calls === 0 ? '–' : `${shortly((count / calls) * 100, t)} %`);
  const tiles = [
    { name: t('common.calls'), count: calls, more: `${shortly(calls / (minutes * 60), t)}/s` },
    { name: t('common.refused'), count: denied, more: share(denied) },
    { name: t('common.failed'), count: failed, more: share(failed) },
  ];
  return (
    <dl class="tiles">
      {tiles.map(({ name, count, more }) => (
        <div key={name} class="boxed">
          <dt>{name}</dt>
          <dd>
            <strong>{numberIn(t.language, count)}</strong> <span class="muted">{more}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Nothing({ isOfFilter }: { readonly isOfFilter: boolean }) {
  const t = useText();
  return (
    <div class="empty">
      {isOfFilter ? (
        <>
          <p>{t('traffic.noMatch')}</p>
          <p>
            <a href={trafficHref}>{t('common.clearIt')}</a>
          </p>
        </>
      ) : (
        <>
          <p>{t('traffic.nobody')}</p>
          <p>
            <Text
              id="traffic.whoMayCall"
              gaps={{
                clients: <a href="/access/clients">{t('common.machineClients')}</a>,
                applications: <a href="/access/applications">{t('traffic.applications')}</a>,
              }}
            />
          </p>
        </>
      )}
    </div>
  );
}

/** The last lines of the period, and how many calls it has besides. */
function Tail({ frame, traffic: { calls, latest } }: TailModel) {
  const t = useText();
  const lines = latest.slice(0, mostLines);
  const more = calls - lines.length;
  return (
    <div id="tail" class="parts" data-part="">
      <Calls
        frame={frame}
        id="latest"
        title={t('traffic.latest')}
        calls={lines}
        more={more > 0 ? t('traffic.moreCalls', { n: more }) : undefined}
      />
    </div>
  );
}

export const mostLines = 50;

export interface TailModel extends Pick<TrafficPartsModel, 'frame'> {
  readonly traffic: Pick<ShownTraffic, 'calls' | 'latest'>;
}

interface CallsProps extends Pick<TrafficPartsModel, 'frame'> {
  readonly id: string;
  readonly title: string;
  readonly calls: readonly ShownCall[];
  /** Behind the last line. */
  readonly more?: string | undefined;
}

function Calls({ id, title, calls, more, frame: { now } }: CallsProps) {
  const t = useText();
  if (calls.length === 0) return null;
  return (
    <Part id={id} title={title}>
      <Table
        title={title}
        columns={[
          { title: t('common.call') },
          { title: t('traffic.client') },
          { title: t('traffic.member') },
          { title: t('traffic.status') },
          { title: t('traffic.took'), isNumber: true },
          { title: t('traffic.when') },
        ]}
        rows={calls.map((call) => ({
          key: call.requestId,
          cells: [
            <OpenLink
              key="call"
              href={call.decisionId === null ? joinedHref(call.requestId) : decisionHref(call.decisionId)}
            >
              <bdi>{whatOf(call, t)}</bdi>
            </OpenLink>,
            <Named key="client" name="client" id={call.client} />,
            <Named key="member" name="member" id={call.member} />,
            <Status key="status" status={call.status} />,
            shortly(call.durationMs, t),
            <Ago key="at" at={new Date(call.at)} now={now} />,
          ],
        }))}
      />
      {more && <p class="muted">{more}</p>}
    </Part>
  );
}
