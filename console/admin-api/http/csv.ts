/**
 * Lists for spreadsheets (RFC 4180): the rows of the same page, a column for each field. What a spreadsheet would take
 * for a formula begins with an apostrophe, since names are other people's to choose.
 */
import { z } from 'zod';
import { csvCell } from '../../../platform/tables/csv-cells.ts';
import { mediaRangesOf } from '../../http/accept.ts';

export const csvType = 'text/csv';

/** RFC 9110 §12.5.1; JSON unless CSV is liked better. */
export function prefersCsv(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes(csvType)) return false;
  const quality = new Map(mediaRangesOf(accept).map(({ type, quality }) => [type, quality]));
  const json = ['application/json', 'application/*', '*/*'].find((type) => quality.has(type));
  return (quality.get(csvType) ?? 0) > (json === undefined ? 0 : quality.get(json)!);
}

/** @param item  the form of one row */
export function* csvLines(item: z.ZodType, items: readonly object[]): Generator<string> {
  const { head, lineOf } = csvTable(item);
  yield head;
  for (const row of items) yield lineOf(row);
}

/** @param item  the form of one row. @returns the line of names, and what makes a line of each row */
export function csvTable(item: z.ZodType) {
  const columns = columnsOf(item);
  return {
    head: lineOf(columns.map((path) => path.join('.'))),
    lineOf: (row: object) => lineOf(cellsOf(row, columns)),
  };
}

function lineOf(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

type Column = readonly string[];

/** What stands in an object of a row has columns of its own, by `origin.provider`. */
function columnsOf(schema: unknown): Column[] {
  const plain = unwrapped(schema);
  if (!(plain instanceof z.ZodObject)) return [[]];
  return Object.entries(plain.shape).flatMap(([name, member]) =>
    columnsOf(member).map((rest) => [name, ...rest]),
  );
}

function unwrapped(schema: unknown): unknown {
  return schema instanceof z.ZodNullable ? unwrapped(schema.unwrap()) : schema;
}

function cellsOf(row: object, columns: readonly Column[]): string[] {
  return columns.map((path) =>
    cellOf(
      path.reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | null)?.[name], row),
    ),
  );
}

/** Nothing of a list has a space in it but texts, so that one is between two of them. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    return value.join(' ');
  }
  return JSON.stringify(value);
}
