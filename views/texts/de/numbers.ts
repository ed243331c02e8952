/** Numbers over time, in German. */
import type { numbers as english } from '../en/numbers.ts';
import type { SameTexts } from '../text-form.ts';

export const numbers: SameTexts<typeof english> = {
  'numbers.callsOfADay': 'Aufrufe, 24 Std.',
  'numbers.sums': '{fine} in Ordnung, {denied} abgelehnt, {failed} fehlgeschlagen.',
  'numbers.sumsAndWhy': '{fine} in Ordnung, {denied} abgelehnt ({why}), {failed} fehlgeschlagen.',
  'numbers.why': 'Warum',
  'numbers.noCalls':
    'Kein Aufruf in den letzten 24 Stunden; einer von eben erscheint hier nach einer Minute.',
  'numbers.notWhole':
    'Es werden mehr Clients, Maps und Queues aufgerufen, als mit Namen gezählt werden: Einige dieser Aufrufe fehlen womöglich.',
  'numbers.hitShare': 'Lesezugriffe, die einen Eintrag fanden',
  'numbers.found': 'Gefunden',
  'numbers.valueSizes': 'Größe der Werte',
  'numbers.mean': 'Mittel',
  'numbers.largest': 'Größter',
  'numbers.peak': 'Spitze',
  'numbers.items': 'Elemente',
  'numbers.offersAndPolls': 'Einreihen und Entnehmen',
  'numbers.offers': 'Eingereiht',
  'numbers.polls': 'Entnommen',
  'numbers.emptyPolls': 'Ohne Element',
  'numbers.waitingPolls': 'Wartende Entnahmen',
};
