/** The history of a thing, and putting back, in English. */
import type { Texts } from '../../text-form.ts';

export const history = {
  'history.title': 'History',
  'history.allInAuditLog': 'All in the audit log',
  'history.noChange': 'No change is in the audit.',
  'history.when': 'When',
  'history.who': 'Who',
  'history.what': 'What',
  'history.putBack': 'Put back',
  'history.andMore': { one: 'and {n} more', other: 'and {n} more' },
  'history.console': 'The console',
  'history.nobodyKnown': 'Nobody known',
  'history.sessionsEnded': 'Sessions ended',
  'history.passwordReset': 'Password reset',
  'history.secretAdded': 'Secret added',
  'history.secretRemoved': 'Secret removed',
  'history.secretSuperseded': 'The new secret was used: the old one ends',
  'history.removed': 'Removed',
  'history.refreshed': 'Refreshed',
  'history.nowThen': '{name}: from {now} back to {former}.',
  'history.staysAsIs': 'Stays as it is: {names}.',
  'history.putBackChangeOf': 'Put back a change of {id}',
  'history.changedBy': 'It is what {who} has changed; this is in the audit too, and can be put back in turn.',
  'history.changedByNobodyKnown':
    'It is what nobody known has changed; this is in the audit too, and can be put back in turn.',
} as const satisfies Texts;
