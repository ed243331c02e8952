/** Numbers over time, in English. */
import type { Texts } from '../text-form.ts';

export const numbers = {
  'numbers.callsOfADay': 'Calls, 24 h',
  'numbers.sums': '{fine} fine, {denied} refused, {failed} failed.',
  'numbers.sumsAndWhy': '{fine} fine, {denied} refused ({why}), {failed} failed.',
  'numbers.why': 'Why',
  'numbers.noCalls': 'No call in the last 24 hours; one of just now is here a minute later.',
  'numbers.notWhole':
    'More clients, maps and queues are called than are counted by name: some of these calls may be missing.',
  'numbers.hitShare': 'Reads that found an entry',
  'numbers.found': 'Found',
  'numbers.valueSizes': 'Sizes of values',
  'numbers.mean': 'Mean',
  'numbers.largest': 'Largest',
  'numbers.peak': 'Peak',
  'numbers.items': 'Items',
  'numbers.offersAndPolls': 'Offers and polls',
  'numbers.offers': 'Offers',
  'numbers.polls': 'Polls',
  'numbers.emptyPolls': 'Empty polls',
  'numbers.waitingPolls': 'Waiting polls',
} as const satisfies Texts;
