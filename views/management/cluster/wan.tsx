/** WAN publishers: members list none over REST, so those that this console was asked about. */
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import type { Translate, WordKey } from '../../texts/text.ts';
import { Ago, dateOf } from '../ago.tsx';
import { DetailPage, Done, type DoneNotice, type Fact, Facts, More, Part } from '../detail.tsx';
import type { FrameModel } from '../frame.tsx';
import { ListPage, type ListState, Table } from '../list.tsx';
import { State, type StateKind } from '../state.tsx';
import { memberHref } from './members.tsx';

type What = 'added' | 'paused' | 'resumed' | 'stopped' | 'cleared' | 'synced' | 'checked';

interface DoneTo {
  readonly what: What;
  readonly at: string;
  readonly members: readonly string[];
  readonly sync: string | null;
}

/** As the admin API has it; without `last` where this console was not asked about it. */
export interface ShownPublisher {
  readonly replication: string;
  readonly publisher: string;
  readonly last: DoneTo | null;
  readonly lastSync: DoneTo | null;
  readonly lastCheck: DoneTo | null;
  /** Those that were told something of it. */
  readonly members: readonly PublisherAtMember[];
}

interface PublisherAtMember {
  readonly member: string;
  readonly state: 'sending' | 'paused' | 'stopped' | null;
  readonly since: string | null;
  readonly clearedAt: string | null;
}

export interface ShownSync {
  readonly stage: string;
  /** Percent. */
  readonly progress: number | null;
}

export const wanHref = '/cluster/wan';

export function publisherHref({
  replication,
  publisher,
}: Pick<ShownPublisher, 'replication' | 'publisher'>): string {
  return `${wanHref}/${encodeURIComponent(replication)}/${encodeURIComponent(publisher)}`;
}

const doneWords: Readonly<Record<What, WordKey>> = {
  added: 'wan.added',
  paused: 'wan.paused',
  resumed: 'wan.resumed',
  stopped: 'wan.stopped',
  cleared: 'wan.cleared',
  synced: 'wan.synced',
  checked: 'wan.checked',
};

export interface PublishersModel extends ListState {
  readonly publishers: readonly ShownPublisher[];
}

export function renderPublishers(model: PublishersModel): string {
  return renderDocument(<Publishers {...model} />, model.frame.presentation);
}

function Publishers({ publishers, ...list }: PublishersModel) {
  const t = useText();
  const { now } = list.frame;
  return (
    <ListPage
      {...list}
      title={t('common.wanReplication')}
      about={t('wan.askedAbout')}
      before={<OpenByName />}
      columns={[
        { title: t('wan.publisher') },
        { title: t('wan.toldLast') },
        { title: t('wan.doneLast'), isMinor: true },
        { title: t('wan.when'), isMinor: true },
        { title: t('wan.lastSync') },
        { title: t('wan.lastCheck') },
      ]}
      rows={publishers.map((one) => ({
        key: publisherHref(one),
        cells: [
          <a key="name" href={publisherHref(one)}>
            <bdi>{`${one.replication}/${one.publisher}`}</bdi>
          </a>,
          <States key="states" members={one.members} />,
          one.last && t(doneWords[one.last.what]),
          <Ago key="at" at={dateOf(one.last?.at ?? null)} now={now} />,
          <Ago key="sync" at={dateOf(one.lastSync?.at ?? null)} now={now} />,
          <Ago key="check" at={dateOf(one.lastCheck?.at ?? null)} now={now} />,
        ],
      }))}
      empty={<p>{t('wan.noneKnown')}</p>}
    />
  );
}

const publisherStates = {
  sending: { kind: 'ok', word: 'wan.sending' },
  paused: { kind: 'warn', word: 'wan.paused' },
  stopped: { kind: 'danger', word: 'wan.stopped' },
} as const satisfies Record<string, { readonly kind: StateKind; readonly word: WordKey }>;

/** How many members were told what, the worst first. */
function States({ members }: Pick<ShownPublisher, 'members'>) {
  const t = useText();
  const known = (['stopped', 'paused', 'sending'] as const).flatMap((state) => {
    const n = members.filter((one) => one.state === state).length;
    return n === 0 ? [] : [{ state, n }];
  });
  if (known.length === 0) return <State kind="unknown">{t('members.unknown')}</State>;
  return (
    <>
      {known.map(({ state, n }, at) => (
        <>
          {at > 0 && ' '}
          <State key={state} kind={publisherStates[state].kind}>
            {t('wan.stateAtMembers', { state: t(publisherStates[state].word), n })}
          </State>
        </>
      ))}
    </>
  );
}

function OpenByName() {
  const t = useText();
  const fields = [
    { name: 'replication', label: t('common.wanReplication') },
    { name: 'publisher', label: t('wan.publisher') },
  ];
  return (
    <form method="get" action={wanHref} class="filters">
      {fields.map(({ name, label }) => (
        <div key={name} class="field">
          <label for={name}>{label}</label>
          <input
            id={name}
            name={name}
            type="text"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            required
            maxLength={200}
          />
        </div>
      ))}
      <button type="submit" class="button">
        {t('wan.open')}
      </button>
    </form>
  );
}

