/** An export: page by page, so that its size does not matter, in the form that an import takes. */
import { stringify } from 'csv-stringify/sync';
import type { GrowingCollection } from '../storage/record-store.ts';
import { clientFields, userFields } from './columns.ts';
import type { Progress } from './progress.ts';
import type { Fields } from './sources/source.ts';
import type { BulkTarget } from './target.ts';

export type Format = 'jsonl' | 'csv';

export interface ExportOptions {
  readonly collection: GrowingCollection;
  readonly format: Format;
  readonly withHashes: boolean;
}

/** Left out unless they are asked for; `secret` is for imports alone. */
const ofHashes = ['passwordHash', 'secrets'];

/** @returns how many */
export async function exportRecords(
  { collection, format, withHashes }: ExportOptions,
  {
    target,
    write,
    progress,
  }: { target: BulkTarget; write: (text: string) => Promise<void>; progress: Progress },
): Promise<number> {
  const columns = columnsOf(collection, withHashes);
  let count = 0;
  let after: string | undefined;
  if (format === 'csv') await write(stringify([columns]));
  do {
    const { rows, next } = await target.page({ collection, withHashes, after });
    await write(format === 'csv' ? tableOf(rows, columns) : linesOf(rows));
    count += rows.length;
    progress.report('exporting', count, 0);
    after = next;
  } while (after !== undefined);
  return count;
}

function columnsOf(collection: GrowingCollection, withHashes: boolean): readonly string[] {
  const all = collection === 'users' ? userFields : clientFields;
  return all.filter((name) => name !== 'secret' && (withHashes || !ofHashes.includes(name)));
}

function linesOf(rows: readonly Fields[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

function tableOf(rows: readonly Fields[], columns: readonly string[]): string {
  return stringify(rows.map((row) => columns.map((name) => cellOf(row[name]))));
}

/** No list that stands in a table has spaces within its texts; digests of secrets and keys are objects. */
function cellOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return JSON.stringify(value);
  if (!Array.isArray(value)) return String(value);
  return value.every((one) => typeof one === 'string') ? value.join(' ') : JSON.stringify(value);
}
