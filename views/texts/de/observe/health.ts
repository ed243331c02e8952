/** The health check, in German. */
import type { health as english } from '../../en/observe/health.ts';
import type { SameTexts } from '../../text-form.ts';

export const health: SameTexts<typeof english> = {
  'health.healthy': 'Gesund',
  'health.needsAttention': 'Braucht Aufmerksamkeit',
  'health.wrong': 'Etwas stimmt nicht',
  'health.download': 'Bericht herunterladen',
  'health.runAgain': 'Noch einmal prüfen',
  'health.about':
    'Member, Speicher, Schlüssel, Identitätsanbieter, Lizenz, Jobs und Einstellungen. Eine neue Prüfung fragt jedes Member, ob es bereit ist.',
  'health.checkedAgo': 'Geprüft {ago}.',
  'health.attentionCount': { one: 'Braucht Aufmerksamkeit ({n})', other: 'Braucht Aufmerksamkeit ({n})' },
  'health.fineCount': { one: 'In Ordnung ({n})', other: 'In Ordnung ({n})' },
  'health.doctor':
    '{command} fragt auch die Anwendung und die eigene Adresse der Konsole, von dort, wo der Befehl läuft.',
  'health.lookAtIt': 'Ansehen{ofWhich}',
  'health.seeWhy': 'Ansehen, warum{ofWhich}',
  'health.readMetadata': 'Metadaten lesen lassen{ofWhich}',
  'health.replaceKeys': 'Signaturschlüssel sofort ersetzen{ofWhich}',
  'health.openJob': 'Job öffnen{ofWhich}',
  'health.jobFailed': '{job} ist {when} fehlgeschlagen.',
  'health.jobInterrupted': '{job} wurde {when} unterbrochen.',
  'health.member': 'Member {member}',
  'health.client': 'Client {id}',
  'health.user': 'Benutzer {id}',
  'health.provider': 'Identitätsanbieter {id}',
  'health.members': 'Member',
  'health.store': 'Speicher',
  'health.database': 'Datenbank',
  'health.keys': 'Schlüssel',
  'health.licence': 'Lizenz',
  'health.jobs': 'Jobs',
  'health.configuration': 'Konfiguration',
  'health.settings': 'Einstellungen',
};
