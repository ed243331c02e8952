/** Members of the cluster: how they are, and whether they get calls. */
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { DetailPage, Done, Facts, Id, More, Part } from '../detail.tsx';
import { type FieldError, SelectField } from '../fields.tsx';
import type { FrameModel } from '../frame.tsx';
import { ListPage, type ListState, Table } from '../list.tsx';
import { Periods, type PeriodsModel } from '../periods.tsx';
import { type PlotModel, Plots } from '../plot.tsx';
import { State, type StateKind } from '../state.tsx';

/** As the admin API has it. */
export interface ShownMember {
  readonly id: string;
  readonly address: string;
  readonly uuid: string | null;
  readonly version: string | null;
  readonly kind: 'data' | 'lite' | null;
  readonly health: 'ready' | 'notReady' | 'silent' | 'unreachable' | null;
  readonly circuit: 'closed' | 'halfOpen' | 'open' | null;
  readonly state: 'in' | 'out' | 'unknown';
  readonly reason: string | null;
  readonly isDrained: boolean;
  readonly inFlight: number | null;
  /** Of the calls of the last minute; null without calls. */
  readonly p99Ms: number | null;
  readonly groups: Readonly<Record<string, boolean>>;
}

export function memberHref(id: string): string {
  return `/cluster/members/${encodeURIComponent(id)}`;
}

/** In a word, whether it gets calls. */
export function memberState({
  state,
  circuit,
  isDrained,
}: Pick<ShownMember, 'state' | 'circuit' | 'isDrained'>): {
  readonly kind: StateKind;
  readonly word: string;
} {
  if (isDrained) return { kind: 'off', word: 'Drained' };
  if (state === 'unknown') return { kind: 'unknown', word: 'Not asked yet' };
  if (state === 'out' || circuit === 'open') return { kind: 'danger', word: 'Gets no calls' };
  return circuit === 'halfOpen' ? { kind: 'warn', word: 'On trial' } : { kind: 'ok', word: 'Takes calls' };
}

export function memberKind({ kind }: Pick<ShownMember, 'kind'>): string {
  if (kind === null) return 'Unknown';
  return kind === 'lite' ? 'Lite member' : 'Data member';
}

export interface MembersModel extends ListState {
  readonly members: readonly ShownMember[];
}

export function renderMembers({ members, ...list }: MembersModel): string {
  return renderDocument(
    <ListPage
      {...list}
      title="Members"
      about="How the members of the cluster are, and which of them get calls."
      columns={[
        { title: 'Member' },
        { title: 'State' },
        { title: 'Kind' },
        { title: 'Version' },
        { title: 'In-flight', isNumber: true },
        { title: 'p99', isNumber: true },
        { title: 'Groups that are off' },
      ]}
      rows={members.map((member) => ({
        key: member.id,
        cells: [
          <a key="name" href={memberHref(member.id)}>
            <bdi>{member.id}</bdi>
          </a>,
          <MemberState key="state" {...member} />,
          memberKind(member),
          member.version ?? 'Unknown',
          member.inFlight ?? 'Unknown',
          latencyIn(member),
          groupsOff(member).join(', ') || 'None',
        ],
      }))}
      empty={<p>No member is known. The setting CONSOLE_MEMBERS says where they are.</p>}
    />,
  );
}

function MemberState(member: Pick<ShownMember, 'state' | 'circuit' | 'isDrained'>) {
  const { kind, word } = memberState(member);
  return <State kind={kind}>{word}</State>;
}

function latencyIn({ p99Ms }: ShownMember): string {
  return p99Ms === null ? 'No calls' : `${Number(p99Ms.toPrecision(2))} ms`;
}

function groupsOff({ groups }: ShownMember): readonly string[] {
  return Object.entries(groups).flatMap(([name, isOn]) => (isOn ? [] : [name]));
}

