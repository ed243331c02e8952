/**
 * Maps, queues and the values that stand in them, in German.
 *
 * Ein Programm „offers“ und „polls“ Elemente einer Queue: Sie werden eingereiht und entnommen.
 */
import type { structures as english } from '../en/structures.ts';
import type { SameTexts } from '../text-form.ts';

export const structures: SameTexts<typeof english> = {
  'structures.knownFromAbout':
    'Bekannt aus der Konfiguration der Member, aus Rollen, Maschinen-Clients und den Aufrufen von 30 Tagen. Es kann weitere geben: Member listen sie nicht auf. Die Zahlen sind von der letzten Stunde.',
  'structures.knownFrom': 'Bekannt aus',
  'structures.callsPerSecond': 'Aufrufe/s',
  'structures.hitShare': 'Gefunden',
  'structures.meanSize': 'Mittlere Größe',
  'structures.offersPerSecond': 'Eingereiht/s',
  'structures.pollsPerSecond': 'Entnommen/s',
  'structures.lastCall': 'Letzter Aufruf',
  'structures.lastCallHere': 'Letzter Aufruf durch die Konsole',
  'structures.mapsFor': 'Eine Map hält Werte unter ihren Schlüsseln, für alle, die den Cluster aufrufen.',
  'structures.queuesFor':
    'Eine Queue gibt Elemente der Reihe nach weiter: zuerst eingereiht, zuerst entnommen.',
  'structures.noMapKnown':
    'Noch ist keine Map bekannt. Öffnen Sie eine mit ihrem Namen, oder geben Sie einem Client Zugriff darauf.',
  'structures.noQueueKnown':
    'Noch ist keine Queue bekannt. Öffnen Sie eine mit ihrem Namen, oder geben Sie einem Client Zugriff darauf.',
  'structures.fromConfiguration': 'Konfiguration',
  'structures.fromRoles': 'Rollen',
  'structures.fromClients': 'Maschinen-Clients',
  'structures.fromCalls': 'Aufrufe',
  'structures.nowhere': 'nirgends',
  'structures.noneIn30Days': 'Keiner in 30 Tagen',
  'structures.today': 'Heute',
  'structures.openByName': 'Mit Namen öffnen',
  'structures.open': 'Öffnen',
  'structures.beginningOfName': 'Anfang eines Namens',
  'maps.foundByKeys':
    'Ihre Einträge findet man mit ihren Schlüsseln: Member zählen sie weder, noch listen sie sie auf.',
  'maps.entries': 'Einträge',
  'maps.oneKeyOrRange':
    'Ein Schlüssel, bis zu 100 mit je einer Zeile, oder ein Bereich wie order-[1-50]. Über 20 liest ein Job.',
  'maps.keys': 'Schlüssel',
  'maps.key': 'Schlüssel',
  'maps.get': 'Lesen',
  'maps.type': 'Typ',
  'maps.size': 'Größe',
  'maps.noEntry': 'Kein Eintrag',
  'maps.noType': 'Keiner',
  'maps.noEntryOfKey': 'Die Map hat keinen Eintrag mit diesem Schlüssel.',
  'maps.nothingStored': 'Es wurde nichts gespeichert.',
  'maps.answeredBy': 'Beantwortet von',
  'maps.timeTaken': 'Dauer',
  'maps.remove': 'Entfernen',
  'maps.putAnother': 'Anderen Wert setzen',
  'maps.putAValue': 'Wert setzen',
  'maps.storedWhileSame':
    'Er wird nur gespeichert, solange der Eintrag so ist, wie er hier steht. Member kennen keine Sperre: Ein Programm kann im selben Augenblick schreiben.',
  'maps.tooLongToEdit':
    'Was dort steht, ist zu lang, um hier bearbeitet zu werden: Was Sie eingeben, ersetzt alles.',
  'maps.put': 'Setzen',
  'maps.putBack': 'Wiederherstellen',
  'maps.tooManyKeys': {
    one: 'Höchstens {n} Schlüssel auf einmal. Geben Sie weniger ein.',
    other: 'Höchstens {n} Schlüssel auf einmal. Geben Sie weniger ein.',
  },
  'maps.cleared': 'Geleert: Die Map hat keinen Eintrag mehr.',
  'maps.removed': 'Entfernt.',
  'maps.stored': 'Gespeichert.',
  'maps.clearOf': '{map} leeren',
  'maps.everyEntryRemoved': 'Jeder Eintrag der Map {map} wird entfernt, an jedem Member, für alle.',
  'maps.backupFirst':
    'Das lässt sich nicht rückgängig machen: Erstellen Sie vorher ein Backup, wenn Sie eines brauchen könnten.',
  'maps.clearMap': 'Map leeren',
  'maps.removeOf': '{key} entfernen',
  'maps.entryRemoved': 'Der Eintrag {key} der Map {map} wird für alle entfernt.',
  'maps.canBePutBack':
    'Ein Wert bis 1 MB lässt sich 10 Minuten lang auf der Seite seines Schlüssels wiederherstellen.',
  'maps.removeEntry': 'Eintrag entfernen',
  'queues.itemsInIt': { one: 'Jetzt ist {n} Element darin.', other: 'Jetzt sind {n} Elemente darin.' },
  'queues.nothingOffered': 'Es wurde nichts eingereiht.',
  'queues.items': 'Elemente',
  'queues.offerAnItem': 'Element einreihen',
  'queues.toTheEnd': 'Es kommt an das Ende der Queue.',
  'queues.offer': 'Element einreihen',
  'queues.takeAway': 'Elemente entnehmen',
  'queues.noLook':
    'Ein Element lässt sich nur ansehen, indem man es entnimmt. Vor jeder Aktion wird gefragt.',
  'queues.poll': 'Element entnehmen',
  'queues.taken': { one: 'Das entnommene Element', other: '{n} entnommene Elemente' },
  'queues.onThisPageAlone': {
    one: 'Es ist nicht mehr in der Queue, und niemand sonst hat es bekommen. Es steht nur noch auf dieser Seite.',
    other:
      'Sie sind nicht mehr in der Queue, und niemand sonst hat sie bekommen. Sie stehen nur noch auf dieser Seite.',
  },
  'queues.noType': 'Ohne Typ',
  'queues.firstOfIt': ': die ersten 64 KB',
  'queues.offerAgain': 'Wieder einreihen, am Ende',
  'queues.offered': 'Eingereiht: Es ist das letzte.',
  'queues.nothingTaken': 'Die Queue ist leer: Es wurde nichts entnommen.',
  'queues.pollOf': 'Aus {id} entnehmen',
  'queues.firstTaken': 'Das erste Element der Queue {id} wird allen entzogen. {now}',
  'queues.canBeOfferedAgain': 'Die nächste Seite zeigt es und kann es wieder einreihen, am Ende.',
  'queues.drainOf': 'Mehrere aus {id} entnehmen',
  'queues.manyTaken':
    'Höchstens so viele Elemente, wie Sie wählen, werden allen entzogen, die ersten zuerst. {now}',
  'values.formsOf': 'Formen des Werts',
  'values.text': 'Text',
  'values.hex': 'Hex',
  'values.image': 'Bild',
  'values.download': 'Herunterladen',
  'values.drawn': 'Der Wert, gezeichnet',
  'values.firstOfAll': 'Das sind die ersten 64 KB. Ganz ist er beim Herunterladen.',
  'values.typedAs': 'Eingegeben als',
  'values.textUtf8': 'Text (UTF-8)',
  'values.base64': 'Base64, für Bytes, die kein Text sind',
  'values.mediaType': 'Medientyp',
  'values.keptWithIt': 'Wird mit ihm gespeichert, zum Beispiel application/json.',
  'values.bytes': { one: '1 Byte', other: '{size} Bytes' },
  'values.notJson': 'Das ist kein JSON, obwohl der Medientyp es sagt.',
};
