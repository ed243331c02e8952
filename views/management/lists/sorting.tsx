/** In which order a list stands: heads of its columns, and on a phone, which has no heads, a box. Neither needs script. */
import { safeHref } from '../../elements/href.ts';
import { Link } from '../../elements/link.tsx';
import { useText } from '../../texts/elements.tsx';
import type { Translate } from '../../texts/text.ts';

/** Decides how an order is called, and which way round comes first: names rise, the newest and the most stand on top. */
export type SortKind = 'text' | 'time' | 'number';

export interface SortingModel {
  /** The list without anything asked. */
  readonly action: string;
  /** What it is filtered by, as the address says it. */
  readonly asked: Readonly<Record<string, string>>;
  /** What it can be sorted by, in the words of the address. */
  readonly by: Readonly<Record<string, SortKind>>;
  /** `-startedAt`: by that, falling. Undefined: as the list comes, which is by no column. */
  readonly sort: string | undefined;
  /** The list can be had as it comes, which is by no column. */
  readonly hasOwnOrder: boolean;
}

/** A column as far as the list can be sorted by it. */
export interface SortedColumn {
  readonly title: string;
  /** In the words of the address. */
  readonly sortBy?: string | undefined;
}

export type Direction = 'ascending' | 'descending';

/** @returns undefined where the list is not sorted by this column */
export function directionOf(
  { sortBy }: SortedColumn,
  sorting: SortingModel | undefined,
): Direction | undefined {
  if (sortBy === undefined || !sorting?.by[sortBy]) return undefined;
  if (sorting.sort === sortBy) return 'ascending';
  return sorting.sort === `-${sortBy}` ? 'descending' : undefined;
}

export function ColumnHead({
  column,
  sorting,
}: {
  readonly column: SortedColumn;
  readonly sorting?: SortingModel | undefined;
}) {
  const { title, sortBy } = column;
  const kind = sortBy === undefined ? undefined : sorting?.by[sortBy];
  if (!sorting || !kind) return <>{title}</>;
  const direction = directionOf(column, sorting);
  const [first, second] = ordersBy(sortBy!, kind);
  const next = sorting.sort === first ? second : first;
  return (
    <Link href={hrefOf(sorting, next)} class="sort">
      {title} <span aria-hidden="true">{direction ? arrows[direction] : '\u2195'}</span>
    </Link>
  );
}

const arrows: Readonly<Record<Direction, string>> = { ascending: '\u2191', descending: '\u2193' };

/** The same for a phone. */
export function SortBox({
  columns,
  sorting,
}: {
  readonly columns: readonly SortedColumn[];
  readonly sorting: SortingModel;
}) {
  const t = useText();
  const { action, asked, sort, hasOwnOrder } = sorting;
  const own = hasOwnOrder ? [{ value: '', label: t('sorting.own') }] : [];
  const options = [...own, ...columns.flatMap((column) => optionsOf(column, sorting, t))];
  return (
    <form method="get" action={safeHref(action)} class="sort-by">
      {Object.entries(asked).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <label for="sort">{t('sorting.by')}</label>
      <select id="sort" name="sort">
        {options.map(({ value, label }) => (
          <option key={value} value={value} selected={value === (sort ?? '')}>
            {label}
          </option>
        ))}
      </select>
      <button type="submit" class="button">
        {t('sorting.sort')}
      </button>
    </form>
  );
}

function optionsOf({ title, sortBy }: SortedColumn, { by }: SortingModel, t: Translate) {
  const kind = sortBy === undefined ? undefined : by[sortBy];
  if (!kind) return [];
  return ordersBy(sortBy!, kind).map((value) => ({
    value,
    label: t(words[kind][value.startsWith('-') ? 'descending' : 'ascending'], { column: title }),
  }));
}

const words = {
  text: { ascending: 'sorting.rising', descending: 'sorting.falling' },
  time: { ascending: 'sorting.oldestFirst', descending: 'sorting.newestFirst' },
  number: { ascending: 'sorting.leastFirst', descending: 'sorting.mostFirst' },
} as const satisfies Readonly<Record<SortKind, Readonly<Record<Direction, string>>>>;

function ordersBy(sortBy: string, kind: SortKind): readonly [first: string, second: string] {
  return kind === 'text' ? [sortBy, `-${sortBy}`] : [`-${sortBy}`, sortBy];
}

function hrefOf({ action, asked }: SortingModel, sort: string): string {
  return `${action}?${new URLSearchParams({ ...asked, sort }).toString()}`;
}
