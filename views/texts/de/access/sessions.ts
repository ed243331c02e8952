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
  'sessions.about': 'Wo Personen angemeldet sind, mit den Anwendungen, die sie geöffnet haben.',
  'sessions.browser': 'Browser',
  'sessions.from': 'Von',
  'sessions.lastSeen': 'Zuletzt gesehen',
  'sessions.nobody': 'Niemand ist angemeldet.',
  'sessions.of': 'Sitzung von {user}',
  'sessions.end': 'Sitzung beenden',
  'sessions.endAllOf': 'Alle Sitzungen von {user} beenden',
  'sessions.endAll': 'Alle Sitzungen beenden',
  'sessions.allNow': { one: 'Jetzt gibt es {n} Sitzung.', other: 'Jetzt gibt es {n} Sitzungen.' },
  'sessions.moreThanNow': {
    one: 'Jetzt gibt es mehr als {n} Sitzung.',
    other: 'Jetzt gibt es mehr als {n} Sitzungen.',
  },
  'sessions.everybodyOut':
    'Alle werden von dieser Konsole und von jeder Anwendung abgemeldet und müssen sich neu anmelden. Ihre Token gelten nicht mehr. Maschinen-Clients arbeiten weiter.',
  'sessions.ownLast': 'Ihre endet zuletzt: Sie werden hier abgemeldet und melden sich neu an.',
  'sessions.goesOn':
    'Es läuft weiter, wenn diese Seite geschlossen wird, auch nach einem Neustart. Wer sich inzwischen anmeldet, bleibt angemeldet.',
  'sessions.typed': 'Sitzungen',
  'sessions.endOne': 'Beenden',
  'sessions.endingIt': 'Ihr Ende meldet die Person an jeder Anwendung ab, die damit geöffnet wurde.',
  'sessions.session': 'Sitzung',
  'sessions.acr': 'Authentifizierung (acr)',
  'sessions.identityProvider': 'Identitätsanbieter',
  'sessions.endOf': 'Diese Sitzung von {user} beenden',
  'sessions.signedOut': '{user} wird in jenem Browser an dieser Konsole abgemeldet.',
  'sessions.isYours': 'Es ist Ihre: Sie werden hier abgemeldet und melden sich neu an.',
  'sessions.noApplication': 'Keine Anwendung wurde mit ihr geöffnet.',
  'sessions.applicationsToo': 'Ebenso an diesen Anwendungen: {applications}. Ihre Token gelten nicht mehr.',
};
