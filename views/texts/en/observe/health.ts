/** The health check, in English. */
import type { Texts } from '../../text-form.ts';

export const health = {
  'health.healthy': 'Healthy',
  'health.needsAttention': 'Needs attention',
  'health.wrong': 'Something is wrong',
  'health.download': 'Download report',
  'health.runAgain': 'Run again',
  'health.about':
    'Members, store, keys, identity providers, licence, jobs and settings. Checked {ago}. A new run asks each member whether it is ready.',
  'health.attentionCount': { one: 'Needs attention ({n})', other: 'Needs attention ({n})' },
  'health.fineCount': { one: 'Fine ({n})', other: 'Fine ({n})' },
  'health.doctor': '{command} also asks the application and the console’s own address, from where it is run.',
  'health.lookAtIt': 'Look at it{ofWhich}',
  'health.seeWhy': 'See why{ofWhich}',
  'health.readMetadata': 'Have its metadata read{ofWhich}',
  'health.replaceKeys': 'Replace signing keys at once{ofWhich}',
  'health.openJob': 'Open the job{ofWhich}',
  'health.jobFailed': '{job} failed {when}.',
  'health.jobInterrupted': '{job} was interrupted {when}.',
  'health.member': 'Member {member}',
  'health.client': 'Machine client {id}',
  'health.user': 'User {id}',
  'health.provider': 'Identity provider {id}',
  'health.members': 'Members',
  'health.store': 'Store',
  'health.database': 'Database',
  'health.keys': 'Signing keys',
  'health.licence': 'Licence',
  'health.jobs': 'Jobs',
  'health.configuration': 'Configuration',
  'health.settings': 'Settings',
} as const satisfies Texts;
