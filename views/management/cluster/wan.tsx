/** WAN publishers: members list none over REST, so those that this console was asked about. */
import { Form } from '../../elements/form.tsx';
import { renderDocument, renderPart } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import type { Translate, WordKey } from '../../texts/text.ts';
import { Ago, dateOf } from '../ago.tsx';
import { DetailPage, Done, type DoneNotice, type Fact, Facts, More, Part } from '../detail.tsx';
import type { FrameModel } from '../frame.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { Table } from '../lists/table.tsx';
import { Live } from '../live/live.tsx';
import { State } from '../state.tsx';
import { memberHref } from './members.tsx';
import {
  CheckCell,
  DoneAtCell,
  DoneCell,
  type DoneTo,
  doneWords,
  PublishersShown,
  publisherHref,
  publisherStates,
  type ShownPublisher,
  StatesCell,
  SyncCell,
  wanHref,
} from './publisher-cells.tsx';

export interface ShownSync {
  readonly stage: string;
  /** Percent. */
  readonly progress: number | null;
}

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
      acts={<Live />}
      before={
        <>
          <PublishersShown publishers={publishers} />
          <OpenByName />
        </>
      }
      columns={[
        { title: t('wan.publisher') },
        { title: t('wan.toldLast') },
        { title: t('wan.doneLast'), isMinor: true },
        { title: t('wan.when'), isMinor: true },
        { title: t('wan.lastSync') },
        { title: t('wan.lastCheck'), isMinor: true },
      ]}
      rows={publishers.map((one) => ({
        key: publisherHref(one),
        cells: [
          <a key="name" href={publisherHref(one)}>
            <bdi>{`${one.replication}/${one.publisher}`}</bdi>
          </a>,
          <StatesCell key="states" {...one} />,
          <DoneCell key="done" {...one} />,
          <DoneAtCell key="at" {...one} now={now} />,
          <SyncCell key="sync" {...one} now={now} />,
          <CheckCell key="check" {...one} now={now} />,
        ],
      }))}
      empty={<p>{t('wan.noneKnown')}</p>}
    />
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
        <>
          {problem === undefined && <Live />}
          {mayChange && <AtOnce {...model} act="pause" label={t('wan.pausePublisher')} />}
          {mayChange && <AtOnce {...model} act="resume" label={t('wan.resumePublisher')} />}
        </>
      }
      about={t('wan.whatWasDone')}
      notice={notice && <Done {...notice} action={href} hidden={{ csrf }} />}
      problem={problem}
    >
      <PublisherFacts {...model} />
      <ByMember {...model} />
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

interface PublisherPartsModel extends Pick<PublisherModel, 'publisher' | 'sync' | 'check'> {
  readonly frame: Pick<FrameModel, 'now' | 'presentation'>;
}

/** What goes on while the page of one is open. */
export function publisherParts(model: PublisherPartsModel): Readonly<Record<string, string>> {
  const { presentation } = model.frame;
  return {
    'publisher-facts': renderPart(<PublisherFacts {...model} />, presentation),
    'publisher-members': renderPart(<ByMember {...model} />, presentation),
  };
}

function PublisherFacts(model: PublisherPartsModel) {
  return (
    <div id="publisher-facts" data-part="">
      <Facts facts={factsOf(model, useText())} />
    </div>
  );
}

function ByMember({ publisher: { members }, frame: { now } }: PublisherPartsModel) {
  const t = useText();
  return (
    <div id="publisher-members" data-part="">
      {members.length > 0 && (
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
      )}
    </div>
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
  { publisher: { last, lastSync, lastCheck }, sync, check, frame: { now } }: PublisherPartsModel,
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
