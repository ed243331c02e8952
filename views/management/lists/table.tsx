/** A table of things: each row is led by the link to the thing, and may have one act. */

import type { ComponentChildren } from 'preact';
import { useText } from '../../texts/elements.tsx';
import { Pick, PickPage, type SelectionModel } from '../bulk/selection.tsx';
import { ColumnHead, directionOf, type SortingModel } from './sorting.tsx';

export interface Column {
  readonly title: string;
  /** Numbers stand at the end of their column, with their unit in its head. */
  readonly isNumber?: boolean;
  /** Left out on a phone, where a row has two lines: its page says it. */
  readonly isMinor?: boolean;
  /** Says its column on a phone: what stands there says too little by itself. */
  readonly isNamed?: boolean;
  /** By what the list is sorted by this column, in the words of the address; where {@link TableProps.sorting} has it. */
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

export interface TableProps {
  readonly title: string;
  readonly columns: readonly Column[];
  /** Many narrow columns: heads break, and each cell says its column on a phone. */
  readonly isGrid?: boolean;
  readonly rows: readonly Row[];
  /** For who may act on what stands in it. */
  readonly selection?: SelectionModel | undefined;
  /** Undefined where it has one order. */
  readonly sorting?: SortingModel | undefined;
}

export function Table({ title, columns, rows, isGrid = false, selection, sorting }: TableProps) {
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
