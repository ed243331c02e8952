/** WAN publishers: members list none over REST, so those that this console was asked about. */
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { Ago, dateOf } from '../ago.tsx';
import { DetailPage, Done, type Fact, Facts, More, Part } from '../detail.tsx';
import type { FrameModel } from '../frame.tsx';
import { ListPage, type ListState } from '../list.tsx';

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

const doneWords: Readonly<Record<What, string>> = {
  added: 'Added',
  paused: 'Paused',
  resumed: 'Resumed',
  stopped: 'Stopped',
  cleared: 'Queues cleared',
  synced: 'Synchronization begun',
  checked: 'Check begun',
};

export interface PublishersModel extends ListState {
  readonly publishers: readonly ShownPublisher[];
}

export function renderPublishers({ publishers, ...list }: PublishersModel): string {
  const { now } = list.frame;
  return renderDocument(
    <ListPage
      {...list}
      title="WAN replication"
      about="The publishers that this console was asked about. Others may exist: members list them to nobody."
      before={<OpenByName />}
      columns={[
        { title: 'Publisher' },
        { title: 'Done last' },
        { title: 'When' },
        { title: 'Last sync or check' },
      ]}
      rows={publishers.map((one) => ({
        key: publisherHref(one),
        cells: [
          <a key="name" href={publisherHref(one)}>
            <bdi>{`${one.replication}/${one.publisher}`}</bdi>
          </a>,
          one.last && doneWords[one.last.what],
          <Ago key="at" at={dateOf(one.last?.at ?? null)} now={now} />,
          <Ago key="sync" at={dateOf(one.lastSync?.at ?? null)} now={now} />,
        ],
      }))}
      empty={<p>No publisher is known yet. Open one by its names, or add one.</p>}
    />,
  );
}

function OpenByName() {
  const fields = [
    { name: 'replication', label: 'WAN replication' },
    { name: 'publisher', label: 'Publisher' },
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
        Open
      </button>
    </form>
  );
}

export interface PublisherModel {
  readonly frame: FrameModel;
  readonly publisher: ShownPublisher;
  /** How far the last synchronization or check is, or why that is not known. */
  readonly sync: ShownSync | string | undefined;
  readonly csrf: string;
  readonly mayChange: boolean;
  readonly mayClear: boolean;
  readonly notice?: { readonly text: string; readonly undo?: string } | undefined;
  readonly problem?: string | undefined;
}

export function renderPublisher(model: PublisherModel): string {
  const { frame, publisher, csrf, mayChange, mayClear, notice, problem } = model;
  const href = publisherHref(publisher);
  return renderDocument(
    <DetailPage
      frame={frame}
      path={[{ title: 'WAN replication', href: wanHref }]}
      title={`${publisher.replication}/${publisher.publisher}`}
      acts={
        mayChange && (
          <>
            <AtOnce {...model} act="pause" label="Pause" />
            <AtOnce {...model} act="resume" label="Resume" />
          </>
        )
      }
      about="Members tell neither the state of a publisher nor its queue: this is what was done to it through this console."
      notice={notice && <Done {...notice} action={href} hidden={{ csrf }} />}
      problem={problem}
    >
      <Facts facts={factsOf(model)} />
      {mayChange && (
        <Part
          id="sync"
          title="The other cluster"
          about="Sends it what it has not got, or compares a map with it."
        >
          <div class="actions">
            <a class="button" href={`${href}?do=sync`}>
              Synchronize
            </a>
            <a class="button" href={`${href}?do=check`}>
              Check
            </a>
          </div>
        </Part>
      )}
      {mayChange && (
        <More
          acts={[
            { label: 'Stop publisher', href: `${href}?do=stop` },
            ...(mayClear ? [{ label: 'Clear queues', href: `${href}?do=clear` }] : []),
          ]}
        />
      )}
    </DetailPage>,
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

function factsOf({ publisher: { last, lastSync }, sync, frame: { now } }: PublisherModel): readonly Fact[] {
  if (last === null) return [{ name: 'Done last', value: 'Nothing through this console' }];
  return [
    { name: 'Done last', value: doneWords[last.what] },
    { name: 'When', value: <Ago at={new Date(last.at)} now={now} /> },
    { name: 'At', value: <bdi>{last.members.join(', ')}</bdi> },
    ...(lastSync === null
      ? []
      : [
          { name: doneWords[lastSync.what], value: <Ago at={new Date(lastSync.at)} now={now} /> },
          { name: 'How far it is', value: progressText(sync) },
        ]),
  ];
}

const stages: Readonly<Record<string, string>> = {
  STARTED: 'Started',
  IN_PROGRESS: 'In progress',
  FINISHED: 'Finished',
  FAILED: 'Failed',
};

function progressText(sync: ShownSync | string | undefined): string {
  if (sync === undefined) return 'Not known: the member has given it no id.';
  if (typeof sync === 'string') return `Not known now. ${sync}`;
  const stage = stages[sync.stage] ?? sync.stage;
  return sync.progress === null ? stage : `${stage}, ${sync.progress} %`;
}
