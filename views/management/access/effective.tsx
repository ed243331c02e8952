/** Who may call what at the members: a grid of callers by kinds of calls, and the answer to a question about one call. */
import { renderDocument } from '../../layout.tsx';
import { Notice } from '../../message.tsx';
import { Part } from '../detail.tsx';
import type { FiltersModel } from '../filters.tsx';
import { objectHref } from '../history/named.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { State } from '../state.tsx';

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

export interface ShownAnswer {
  readonly isAllowed: boolean;
  readonly because: string;
  /** The smallest change that opens it. */
  readonly opens: { readonly title: string; readonly given: string; readonly isOffered: boolean } | undefined;
}

export interface AskedOf {
  readonly kind: 'client' | 'user';
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

export interface EffectiveModel extends ListState {
  readonly kind: SubjectKind;
  /** Those that the reader may ask about. */
  readonly kinds: readonly SubjectKind[];
  readonly filters: FiltersModel;
  readonly columns: readonly ShownColumn[];
  readonly subjects: readonly ShownSubject[];
  readonly memberCount: number;
  readonly mayAsk: boolean;
  readonly asked: AskedOf;
  readonly answer: ShownAnswer | undefined;
}

export const effectiveHref = '/access/effective';

const kindWords: Readonly<Record<SubjectKind, string>> = {
  roles: 'Roles',
  clients: 'Machine clients',
  users: 'Users',
};

export function renderEffective(model: EffectiveModel): string {
  const { kind, kinds, columns, subjects, filters, notice, ...list } = model;
  return renderDocument(
    <ListPage
      {...list}
      title="Effective access"
      about="What each may call at the members, with all that it has. A cell leads to why it is so."
      before={
        <>
          {notice && <Notice>{notice}</Notice>}
          {model.mayAsk && <Question {...model} />}
          <nav class="actions" aria-label="Of whom">
            {kinds.map((one) => (
              <a
                key={one}
                class="button small"
                href={`${effectiveHref}?show=${one}`}
                aria-current={one === kind ? 'page' : undefined}
              >
                {kindWords[one]}
              </a>
            ))}
          </nav>
        </>
      }
      filters={kind === 'roles' ? undefined : { ...filters, hidden: { show: kind } }}
      isGrid
      columns={[{ title: 'Who' }, ...columns.map(({ group, action }) => ({ title: `${group} ${action}` }))]}
      rows={subjects.map((subject) => ({
        key: subject.id,
        cells: [
          <a key="who" href={hrefOf(subject)}>
            <bdi>{subject.id}</bdi>
          </a>,
          ...subject.cells.map((cell, i) => (
            <Cell
              key={i}
              subject={subject}
              cell={cell}
              column={columns[i]!}
              memberCount={model.memberCount}
            />
          )),
        ],
      }))}
      empty={<p>There is nobody yet of whom one could ask.</p>}
    />,
  );
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
}

/** Roles are asked about by who has them: their cells lead nowhere. */
function Cell({ subject: { kind, id }, cell, column, memberCount }: CellProps) {
  const text = <CellText cell={cell} memberCount={memberCount} />;
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

function CellText({ cell, memberCount }: Pick<CellProps, 'cell' | 'memberCount'>) {
  const { outcome, names, offAt } = cell;
  const off =
    outcome === 'refused' || offAt.length === 0
      ? ''
      : `, off at ${offAt.length === memberCount ? 'every member' : `${offAt.length} of ${memberCount} members`}`;
  if (outcome === 'refused') return <span class="muted">No</span>;
  if (outcome === 'allowed' || names.includes('*')) return <>Yes{off}</>;
  return (
    <>
      <bdi>{names.length === 0 ? 'Some' : names.join(', ')}</bdi>
      {off}
    </>
  );
}

const methods = ['GET', 'POST', 'DELETE', 'PUT'];

/** By the address, so that a question can be sent to somebody. */
function Question({ kind, asked, answer }: EffectiveModel) {
  return (
    <Part id="answer" title="Ask about a call">
      <form method="get" action={`${effectiveHref}#answer`} class="filters">
        <input type="hidden" name="show" value={kind} />
        <div class="filter">
          <label for="as">Caller</label>
          <select id="as" name="as">
            <option value="client" selected={asked.kind === 'client'}>
              Machine client
            </option>
            <option value="user" selected={asked.kind === 'user'}>
              User
            </option>
          </select>
        </div>
        <div class="filter">
          <label for="who">Id</label>
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
          <label for="method">Method</label>
          <select id="method" name="method">
            {methods.map((method) => (
              <option key={method} value={method} selected={asked.method === method}>
                {method}
              </option>
            ))}
          </select>
        </div>
        <div class="filter wide">
          <label for="path">Path</label>
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
            Ask
          </button>
        </div>
      </form>
      {answer && <Answer asked={asked} answer={answer} />}
    </Part>
  );
}

function Answer({ asked, answer }: { readonly asked: AskedOf; readonly answer: ShownAnswer }) {
  const { isAllowed, because, opens } = answer;
  const query = new URLSearchParams({
    do: 'open',
    [asked.kind]: asked.id,
    method: asked.method,
    path: asked.path,
  });
  return (
    <div class="boxed answer" role="status">
      <p>
        <State kind={isAllowed ? 'ok' : 'danger'}>
          <bdi>{asked.id}</bdi> {isAllowed ? 'may' : 'may not'}
        </State>{' '}
        <bdi class="code">{`${asked.method} ${asked.path}`}</bdi>
      </p>
      <p>
        <bdi>{because}</bdi>
      </p>
      {opens && (
        <p>
          The smallest change: <bdi class="code">{opens.given}</bdi>.
        </p>
      )}
      {opens?.isOffered && (
        <div class="actions">
          <a class="button primary" href={`${effectiveHref}?${query}`}>
            <bdi>{opens.title}</bdi>
          </a>
        </div>
      )}
    </div>
  );
}
