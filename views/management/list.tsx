/** A list of things: found by a filter, a page of them at a time, each row led by the link to the thing. */

import type { ComponentChildren } from 'preact';
import { Link } from '../elements/link.tsx';
import type { Language } from '../elements/moment.ts';
import { Notice, Problem } from '../message.tsx';
import { usePresentation } from '../presentation.ts';
import { useText } from '../texts/elements.tsx';
import { numberIn } from '../texts/text.ts';
import { Outcome, type OutcomeModel } from './bulk/outcome.tsx';
import { Selection } from './bulk/selection.tsx';
import { Chips, clearHref, Filters, type FiltersModel, filtersInWords, isFiltered } from './filters.tsx';
import { type FrameModel, ManagementPage } from './frame.tsx';
import { SortBox } from './lists/sorting.tsx';
import { Table, type TableProps } from './lists/table.tsx';
import { NewItems, type NewItemsModel } from './live/new-items.tsx';
import { type Snippet, Snippets } from './snippets.tsx';

export interface ListModel extends TableProps {
  readonly frame: FrameModel;
  /** What stands in the list, in one sentence. */
  readonly about: string;
  readonly count?: { readonly value: number; readonly isExact: boolean } | undefined;
  /** The one thing to do here. */
  readonly primary?: { readonly label: string; readonly href: string } | undefined;
  /** Before that: whether the page is live. */
  readonly acts?: ComponentChildren;
  readonly filters?: FiltersModel | undefined;
  /** Of an act on many things. */
  readonly outcome?: OutcomeModel | undefined;
  /** Above the filter. */
  readonly before?: ComponentChildren;
  /** Below the list. */
  readonly after?: ComponentChildren;
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
