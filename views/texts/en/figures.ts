/** A figure for each page of a group, in English. */
import type { Texts } from '../text-form.ts';

export const figures = {
  'figures.orMore': '{figure} or more',
  'figures.members': { one: 'One member', other: '{n} members' },
  'figures.membersAndSilent': {
    one: '{all}, one without answer',
    other: '{all}, {n} without answer',
  },
  'bar.silent': { one: 'One member without answer', other: '{n} members without answer' },
  'figures.maps': { one: 'One is known', other: '{n} are known' },
  'figures.queues': { one: 'One is known', other: '{n} are known' },
  'figures.publishers': { one: 'One publisher', other: '{n} publishers' },
  'figures.cpMembers': { one: 'One CP member', other: '{n} CP members' },
  'figures.notAvailable': 'Not available',
  'figures.state': 'State: {state}',
  'figures.users': { one: 'One user', other: '{n} users' },
  'figures.roles': { one: 'One role', other: '{n} roles' },
  'figures.clients': { one: 'One machine client', other: '{n} machine clients' },
  'figures.applications': { one: 'One application', other: '{n} applications' },
  'figures.providers': { one: 'One identity provider', other: '{n} identity providers' },
  'figures.sessions': { one: 'One open session', other: '{n} open sessions' },
  'figures.approvals': { one: 'One approval waits', other: '{n} approvals wait' },
  'figures.calls': { one: 'One call in 15 minutes', other: '{n} calls in 15 minutes' },
  'figures.findings': { one: 'One thing needs attention', other: '{n} things need attention' },
  'figures.jobs': { one: 'One job runs', other: '{n} jobs run' },
} as const satisfies Texts;