export interface MemberModel {
  readonly frame: FrameModel;
  readonly member: ShownMember;
  readonly csrf: string;
  readonly mayChange: boolean;
  /** Undefined where they cannot be had. */
  readonly plots?: (PeriodsModel & { readonly plots: readonly PlotModel[] }) | undefined;
  /** That it was given; null: that of its configuration; undefined: it did not say. */
  readonly logLevel?: string | null | undefined;
  readonly errors: readonly FieldError[];
  readonly notice?: { readonly text: string; readonly undo?: string | undefined } | undefined;
}

const levels = ['OFF', 'SEVERE', 'WARNING', 'INFO', 'CONFIG', 'FINE', 'FINER', 'FINEST'];

export function renderMember(model: MemberModel): string {
  const { frame, member, csrf, mayChange, errors, notice, plots } = model;
  const href = memberHref(member.id);
  return renderDocument(
    <DetailPage
      frame={frame}
      path={[{ title: 'Members', href: '/cluster/members' }]}
      title={member.id}
      state={<MemberState {...member} />}
      acts={mayChange && <DrainButton member={member} csrf={csrf} />}
      about={member.reason ?? undefined}
      problem={errors.length > 0 ? errors.map(({ text }) => text).join(' ') : undefined}
      notice={notice && <Done {...notice} action={href} hidden={{ csrf }} />}
    >
      <Facts
        facts={[
          { name: 'Address', value: <Id>{member.address}</Id> },
          { name: 'UUID', value: member.uuid === null ? 'Unknown' : <Id>{member.uuid}</Id> },
          { name: 'Kind', value: memberKind(member) },
          { name: 'Version', value: member.version ?? 'Unknown' },
          { name: 'Last probe', value: healthWords[member.health ?? 'none'] },
          { name: 'In-flight calls', value: member.inFlight ?? 'Unknown' },
          { name: 'Latency, p99 of the last minute', value: latencyIn(member) },
        ]}
      />
      {plots && (
        <Part id="numbers" title="Calls" acts={<Periods {...plots} />}>
          <Plots plots={plots.plots} />
        </Part>
      )}
      <Part
        id="groups"
        title="Endpoint groups"
        about="What is off at the member is refused there, whatever a token opens."
      >
        <Table
          title="Endpoint groups"
          columns={[{ title: 'Group' }, { title: 'State' }]}
          rows={Object.entries(member.groups).map(([name, isOn]) => ({
            key: name,
            cells: [name, isOn ? <State kind="ok">On</State> : <State kind="off">Off</State>],
          }))}
        />
      </Part>
      {mayChange && <LogLevel {...model} />}
      {mayChange && <More acts={[{ label: 'Shut down', href: `${href}?do=shut-down` }]} />}
    </DetailPage>,
  );
}

const healthWords: Readonly<Record<NonNullable<ShownMember['health']> | 'none', string>> = {
  ready: 'It is ready.',
  notReady: 'It says that it is not ready.',
  silent: 'It answers, and says nothing of its health.',
  unreachable: 'It could not be reached.',
  none: 'It was not asked yet.',
};

function DrainButton({ member: { id, isDrained }, csrf }: Pick<MemberModel, 'member' | 'csrf'>) {
  return (
    <Form action={memberHref(id)} hidden={{ csrf, do: isDrained ? 'undrain' : 'drain' }}>
      <button type="submit" class="button primary">
        {isDrained ? 'Undrain' : 'Drain'}
      </button>
    </Form>
  );
}

function LogLevel({ member, csrf, logLevel, errors }: MemberModel) {
  return (
    <Part
      id="log-level"
      title="Log level"
      about="What the member writes to its own log. The level of its configuration comes back at its restart."
    >
      <Form action={memberHref(member.id)} hidden={{ csrf, do: 'log-level' }}>
        <SelectField
          name="level"
          label="Log level"
          hint={logLevel === undefined ? 'The member does not say which it has now.' : undefined}
          value={logLevel ?? ''}
          error={errors.find(({ field }) => field === 'level')?.text}
          options={[
            { value: '', label: 'That of its configuration' },
            ...levels.map((level) => ({ value: level, label: level })),
          ]}
        />
        <div class="actions">
          <button type="submit" class="button">
            Set log level
          </button>
        </div>
      </Form>
    </Part>
  );
}
