/** Sessions, and the ends of sessions that applications are sent, in English. */
import type { Texts } from '../../text-form.ts';

export const sessions = {
  'logouts.waiting': 'Waiting',
  'logouts.notified': 'Notified, not confirmed',
  'logouts.confirmed': 'Confirmed',
  'logouts.gaveUp': 'Gave up',
  'logouts.lastLogouts': 'Last logouts',
  'logouts.noneWithinADay': 'None within a day.',
  'logouts.ended': 'Ended',
  'logouts.removed': 'Removed',
} as const satisfies Texts;
