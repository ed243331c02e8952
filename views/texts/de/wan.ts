/**
 * WAN replication and its publishers, in German.
 *
 * „Synchronize“ heißt „abgleichen“, „check“ (der Konsistenz) „vergleichen“.
 */
import type { wan as english } from '../en/wan.ts';
import type { SameTexts } from '../text-form.ts';

export const wan: SameTexts<typeof english> = {
  'wan.askedAbout':
    'Die Publisher, nach denen diese Konsole gefragt wurde. Es kann weitere geben: Member listen sie niemandem auf.',
  'wan.publisher': 'Publisher',
  'wan.doneLast': 'Zuletzt getan',
  'wan.when': 'Wann',
  'wan.lastSync': 'Letzter Abgleich',
  'wan.lastCheck': 'Letzter Vergleich',
  'wan.toldLast': 'Zuletzt veranlasst',
  'wan.sending': 'Sendet',
  'wan.stateAtMembers': { one: '{state} an 1 Member', other: '{state} an {n} Membern' },
  'wan.byMemberAbout':
    'Was jedes zuletzt durch diese Konsole tun sollte. Member sagen weder ihren Zustand noch, wie viel bei ihnen wartet.',
  'wan.member': 'Member',
  'wan.since': 'Seit',
  'wan.queueCleared': 'Warteschlange geleert',
  'wan.noneKnown':
    'Noch ist kein Publisher bekannt. Öffnen Sie einen mit seinen Namen, oder fügen Sie einen hinzu.',
  'wan.added': 'Hinzugefügt',
  'wan.paused': 'Angehalten',
  'wan.resumed': 'Fortgesetzt',
  'wan.stopped': 'Beendet',
  'wan.cleared': 'Warteschlangen geleert',
  'wan.synced': 'Abgleich begonnen',
  'wan.checked': 'Vergleich begonnen',
  'wan.open': 'Öffnen',
  'wan.resume': 'Fortsetzen',
  'wan.whatWasDone':
    'Member sagen weder, in welchem Zustand ein Publisher ist, noch, was bei ihm wartet: Hier steht, was durch diese Konsole mit ihm getan wurde.',
  'wan.otherCluster': 'Der andere Cluster',
  'wan.sendsOrCompares': 'Sendet ihm, was ihm fehlt, oder vergleicht eine Map mit ihm.',
  'wan.synchronize': 'Abgleichen',
  'wan.check': 'Vergleichen',
  'wan.stopPublisher': 'Publisher beenden',
  'wan.clearQueues': 'Warteschlangen leeren',
  'wan.nothingHere': 'Nichts durch diese Konsole',
  'wan.at': 'An',
  'wan.howFar': '{what}: Stand',
  'wan.inProgress': 'Läuft',
  'wan.finished': 'Abgeschlossen',
  'wan.noId': 'Nicht bekannt: Das Member hat ihm keine ID gegeben.',
  'wan.notKnownNow': 'Jetzt nicht bekannt. {reason}',
  'wan.stageAt': '{stage}, {progress} %',
  'wan.pausedNow': 'Angehalten: Änderungen werden aufbewahrt und nicht gesendet.',
  'wan.resumedNow': 'Er sendet wieder.',
  'wan.stoppedNow': 'Beendet: Änderungen werden weder aufbewahrt noch gesendet.',
  'wan.clearedNow': 'Die Warteschlangen des Publishers sind leer.',
  'wan.syncedNow': 'Der Abgleich hat begonnen.',
  'wan.checkedNow': 'Der Vergleich hat begonnen.',
  'wan.addPublisher': 'Publisher hinzufügen',
  'wan.noReason': 'kein Grund genannt',
  'wan.notDoneBy': {
    one: '{n} von {members} Membern hat es nicht getan. {said}',
    other: '{n} von {members} Membern haben es nicht getan. {said}',
  },
  'wan.addedThese': 'Hinzugefügt: {added}.',
  'wan.nothingAdded': 'Es wurde nichts hinzugefügt.',
  'wan.alreadyThere': 'Schon da: {ignored}.',
  'wan.everyMemberSends':
    'Jedes Member sendet die Änderungen der Maps dieser Replikation an einen anderen Cluster.',
  'wan.untilStartAnew': 'Das gilt, bis die Member neu starten: Schreiben Sie es auch in ihre Konfiguration.',
  'wan.nameOfMaps': 'Der Name, auf den Maps verweisen.',
  'wan.nameOfOther': 'Name des anderen Clusters',
  'wan.itsMembers': 'Seine Member',
  'wan.hostsAndPorts': 'host:port, durch Kommas getrennt.',
  'wan.publisherId': 'ID des Publishers',
  'wan.publisherIdEmpty': 'Leer: der Name des anderen Clusters.',
  'wan.stopOf': '{id} beenden',
  'wan.neitherQueuedNorSent': 'An jedem Member werden Änderungen ab jetzt weder aufbewahrt noch gesendet.',
  'wan.missingUntilSync': 'Was sich inzwischen ändert, fehlt im anderen Cluster, bis er abgeglichen wird.',
  'wan.clearOf': '{id} leeren',
  'wan.thrownAway': 'Was an jedem Member wartet, wird verworfen und kommt nie beim anderen Cluster an.',
  'wan.syncOf': '{id} abgleichen',
  'wan.entriesSent':
    'Die Einträge werden an den anderen Cluster gesendet. Große Maps belasten das Netz und beide Cluster.',
  'wan.map': 'Map',
  'wan.everyMap': 'Leer: jede Map der Replikation.',
  'wan.checkOf': '{id} vergleichen',
  'wan.mapCompared': 'Eine Map wird mit der des anderen Clusters verglichen.',
  'wan.merkleTrees': 'Der Publisher muss Merkle-Bäume als Konsistenzprüfung haben.',
};
