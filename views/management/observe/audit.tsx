/** The audit: what has happened, one entry, and the story of a decision. */
import { renderDocument } from '../../layout.tsx';
import { Notice } from '../../message.tsx';
import { useText } from '../../texts/elements.tsx';
import { numberIn, type Translate, type WordKey } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import { DetailPage, type Fact, Facts, Id, Part } from '../detail.tsx';
import type { FiltersModel } from '../filters.tsx';
import type { FrameModel } from '../frame.tsx';
import { changedFields, textOf } from '../history/changed-fields.ts';
import { Named, Who } from '../history/named.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { type Column, Table } from '../lists/table.tsx';
import { State, type StateKind } from '../state.tsx';
import { eventName } from './event-name.ts';
import { Reason, Why } from './reason.tsx';
import { type ShownVerification, Verification } from './verification.tsx';

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
  /** Undefined where it cannot be had. */
  readonly verification: ShownVerification | undefined;
  readonly mayVerify: boolean;
  readonly csrf: string;
  readonly idempotencyKey: string;
}

export function renderAudit(model: AuditModel): string {
  return renderDocument(<Audit {...model} />, model.frame.presentation);
}

function Audit({ entries, verification, mayVerify, csrf, idempotencyKey, notice, ...list }: AuditModel) {
  const t = useText();
  const { now } = list.frame;
  return (
    <ListPage
      {...list}
      title={t('common.auditLog')}
      about={t('audit.about')}
      before={
        <>
          {notice && <Notice>{notice}</Notice>}
          {verification && (
            <Verification
              verification={verification}
              mayVerify={mayVerify}
              csrf={csrf}
              idempotencyKey={idempotencyKey}
              now={now}
            />
          )}
        </>
      }
      columns={entryColumns(t)}
      rows={entries.map((entry) => rowOf(entry, list.frame, t))}
      empty={<p>{t('audit.nothingYet')}</p>}
    />
  );
}

export function entryColumns(t: Translate): readonly Column[] {
  return [
    { title: t('audit.what') },
    { title: t('audit.outcome') },
    { title: t('audit.who') },
    { title: t('audit.toWhat') },
    { title: t('audit.why') },
    { title: t('audit.when'), sortBy: 'createdAt' },
  ];
}

export function rowOf(entry: ShownEntry, { now }: FrameModel, t: Translate) {
  return {
    key: entry.id,
    cells: [
      <a key="what" href={entryHref(entry.id)} title={entry.event}>
        {eventName(entry.event, t)}
      </a>,
      <Outcome key="outcome" outcome={entry.outcome} />,
      <Who key="who" actor={entry.actor} event={entry.event} />,
      <Subject key="to" {...entry} />,
      <Why key="why" {...entry} />,
      <Ago key="when" at={new Date(entry.createdAt)} now={now} />,
    ],
  };
}

/** How it may have ended. */
export const outcomes: Readonly<Record<string, { readonly kind: StateKind; readonly word: WordKey }>> = {
  success: { kind: 'ok', word: 'audit.success' },
  denied: { kind: 'danger', word: 'common.refused' },
  failure: { kind: 'danger', word: 'audit.failure' },
  partial: { kind: 'warn', word: 'audit.partial' },
};

