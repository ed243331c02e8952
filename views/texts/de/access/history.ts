/** The history of a thing, and putting back, in German. */
import type { history as english } from '../../en/access/history.ts';
import type { SameTexts } from '../../text-form.ts';

export const history: SameTexts<typeof english> = {
  'history.title': 'Verlauf',
  'history.allInAuditLog': 'Alles im Audit-Protokoll',
  'history.noChange': 'Im Audit-Protokoll steht keine Änderung.',
  'history.when': 'Wann',
  'history.who': 'Wer',
  'history.what': 'Was',
  'history.putBack': 'Wiederherstellen',
  'history.andMore': { one: 'und {n} weiteres', other: 'und {n} weitere' },
  'history.console': 'Die Konsole',
  'history.nobodyKnown': 'Niemand Bekanntes',
  'history.sessionsEnded': 'Sitzungen beendet',
  'history.passwordReset': 'Passwort zurückgesetzt',
  'history.secretAdded': 'Secret hinzugefügt',
  'history.secretRemoved': 'Secret entfernt',
  'history.secretSuperseded': 'Das neue Secret wurde verwendet: Das alte endet',
  'history.removed': 'Entfernt',
  'history.refreshed': 'Neu gelesen',
  'history.nowThen': '{name}: von {now} zurück auf {former}.',
  'history.staysAsIs': 'Bleibt, wie es ist: {names}.',
  'history.putBackChangeOf': 'Änderung an {id} rückgängig machen',
  'history.changedBy':
    'Das hat {who} geändert; auch dies steht dann im Audit-Protokoll und lässt sich wieder rückgängig machen.',
  'history.changedByNobodyKnown':
    'Wer das geändert hat, ist nicht bekannt; auch dies steht dann im Audit-Protokoll und lässt sich wieder rückgängig machen.',
};
