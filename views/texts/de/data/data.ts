/** Was aus Queues in Dateien entnommen wird, Angeheftetes und Werte aus Dateien, auf Deutsch. */
import type { data as english } from '../../en/data/data.ts';
import type { SameTexts } from '../../text-form.ts';

export const data: SameTexts<typeof english> = {
  'drains.button': 'In eine Datei entnehmen',
  'drains.most': 'Elemente',
  'drains.mostHint': 'Bis zu 100.000. Weniger, wenn die Queue vorher leer ist, oder bei 256 MB.',
  'drains.notANumber': 'Das ist keine Zahl von 1 bis 100.000.',
  'drains.intoFile':
    'Die Konsole entnimmt sie einzeln und schreibt jedes in eine Datei, bevor sie das nächste entnimmt. Sie können das stoppen; was entnommen wurde, bleibt in der Datei.',
  'drains.fetchIt':
    'Holen Sie die Datei innerhalb von 24 Stunden: Danach ist sie weg, und ihre Elemente mit ihr.',
  'drains.files': 'In Dateien entnommen',
  'drains.filesAbout': 'Was Sie begonnen haben; Administratoren sehen alles.',
  'drains.ofQueue': 'Elemente von {queue}',
  'drains.about': 'Sie sind in keiner Queue mehr: Es gibt sie nur noch in dieser Datei.',
  'drains.isTaking': 'Elemente werden einzeln entnommen.',
  'drains.noFile':
    'Es gibt keine Datei: Es wurde nichts entnommen, oder sie wurde entfernt, oder 24 Stunden sind vorbei.',
  'drains.taken': 'Entnommen',
  'drains.ofTotal': '{items} von {total}',
  'drains.size': 'Größe der Datei',
  'drains.storedUntil': 'Wird von selbst entfernt',
  'drains.notStored': 'Keine Datei',
  'drains.refresh': 'Erneut nachsehen',
  'drains.stop': 'Stoppen',
  'drains.stopping': 'Es stoppt nach dem Element, das gerade entnommen wird.',
  'drains.fetch': 'Herunterladen',
  'drains.remove': 'Datei entfernen',
  'drains.removeOf': 'Die Elemente von {queue} entfernen',
  'drains.removed': 'Die Datei ist entfernt.',
  'drains.removesThem': {
    one: '{n} Element wird endgültig entfernt: Es ist in keiner Queue mehr.',
    other: '{n} Elemente werden endgültig entfernt: Sie sind in keiner Queue mehr.',
  },
  'drains.downloadFirst': 'Laden Sie die Datei vorher herunter, wenn jemand sie brauchen könnte.',
  'drains.toFile': 'Zur Datei',
  'drains.job': 'Entnahme aus einer Queue',
  'drains.takingItems': 'entnimmt Elemente',
  'drains.items': { one: '{done} Element', other: '{done} Elemente' },
  'pins.pin': 'Anheften',
  'pins.unpin': 'Lösen',
  'pins.pinned': 'Angeheftet: Der Name steht in Ihrer Liste.',
  'pins.unpinned': 'Gelöst.',
  'pins.source': 'angeheftet',
  'values.file': 'Datei setzen',
  'values.fileAbout': 'Ihre Bytes werden zum Wert, bis zu {size}.',
  'values.chooseFile': 'Datei',
  'values.storeFile': 'Datei speichern',
  'values.noFile': 'Wählen Sie eine Datei.',
  'values.fileTooLarge': 'Diese Datei ist zu groß: Ein Wert hat höchstens {size}.',
};
