/** A call that was refused, in English. */
import type { Texts } from '../../text-form.ts';

export const decision = {
  'decision.title': 'Decision {id}',
  'decision.notKept': 'The reason is no longer stored. What happened is below.',
  'decision.story': 'Story',
  'decision.whatLedToIt': 'What led to it, the oldest first.',
  'decision.tryAgain': 'Try again',
  'decision.caller': 'Caller',
  'decision.unknown': 'Unknown',
  'decision.sameCallNow': 'The same call now',
  'decision.withAll': 'With all that the caller may ask for',
  'decision.asCommand': 'As command',
  'decision.toOpenIt': 'To open it',
  'decision.nothingOpensIt': 'Nothing opens it.',
  'decision.with': 'With {given}',
  'decision.wouldGo': 'Would go through. {because}',
  'decision.wouldNot': 'Would be refused. {because}',
  'decision.refusedTimes': { one: 'Once, first {first}', other: '{n} times, first {first}' },
  'decision.latest': '. The latest: {decision}',
  'decision.passed': {
    one: 'One call of the last {days} days would have gone through.',
    other: '{n} calls of the last {days} days would have gone through.',
  },
  'decision.mute': { one: 'Mute for {n} day', other: 'Mute {n} days' },
  'decision.unmute': 'Unmute',
  'decision.muted': 'Muted',
  'decision.mutedUntil': 'Until {until}, by {by}. The calls are counted and logged as before.',
  'decision.isMutedUntil': 'Muted until {until}, by {by}. The calls are counted and logged as before.',
  'decision.mutedNow': 'Muted: “Needs attention” does not name these calls any more.',
  'decision.unmutedNow': '“Needs attention” names these calls again.',
  'decision.opened': 'Opened: the next token that is asked for with it gets through.',
} as const satisfies Texts;