export interface PublisherModel {
  readonly frame: FrameModel;
  readonly publisher: ShownPublisher;
  /** How far the last synchronization and the last check are, or why that is not known. */
  readonly sync: ShownSync | string | undefined;
  readonly check: ShownSync | string | undefined;
  readonly csrf: string;
  readonly mayChange: boolean;
  readonly mayClear: boolean;
  readonly notice?: DoneNotice | undefined;
  readonly problem?: string | undefined;
}

export function renderPublisher(model: PublisherModel): string {
  return renderDocument(<Publisher {...model} />, model.frame.presentation);
}

function Publisher(model: PublisherModel) {
  const t = useText();
  const { frame, publisher, csrf, mayChange, mayClear, notice, problem } = model;
  const href = publisherHref(publisher);
  return (
    <DetailPage
      frame={frame}
      path={[{ title: t('common.wanReplication'), href: wanHref }]}
      title={`${publisher.replication}/${publisher.publisher}`}
      acts={
        mayChange && (
          <>
            <AtOnce {...model} act="pause" label={t('common.pause')} />
            <AtOnce {...model} act="resume" label={t('wan.resume')} />
          </>
        )
      }
      about={t('wan.whatWasDone')}
      notice={notice && <Done {...notice} action={href} hidden={{ csrf }} />}
      problem={problem}
    >
      <Facts facts={factsOf(model, t)} />
      {publisher.members.length > 0 && <ByMember {...model} />}
      {mayChange && (
        <Part id="sync" title={t('wan.otherCluster')} about={t('wan.sendsOrCompares')}>
          <div class="actions">
            <a class="button" href={`${href}?do=sync`}>
              {t('wan.synchronize')}
            </a>
            <a class="button" href={`${href}?do=check`}>
              {t('wan.check')}
            </a>
          </div>
        </Part>
      )}
      {mayChange && (
        <More
          acts={[
            { label: t('wan.stopPublisher'), href: `${href}?do=stop` },
            ...(mayClear ? [{ label: t('wan.clearQueues'), href: `${href}?do=clear` }] : []),
          ]}
        />
      )}
    </DetailPage>
  );
}

function ByMember({ publisher: { members }, frame: { now } }: PublisherModel) {
  const t = useText();
  return (
    <Part id="members" title={t('common.members')} about={t('wan.byMemberAbout')}>
      <Table
        title={t('common.members')}
        columns={[
          { title: t('wan.member') },
          { title: t('wan.toldLast') },
          { title: t('wan.since') },
          { title: t('wan.queueCleared') },
        ]}
        rows={members.map(({ member, state, since, clearedAt }) => ({
          key: member,
          cells: [
            <a key="member" href={memberHref(member)}>
              <bdi>{member}</bdi>
            </a>,
            state === null ? (
              <State kind="unknown">{t('members.unknown')}</State>
            ) : (
              <State key="state" kind={publisherStates[state].kind}>
                {t(publisherStates[state].word)}
              </State>
            ),
            <Ago key="since" at={dateOf(since)} now={now} />,
            <Ago key="cleared" at={dateOf(clearedAt)} now={now} />,
          ],
        }))}
      />
    </Part>
  );
}

function AtOnce({
  publisher,
  csrf,
  act,
  label,
}: PublisherModel & { readonly act: string; readonly label: string }) {
  return (
    <Form action={publisherHref(publisher)} hidden={{ csrf, do: act }}>
      <button type="submit" class="button">
        {label}
      </button>
    </Form>
  );
}

function factsOf(
  { publisher: { last, lastSync, lastCheck }, sync, check, frame: { now } }: PublisherModel,
  t: Translate,
): readonly Fact[] {
  if (last === null) return [{ name: t('wan.doneLast'), value: t('wan.nothingHere') }];
  const startedFacts = (name: string, started: DoneTo | null, progress: ShownSync | string | undefined) =>
    started === null
      ? []
      : [
          { name, value: <Ago at={new Date(started.at)} now={now} /> },
          { name: t('wan.howFar', { what: name }), value: progressText(progress, t) },
        ];
  return [
    { name: t('wan.doneLast'), value: t(doneWords[last.what]) },
    { name: t('wan.when'), value: <Ago at={new Date(last.at)} now={now} /> },
    { name: t('wan.at'), value: <bdi>{last.members.join(', ')}</bdi> },
    ...startedFacts(t('wan.lastSync'), lastSync, sync),
    ...startedFacts(t('wan.lastCheck'), lastCheck, check),
  ];
}

const stages: Readonly<Record<string, WordKey>> = {
  STARTED: 'common.started',
  IN_PROGRESS: 'wan.inProgress',
  FINISHED: 'wan.finished',
  FAILED: 'common.failed',
};

function progressText(sync: ShownSync | string | undefined, t: Translate): string {
  if (sync === undefined) return t('wan.noId');
  if (typeof sync === 'string') return t('wan.notKnownNow', { reason: sync });
  const known = stages[sync.stage];
  const stage = known === undefined ? sync.stage : t(known);
  return sync.progress === null ? stage : t('wan.stageAt', { stage, progress: sync.progress });
}
