/** What is added to the configuration of members, and what would change, in German. */
import type { memberConfig as english } from '../en/member-config.ts';
import type { SameTexts } from '../text-form.ts';

export const memberConfig: SameTexts<typeof english> = {
  'diff.added': 'Hinzugefügt',
  'diff.removed': 'Entfernt',
  'diff.more': 'Es gibt mehr Zeilen, als hier stehen.',
  'memberConfig.about':
    'In YAML oder XML. Die nächste Seite zeigt, was sich ändern würde, und fragt, bevor etwas gesendet wird.',
  'memberConfig.wanted': 'Gewünschte Konfiguration',
  'memberConfig.show': 'Zeigen, was sich ändern würde',
  'memberConfig.addsWhatIsNew':
    'Die Member ergänzen, was darin neu ist, und behalten, was sie haben, gleich was hier steht. Nichts wird entfernt.',
  'memberConfig.comparedWithSent':
    'Verglichen wird mit dem, was sie von hier bekommen haben: Member geben ihre Konfiguration nicht preis.',
  'memberConfig.notCompared':
    'Die Konsole kann es nicht als YAML lesen: Es ist ganz zu sehen. Die Member entscheiden, ob sie es annehmen.',
  'memberConfig.nothingNew': 'Soweit hier bekannt, ist nichts davon für sie neu.',
  'memberConfig.filesNotTold':
    'Was in ihren Dateien steht, geben sie nicht preis; deshalb lässt es sich hier vorher nicht zeigen.',
  'memberConfig.new': 'Ist neu und würde ergänzt.',
  'memberConfig.same': 'Ist schon so vorhanden.',
  'memberConfig.different': 'Ist vorhanden und bleibt, wie es ist: Member übergehen, was darin anders ist.',
  'memberConfig.there': 'Ist vorhanden und bleibt, wie es ist. Was dort steht, ist hier nicht bekannt.',
  'memberConfig.added': { one: 'Ein Abschnitt wurde ergänzt.', other: '{n} Abschnitte wurden ergänzt.' },
  'memberConfig.passedOver': {
    one: 'Einer war schon vorhanden und bleibt, wie er war.',
    other: '{n} waren schon vorhanden und bleiben, wie sie waren.',
  },
};
