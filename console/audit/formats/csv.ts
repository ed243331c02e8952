/** Entries for spreadsheets. */
import { csvCell } from '../../../platform/tables/csv-cells.ts';
import type { Entry } from '../entry.ts';
import { cellsOf, entryColumns } from './entry-columns.ts';

export function csvHead(): string {
  return `${entryColumns.join(',')}\r\n`;
}

export function csvRow(entry: Entry): string {
  const cells = cellsOf(entry);
  return `${entryColumns.map((column) => csvCell(cells[column] ?? '')).join(',')}\r\n`;
}
