/** The health check, in English. */
import type { Texts } from '../../text-form.ts';

export const health = {
  'health.healthy': 'Healthy',
  'health.needsAttention': 'Needs attention',
  'health.wrong': 'Something is wrong',
  'health.download': 'Download report',
  'health.runAgain': 'Run again',
  'health.about':
    'Members, store, keys, licence, jobs and settings. Looked at {ago}; to run it again asks each member whether it is ready.',
  'health.attentionCount': { one: 'Needs attention ({n})', other: 'Needs attention ({n})' },
  'health.fineCount': { one: 'Fine ({n})', other: 'Fine ({n})' },
  'health.doctor': '{command} also asks the application and the console’s own address, from where it is run.',
  'health.lookAtIt': 'Look at it{ofWhich}',
  'health.seeWhy': 'See why{ofWhich}',
  'health.member': 'member {member}',
  'health.client': 'client {id}',
  'health.user': 'user {id}',
  'health.members': 'members',
  'health.store': 'store',
  'health.keys': 'keys',
  'health.licence': 'licence',
  'health.jobs': 'jobs',
  'health.configuration': 'configuration',
  'health.settings': 'settings',
} as const satisfies Texts;