function Outcome({ outcome }: Pick<ShownEntry, 'outcome'>) {
  const t = useText();
  const known = outcomes[outcome];
  return <State kind={known?.kind ?? 'unknown'}>{known ? t(known.word) : outcome}</State>;
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

export function renderEntry(model: EntryModel): string {
  return renderDocument(<Entry {...model} />, model.frame.presentation);
}

function Entry({ frame, entry }: EntryModel) {
  const t = useText();
  return (
    <DetailPage
      frame={frame}
      path={[{ title: t('common.auditLog'), href: '/observe/audit' }]}
      title={eventName(entry.event, t)}
      state={<Outcome outcome={entry.outcome} />}
    >
      <Facts facts={factsOf(entry, frame, t)} />
      {entry.change && <Changes change={entry.change} />}
      {entry.detail && <Details detail={entry.detail} />}
    </DetailPage>
  );
}

function factsOf(entry: ShownEntry, { now }: FrameModel, t: Translate): readonly Fact[] {
  const { actor, durationMs } = entry;
  const plain = (name: string, value: string | number | null): readonly Fact[] =>
    value === null ? [] : [{ name, value: <bdi>{value}</bdi> }];
  const linked = (name: string, kind: string, id: string | null): readonly Fact[] =>
    id === null ? [] : [{ name, value: <Named kind={kind} id={id} /> }];
  return [
    { name: t('audit.entry'), value: <Id>{entry.id}</Id> },
    {
      name: t('audit.event'),
      value: (
        <a href={`/observe/audit?event=${encodeURIComponent(entry.event)}`}>
          <Id>{entry.event}</Id>
        </a>
      ),
    },
    {
      name: t('audit.when'),
      value: (
        <>
          <Ago at={new Date(entry.createdAt)} now={now} />, {entry.createdAt}
        </>
      ),
    },
    { name: t('audit.who'), value: <Who actor={actor} event={entry.event} /> },
    // Who has got another name, or has been removed, is found by this.
    ...(actor ? [{ name: t('audit.idOfWho'), value: <Id>{`${actor.kind} ${actor.id}`}</Id> }] : []),
    ...plain(t('audit.howItCame'), actor?.via ?? null),
    ...plain(t('audit.from'), entry.source),
    { name: t('audit.toWhat'), value: <Subject {...entry} /> },
    ...linked(t('audit.client'), 'client', entry.client),
    ...linked(t('audit.member'), 'member', entry.member),
    ...plain(t('audit.permission'), entry.permission),
    ...plain(t('audit.missing'), entry.missing),
    ...(entry.reason === null ? [] : [{ name: t('audit.why'), value: <Reason reason={entry.reason} /> }]),
    ...plain(t('audit.status'), entry.status),
    ...plain(t('audit.duration'), durationMs === null ? null : `${numberIn(t.language, durationMs)} ms`),
    ...idFacts(entry, t),
  ];
}

/** What the entry has in common with others. */
function idFacts(entry: ShownEntry, t: Translate): readonly Fact[] {
  const { actor, requestId, traceId, tokenId, grantId, decisionId } = entry;
  const fact = (name: string, id: string | null | undefined, hrefOf: (id: string) => string) =>
    id
      ? [
          {
            name,
            value: (
              <a href={hrefOf(id)}>
                <Id>{id}</Id>
              </a>
            ),
          },
        ]
      : [];
  return [
    ...fact(t('audit.decision'), decisionId, decisionHref),
    ...fact(t('audit.request'), requestId, joinedHref),
    ...fact(t('audit.token'), tokenId, joinedHref),
    ...fact(t('audit.grant'), grantId, joinedHref),
    ...fact(t('audit.session'), actor?.session, joinedHref),
    ...fact(t('audit.trace'), traceId, joinedHref),
  ];
}

function Changes({ change }: { readonly change: Readonly<Record<string, unknown>> }) {
  const t = useText();
  return (
    <Part id="change" title={t('audit.whatItChanged')}>
      <Table
        title={t('audit.whatItChanged')}
        columns={[{ title: t('audit.field') }, { title: t('audit.before') }, { title: t('audit.after') }]}
        rows={changedFields(change).map(({ name, before, after }) => ({
          key: name,
          cells: [name, before, after].map((text) => <bdi key={text}>{text}</bdi>),
        }))}
      />
    </Part>
  );
}

function Details({ detail }: { readonly detail: Readonly<Record<string, unknown>> }) {
  const t = useText();
  return (
    <Part id="detail" title={t('audit.further')}>
      <Facts
        facts={Object.entries(detail).map(([name, value]) => ({ name, value: <bdi>{textOf(value)}</bdi> }))}
      />
    </Part>
  );
}
