/** The CP subsystem, in English. */
import type { Texts } from '../text-form.ts';

export const cp = {
  'cp.available': 'Available',
  'cp.notAvailable': 'Not available',
  'cp.members': 'CP members',
  'cp.groups': 'CP groups',
  'cp.address': 'Address',
  'cp.act': 'Act',
  'cp.remove': 'Remove',
  'cp.group': 'Group',
  'cp.id': 'Id',
  'cp.sessionsOf': 'Sessions of {group}',
  'cp.noSession': 'The group has no session now.',
  'cp.session': 'Session',
  'cp.endpoint': 'Endpoint',
  'cp.forceClose': 'Force-close',
  'cp.reset': 'Reset CP subsystem',
  'cp.memberRemoved': 'The CP member is removed.',
  'cp.groupRemoved': 'The CP group is removed.',
  'cp.sessionClosed': 'The session is closed.',
  'cp.startedAnew': 'The CP subsystem has started anew.',
  'cp.removeMember': 'Remove CP member',
  'cp.leavesEveryGroup': '{id} leaves every CP group. Do this only for one that has gone for good.',
  'cp.removeGroup': 'Remove CP group',
  'cp.groupDestroyed': 'The group {id} is destroyed by force, with all that is in it. This cannot be undone.',
  'cp.forceCloseSession': 'Force-close session',
  'cp.sessionLetsGo': 'What the session {id} of the group {group} holds, such as locks, is let go.',
  'cp.everyGroupDestroyed':
    'Every CP group is destroyed, and what was in them is lost. This cannot be undone.',
} as const satisfies Texts;
