/** Sessions, and the ends of sessions that applications are sent, in German. */
import type { sessions as english } from '../../en/access/sessions.ts';
import type { SameTexts } from '../../text-form.ts';

export const sessions: SameTexts<typeof english> = {
  'logouts.waiting': 'Wartet',
  'logouts.notified': 'Benachrichtigt, nicht bestätigt',
  'logouts.confirmed': 'Bestätigt',
  'logouts.gaveUp': 'Aufgegeben',
  'logouts.lastLogouts': 'Letzte Abmeldungen',
  'logouts.noneWithinADay': 'Keine in den letzten 24 Stunden.',
  'logouts.ended': 'Beendet',
  'logouts.removed': 'Entfernt',
};
