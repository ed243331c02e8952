/** Who may call what at the members: a grid of callers by kinds of calls, and the answer to a question about one call. */
import { renderDocument } from '../../../layout.tsx';
import { Notice } from '../../../message.tsx';
import { Text, useText } from '../../../texts/elements.tsx';
import type { Translate, WordKey } from '../../../texts/text.ts';
import { Part } from '../../detail.tsx';
import type { FiltersModel } from '../../filters.tsx';
import { objectHref } from '../../history/named.tsx';
import { ListPage, type ListState } from '../../list.tsx';
import { ListId } from '../../list-id.tsx';
import { type AskedOf, CallPanel, type ShownAnswer } from './call-panel.tsx';

export type SubjectKind = 'roles' | 'clients' | 'users';

export interface ShownSubject {
  readonly kind: SubjectKind;
  readonly id: string;
  /** In the order of the columns. */
  readonly cells: readonly ShownCell[];
}

export interface ShownCell {
  readonly outcome: 'allowed' | 'partly' | 'refused';
  /** Maps or queues. */
  readonly names: readonly string[];
  /** Members where the endpoint group is off. */
  readonly offAt: readonly string[];
}

export interface ShownColumn {
  readonly group: string;
  readonly action: string;
  readonly example: { readonly method: string; readonly path: string };
}

export interface EffectiveModel extends ListState {
  readonly kind: SubjectKind;
  /** Those that the reader may ask about. */
  readonly kinds: readonly SubjectKind[];
  readonly filters: FiltersModel;
  readonly columns: readonly ShownColumn[];
  readonly subjects: readonly ShownSubject[];
  readonly memberCount: number;
  /** The one that is asked about alone. */
  readonly member?: string | undefined;
  readonly mayAsk: boolean;
  readonly asked: AskedOf;
  readonly answer: ShownAnswer | undefined;
  readonly csrf: string;
}

export const effectiveHref = '/access/effective';
export const effectivePath = (t: Translate) => [{ title: t('common.effectiveAccess'), href: effectiveHref }];

const kindWords: Readonly<Record<SubjectKind, WordKey>> = {
  roles: 'common.roles',
  clients: 'common.machineClients',
  users: 'common.users',
};

export function renderEffective(model: EffectiveModel): string {
  return renderDocument(<Effective {...model} />, model.frame.presentation);
}

function Effective(model: EffectiveModel) {
  const t = useText();
  const { kind, kinds, columns, subjects, filters, notice, ...list } = model;
  const isOffSomewhere = subjects.some(({ cells }) => cells.some(isOff));
  return (
    <ListPage
      {...list}
      title={t('common.effectiveAccess')}
      about={[t('effective.about'), ...(isOffSomewhere ? [t('effective.notAt')] : [])].join(' ')}
      before={
        <>
          {notice && <Notice>{notice}</Notice>}
          {model.mayAsk && <Question {...model} />}
          <nav class="actions" aria-label={t('effective.ofWhom')}>
            {kinds.map((one) => (
              <a
                key={one}
                class="button small"
                href={`${effectiveHref}?show=${one}`}
                aria-current={one === kind ? 'page' : undefined}
              >
                {t(kindWords[one])}
              </a>
            ))}
          </nav>
        </>
      }
      filters={{ ...filters, hidden: { show: kind } }}
      isGrid
      columns={[
        { title: t('effective.who') },
        ...columns.map(({ group, action }) => ({ title: `${group} ${action}` })),
      ]}
      rows={subjects.map((subject) => ({
        key: subject.id,
        cells: [
          <a key="who" href={hrefOf(subject)}>
            <ListId>{subject.id}</ListId>
          </a>,
          ...subject.cells.map((cell, i) => (
            <Cell
              key={i}
              subject={subject}
              cell={cell}
              column={columns[i]!}
              memberCount={model.memberCount}
              member={model.member}
            />
          )),
        ],
      }))}
      empty={<p>{t('effective.nobodyYet')}</p>}
    />
  );
}

/** It may be called, and a member has it off. */
function isOff({ outcome, offAt }: ShownCell): boolean {
  return outcome !== 'refused' && offAt.length > 0;
}

