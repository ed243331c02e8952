/** Sessions, and the ends of sessions that applications are sent, in English. */
import type { Texts } from '../../text-form.ts';

export const sessions = {
  'logouts.waiting': 'Waiting',
  'logouts.notified': 'Notified, not confirmed',
  'logouts.confirmed': 'Confirmed',
  'logouts.gaveUp': 'Gave up',
  'logouts.lastLogouts': 'Last logouts',
  'logouts.noneWithinADay': 'None within a day.',
  'logouts.ended': 'Ended',
  'logouts.removed': 'Removed',
  'sessions.about': 'Where people are signed in, with the applications that they have opened.',
  'sessions.browser': 'Browser',
  'sessions.from': 'From',
  'sessions.lastSeen': 'Last seen',
  'sessions.nobody': 'Nobody is signed in.',
  'sessions.of': 'Session of {user}',
  'sessions.end': 'End session',
  'sessions.endAllOf': 'End all sessions of {user}',
  'sessions.endAll': 'End all sessions',
  'sessions.allNow': { one: 'There is {n} session now.', other: 'There are {n} sessions now.' },
  'sessions.moreThanNow': {
    one: 'There is more than {n} session now.',
    other: 'There are more than {n} sessions now.',
  },
  'sessions.everybodyOut':
    'Everybody is signed out of this console and of every application, and has to sign in again. Their tokens stop working. Machine clients go on.',
  'sessions.ownLast': 'Yours ends last: you are signed out here, and sign in again.',
  'sessions.goesOn':
    'It goes on when this page is closed, and after a restart. Whoever signs in meanwhile stays signed in.',
  'sessions.typed': 'sessions',
  'sessions.endOne': 'End',
  'sessions.endingIt': 'Ending it signs the person out of every application that was opened with it.',
  'sessions.session': 'Session',
  'sessions.acr': 'Authentication (acr)',
  'sessions.identityProvider': 'Identity provider',
  'sessions.endOf': 'End this session of {user}',
  'sessions.signedOut': '{user} is signed out of this console in that browser.',
  'sessions.isYours': 'It is yours: you are signed out here, and sign in again.',
  'sessions.noApplication': 'No application was opened with it.',
  'sessions.applicationsToo': 'So are these applications: {applications}. Their tokens stop working.',
} as const satisfies Texts;
