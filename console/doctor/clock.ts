/** Tokens live by the clock: who is ahead refuses them as not yet valid, who is behind takes them for too long. */
import { about, type Finding } from './finding.ts';

const warningMs = 5000;
const problemMs = 30_000;

/**
 * @param whose  such as `the console's host`
 * @param differenceMs  how far its clock is ahead of the one here
 */
export function validateClock(check: string, whose: string, differenceMs: number): Finding {
  const say = about(check);
  const seconds = Math.round(Math.abs(differenceMs) / 1000);
  if (seconds * 1000 <= warningMs)
    return say.ok(`The clock of ${whose} is right to ${Math.max(1, seconds)} s.`);
  const reason = `The clock of ${whose} is ${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} the one here.`;
  const fix = `Let NTP set the clocks: timedatectl set-ntp true, here and on ${whose}.`;
  return seconds * 1000 > problemMs ? say.problem(reason, fix) : say.warning(reason, fix);
}

/**
 * @param date  the `Date` field of an answer; it has whole seconds (RFC 9110 §6.6.1)
 * @param at    epoch milliseconds here when it came
 */
export function differenceOf(date: string | null, at: number): number | undefined {
  const theirs = Date.parse(date ?? '');
  return Number.isNaN(theirs) ? undefined : theirs + 500 - at;
}