function hrefOf({ kind, id }: ShownSubject): string {
  const one = { roles: 'role', clients: 'client', users: 'user' } as const;
  return objectHref(one[kind], id)!;
}

interface CellProps {
  readonly subject: ShownSubject;
  readonly cell: ShownCell;
  readonly column: ShownColumn;
  readonly memberCount: number;
  readonly member: string | undefined;
}

/** Roles are asked about by who has them: their cells lead nowhere. */
function Cell({ subject: { kind, id }, cell, column, memberCount, member }: CellProps) {
  const text = <CellText cell={cell} memberCount={memberCount} member={member} />;
  if (kind === 'roles') return text;
  const who = kind === 'clients' ? 'client' : 'user';
  const query = new URLSearchParams({ show: kind, [who]: id, ...exampleOf(column, cell) });
  return <a href={`${effectiveHref}?${query}#answer`}>{text}</a>;
}

/** With a name that the caller may use, where there is one. */
function exampleOf({ example: { method, path } }: ShownColumn, { names }: ShownCell) {
  const [name] = names;
  const isFit = name !== undefined && !name.includes('*');
  return {
    method,
    path: isFit ? path.replace(/a-(map|queue)/, encodeURIComponent(name)) : path,
  };
}

function CellText({ cell, memberCount, member }: Pick<CellProps, 'cell' | 'memberCount' | 'member'>) {
  const t = useText();
  const { outcome, offAt } = cell;
  if (outcome === 'refused') return <span class="muted">{t('effective.no')}</span>;
  const what = <Opened {...cell} />;
  if (offAt.length === 0) return what;
  if (member !== undefined)
    return <Text id="effective.offAtIt" gaps={{ what, member: <bdi>{member}</bdi> }} />;
  if (offAt.length === memberCount) return <Text id="effective.offEverywhere" gaps={{ what }} />;
  return <Text id="effective.offAt" gaps={{ what, off: offAt.length, members: memberCount }} />;
}

function Opened({ outcome, names }: ShownCell) {
  const t = useText();
  if (outcome === 'allowed' || names.includes('*')) return t('effective.yes');
  return <bdi>{names.length === 0 ? t('effective.some') : names.join(', ')}</bdi>;
}

const methods = ['GET', 'POST', 'DELETE', 'PUT'];

function Question({ frame, kind, asked, answer, csrf }: EffectiveModel) {
  const t = useText();
  return (
    <Part id="answer" title={t('effective.askAboutCall')}>
      <QuestionForm kind={kind} asked={asked} />
      {answer && (
        <CallPanel
          {...{ frame, asked, answer, csrf }}
          href={effectiveHref}
          closeHref={`${effectiveHref}?show=${kind}`}
        />
      )}
    </Part>
  );
}

/** By the address, so that a question can be sent to somebody. */
function QuestionForm({ kind, asked }: Pick<EffectiveModel, 'kind' | 'asked'>) {
  const t = useText();
  return (
    <form method="get" action={`${effectiveHref}#answer`} class="filters">
      <input type="hidden" name="show" value={kind} />
      <div class="filter">
        <label for="as">{t('effective.caller')}</label>
        <select id="as" name="as">
          <option value="client" selected={asked.kind === 'client'}>
            {t('effective.machineClient')}
          </option>
          <option value="user" selected={asked.kind === 'user'}>
            {t('access.user')}
          </option>
        </select>
      </div>
      <div class="filter">
        <label for="who">{t('clients.id')}</label>
        <input
          id="who"
          name="who"
          type="text"
          value={asked.id}
          autocomplete="off"
          spellcheck={false}
          required
        />
      </div>
      <div class="filter">
        <label for="method">{t('effective.method')}</label>
        <select id="method" name="method">
          {methods.map((method) => (
            <option key={method} value={method} selected={asked.method === method}>
              {method}
            </option>
          ))}
        </select>
      </div>
      <div class="filter wide">
        <label for="path">{t('clients.path')}</label>
        <input
          id="path"
          name="path"
          type="text"
          value={asked.path || '/svc/rest/maps/orders/1'}
          autocomplete="off"
          spellcheck={false}
          required
        />
      </div>
      <div class="actions">
        <button type="submit" class="button">
          {t('effective.ask')}
        </button>
      </div>
    </form>
  );
}
