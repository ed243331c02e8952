/** Traffic: calls to the members, in German. */
import type { traffic as english } from '../../en/observe/traffic.ts';
import type { SameTexts } from '../../text-form.ts';

export const traffic: SameTexts<typeof english> = {
  'traffic.about': 'Aufrufe an die Member durch diese Konsole, höchstens der letzten Stunde.',
  'traffic.clients': 'Clients',
  'traffic.structures': 'Maps und Queues',
  'traffic.statuses': 'Status',
  'traffic.slowest': 'Am langsamsten',
  'traffic.latest': 'Zuletzt',
  'traffic.noMatch': 'Kein Aufruf passt zu diesem Filter.',
  'traffic.nobody': 'In dieser Zeit hat niemand die Member durch diese Konsole aufgerufen.',
  'traffic.whoMayCall':
    '{clients} und {applications} dürfen aufrufen; auf ihren Seiten steht der Aufruf zum Kopieren.',
  'traffic.applications': 'Anwendungen',
  'traffic.mean': 'Mittel, ms',
  'traffic.nobodyKnown': 'Niemand Bekanntes',
  'traffic.neither': 'Keine von beiden',
  'traffic.noMemberAsked': 'Kein Member gefragt',
  'traffic.callerLeft': 'Aufrufer ist gegangen',
  'traffic.refusedMost': 'Am häufigsten abgelehnt',
  'traffic.client': 'Client',
  'traffic.structure': 'Map oder Queue',
  'traffic.status': 'Status',
  'traffic.anotherPath': 'anderer Pfad',
  'traffic.member': 'Member',
  'traffic.took': 'Dauer, ms',
  'traffic.when': 'Wann',
  'traffic.structureAs': 'Map oder Queue, zum Beispiel map:orders',
  'traffic.memberAs': 'Member, zum Beispiel 10.0.0.1:5701',
  'traffic.minute': '1 min',
  'traffic.fiveMinutes': '5 min',
  'traffic.fine': 'In Ordnung (2xx)',
  'traffic.refused': 'Abgelehnt (4xx)',
  'traffic.failed': 'Fehlgeschlagen (5xx)',
};
