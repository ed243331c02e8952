/** Calls of the last hour: who has called what, what was denied, and what took longest. */
import { renderDocument, renderPart } from '../../layout.tsx';
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

/** What the calls are narrowed by, in the address. */
export type Narrowing = Readonly<Record<string, string>>;

export interface TrafficPartsModel {
  readonly frame: Pick<FrameModel, 'now' | 'presentation'>;
  readonly filters: FiltersModel;
  /** As the filter says it now. */
  readonly asked: Narrowing;
  readonly plots: readonly PlotModel[];
  readonly traffic: ShownTraffic;
}

export interface TrafficModel extends TrafficPartsModel {
  readonly frame: FrameModel;
}

export const trafficHref = '/observe/traffic';

/** The same page, narrowed further. */
function narrowed(asked: Narrowing, more: Narrowing): string {
  return `${trafficHref}?${new URLSearchParams({ ...asked, ...more })}`;
}

export function renderTraffic(model: TrafficModel): string {
  const { frame, filters } = model;
  return renderDocument(
    <ManagementPage frame={frame} title="Traffic" acts={<Live />}>
      <p class="lede">Calls to the members through this console, of the last hour at most.</p>
      <Filters {...filters} />
      <TrafficParts {...model} />
    </ManagementPage>,
  );
}

/** What goes on while the page is open. */
export function trafficParts(model: TrafficPartsModel): Readonly<Record<string, string>> {
  return { traffic: renderPart(<TrafficParts {...model} />, model.frame.presentation) };
}

function TrafficParts(model: TrafficPartsModel) {
  const { traffic, filters, plots } = model;
  return (
    <div id="traffic" class="parts">
      <Sums {...traffic} />
      {traffic.calls === 0 ? (
        <Nothing isFiltered={filters.isSet} />
      ) : (
        <>
          <Plots plots={plots} />
          <div class="columns">
            <Groups {...model} id="clients" title="Clients" name="client" groups={traffic.clients} />
            <Groups
              {...model}
              id="structures"
              title="Maps and queues"
              name="structure"
              groups={traffic.structures}
            />
            <Groups {...model} id="members" title="Members" name="member" groups={traffic.members} />
            <Groups {...model} id="statuses" title="Statuses" name="status" groups={traffic.statuses} />
          </div>
          <DeniedMost {...model} />
          <Calls {...model} id="slowest" title="Slowest" calls={traffic.slowest.slice(0, 10)} />
          <Calls {...model} id="latest" title="Latest" calls={traffic.latest.slice(0, 20)} />
        </>
      )}
    </div>
  );
}

const grouped = new Intl.NumberFormat('en');
const shortly = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

function Sums({ calls, denied, failed, minutes }: ShownTraffic) {
  const share = (count: number) => (calls === 0 ? '–' : `${shortly.format((count / calls) * 100)} %`);
  const tiles = [
    { name: 'Calls', value: grouped.format(calls), more: `${shortly.format(calls / (minutes * 60))}/s` },
    { name: 'Refused', value: grouped.format(denied), more: share(denied) },
    { name: 'Failed', value: grouped.format(failed), more: share(failed) },
  ];
  return (
    <dl class="tiles">
      {tiles.map(({ name, value, more }) => (
        <div key={name} class="boxed">
          <dt>{name}</dt>
          <dd>
            <strong>{value}</strong> <span class="muted">{more}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <div class="empty">
      {isFiltered ? (
        <>
          <p>No call matches this filter.</p>
          <p>
            <a href={trafficHref}>Clear it</a>
          </p>
        </>
      ) : (
        <>
          <p>Nobody has called the members through this console in this time.</p>
          <p>
            <a href="/access/clients">Machine clients</a> and <a href="/access/applications">applications</a>{' '}
            may call; their pages have the call to paste.
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
  return (
    <Part id={part} title={title}>
      <Table
        title={title}
        columns={[
          { title: 'Name' },
          { title: 'Calls', isNumber: true },
          { title: 'Refused', isNumber: true },
          { title: 'Failed', isNumber: true },
          { title: 'Mean, ms', isNumber: true },
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
            meanMs === null ? '–' : shortly.format(meanMs),
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
  if (to === undefined || count === 0) return <>{grouped.format(count)}</>;
  return <a href={to}>{grouped.format(count)}</a>;
}

const nobody: Readonly<Record<string, string>> = {
  client: 'Nobody known',
  structure: 'Neither',
  member: 'No member asked',
};

/** What is called so, leading to its page. */
function Named({ name, id }: { readonly name: string; readonly id: string | null }) {
  if (id === null) return <span class="muted">{nobody[name]}</span>;
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
  const [kind, word]: readonly [StateKind, string] =
    status === 0
      ? ['off', 'Caller left']
      : status >= 500
        ? ['danger', String(status)]
        : status >= 400
          ? ['warn', String(status)]
          : ['ok', String(status)];
  return <State kind={kind}>{word}</State>;
}

function DeniedMost({ traffic: { denials }, asked }: TrafficPartsModel) {
  if (denials.length === 0) return null;
  return (
    <Part id="denials" title="Refused most">
      <Table
        title="Refused most"
        columns={[
          { title: 'Client' },
          { title: 'Map or queue' },
          { title: 'Status' },
          { title: 'Calls', isNumber: true },
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

function whatOf({ method, structure, route }: ShownCall): string {
  return `${method} ${structure ?? route ?? 'another path'}`;
}

interface CallsProps extends TrafficPartsModel {
  readonly id: string;
  readonly title: string;
  readonly calls: readonly ShownCall[];
}

function Calls({ id, title, calls, frame: { now } }: CallsProps) {
  if (calls.length === 0) return null;
  return (
    <Part id={id} title={title}>
      <Table
        title={title}
        columns={[
          { title: 'Call' },
          { title: 'Client' },
          { title: 'Member' },
          { title: 'Status' },
          { title: 'Took, ms', isNumber: true },
          { title: 'When' },
        ]}
        rows={calls.map((call) => ({
          key: call.requestId,
          cells: [
            <a
              key="call"
              href={call.decisionId === null ? joinedHref(call.requestId) : decisionHref(call.decisionId)}
            >
              <bdi>{whatOf(call)}</bdi>
            </a>,
            <Named key="client" name="client" id={call.client} />,
            <Named key="member" name="member" id={call.member} />,
            <Status key="status" status={call.status} />,
            shortly.format(call.durationMs),
            <Ago key="at" at={new Date(call.at)} now={now} />,
          ],
        }))}
      />
    </Part>
  );
}
