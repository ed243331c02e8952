/** The audit: what has happened, one entry, and the story of a decision. */
import { renderDocument } from '../../layout.tsx';
import { Ago } from '../ago.tsx';
import { DetailPage, type Fact, Facts, Id, Part } from '../detail.tsx';
import type { FiltersModel } from '../filters.tsx';
import type { FrameModel } from '../frame.tsx';
import { changedFields, textOf } from '../history/changed-fields.ts';
import { Named, Who } from '../history/named.tsx';
import { ListPage, type ListState, Table } from '../list.tsx';
import { State, type StateKind } from '../state.tsx';

/** As the admin API has it. */
export interface ShownEntry {
  readonly id: string;
  readonly createdAt: string;
  readonly event: string;
  readonly outcome: string;
  readonly actor: {
    readonly kind: string;
    readonly id: string;
    /** Of a person, while there is the account. */
    readonly name: string | null;
    readonly session: string | null;
    readonly via: string | null;
  } | null;
  readonly object: { readonly kind: string; readonly id: string } | null;
  readonly change: Readonly<Record<string, unknown>> | null;
  readonly client: string | null;
  readonly member: string | null;
  readonly permission: string | null;
  readonly missing: string | null;
  readonly reason: string | null;
  readonly status: number | null;
  readonly durationMs: number | null;
  readonly source: string | null;
  readonly requestId: string | null;
  readonly traceId: string | null;
  readonly tokenId: string | null;
  readonly grantId: string | null;
  readonly decisionId: string | null;
  readonly detail: Readonly<Record<string, unknown>> | null;
}

export function entryHref(id: string): string {
  return `/observe/audit/${encodeURIComponent(id)}`;
}

export function decisionHref(id: string): string {
  return `/observe/decisions/${encodeURIComponent(id)}`;
}

/** Everything that has this id. */
export function joinedHref(id: string): string {
  return `/observe/audit?joinedBy=${encodeURIComponent(id)}`;
}

export interface AuditModel extends ListState {
  readonly entries: readonly ShownEntry[];
  readonly filters: FiltersModel;
}

export function renderAudit({ entries, ...list }: AuditModel): string {
  return renderDocument(
    <ListPage
      {...list}
      title="Audit log"
      about="What has happened, the newest first. That you read it is in it too."
      columns={entryColumns}
      rows={entries.map((entry) => rowOf(entry, list.frame))}
      empty={<p>Nothing yet.</p>}
    />,
  );
}

export const entryColumns = [
  { title: 'What' },
  { title: 'Outcome' },
  { title: 'Who' },
  { title: 'To what' },
  { title: 'Why' },
  { title: 'When' },
];

export function rowOf(entry: ShownEntry, { now }: FrameModel) {
  return {
    key: entry.id,
    cells: [
      <a key="what" href={entryHref(entry.id)}>
        {entry.event}
      </a>,
      <Outcome key="outcome" outcome={entry.outcome} />,
      <Who key="who" actor={entry.actor} />,
      <Subject key="to" {...entry} />,
      <bdi key="why">{entry.missing ?? entry.reason ?? ''}</bdi>,
      <Ago key="when" at={new Date(entry.createdAt)} now={now} />,
    ],
  };
}

const kinds: Readonly<Record<string, StateKind>> = {
  success: 'ok',
  partial: 'warn',
  denied: 'danger',
  failure: 'danger',
};

function Outcome({ outcome }: Pick<ShownEntry, 'outcome'>) {
  const word = outcome === 'denied' ? 'refused' : outcome;
  return <State kind={kinds[outcome] ?? 'unknown'}>{word.charAt(0).toUpperCase() + word.slice(1)}</State>;
}

function Subject({ object, detail, member }: ShownEntry) {
  if (object) return <Named {...object}>{`${object.kind} ${object.id}`}</Named>;
  const call = [detail?.method, detail?.path].filter((part) => typeof part === 'string').join(' ');
  return <bdi>{call || (member ?? '')}</bdi>;
}

export interface EntryModel {
  readonly frame: FrameModel;
  readonly entry: ShownEntry;
}

export function renderEntry({ frame, entry }: EntryModel): string {
  return renderDocument(
    <DetailPage
      frame={frame}
      path={[{ title: 'Audit log', href: '/observe/audit' }]}
      title={entry.event}
      state={<Outcome outcome={entry.outcome} />}
    >
      <Facts facts={factsOf(entry, frame)} />
      {entry.change && <Changes change={entry.change} />}
      {entry.detail && <Details detail={entry.detail} />}
    </DetailPage>,
  );
}

function factsOf(entry: ShownEntry, { now }: FrameModel): readonly Fact[] {
  const { actor, requestId, traceId, tokenId, grantId, decisionId } = entry;
  const joined = (name: string, id: string | null | undefined): readonly Fact[] =>
    id
      ? [
          {
            name,
            value: (
              <a href={joinedHref(id)}>
                <Id>{id}</Id>
              </a>
            ),
          },
        ]
      : [];
  const plain = (name: string, value: string | number | null): readonly Fact[] =>
    value === null ? [] : [{ name, value: <bdi>{value}</bdi> }];
  const linked = (name: string, kind: string, id: string | null): readonly Fact[] =>
    id === null ? [] : [{ name, value: <Named kind={kind} id={id} /> }];
  return [
    { name: 'Entry', value: <Id>{entry.id}</Id> },
    {
      name: 'When',
      value: (
        <>
          <Ago at={new Date(entry.createdAt)} now={now} />, {entry.createdAt}
        </>
      ),
    },
    { name: 'Who', value: <Who actor={actor} /> },
    // Who has got another name, or has been removed, is found by this.
    ...(actor ? [{ name: 'Id of who', value: <Id>{`${actor.kind} ${actor.id}`}</Id> }] : []),
    ...plain('How it came', actor?.via ?? null),
    ...plain('From', entry.source),
    { name: 'To what', value: <Subject {...entry} /> },
    ...linked('Client', 'client', entry.client),
    ...linked('Member', 'member', entry.member),
    ...plain('Permission', entry.permission),
    ...plain('Missing', entry.missing),
    ...plain('Why', entry.reason),
    ...plain('Status', entry.status),
    ...plain('Duration', entry.durationMs === null ? null : `${entry.durationMs} ms`),
    ...(decisionId
      ? [
          {
            name: 'Decision',
            value: (
              <a href={decisionHref(decisionId)}>
                <Id>{decisionId}</Id>
              </a>
            ),
          },
        ]
      : []),
    ...joined('Request', requestId),
    ...joined('Token', tokenId),
    ...joined('Grant', grantId),
    ...joined('Session', actor?.session),
    ...joined('Trace', traceId),
  ];
}

function Changes({ change }: { readonly change: Readonly<Record<string, unknown>> }) {
  return (
    <Part id="change" title="What it changed">
      <Table
        title="What it changed"
        columns={[{ title: 'Member' }, { title: 'Before' }, { title: 'After' }]}
        rows={changedFields(change).map(({ name, before, after }) => ({
          key: name,
          cells: [name, before, after].map((text) => <bdi key={text}>{text}</bdi>),
        }))}
      />
    </Part>
  );
}

function Details({ detail }: { readonly detail: Readonly<Record<string, unknown>> }) {
  return (
    <Part id="detail" title="Further">
      <Facts
        facts={Object.entries(detail).map(([name, value]) => ({ name, value: <bdi>{textOf(value)}</bdi> }))}
      />
    </Part>
  );
}
