/** Entries in the Common Event Format, revision 27, version 0: one line each, for systems that collect events. */
import type { Entry, EntryOutcome } from '../entry.ts';
import { cellsOf, type EntryColumn } from './entry-columns.ts';

/** @param version  of the console that makes the line */
export function cefLine(entry: Entry, version: string): string {
  const { event, outcome } = entry;
  const head = ['Cluster Console', 'Cluster Console', version, event, event.replaceAll('.', ' ')].map(inHead);
  const pairs = extensionOf(entry).map(([key, value]) => `${key}=${inExtension(value)}`);
  return `CEF:0|${head.join('|')}|${severity[outcome] ?? unknownSeverity}|${pairs.join(' ')}`;
}

const severity: Readonly<Partial<Record<EntryOutcome, number>>> = {
  success: 3,
  partial: 5,
  denied: 6,
  failure: 7,
};
const unknownSeverity = 5;

/** Keys of the dictionary where there is one for it. */
const keys = [
  ['externalId', 'seq'],
  ['outcome', 'outcome'],
  ['suser', 'actorId'],
  ['src', 'source'],
  ['duser', 'objectId'],
  ['dvchost', 'member'],
  ['reason', 'reason'],
] as const satisfies readonly (readonly [string, EntryColumn])[];

/** Fields of the receiver's own come with a label that says what they are. */
const labelled = ['decisionId', 'tokenId', 'grantId', 'requestId', 'client', 'permission'] as const;

function extensionOf(entry: Entry): readonly (readonly [string, string])[] {
  const cells = cellsOf(entry);
  const { time, writer, event: _event, ...others } = cells;
  const pairs: [string, string][] = [
    ['rt', String(Date.parse(time ?? ''))],
    ['deviceExternalId', writer ?? ''],
  ];
  const rest: Partial<Record<EntryColumn, string>> = { ...others };
  for (const [key, column] of keys) {
    const value = cells[column];
    // An address that is none would make the line one that nobody can read.
    const isFitting = key !== 'src' || /^[0-9a-fA-F.:]+$/.test(value ?? '');
    if (value === undefined || !isFitting) continue;
    pairs.push([key, value]);
    delete rest[column];
  }
  labelled.forEach((column, i) => {
    const value = cells[column];
    if (value === undefined) return;
    pairs.push([`cs${i + 1}Label`, column], [`cs${i + 1}`, value]);
    delete rest[column];
  });
  if (Object.keys(rest).length > 0) pairs.push(['msg', JSON.stringify(rest)]);
  return pairs;
}

/** In the head a bar ends a field, and nothing stands for a line's end. */
function inHead(text: string): string {
  return text.replace(/[\\|]/g, '\\$&').replace(/[\r\n]+/g, ' ');
}

function inExtension(text: string): string {
  return text.replace(/[\\=]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}
