/** Calls of the last hour: who has called what, what was denied, and what took longest. */
import { renderDocument, renderPart } from '../../layout.tsx';
import { Notice } from '../../message.tsx';
import { Text, useText } from '../../texts/elements.tsx';
import { numberIn, type Translate, type WordKey } from '../../texts/text.ts';
import { clientHref } from '../access/clients.tsx';
import { Ago } from '../ago.tsx';
import { memberHref } from '../cluster/members.tsx';
import { structureHref } from '../cluster/structures.tsx';
import { Part } from '../detail.tsx';
import { Filters, type FiltersModel } from '../filters.tsx';
import { type FrameModel, ManagementPage } from '../frame.tsx';
import { Table } from '../list.tsx';
import { Live } from '../live.tsx';
import { type PlotModel, Plots } from '../plot.tsx';
import { State, type StateKind } from '../state.tsx';
import { decisionHref, joinedHref } from './audit.tsx';

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

export interface CallGroup {
  readonly id: string | null;
  readonly calls: number;
  readonly denied: number;
  readonly failed: number;
  readonly meanMs: number | null;
  readonly mostMs: number | null;
}

export interface Denials {
  readonly client: string | null;
  readonly structure: string | null;
  readonly status: number;
  readonly calls: number;
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

/** One that waits for a member, as the admin API has it. */
export interface ShownOpenCall {
  readonly id: string;
  readonly method: string;
  readonly route: string;
  readonly client: string | null;
  readonly structure: string | null;
  readonly member: string | null;
  readonly waitedMs: number;
}

/** What the calls are narrowed by, in the address. */
export type Narrowing = Readonly<Record<string, string>>;

export interface TrafficPartsModel {
  readonly frame: Pick<FrameModel, 'now' | 'presentation'>;
  readonly filters: FiltersModel;
  /** As the filter says it now. */
  readonly asked: Narrowing;
  readonly plots: readonly PlotModel[];
  readonly traffic: ShownTraffic;
  /** Undefined where they cannot be had. */
  readonly open: { readonly items: readonly ShownOpenCall[]; readonly count: number } | undefined;
  readonly mayEnd: boolean;
}

export interface TrafficModel extends TrafficPartsModel {
  readonly frame: FrameModel;
  readonly notice?: string | undefined;
}

export const trafficHref = '/observe/traffic';

/** The same page, narrowed further. */
function narrowed(asked: Narrowing, more: Narrowing): string {
  return `${trafficHref}?${new URLSearchParams({ ...asked, ...more })}`;
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
      <TrafficParts {...model} />
    </ManagementPage>
  );
}

/** What goes on while the page is open. */
export function trafficParts(model: TrafficPartsModel): Readonly<Record<string, string>> {
  return { traffic: renderPart(<TrafficParts {...model} />, model.frame.presentation) };
}

function TrafficParts(model: TrafficPartsModel) {
  const t = useText();
  const { traffic, filters, plots } = model;
  return (
    <div id="traffic" class="parts">
      <Sums {...traffic} />
      <Waiting {...model} />
      {traffic.calls === 0 ? (
        <Nothing isFiltered={filters.isSet} />
      ) : (
        <>
          <Plots plots={plots} />
          <div class="columns">
            <Groups
              {...model}
              id="clients"
              title={t('traffic.clients')}
              name="client"
              groups={traffic.clients}
            />
            <Groups
              {...model}
              id="structures"
              title={t('traffic.structures')}
              name="structure"
              groups={traffic.structures}
            />
            <Groups
              {...model}
              id="members"
              title={t('common.members')}
              name="member"
              groups={traffic.members}
            />
            <Groups
              {...model}
              id="statuses"
              title={t('traffic.statuses')}
              name="status"
              groups={traffic.statuses}
            />
          </div>
          <DeniedMost {...model} />
          <Calls {...model} id="slowest" title={t('traffic.slowest')} calls={traffic.slowest.slice(0, 10)} />
          <Calls {...model} id="latest" title={t('traffic.latest')} calls={traffic.latest.slice(0, 20)} />
        </>
      )}
    </div>
  );
}

