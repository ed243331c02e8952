/**
 * What somebody may be called. People read names, and must not take one for another: so a name is of one script,
 * and no two look alike (UTS #39 §5, in short). Accounts from before keep what they have.
 */
import { ProblemError, problems } from '../../platform/errors.ts';
import { foldedName, normalName, shapeOf } from '../storage/name-keys.ts';
import type { RecordReads } from '../storage/record-store.ts';

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

const form = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._@-]{0,63}$/u;

/** A name of them can hardly be written without marks at its letters. */
const scriptsWithVowelSigns = [
  'Thaana',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Thai',
  'Lao',
  'Tibetan',
  'Myanmar',
  'Khmer',
];
/** Marks that all scripts share, such as accents, are of none of them. */
const ownSign = `[${scriptsWithVowelSigns.map((script) => `\\p{Script=${script}}`).join('')}]`;

/** The blocks of these scripts are laid out alike: vowels at 04 to 14, their signs at 3E to 4C and 55 to 57. */
const indicBlocks = [0x900, 0x980, 0xa00, 0xa80, 0xb00, 0xb80, 0xc00, 0xc80, 0xd00];

const wrongSign = new RegExp(
  [
    `(?!${ownSign})\\p{M}`,
    '(?<![\\p{L}\\p{M}])\\p{M}',
    // UTS #39 §5.4: the second of two equal ones is not seen, and more than four are drawn over each other.
    '(\\p{M})\\1',
    '\\p{M}{5}',
    '\\p{Default_Ignorable_Code_Point}',
    // A sign behind a vowel draws another vowel, which has a letter of its own (table 12-1 of the Unicode standard).
    ...indicBlocks.map((block) => {
      const signs = range(block + 0x3e, block + 0x4c);
      return `[${range(block + 0x04, block + 0x14)}${signs}][${signs}${range(block + 0x55, block + 0x57)}]`;
    }),
    `[${range(0xd85, 0xd96)}${range(0xdcf, 0xddf)}][${range(0xdcf, 0xddf)}${range(0xdf2, 0xdf3)}]`,
    // A tone stands behind its vowel, and before the circle of Sara Am: the other way round looks the same. Thai, Lao.
    ...[0xe00, 0xe80].flatMap((block) => [
      `[${range(block + 0x48, block + 0x4e)}][\\u{${(block + 0x31).toString(16)}}${range(block + 0x34, block + 0x3b)}]`,
      `\\u{${(block + 0x4d).toString(16)}}[${range(block + 0x48, block + 0x4c)}]`,
    ]),
  ].join('|'),
  'u',
);

/** @param text  in its normal form: {@link normalName} */
export function isUsername(text: string): boolean {
  return hasForm(text) && scripts.some((script) => script.test(text));
}

/** @throws {ProblemError} `invalid_request` */
export function checkUsername(username: string): void {
  if (!hasForm(username)) {
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

/** Whether somebody could be called so, in whatever script and Unicode form. */
export function hasUsernameForm(text: string): boolean {
  return form.test(normalName(text));
}

function hasForm(text: string): boolean {
  return form.test(text) && !wrongSign.test(text);
}

/** Whether somebody or some client has this name, or one that looks like it. */
export async function isTaken(
  transaction: Pick<RecordReads, 'isNameTaken'>,
  username: string,
): Promise<boolean> {
  const [folded, shape] = [foldedName(username), shapeOf(username)];
  const isLike = (name: string) => foldedName(name) === folded || shapeOf(name) === shape;
  return reservedNames.some(isLike) || transaction.isNameTaken(username);
}

function range(first: number, last: number): string {
  return `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`;
}
