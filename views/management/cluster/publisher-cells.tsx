/** What goes on in the list of WAN publishers while it is open: cell by cell, so that no row moves. */
import type { VNode } from 'preact';
import { renderPart } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import type { WordKey } from '../../texts/text.ts';
import { Ago, dateOf } from '../ago.tsx';
import type { FrameModel } from '../frame.tsx';
import { State, type StateKind } from '../state.tsx';

type What = 'added' | 'paused' | 'resumed' | 'stopped' | 'cleared' | 'synced' | 'checked';

export interface DoneTo {
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

export const wanHref = '/cluster/wan';

export function publisherHref({
  replication,
  publisher,
}: Pick<ShownPublisher, 'replication' | 'publisher'>): string {
  return `${wanHref}/${encodeURIComponent(replication)}/${encodeURIComponent(publisher)}`;
}

export const doneWords: Readonly<Record<What, WordKey>> = {
  added: 'wan.added',
  paused: 'wan.paused',
  resumed: 'wan.resumed',
  stopped: 'wan.stopped',
  cleared: 'wan.cleared',
  synced: 'wan.synced',
  checked: 'wan.checked',
};

export interface PublishersPartsModel {
  readonly frame: Pick<FrameModel, 'now' | 'presentation'>;
  readonly publishers: readonly ShownPublisher[];
}

export function publishersParts({
  frame,
  publishers,
}: PublishersPartsModel): Readonly<Record<string, string>> {
  const { now } = frame;
  const parts: [string, VNode][] = publishers.flatMap((one) => [
    [idOf('states', one), <StatesCell key="states" {...one} />],
    [idOf('done', one), <DoneCell key="done" {...one} />],
    [idOf('at', one), <DoneAtCell key="at" {...one} now={now} />],
    [idOf('sync', one), <SyncCell key="sync" {...one} now={now} />],
    [idOf('check', one), <CheckCell key="check" {...one} now={now} />],
  ]);
  parts.push([rowsId, <PublishersShown key="rows" publishers={publishers} />]);
  return Object.fromEntries(parts.map(([id, part]) => [id, renderPart(part, frame.presentation)]));
}

const rowsId = 'rows-shown';

/** Rows that come or go need the page anew: its script takes care of that. */
export function PublishersShown({ publishers }: Pick<PublishersPartsModel, 'publishers'>) {
  return <span id={rowsId} hidden data-part="" data-anew={publishers.map(publisherHref).join(', ')} />;
}

export const publisherStates = {
  sending: { kind: 'ok', word: 'wan.sending' },
  paused: { kind: 'warn', word: 'wan.paused' },
  stopped: { kind: 'danger', word: 'wan.stopped' },
} as const satisfies Record<string, { readonly kind: StateKind; readonly word: WordKey }>;

/** How many members were told what, the worst first. */
export function StatesCell(publisher: ShownPublisher) {
  const t = useText();
  const known = (['stopped', 'paused', 'sending'] as const).flatMap((state) => {
    const n = publisher.members.filter((one) => one.state === state).length;
    return n === 0 ? [] : [{ state, n }];
  });
  return (
    <span id={idOf('states', publisher)} data-part="">
      {known.length === 0 && <State kind="unknown">{t('members.unknown')}</State>}
      {known.map(({ state, n }, at) => (
        <>
          {at > 0 && ' '}
          <State key={state} kind={publisherStates[state].kind}>
            {t('wan.stateAtMembers', { state: t(publisherStates[state].word), n })}
          </State>
        </>
      ))}
    </span>
  );
}

export function DoneCell(publisher: ShownPublisher) {
  const t = useText();
  return (
    <span id={idOf('done', publisher)} data-part="">
      {publisher.last && t(doneWords[publisher.last.what])}
    </span>
  );
}

interface AtProps extends ShownPublisher {
  readonly now: Date;
}

export function DoneAtCell({ now, ...publisher }: AtProps) {
  return (
    <span id={idOf('at', publisher)} data-part="">
      <Ago at={dateOf(publisher.last?.at ?? null)} now={now} />
    </span>
  );
}

export function SyncCell({ now, ...publisher }: AtProps) {
  return (
    <span id={idOf('sync', publisher)} data-part="">
      <Ago at={dateOf(publisher.lastSync?.at ?? null)} now={now} />
    </span>
  );
}

export function CheckCell({ now, ...publisher }: AtProps) {
  return (
    <span id={idOf('check', publisher)} data-part="">
      <Ago at={dateOf(publisher.lastCheck?.at ?? null)} now={now} />
    </span>
  );
}

/** Its address names it: names of two may be the same when they are put together. */
function idOf(cell: string, publisher: ShownPublisher): string {
  return `${cell}-${publisherHref(publisher).slice(wanHref.length + 1)}`;
}
