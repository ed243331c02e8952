/** Members of the cluster: how they are, and whether they get calls. */
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { Said, Text, useText } from '../../texts/elements.tsx';
import { numberIn, type Translate, type WordKey } from '../../texts/text.ts';
import { DetailPage, Done, type DoneNotice, type Fact, Facts, Id, More, Part } from '../detail.tsx';
import { type FieldError, SelectField } from '../forms/fields.tsx';
import type { FrameModel } from '../frame.tsx';
import { ListPage, type ListState, Table } from '../list.tsx';
import { Periods, type PeriodsModel } from '../periods.tsx';
import { type PlotModel, Plots } from '../plot.tsx';
import { State, type StateKind } from '../state.tsx';
import { MemberDetails, type ShownDetails } from './member-details.tsx';

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
  /** The same: of these, those that failed. */
  readonly failedShare: number | null;
  readonly groups: Readonly<Record<string, boolean>>;
}

export function memberHref(id: string): string {
  return `/cluster/members/${encodeURIComponent(id)}`;
}

/** In a word, whether it gets calls. */
export function memberState(
  { state, circuit, isDrained }: Pick<ShownMember, 'state' | 'circuit' | 'isDrained'>,
  t: Translate,
): {
  readonly kind: StateKind;
  readonly word: string;
} {
  if (isDrained) return { kind: 'off', word: t('members.drained') };
  if (state === 'unknown') return { kind: 'unknown', word: t('members.notAskedYet') };
  if (state === 'out' || circuit === 'open') return { kind: 'danger', word: t('members.getsNoCalls') };
  return circuit === 'halfOpen'
    ? { kind: 'warn', word: t('members.onTrial') }
    : { kind: 'ok', word: t('members.takesCalls') };
}

export function memberKind({ kind }: Pick<ShownMember, 'kind'>, t: Translate): string {
  if (kind === null) return t('members.unknown');
  return kind === 'lite' ? t('members.lite') : t('members.data');
}

export interface MembersModel extends ListState {
  readonly members: readonly ShownMember[];
  readonly csrf: string;
  readonly mayDrain: boolean;
}

export function renderMembers(model: MembersModel): string {
  return renderDocument(<Members {...model} />, model.frame.presentation);
}

function Members({ members, csrf, mayDrain, ...list }: MembersModel) {
  const t = useText();
  return (
    <ListPage
      {...list}
      title={t('common.members')}
      about={t('members.howTheyAre')}
      columns={[
        { title: t('members.member') },
        { title: t('common.state') },
        { title: t('members.kind') },
        { title: t('members.inFlight'), isNumber: true },
        { title: 'p99', isNumber: true },
        { title: t('members.errors'), isNumber: true },
        { title: t('members.groupsOff') },
      ]}
      rows={members.map((member) => ({
        key: member.id,
        cells: [
          <a key="name" href={memberHref(member.id)}>
            <bdi>{member.id}</bdi>
          </a>,
          <MemberState key="state" {...member} />,
          kindAndVersion(member, t),
          inFlightIn(member, t),
          latencyIn(member, t),
          errorsIn(member, t),
          groupsIn(member, t),
        ],
        act: mayDrain && <DrainButton member={member} csrf={csrf} isOneOfMany />,
      }))}
      empty={<p>{t('members.noneKnown')}</p>}
    />
  );
}

function MemberState(member: Pick<ShownMember, 'state' | 'circuit' | 'isDrained'>) {
  const { kind, word } = memberState(member, useText());
  return <State kind={kind}>{word}</State>;
}

function kindAndVersion(member: ShownMember, t: Translate): string {
  const kind = memberKind(member, t);
  return member.version === null ? kind : `${kind}, ${member.version}`;
}

export function inFlightIn({ inFlight }: Pick<ShownMember, 'inFlight'>, t: Translate): string {
  return inFlight === null ? t('members.unknown') : numberIn(t.language, inFlight);
}

export function latencyIn({ p99Ms }: Pick<ShownMember, 'p99Ms'>, t: Translate): string {
  if (p99Ms === null) return t('members.noCalls');
  return `${numberIn(t.language, p99Ms, { maximumSignificantDigits: 2 })} ms`;
}

export function errorsIn({ failedShare }: Pick<ShownMember, 'failedShare'>, t: Translate): string {
  if (failedShare === null) return '-';
  return `${numberIn(t.language, failedShare * 100, { maximumSignificantDigits: 2 })} %`;
}

function groupsIn(member: ShownMember, t: Translate): string {
  if (!hasAnswered(member)) return t('members.unknown');
  const off = Object.entries(member.groups).flatMap(([name, isOn]) => (isOn ? [] : [name]));
  return off.join(', ') || t('common.none');
}

/** Of one that has never said anything the groups are taken to be on, so that calls are tried. */
function hasAnswered({ kind, version }: ShownMember): boolean {
  return kind !== null || version !== null;
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
  /** Undefined for who may not ask the member. */
  readonly details?: ShownDetails | undefined;
  readonly errors: readonly FieldError[];
  readonly notice?: DoneNotice | undefined;
}

const levels = ['OFF', 'SEVERE', 'WARNING', 'INFO', 'CONFIG', 'FINE', 'FINER', 'FINEST'];

export function renderMember(model: MemberModel): string {
  return renderDocument(<Member {...model} />, model.frame.presentation);
}

