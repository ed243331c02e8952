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
  'access.role': 'Rolle',
  'access.reason': 'Grund',
  'access.user': 'Benutzer',
  'access.application': 'Anwendung',
  'access.outcome': 'Ergebnis',
  'access.act': 'Aktion',
  'access.copy': 'Kopieren',
  'access.copied': 'Kopiert',
  'access.passwordOfConsole': 'Passwort dieser Konsole',
  'access.openSessions': 'Offene Sitzungen',
};
