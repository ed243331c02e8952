/**
 * Passwords that attackers try first (NIST SP 800-63B-4 §3.1.1.2: common, expected, compromised): a list of passwords
 * out of breaches, what is made of one or two of them, and words of the account and the product.
 */

const productWords = ['cluster', 'console', 'member', 'hazelcast', 'password', 'admin', 'dashboard'];

/** The list is of people's passwords, few of which have twelve characters: these are long ones that it lacks. */
const longPasswords = `
  098765432109 111222333444 147258369147 123454321234 abcd1234abcd abcdabcd a1b2c3d4e5f6 qwertyuiopas qwertyuiopasdf
  qwertyuiopasdfghjkl asdfghjklqwe zxcvbnmasdfg administration superadministrator defaultpassword temporarypassword
  rootpassword supersecretpassword changemenow iloveyouforever welcometojungle helloworldhello manchesterunited
  thequickbrownfox correcthorsebatterystaple
`
  .trim()
  .split(/\s+/);

/** Two of so many, one after the other, are tried next. */
const mostCommon = 1000;

/**
 * @param personal  words of this account: its user name, its e-mail address
 * @returns why the password would be guessed, to follow "This password is easy to guess: "
 */
export async function whyGuessable(
  password: string,
  personal: readonly string[],
): Promise<string | undefined> {
  if (new Set(password).size < 4 || isRepetition(password)) return 'it repeats the same few characters';
  const plain = password.toLowerCase();
  if ([plain, unmask(plain)].some((text) => isMostlySequence(fold(text))))
    return 'its characters follow each other';
  // A number at the end is no letter in disguise.
  const ways = [plain, unmask(plain.replace(/[^\p{L}]+$/u, ''))];
  const words = lettersOf([...productWords, ...personal]);
  if (ways.some((way) => isMadeOf(words, way))) {
    return 'it is made of your name, your address or words of this product';
  }
  const common = await loadCommonPasswords();
  const isCommon = ways.some((way) => isOneOf(common, way) || isTwoOf(common.slice(0, mostCommon), way));
  return isCommon ? 'it is made of common passwords' : undefined;
}

/** Half a megabyte that most starts have no use for. The most common first. */
async function loadCommonPasswords(): Promise<readonly string[]> {
  const { default: lists } = await import('@zxcvbn-ts/language-common');
  return lists.dictionary['passwords-common'];
}

/** Digits without an order are as good as any characters; with less than three letters beside them these words are not. */
function isMadeOf(words: readonly string[], plain: string): boolean {
  const letters = withoutDigits(fold(plain));
  return letters !== '' && words.reduce((text, word) => text.replaceAll(word, ''), letters).length < 3;
}

/** As it stands, without its signs, without its numbers, and said once instead of several times. */
function isOneOf(common: readonly string[], plain: string): boolean {
  const stripped = fold(plain);
  const letters = withoutDigits(stripped);
  const isKnown = (text: string) => common.includes(text) || longPasswords.includes(text);
  const once = [stripped, letters].flatMap((text) => /^(.{4,}?)\1+$/u.exec(text)?.[1] ?? []);
  return [plain, stripped, ...(letters.length < 4 ? [] : [letters]), ...once].some(isKnown);
}

function isTwoOf(common: readonly string[], plain: string): boolean {
  const letters = withoutDigits(fold(plain));
  const cuts = Array.from({ length: letters.length }, (_, at) => at);
  return cuts.some((at) => common.includes(letters.slice(0, at)) && common.includes(letters.slice(at)));
}

/** The longest first, so that a name and its parts are both found. */
function lettersOf(texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]);
  const letters = words.map((word) => withoutDigits(fold(word.toLowerCase())));
  return letters.filter((word) => word.length >= 3).sort((a, b) => b.length - a.length);
}

function fold(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}

function withoutDigits(text: string): string {
  return text.replace(/[0-9]+/g, '');
}

/** Signs that stand for letters in passwords that only look unusual: `P@$$w0rd`. */
const masks: Readonly<Record<string, string>> = {
  '@': 'a',
  $: 's',
  '!': 'i',
  0: 'o',
  1: 'l',
  3: 'e',
  4: 'a',
  5: 's',
};

function unmask(text: string): string {
  return text.replace(/[@$!01345]/g, (sign) => masks[sign] ?? sign);
}

/** The same few characters three times and more, such as `abcd1abcd1abcd1`. */
function isRepetition(text: string): boolean {
  for (let length = 1; length <= text.length / 3; length++) {
    const unit = text.slice(0, length);
    if (unit.repeat(Math.ceil(text.length / length)).startsWith(text)) return true;
  }
  return false;
}

/** A shorter number beside a sequence of letters makes it no better. */
function isMostlySequence(text: string): boolean {
  const letters = withoutDigits(text);
  return isSequence(text) || (letters.length * 2 > text.length && isSequence(letters));
}

function isSequence(text: string): boolean {
  if (text.length < 4) return false;
  const step = text.charCodeAt(1) - text.charCodeAt(0);
  if (Math.abs(step) > 1) return false;
  for (let i = 1; i < text.length; i++) {
    const expected = (text.charCodeAt(i - 1) - 48 + step + 10) % 10;
    const isDigitStep = /[0-9]/.test(text[i]!) && text.charCodeAt(i) - 48 === expected;
    if (!isDigitStep && text.charCodeAt(i) - text.charCodeAt(i - 1) !== step) return false;
  }
  return true;
}
