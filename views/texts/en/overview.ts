/** The overview, in English. */
import type { Texts } from '../text-form.ts';

export const overview = {
  'overview.refusals': 'Latest refusals',
  'overview.noRefusals': 'Nobody was refused lately.',
  'overview.changes': 'Latest changes',
  'overview.noChanges': 'Nothing was changed lately.',
  'overview.fine': 'Nothing needs attention',
  'overview.needsAttention': { one: 'Needs attention ({n})', other: 'Needs attention ({n})' },
  'overview.noMemberYet': 'No member is known yet. CONSOLE_MEMBERS says where they are.',
  'overview.all': 'All',
  'overview.what': 'What',
  'overview.who': 'Who',
  'overview.when': 'When',
  'overview.membersOf': { one: 'One member', other: '{n} members' },
  'overview.membersUnknown': 'An unknown number of members',
  'overview.allBackedUp': 'all data has its backups',
  'overview.onTheirWay': { one: 'one partition is on its way', other: '{n} partitions are on their way' },
  'overview.someOnTheirWay': 'some partitions are on their way',
  'overview.cluster': '{size}; {safety}.',
  'overview.clusterNotRead': 'The cluster could not be asked: {why}',
  'overview.clusterVersion': '{size}, version {version}; {safety}.',
  'overview.latency': 'Latency',
  'overview.refusedAndFailed': 'Refused and failed',
  'overview.tokens': 'Tokens',
} as const satisfies Texts;
