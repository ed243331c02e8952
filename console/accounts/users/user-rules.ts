/** What an account may say of its person, and what nobody may do to their own. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { UserRecord } from '../../storage/records.ts';

/** Characters. */
const longestName = 200;

export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>"',;]+@[^\s@<>"',;]+$/.test(text);
}

/** One line that says something. */
export function isDisplayName(name: string): boolean {
  return name.trim() !== '' && name.length <= longestName && !/\p{C}/u.test(name);
}

/** @throws {ProblemError} `invalid_request` */
export function checkEmail(email: string | null | undefined): void {
  if (email == null || isEmail(email)) return;
  throw new ProblemError(problems.invalidRequest, 'This is not an e-mail address.');
}

/** @throws {ProblemError} `invalid_request` */
export function checkDisplayName(name: string | null | undefined): void {
  if (name == null || isDisplayName(name)) return;
  throw new ProblemError(
    problems.invalidRequest,
    `A name is one line of 1 to ${longestName} characters, and not of spaces alone.`,
  );
}

/**
 * Whoever administers the console cannot shut themselves out of it in passing.
 *
 * @param by     who makes the change, as a subject; undefined: nobody who has an account
 * @param after  undefined: the account goes
 * @throws {ProblemError} `own_account`
 */
export function checkOwnAccount(
  by: string | undefined,
  before: UserRecord,
  after: UserRecord | undefined,
): void {
  if (by !== before.id) return;
  const isKept =
    after !== undefined &&
    !(after.disabled && !before.disabled) &&
    !(before.roles.includes('Admin') && !after.roles.includes('Admin'));
  if (isKept) return;
  throw new ProblemError(
    problems.ownAccount,
    'This is your own account: have another administrator disable it, remove it or take the role Admin from it.',
  );
}
