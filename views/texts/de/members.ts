/**
 * The members of the cluster, and what a member is asked to do, in German.
 *
 * „Drain“ heißt bei einem Member „entlasten“: Es bekommt keine Aufrufe mehr, behält aber seine Daten.
 */
import type { members as english } from '../en/members.ts';
import type { SameTexts } from '../text-form.ts';

export const members: SameTexts<typeof english> = {
  'members.howTheyAre': 'Wie es den Membern des Clusters geht und welche von ihnen Aufrufe bekommen.',
  'members.member': 'Member',
  'members.kind': 'Art',
  'members.inFlight': 'Laufend',
  'members.groupsOff': 'Abgeschaltete Gruppen',
  'members.unknown': 'Unbekannt',
  'members.noneKnown': 'Es ist kein Member bekannt. Die Einstellung CONSOLE_MEMBERS sagt, wo sie sind.',
  'members.drained': 'Entlastet',
  'members.notAskedYet': 'Noch nicht gefragt',
  'members.getsNoCalls': 'Bekommt keine Aufrufe',
  'members.onTrial': 'Auf Probe',
  'members.takesCalls': 'Nimmt Aufrufe an',
  'members.lite': 'Lite-Member',
  'members.data': 'Daten-Member',
  'members.noCalls': 'Keine Aufrufe',
  'members.address': 'Adresse',
  'members.lastProbe': 'Letzte Abfrage',
  'members.inFlightCalls': 'Laufende Aufrufe',
  'members.latencyOfMinute': 'Latenz, p99 der letzten Minute',
  'members.endpointGroups': 'Endpunktgruppen',
  'members.refusedThere': 'Was am Member abgeschaltet ist, lehnt es ab, was auch immer ein Token öffnet.',
  'members.group': 'Gruppe',
  'members.on': 'An',
  'members.off': 'Aus',
  'members.shutDown': 'Herunterfahren',
  'members.ready': 'Es ist bereit.',
  'members.notReady': 'Es sagt, dass es nicht bereit ist.',
  'members.silent': 'Es antwortet, sagt aber nichts über seinen Zustand.',
  'members.unreachable': 'Es war nicht zu erreichen.',
  'members.wasNotAskedYet': 'Es wurde noch nicht gefragt.',
  'members.drain': 'Entlasten',
  'members.undrain': 'Entlastung beenden',
  'members.logLevel': 'Log-Level',
  'members.whatItWrites':
    'Was das Member in sein eigenes Log schreibt. Nach einem Neustart gilt wieder das Level seiner Konfiguration.',
  'members.levelNotSaid': 'Das Member sagt nicht, welches es jetzt hat.',
  'members.levelOfConfiguration': 'Das seiner Konfiguration',
  'members.setLogLevel': 'Log-Level setzen',
  'members.drainedNow': 'Entlastet: Es bekommt nur noch Aufrufe, die es beim Namen nennen.',
  'members.undrainedNow': 'Es bekommt wieder Aufrufe.',
  'members.levelSet': 'Das Log-Level ist gesetzt.',
  'members.shutsDown': 'Das Member fährt herunter.',
  'members.latencyP99': 'Latenz, p99',
  'members.shutDownOf': '{id} herunterfahren',
  'members.endsAfterCalls': 'Das Member endet nach den Aufrufen, die dort laufen.',
  'members.endsAfterCallsNow': {
    one: 'Das Member endet nach den Aufrufen, die dort laufen (jetzt {n}).',
    other: 'Das Member endet nach den Aufrufen, die dort laufen (jetzt {n}).',
  },
  'members.noOther': 'Kein anderes Member nimmt Aufrufe an: Jeder Aufruf wird abgelehnt, bis eines es tut.',
  'members.othersGoOn': {
    one: 'Ein anderes Member arbeitet weiter.',
    other: '{n} andere Member arbeiten weiter.',
  },
  'members.hasToBeStarted': 'Es muss auf seinem Rechner wieder gestartet werden.',
};
