/** Members of the cluster: how they are, and whether they get calls. */
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { Said, Text, useText } from '../../texts/elements.tsx';
import type { Translate } from '../../texts/text.ts';
import { NumbersPart, type NumbersShown } from '../calls-part.tsx';
import { DetailPage, Done, type DoneNotice, More, Part } from '../detail.tsx';
import { type FieldError, SelectField } from '../forms/fields.tsx';
import type { FrameModel } from '../frame.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { Table } from '../lists/table.tsx';
import { Live } from '../live/live.tsx';
import type { NotRead } from '../live/not-read.tsx';
import { RowAct } from '../row-act.tsx';
import { State } from '../state.tsx';
import { ErrorsCell, InFlightCell, LatencyCell, RowsShown, StateCell } from './member-cells.tsx';
import { MemberDetails, type ShownDetails } from './member-details.tsx';
import { LiveState, MemberFacts, memberKind, type ShownMember } from './member-state.tsx';

export function memberHref(id: string): string {
  return `/cluster/members/${encodeURIComponent(id)}`;
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
      acts={<Live />}
      before={<RowsShown members={members} mayDrain={mayDrain} />}
      columns={[
        { title: t('members.member') },
        { title: t('common.state') },
        { title: t('members.kind'), isMinor: true },
        { title: t('members.inFlight'), isNumber: true, isMinor: true },
        { title: 'p99', isNumber: true },
        { title: t('members.errors'), isNumber: true, isMinor: true },
        { title: t('members.groupsOff'), isMinor: true },
      ]}
      rows={members.map((member) => ({
        key: member.id,
        cells: [
          <a key="name" href={memberHref(member.id)}>
            <bdi>{member.id}</bdi>
          </a>,
          <StateCell key="state" {...member} />,
          kindAndVersion(member, t),
          <InFlightCell key="in-flight" {...member} />,
          <LatencyCell key="latency" {...member} />,
          <ErrorsCell key="errors" {...member} />,
          groupsIn(member, t),
        ],
        act: mayDrain && (
          <RowAct
            {...(member.isDrained
              ? { label: t('members.undrain'), act: 'undrain' }
              : { label: t('members.drain'), act: 'drain' })}
            of={member.id}
            href={memberHref(member.id)}
            csrf={csrf}
          />
        ),
      }))}
      empty={<p>{t('members.noneKnown')}</p>}
    />
  );
}

function kindAndVersion(member: ShownMember, t: Translate): string {
  const kind = memberKind(member, t);
  return member.version === null ? kind : `${kind}, ${member.version}`;
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
  /** Undefined for who may not see them. */
  readonly numbers?: NumbersShown | NotRead | undefined;
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
  const { frame, member, csrf, mayChange, errors, notice, numbers, details } = model;
  const href = memberHref(member.id);
  return (
    <DetailPage
      frame={frame}
      path={[{ title: t('common.members'), href: '/cluster/members' }]}
      title={member.id}
      state={<LiveState {...member} />}
      acts={
        <>
          <Live />
          {mayChange && <DrainButton member={member} csrf={csrf} />}
        </>
      }
      about={member.reason && <Reason {...member} reason={member.reason} />}
      problem={errors.length > 0 ? errors.map(({ text }) => text).join(' ') : undefined}
      notice={notice && <Done {...notice} action={href} hidden={{ csrf }} />}
    >
      <MemberFacts {...member} />
      {numbers && <NumbersPart {...numbers} />}
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

function DrainButton({ member: { id, isDrained }, csrf }: Pick<MemberModel, 'member' | 'csrf'>) {
  const t = useText();
  return (
    <Form action={memberHref(id)} hidden={{ csrf, do: isDrained ? 'undrain' : 'drain' }}>
      <button type="submit" class="button primary">
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
