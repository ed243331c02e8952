/** The CP subsystem, in German. */
import type { cp as english } from '../en/cp.ts';
import type { SameTexts } from '../text-form.ts';

export const cp: SameTexts<typeof english> = {
  'cp.available': 'Verfügbar',
  'cp.notAvailable': 'Nicht verfügbar',
  'cp.members': 'CP-Member',
  'cp.groups': 'CP-Gruppen',
  'cp.address': 'Adresse',
  'cp.remove': 'Entfernen',
  'cp.group': 'Gruppe',
  'cp.id': 'ID',
  'cp.sessionsOf': 'Sitzungen von {group}',
  'cp.noSession': 'Die Gruppe hat jetzt keine Sitzung.',
  'cp.session': 'Sitzung',
  'cp.endpoint': 'Endpunkt',
  'cp.forceClose': 'Schließen erzwingen',
  'cp.reset': 'CP-Subsystem zurücksetzen',
  'cp.memberRemoved': 'Das CP-Member ist entfernt.',
  'cp.groupRemoved': 'Die CP-Gruppe ist entfernt.',
  'cp.sessionClosed': 'Die Sitzung ist geschlossen.',
  'cp.startedAnew': 'Das CP-Subsystem hat neu begonnen.',
  'cp.others': 'Andere Member',
  'cp.othersAbout': 'Sie sind in keiner CP-Gruppe und können CP-Member werden.',
  'cp.member': 'Member',
  'cp.promote': 'Befördern',
  'cp.promoteMember': 'Zum CP-Member befördern',
  'cp.takesPart':
    'Das Member {id} wird ein CP-Member: Es nimmt an der Einigung teil und kann in CP-Gruppen aufgenommen werden.',
  'cp.onlyRemoved': 'Rückgängig machen lässt sich das, indem es aus dem CP-Subsystem entfernt wird.',
  'cp.memberPromoted': 'Das Member ist jetzt ein CP-Member.',
  'cp.removeMember': 'CP-Member entfernen',
  'cp.leavesEveryGroup':
    '{id} verlässt jede CP-Gruppe. Tun Sie das nur bei einem Member, das nicht wiederkommt.',
  'cp.removeGroup': 'CP-Gruppe entfernen',
  'cp.groupDestroyed':
    'Die Gruppe {id} wird zwangsweise zerstört, mit allem, was darin ist. Das lässt sich nicht rückgängig machen.',
  'cp.forceCloseSession': 'Schließen der Sitzung erzwingen',
  'cp.sessionLetsGo': 'Was die Sitzung {id} der Gruppe {group} hält, zum Beispiel Sperren, wird freigegeben.',
  'cp.everyGroupDestroyed':
    'Jede CP-Gruppe wird zerstört, und was darin war, ist verloren. Das lässt sich nicht rückgängig machen.',
};
