/** The series of the calls of one client, map or queue: what each says, and how it is made of the rows of its minutes. */
import type { SeriesDescription } from '../history/series.ts';
import type { StructureRow } from './forms.ts';

export type CallSubject =
  | { readonly kind: 'client'; readonly id: string }
  /** `map:orders`, `queue:jobs`. */
  | { readonly kind: 'structure'; readonly id: string };

export interface CallSeries extends SeriesDescription {
  /** Of one minute: what is added up, and what the sums are divided by; nothing is known where that is 0. */
  readonly of: (row: StructureRow) => readonly [value: number, weight: number];
  /** The most of one minute, where it is not that quotient. */
  readonly most?: (row: StructureRow) => number;
  /** Whether the values themselves can be added up. */
  readonly hasSum?: true;
}

const perSecond = (meaning: string, count: (row: StructureRow) => number): CallSeries => ({
  unit: 'perSecond',
  meaning,
  of: (row) => [count(row), 60],
  hasSum: true,
});
const state = (meaning: string, of: (row: StructureRow) => number): CallSeries => ({
  unit: 'count',
  meaning,
  of: (row) => (Number.isNaN(of(row)) ? [0, 0] : [of(row), 1]),
});

const ofClients = {
  calls: perSecond('calls to members', ({ fine, denied, failed }) => fine + denied + failed),
  callsDenied: perSecond('calls to members that were answered with 400 to 499', ({ denied }) => denied),
  callsFailed: perSecond(
    'calls to members that were answered with 500 or more, or not at all',
    ({ failed }) => failed,
  ),
} as const satisfies Readonly<Record<string, CallSeries>>;

const ofMaps = {
  ...ofClients,
  reads: perSecond('reads of entries', ({ found, missed }) => found + missed),
  puts: perSecond('entries that were put', ({ written }) => written),
  hitShare: {
    unit: 'share',
    meaning: 'reads that found an entry, of all',
    of: ({ found, missed }) => [found, found + missed],
  },
  valueBytes: {
    unit: 'bytes',
    meaning: 'values that were read or put: their mean size, and as the most that of the largest',
    of: ({ valueBytes, values }) => [valueBytes, values],
    most: ({ mostBytes }) => mostBytes,
  },
} as const satisfies Readonly<Record<string, CallSeries>>;

const ofQueues = {
  ...ofClients,
  offers: perSecond('items that were offered', ({ written }) => written),
  polls: perSecond('polls that were given an item', ({ found }) => found),
  pollsEmpty: perSecond('polls that were given none', ({ missed }) => missed),
  queueSize: state('items in the queue, asked once a minute', ({ size }) => size),
  pollsWaiting: state('polls that wait for an item, counted once a minute', ({ waiting }) => waiting),
} as const satisfies Readonly<Record<string, CallSeries>>;

export type CallSeriesName = keyof typeof ofClients | keyof typeof ofMaps | keyof typeof ofQueues;

export const callSeriesNames = [
  ...new Set([...Object.keys(ofMaps), ...Object.keys(ofQueues)]),
] as CallSeriesName[];

export function callSeriesOf({
  kind,
  id,
}: CallSubject): Readonly<Partial<Record<CallSeriesName, CallSeries>>> {
  if (kind === 'client') return ofClients;
  return id.startsWith('queue:') ? ofQueues : ofMaps;
}
