/** The overview, in German. */
import type { overview as english } from '../en/overview.ts';
import type { SameTexts } from '../text-form.ts';

export const overview: SameTexts<typeof english> = {
  'overview.refusals': 'Letzte Ablehnungen',
  'overview.noRefusals': 'Zuletzt wurde niemand abgelehnt.',
  'overview.changes': 'Letzte Änderungen',
  'overview.noChanges': 'Zuletzt wurde nichts geändert.',
  'overview.fine': 'Alles in Ordnung',
  'overview.needsAttention': { one: 'Braucht Aufmerksamkeit ({n})', other: 'Braucht Aufmerksamkeit ({n})' },
  'overview.noMemberYet': 'Noch ist kein Member bekannt. CONSOLE_MEMBERS sagt, wo sie sind.',
  'overview.all': 'Alle',
  'overview.what': 'Was',
  'overview.who': 'Wer',
  'overview.when': 'Wann',
  'overview.membersOf': { one: 'Ein Member', other: '{n} Member' },
  'overview.membersUnknown': 'Unbekannt viele Member',
  'overview.allBackedUp': 'alle Daten haben ihre Backups',
  'overview.onTheirWay': { one: 'eine Partition ist unterwegs', other: '{n} Partitionen sind unterwegs' },
  'overview.someOnTheirWay': 'einige Partitionen sind unterwegs',
  'overview.cluster': '{size}; {safety}.',
  'overview.clusterNotRead': 'Der Cluster ließ sich nicht befragen: {why}',
  'overview.clusterVersion': '{size}, Version {version}; {safety}.',
  'overview.latency': 'Latenz',
  'overview.refusedAndFailed': 'Abgelehnt und fehlgeschlagen',
  'overview.tokens': 'Token',
};
