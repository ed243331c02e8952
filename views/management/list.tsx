/** A list of things: found by a filter, a page of them at a time, each row led by the link to the thing. */

import type { ComponentChildren } from 'preact';
import { Link } from '../elements/link.tsx';
import type { Language } from '../elements/moment.ts';
import { Notice, Problem } from '../message.tsx';
import { usePresentation } from '../presentation.ts';
import { useText } from '../texts/elements.tsx';
import { numberIn } from '../texts/text.ts';
import { Outcome, type OutcomeModel } from './bulk/outcome.tsx';
import { Pick, PickPage, Selection, type SelectionModel } from './bulk/selection.tsx';
import { Chips, clearHref, Filters, type FiltersModel, filtersInWords, isFiltered } from './filters.tsx';
import { type FrameModel, ManagementPage } from './frame.tsx';
import { ColumnHead, directionOf, SortBox, type SortingModel } from './lists/sorting.tsx';
import { NewItems, type NewItemsModel } from './live/new-items.tsx';
import { type Snippet, Snippets } from './snippets.tsx';

export interface Column {
  readonly title: string;
  /** Numbers stand at the end of their column, with their unit in its head. */
  readonly isNumber?: boolean;
  /** Left out on a phone, where a row has two lines: its page says it. */
  readonly isMinor?: boolean;
  /** Says its column on a phone: what stands there says too little by itself. */
  readonly isNamed?: boolean;
  /** By what the list is sorted by this column, in the words of the address; where {@link ListModel.sorting} has it. */
  readonly sortBy?: string;
}

export interface Row {
  /** Unique in the list. */
  readonly key: string;
  /** The first is the name, a link to the thing. */
  readonly cells: readonly ComponentChildren[];
  /** What it is called where it is selected, unless that is its key. */
  readonly label?: string;
  /** What is done to it most: a `RowAct`. */
  readonly act?: ComponentChildren;
  /** Nothing can be done to it, so that it cannot be selected. */
  readonly isFixed?: boolean;
}

export interface ListModel {
  readonly frame: FrameModel;
  readonly title: string;
  /** What stands in the list, in one sentence. */
  readonly about: string;
  readonly count?: { readonly value: number; readonly isExact: boolean } | undefined;
  /** The one thing to do here. */
  readonly primary?: { readonly label: string; readonly href: string } | undefined;
  /** Before that: whether the page is live. */
  readonly acts?: ComponentChildren;
  readonly filters?: FiltersModel | undefined;
  /** Undefined where the list has one order. */
  readonly sorting?: SortingModel | undefined;
  /** For who may act on what stands in the list. */
  readonly selection?: SelectionModel | undefined;
  /** Of an act on many things. */
  readonly outcome?: OutcomeModel | undefined;
  /** Above the filter. */
  readonly before?: ComponentChildren;
  /** Below the list. */
  readonly after?: ComponentChildren;
  readonly columns: readonly Column[];
  /** Many narrow columns: heads break, and each cell says its column on a phone. */
  readonly isGrid?: boolean;
  readonly rows: readonly Row[];
  /** What is said where there is nothing at all, above the one thing to do here. */
  readonly empty: ComponentChildren;
  /** That filter alone leaves out nothing that could be added here: nothing in it is nothing at all. */
  readonly isWhole?: boolean;
  /** What makes the first one, from elsewhere. */
  readonly firstSnippets?: readonly Snippet[] | undefined;
  /** Of the first page of a list that says what has come since. */
  readonly live?: NewItemsModel | undefined;
  /** Where the list goes on. */
  readonly nextHref?: string | undefined;
  /** The first page, on any other. */
  readonly firstHref?: string | undefined;
  /** All of it as files. */
  readonly files?: readonly ListFileLink[] | undefined;
  readonly notice?: string | undefined;
  readonly problem?: string | undefined;
}

export interface ListFileLink {
  /** `json`. */
  readonly format: string;
  readonly href: string;
}

/** What the handler of a list says of it, beside its rows. */
export type ListState = Pick<
  ListModel,
  | 'frame'
  | 'count'
  | 'primary'
  | 'sorting'
  | 'firstSnippets'
  | 'live'
  | 'nextHref'
  | 'firstHref'
  | 'files'
  | 'selection'
  | 'outcome'
  | 'notice'
  | 'problem'
>;

export function ListPage(model: ListModel) {
  const { frame, title, about, count, primary, acts, before, after, rows, outcome, live, notice, problem } =
    model;
  const { language } = usePresentation();
  return (
    <ManagementPage
      frame={frame}
      title={title}
      hasProblem={problem !== undefined}
      state={count && <span class="count">{countText(count, language)}</span>}
      acts={
        (acts || primary) && (
          <>
            {acts}
            {primary && (
              <Link href={primary.href} class="button primary">
                {primary.label}
              </Link>
            )}
          </>
        )
      }
    >
      <p class="lede">{about}</p>
      {problem && <Problem id="problem">{problem}</Problem>}
      {notice && <Notice>{notice}</Notice>}
      {outcome && <Outcome {...outcome} />}
      {before}
      <Head {...model} />
      {live && <NewItems {...live} />}
      {rows.length === 0 ? <Nothing {...model} /> : <Table {...model} />}
      <More {...model} />
      {rows.length > 0 && <Files {...model} />}
      {after}
    </ManagementPage>
  );
}

