/** CSV (RFC 4180) with the names of the columns in its first line. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CsvError, type Info, parse } from 'csv-parse';
import { createLineCounter, type LineCounter } from './line-counter.ts';
import { mostBytes, notUtf8, plainBytes, SourceError, type SourceRecord, torn } from './source.ts';

interface Row {
  readonly record: readonly string[];
  readonly info: Info;
}

/**
 * @param columns  those that there are
 * @param needed   those that must be there
 */
export function readCsv(columns: readonly string[], needed: readonly string[]) {
  return async function* read(bytes: AsyncIterable<Buffer>): AsyncGenerator<SourceRecord> {
    const lines = createLineCounter();
    const invalid: CsvError[] = [];
    const parser = parse({
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: mostBytes,
      skip_records_with_error: true,
      on_skip: (error) => void (error && invalid.push(error)),
    });
    const fed = pipeline(Readable.from(lines.follow(plainBytes(bytes))), parser);
    fed.catch(() => {}); // thrown by the loop below
    let header: readonly string[] | undefined;
    for await (const { record, info } of parser as AsyncIterable<Row>) {
      while (invalid[0] && placeOf(invalid[0]) < info.bytes) yield rejected(invalid.shift()!, lines);
      const line = lines.lineAt(info.bytes) - lineEndsIn(record);
      if (header) yield recordOf(header, record, line);
      else header = checkedHeader(record, columns, needed);
    }
    await fed;
    for (const error of invalid) yield rejected(error, lines);
    if (!header) throw new SourceError('The file has no line with the names of its columns.');
  };
}

/** @throws {SourceError} */
function checkedHeader(
  record: readonly string[],
  columns: readonly string[],
  needed: readonly string[],
): readonly string[] {
  const header = record.map((name) => name.trim());
  const known = `Columns are ${columns.join(', ')}.`;
  if (header.length === 1 && /[;\t]/.test(header[0]!)) {
    throw new SourceError('Line 1: columns are separated by commas, and here by something else.');
  }
  const unknown = header.find((name) => !columns.includes(name));
  if (unknown !== undefined)
    throw new SourceError(`Line 1: there is no column ${JSON.stringify(unknown.slice(0, 40))}. ${known}`);
  const repeated = header.find((name, index) => header.indexOf(name) !== index);
  if (repeated !== undefined) throw new SourceError(`Line 1: the column ${repeated} is there twice.`);
  const missing = needed.find((name) => !header.includes(name));
  if (missing !== undefined) throw new SourceError(`Line 1: the column ${missing} is missing. ${known}`);
  return header;
}

function recordOf(header: readonly string[], values: readonly string[], line: number): SourceRecord {
  if (values.length !== header.length) {
    return { line, reason: `it has ${values.length} columns, and line 1 names ${header.length}` };
  }
  if (values.some((value) => value.includes('\ufffd'))) return { line, reason: notUtf8 };
  // An empty cell says nothing.
  const pairs = header.flatMap((name, index) =>
    values[index] === '' ? [] : [[name, values[index]!] as const],
  );
  return { line, fields: Object.fromEntries(pairs) };
}

function rejected(error: CsvError, lines: LineCounter): SourceRecord {
  return { line: lines.lineAt(placeOf(error)), reason: reasonOf(error) };
}

/** How many bytes it was found after. */
function placeOf({ bytes }: CsvError): number {
  return Number(bytes);
}

/** Values in quotation marks may have several lines. */
function lineEndsIn(values: readonly string[]): number {
  return values.reduce((sum, value) => (value.includes('\n') ? sum + value.split('\n').length - 1 : sum), 0);
}

function reasonOf({ code }: CsvError): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return torn;
  if (code === 'CSV_MAX_RECORD_SIZE') return 'it is longer than 1 MiB: is a quotation mark missing?';
  return 'a quotation mark is in the wrong place: within a quoted value it is written twice';
}