function Member(model: MemberModel) {
  const t = useText();
  const { frame, member, csrf, mayChange, errors, notice, plots, details } = model;
  const href = memberHref(member.id);
  return (
    <DetailPage
      frame={frame}
      path={[{ title: t('common.members'), href: '/cluster/members' }]}
      title={member.id}
      state={<MemberState {...member} />}
      acts={mayChange && <DrainButton member={member} csrf={csrf} />}
      about={member.reason && <Reason {...member} reason={member.reason} />}
      problem={errors.length > 0 ? errors.map(({ text }) => text).join(' ') : undefined}
      notice={notice && <Done {...notice} action={href} hidden={{ csrf }} />}
    >
      <Facts facts={factsOf(member, t)} />
      {plots && (
        <Part id="numbers" title={t('common.calls')} acts={<Periods {...plots} />}>
          <Plots plots={plots.plots} />
        </Part>
      )}
      {details && <MemberDetails details={details} />}
      <EndpointGroups {...member} />
      {mayChange && <LogLevel {...model} />}
      {mayChange && <More acts={[{ label: t('members.shutDown'), href: `${href}?do=shut-down` }]} />}
    </DetailPage>
  );
}

/** As the health check says it. */
function Reason({ state, reason }: Pick<ShownMember, 'state'> & { readonly reason: string }) {
  const why = <Said>{reason}</Said>;
  return state === 'out' ? <Text id="members.getsNoCallsWhy" gaps={{ why }} /> : why;
}

function factsOf(member: ShownMember, t: Translate): readonly Fact[] {
  const { address, uuid, version, health } = member;
  return [
    { name: t('members.address'), value: <Id>{address}</Id> },
    { name: 'UUID', value: uuid === null ? t('members.unknown') : <Id>{uuid}</Id> },
    { name: t('members.kind'), value: memberKind(member, t) },
    { name: t('common.version'), value: version ?? t('members.unknown') },
    { name: t('members.lastProbe'), value: t(healthWords[health ?? 'none']) },
    { name: t('members.circuit'), value: t(circuitWords[member.circuit ?? 'none']) },
    { name: t('members.inFlightCalls'), value: inFlightIn(member, t) },
    { name: t('members.latencyOfMinute'), value: latencyIn(member, t) },
    { name: t('members.errorsOfMinute'), value: errorsIn(member, t) },
  ];
}

const circuitWords: Readonly<Record<NonNullable<ShownMember['circuit']> | 'none', WordKey>> = {
  closed: 'members.circuitClosed',
  halfOpen: 'members.circuitHalfOpen',
  open: 'members.circuitOpen',
  none: 'members.unknown',
};

const healthWords: Readonly<Record<NonNullable<ShownMember['health']> | 'none', WordKey>> = {
  ready: 'members.ready',
  notReady: 'members.notReady',
  silent: 'members.silent',
  unreachable: 'members.unreachable',
  none: 'members.wasNotAskedYet',
};

function EndpointGroups(member: ShownMember) {
  const t = useText();
  const isKnown = hasAnswered(member);
  return (
    <Part id="groups" title={t('members.endpointGroups')} about={t('members.refusedThere')}>
      <Table
        title={t('members.endpointGroups')}
        columns={[{ title: t('members.group') }, { title: t('common.state') }]}
        rows={Object.entries(member.groups).map(([name, isOn]) => ({
          key: name,
          cells: [name, <GroupState key="state" isOn={isKnown ? isOn : undefined} />],
        }))}
      />
    </Part>
  );
}

/** @param isOn  undefined: the member has said nothing yet */
function GroupState({ isOn }: { readonly isOn: boolean | undefined }) {
  const t = useText();
  if (isOn === undefined) return <State kind="unknown">{t('members.unknown')}</State>;
  return isOn ? <State kind="ok">{t('members.on')}</State> : <State kind="off">{t('members.off')}</State>;
}

interface DrainButtonProps extends Pick<MemberModel, 'member' | 'csrf'> {
  readonly isOneOfMany?: boolean;
}

function DrainButton({ member: { id, isDrained }, csrf, isOneOfMany = false }: DrainButtonProps) {
  const t = useText();
  return (
    <Form action={memberHref(id)} hidden={{ csrf, do: isDrained ? 'undrain' : 'drain' }}>
      <button type="submit" class={isOneOfMany ? 'button' : 'button primary'}>
        {isDrained ? t('members.undrain') : t('members.drain')}
      </button>
    </Form>
  );
}

function LogLevel({ member, csrf, logLevel, errors }: MemberModel) {
  const t = useText();
  return (
    <Part id="log-level" title={t('members.logLevel')} about={t('members.whatItWrites')}>
      <Form action={memberHref(member.id)} hidden={{ csrf, do: 'log-level' }}>
        <SelectField
          name="level"
          label={t('members.logLevel')}
          hint={logLevel === undefined ? t('members.levelNotSaid') : undefined}
          value={logLevel ?? ''}
          error={errors.find(({ field }) => field === 'level')?.text}
          options={[
            { value: '', label: t('members.levelOfConfiguration') },
            ...levels.map((level) => ({ value: level, label: level })),
          ]}
        />
        <div class="actions">
          <button type="submit" class="button">
            {t('members.setLogLevel')}
          </button>
        </div>
      </Form>
    </Part>
  );
}