/** With three digits that say something. */
function shortly(value: number, { language }: Translate): string {
  return numberIn(language, value, { maximumSignificantDigits: 3 });
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

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  const t = useText();
  return (
    <div class="empty">
      {isFiltered ? (
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

interface GroupsProps extends TrafficPartsModel {
  readonly id: string;
  readonly title: string;
  /** In the address. */
  readonly name: 'client' | 'structure' | 'member' | 'status';
  readonly groups: readonly CallGroup[];
}

function Groups({ id: part, title, name, groups, asked }: GroupsProps) {
  const t = useText();
  return (
    <Part id={part} title={title}>
      <Table
        title={title}
        columns={[
          { title: t('common.name') },
          { title: t('common.calls'), isNumber: true },
          { title: t('common.refused'), isNumber: true },
          { title: t('common.failed'), isNumber: true },
          { title: t('traffic.mean'), isNumber: true },
        ]}
        rows={groups.map(({ id, calls, denied, failed, meanMs }) => ({
          key: String(id),
          cells: [
            <Named key="name" name={name} id={id} />,
            <Narrow
              key="calls"
              to={id === null ? undefined : narrowed(asked, { [name]: id })}
              count={calls}
            />,
            <Narrow key="denied" to={narrowed(asked, withStatus(name, id, '4xx'))} count={denied} />,
            <Narrow key="failed" to={narrowed(asked, withStatus(name, id, '5xx'))} count={failed} />,
            meanMs === null ? '–' : shortly(meanMs, t),
          ],
        }))}
      />
    </Part>
  );
}

function withStatus(name: string, id: string | null, status: string): Narrowing {
  if (name === 'status') return { status: id ?? status };
  return { ...(id !== null && { [name]: id }), status };
}

/** How many, leading to which. */
function Narrow({ to, count }: { readonly to: string | undefined; readonly count: number }) {
  const { language } = useText();
  const shown = numberIn(language, count);
  return to === undefined || count === 0 ? <span>{shown}</span> : <a href={to}>{shown}</a>;
}

const shownWaiting = 20;

function Waiting({ open, mayEnd }: TrafficPartsModel) {
  const t = useText();
  if (!open || open.count === 0) return null;
  const shown = open.items.slice(0, shownWaiting);
  const more = open.count - shown.length;
  return (
    <Part id="waiting" title={t('traffic.waiting')} about={t('traffic.waitingAbout')}>
      <Table
        title={t('traffic.waiting')}
        columns={[
          { title: t('common.call') },
          { title: t('traffic.client') },
          { title: t('traffic.member') },
          { title: t('traffic.waits'), isNumber: true },
          ...(mayEnd ? [{ title: t('traffic.act') }] : []),
        ]}
        rows={shown.map((call) => ({
          key: call.id,
          cells: [
            <bdi key="call">{whatOf(call, t)}</bdi>,
            <Named key="client" name="client" id={call.client} />,
            <Named key="member" name="member" id={call.member} />,
            shortly(Math.floor(call.waitedMs / 1000), t),
            ...(mayEnd ? [<EndLink key="end" {...call} />] : []),
          ],
        }))}
      />
      {more > 0 && <p class="muted">{t('traffic.andMore', { n: more })}</p>}
    </Part>
  );
}

function EndLink({ id, client }: ShownOpenCall) {
  const t = useText();
  return (
    <a class="button danger" href={`${trafficHref}?${new URLSearchParams({ do: 'end', call: id })}`}>
      {t('traffic.endCall')}
      <span class="unseen"> {client ?? id}</span>
    </a>
  );
}

const nobody: Readonly<Record<string, WordKey>> = {
  client: 'traffic.nobodyKnown',
  structure: 'traffic.neither',
  member: 'traffic.noMemberAsked',
};

/** What is called so, leading to its page. */
function Named({ name, id }: { readonly name: string; readonly id: string | null }) {
  const t = useText();
  if (id === null) return <span class="muted">{t(nobody[name] ?? 'common.none')}</span>;
  if (name === 'status') return <Status status={Number(id)} />;
  return (
    <a href={pageOf(name, id)}>
      <bdi>{id}</bdi>
    </a>
  );
}

function pageOf(name: string, id: string): string {
  if (name === 'client') return clientHref(id);
  if (name === 'member') return memberHref(id);
  const at = id.indexOf(':');
  return structureHref(id.slice(0, at) === 'queue' ? 'queue' : 'map', id.slice(at + 1));
}

function Status({ status }: { readonly status: number }) {
  const t = useText();
  const [kind, word]: readonly [StateKind, string] =
    status === 0
      ? ['off', t('traffic.callerLeft')]
      : status >= 500
        ? ['danger', String(status)]
        : status >= 400
          ? ['warn', String(status)]
          : ['ok', String(status)];
  return <State kind={kind}>{word}</State>;
}

function DeniedMost({ traffic: { denials }, asked }: TrafficPartsModel) {
  const t = useText();
  if (denials.length === 0) return null;
  return (
    <Part id="denials" title={t('traffic.refusedMost')}>
      <Table
        title={t('traffic.refusedMost')}
        columns={[
          { title: t('traffic.client') },
          { title: t('traffic.structure') },
          { title: t('traffic.status') },
          { title: t('common.calls'), isNumber: true },
        ]}
        rows={denials.map(({ client, structure, status, calls }) => ({
          key: JSON.stringify([client, structure, status]),
          cells: [
            <Named key="client" name="client" id={client} />,
            <Named key="structure" name="structure" id={structure} />,
            <Status key="status" status={status} />,
            <Narrow
              key="calls"
              to={narrowed(asked, {
                ...(client !== null && { client }),
                ...(structure !== null && { structure }),
                status: String(status),
              })}
              count={calls}
            />,
          ],
        }))}
      />
    </Part>
  );
}

function whatOf(
  { method, structure, route }: Pick<ShownCall, 'method' | 'structure' | 'route'>,
  t: Translate,
): string {
  return `${method} ${structure ?? route ?? t('traffic.anotherPath')}`;
}

interface CallsProps extends TrafficPartsModel {
  readonly id: string;
  readonly title: string;
  readonly calls: readonly ShownCall[];
}

function Calls({ id, title, calls, frame: { now } }: CallsProps) {
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
            <a
              key="call"
              href={call.decisionId === null ? joinedHref(call.requestId) : decisionHref(call.decisionId)}
            >
              <bdi>{whatOf(call, t)}</bdi>
            </a>,
            <Named key="client" name="client" id={call.client} />,
            <Named key="member" name="member" id={call.member} />,
            <Status key="status" status={call.status} />,
            shortly(call.durationMs, t),
            <Ago key="at" at={new Date(call.at)} now={now} />,
          ],
        }))}
      />
    </Part>
  );
}
