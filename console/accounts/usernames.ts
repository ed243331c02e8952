/**
 * What somebody may be called. People read names, and must not take one for another: so a name is of one script,
 * and no two look alike (UTS #39 §5, in short). Accounts from before keep what they have.
 */
import { ProblemError, problems } from '../../platform/errors.ts';
import { foldedName, normalName, shapeOf } from '../storage/name-keys.ts';
import type { RegistryTransaction } from '../storage/storage.ts';

/** Clients that come from the settings or are built in: a person of that name would be taken for one. */
export const reservedNames: readonly string[] = ['application-client', 'application-dashboard', 'console'];

/** Scripts that are written together. Letters and digits of others in one name are for deceiving. */
const scripts = [
  ['Latin'],
  ['Greek'],
  ['Cyrillic'],
  ['Armenian'],
  ['Georgian'],
  ['Hebrew'],
  ['Arabic'],
  ['Thaana'],
  ['Ethiopic'],
  ['Devanagari'],
  ['Bengali'],
  ['Gurmukhi'],
  ['Gujarati'],
  ['Oriya'],
  ['Tamil'],
  ['Telugu'],
  ['Kannada'],
  ['Malayalam'],
  ['Sinhala'],
  ['Thai'],
  ['Lao'],
  ['Tibetan'],
  ['Myanmar'],
  ['Khmer'],
  ['Han', 'Hiragana', 'Katakana'],
  ['Han', 'Hangul'],
  ['Han', 'Bopomofo'],
].map((together) => {
  const letters = together.map((script) => `\\p{Script_Extensions=${script}}`).join('');
  return new RegExp(`^[${letters}0-9._@-]+$`, 'u');
});

const form = /^[\p{L}\p{N}][\p{L}\p{N}._@-]{0,63}$/u;

/** @param text  in its normal form: {@link normalName} */
export function isUsername(text: string): boolean {
  return form.test(text) && scripts.some((script) => script.test(text));
}

/** @throws {ProblemError} `invalid_request` */
export function checkUsername(username: string): void {
  if (!form.test(username)) {
    throw new ProblemError(
      problems.invalidRequest,
      'A user name has 1 to 64 letters, digits and the characters . _ @ -, and starts with a letter or a digit.',
    );
  }
  if (isUsername(username)) return;
  throw new ProblemError(
    problems.invalidRequest,
    'A user name is written in one script: letters of several look alike.',
  );
}

/** Whether somebody or some client has this name, or one that looks like it. */
export function isTaken(transaction: Pick<RegistryTransaction, 'all'>, username: string): boolean {
  const [folded, shape] = [foldedName(username), shapeOf(username)];
  const isLike = (name: string) => foldedName(name) === folded || shapeOf(name) === shape;
  if (reservedNames.some(isLike)) return true;
  for (const id of transaction.all('clients').keys()) if (isLike(id)) return true;
  for (const user of transaction.all('users').values()) if (isLike(user.username)) return true;
  return false;
}