/** The filter, and in its place what is done to the rows that are selected. */
function Head({ filters, selection, rows, columns, sorting }: ListModel) {
  const shown = rows.length > 0 ? selection : undefined;
  return (
    <>
      {shown ? (
        <div class={filters ? 'list-head' : undefined}>
          {filters && <Filters {...filters} />}
          <Selection {...shown} />
        </div>
      ) : (
        filters && <Filters {...filters} />
      )}
      {filters && <Chips {...filters} />}
      {sorting && rows.length > 1 && <SortBox columns={columns} sorting={sorting} />}
    </>
  );
}

function Nothing({ filters, empty, nextHref, isWhole, primary, firstSnippets = [] }: ListModel) {
  const t = useText();
  if (nextHref !== undefined) return <div class="empty">{t('frame.nothingPageListGoes')}</div>;
  if (!filters || !isFiltered(filters) || isWhole) {
    return (
      <div class="empty">
        {empty}
        {primary && (
          <div class="actions">
            <Link href={primary.href} class="button">
              {primary.label}
            </Link>
          </div>
        )}
        {firstSnippets.length > 0 && <Snippets snippets={firstSnippets} />}
      </div>
    );
  }
  const words = filtersInWords(filters, t)
    .map((one) => one.words)
    .join(', ');
  return (
    <div class="empty">
      <p>{t('frame.nothingMatchesFilter')}</p>
      {words !== '' && (
        <p>
          <bdi>{words}</bdi>
        </p>
      )}
      <p>
        <Link href={clearHref(filters)}>{t('common.clearIt')}</Link>
      </p>
    </div>
  );
}

export function Table({
  title,
  columns,
  rows,
  isGrid = false,
  selection,
  sorting,
}: Pick<ListModel, 'title' | 'columns' | 'rows' | 'isGrid' | 'selection' | 'sorting'>) {
  const t = useText();
  const hasActs = rows.some(({ act }) => Boolean(act));
  return (
    // Where it is too wide it scrolls, by keys too.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached
    <div class="table-frame boxed" tabIndex={0}>
      <table
        class={isGrid ? 'grid' : hasActs || columns.some(({ isMinor }) => isMinor) ? 'short' : undefined}
      >
        <caption class="unseen">{title}</caption>
        <thead>
          <tr>
            {selection && (
              <td class="pick">
                <PickPage />
              </td>
            )}
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                class={cellClassOf(column)}
                aria-sort={directionOf(column, sorting)}
              >
                <ColumnHead column={column} sorting={sorting} />
              </th>
            ))}
            {hasActs && (
              <th scope="col">
                <span class="unseen">{t('frame.rowAct')}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells, label = key, act, isFixed = false }) => (
            <tr key={key}>
              {selection && <td class="pick">{!isFixed && <Pick id={key} label={label} />}</td>}
              {cells.map((cell, at) => {
                const column = columns[at]!;
                const { title: name } = column;
                const className = cellClassOf(column);
                return at === 0 ? (
                  <th key={name} scope="row" class={className}>
                    {cell}
                  </th>
                ) : (
                  <td key={name} data-title={name} class={className}>
                    {cell}
                  </td>
                );
              })}
              {hasActs && <td class="act">{act}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cellClassOf({ isNumber = false, isMinor = false, isNamed = false }: Column): string | undefined {
  const classes = { number: isNumber, minor: isMinor, named: isNamed };
  const own = Object.entries(classes).flatMap(([name, isOn]) => (isOn ? [name] : []));
  return own.join(' ') || undefined;
}

function More({ firstHref, nextHref }: ListModel) {
  const t = useText();
  if (firstHref === undefined && nextHref === undefined) return null;
  return (
    <nav class="actions" aria-label={t('frame.pagesList')}>
      <Link href={firstHref} class="button">
        {t('frame.firstPage')}
      </Link>
      <Link href={nextHref} class="button">
        {t('frame.nextPage')}
      </Link>
    </nav>
  );
}

/** Of all that the filter finds, not of this page alone. */
function Files({ files = [], filters }: ListModel) {
  const t = useText();
  if (files.length === 0) return null;
  return (
    <p class="files">
      {t(filters && isFiltered(filters) ? 'frame.allOfFilterAs' : 'frame.allOfItAs')}{' '}
      {files.map(({ format, href }, at) => (
        <>
          {at > 0 && ', '}
          <Link key={format} href={href}>
            {formatNames[format] ?? format}
          </Link>
        </>
      ))}
    </p>
  );
}

const formatNames: Readonly<Record<string, string>> = { json: 'JSON', jsonl: 'JSONL', csv: 'CSV' };

function countText({ value, isExact }: NonNullable<ListModel['count']>, language: Language): string {
  return `${numberIn(language, value)}${isExact ? '' : '+'}`;
}
