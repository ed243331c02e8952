/** What several pages of Access say, in German. */
import type { access as english } from '../../en/access/access.ts';
import type { SameTexts } from '../../text-form.ts';

export const access: SameTexts<typeof english> = {
  'access.saved': 'Gespeichert.',
  'access.putBack': 'Zurückgesetzt.',
  'access.status': 'Status',
  'access.enable': 'Aktivieren',
  'access.disable': 'Deaktivieren',
  'access.enabled': 'Aktiviert',
  'access.disabled': 'Deaktiviert',
  'access.remove': 'Entfernen',
  'access.added': 'Hinzugefügt',
  'access.lastUsed': 'Zuletzt genutzt',
  'access.withSettings': 'Mit den Einstellungen',
  'access.nameOrId': 'Name oder ID',
  'access.clientId': 'Client-ID',
  'access.kind': 'Art',
  'access.role': 'Rolle',
  'access.reason': 'Grund',
  'access.user': 'Benutzer',
  'access.application': 'Anwendung',
  'access.outcome': 'Ergebnis',
  'access.all': 'Alle',
  'access.act': 'Aktion',
  'access.copy': 'Kopieren',
  'access.copied': 'Kopiert',
  'access.cannotBeUndone': 'Das lässt sich nicht rückgängig machen.',
  'access.passwordOfConsole': 'Passwort dieser Konsole',
  'access.openSessions': 'Offene Sitzungen',
  'access.whatPeopleSeeOfIt': 'Was Personen davon sehen.',
  'access.more': { one: '{n} weitere', other: '{n} weitere' },
};
