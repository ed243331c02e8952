/** A call that was refused, in German. */
import type { decision as english } from '../../en/observe/decision.ts';
import type { SameTexts } from '../../text-form.ts';

export const decision: SameTexts<typeof english> = {
  'decision.title': 'Entscheidung {id}',
  'decision.notKept': 'Der Grund ist nicht mehr gespeichert. Was geschehen ist, steht unten.',
  'decision.story': 'Verlauf',
  'decision.whatLedToIt': 'Was dazu geführt hat, das Älteste zuerst.',
  'decision.tryAgain': 'Noch einmal versuchen',
  'decision.caller': 'Aufrufer',
  'decision.why': 'Warum er abgelehnt wurde',
  'decision.missing': 'Fehlende Berechtigung',
  'decision.howOften': 'Wie oft',
  'decision.unknown': 'Unbekannt',
  'decision.sameCallNow': 'Derselbe Aufruf mit demselben Token, jetzt',
  'decision.withAll': 'Mit einem Token für alles, was der Aufrufer anfordern darf',
  'decision.asCommand': 'Als Befehl',
  'decision.toOpenIt': 'Um ihn zu öffnen',
  'decision.nothingOpensIt': 'Nichts öffnet ihn.',
  'decision.with': 'Mit {given}',
  'decision.wouldGo': 'Er käme durch. {because}',
  'decision.wouldNot': 'Er würde abgelehnt. {because}',
  'decision.refusedTimes': { one: 'Einmal, zuerst {first}', other: '{n}-mal, zuerst {first}' },
  'decision.latest': '. Die letzte: {decision}',
  'decision.passed': {
    one: 'Ein Aufruf der letzten {days} Tage wäre durchgekommen.',
    other: '{n} Aufrufe der letzten {days} Tage wären durchgekommen.',
  },
  'decision.mute': { one: '{n} Tag stummschalten', other: '{n} Tage stummschalten' },
  'decision.unmute': 'Stummschaltung aufheben',
  'decision.muted': 'Stummgeschaltet',
  'decision.mutedUntil': 'Bis {until}, von {by}. Die Aufrufe werden weiter gezählt und geloggt.',
  'decision.isMutedUntil':
    'Stummgeschaltet bis {until}, von {by}. Die Aufrufe werden weiter gezählt und geloggt.',
  'decision.mutedNow': 'Stummgeschaltet: Unter „Braucht Aufmerksamkeit“ stehen diese Aufrufe nicht mehr.',
  'decision.unmutedNow': 'Unter „Braucht Aufmerksamkeit“ stehen diese Aufrufe wieder.',
  'decision.opened': 'Geöffnet: Das nächste damit angeforderte Token kommt durch.',
};
