/** A figure for each page of a group, in German. */
import type { figures as english } from '../en/figures.ts';
import type { SameTexts } from '../text-form.ts';

export const figures: SameTexts<typeof english> = {
  'figures.orMore': '{figure} oder mehr',
  'figures.members': { one: 'Ein Member', other: '{n} Member' },
  'figures.membersAndSilent': {
    one: '{all}, eines ohne Antwort',
    other: '{all}, {n} ohne Antwort',
  },
  'bar.silent': { one: 'Ein Member ohne Antwort', other: '{n} Member ohne Antwort' },
  'figures.maps': { one: 'Eine ist bekannt', other: '{n} sind bekannt' },
  'figures.queues': { one: 'Eine ist bekannt', other: '{n} sind bekannt' },
  'figures.publishers': { one: 'Ein Publisher', other: '{n} Publisher' },
  'figures.cpMembers': { one: 'Ein CP-Member', other: '{n} CP-Member' },
  'figures.notAvailable': 'Nicht verfügbar',
  'figures.state': 'Zustand: {state}',
  'figures.users': { one: 'Ein Benutzer', other: '{n} Benutzer' },
  'figures.roles': { one: 'Eine Rolle', other: '{n} Rollen' },
  'figures.clients': { one: 'Ein Maschinen-Client', other: '{n} Maschinen-Clients' },
  'figures.applications': { one: 'Eine Anwendung', other: '{n} Anwendungen' },
  'figures.providers': { one: 'Ein Identitätsanbieter', other: '{n} Identitätsanbieter' },
  'figures.sessions': { one: 'Eine offene Sitzung', other: '{n} offene Sitzungen' },
  'figures.approvals': { one: 'Eine Freigabe steht aus', other: '{n} Freigaben stehen aus' },
  'figures.calls': { one: 'Ein Aufruf in 15 Minuten', other: '{n} Aufrufe in 15 Minuten' },
  'figures.findings': {
    one: 'Ein Befund braucht Aufmerksamkeit',
    other: '{n} Befunde brauchen Aufmerksamkeit',
  },
  'figures.jobs': { one: 'Ein Job läuft', other: '{n} Jobs laufen' },
};
