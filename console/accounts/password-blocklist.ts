/**
 * Passwords of twelve and more characters that attackers try first, and the words that a password of
 * this product must not be built from alone (NIST SP 800-63B-4 §3.1.1.2). Compared in lower case,
 * without what is neither letter nor digit.
 */
const common = `
  123456789012 1234567890123 12345678901234 123456789012345 1234567890123456 012345678910 123123123123
  111111111111 000000000000 121212121212 112233445566 123321123321 987654321098 098765432109 111222333444
  147258369147 159357159357 102030405060 123454321234 qwertyuiop12 qwertyuiop123 qwertyuiop1234 qwertyuiopas
  qwertyuiopasdf qwertyuiopasdfghjkl qwertyqwerty 1qaz2wsx3edc 1qaz2wsx3edc4rfv zaq12wsxcde3 q1w2e3r4t5y6
  1q2w3e4r5t6y 1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i asdfghjklqwe asdfghjkl123 asdfghjkl1234 zxcvbnmasdfg
  zxcvbnm12345 abcdefghijkl abcdefghijklm abcdefghijklmnop abcd1234abcd abc123abc123 a1b2c3d4e5f6
  aaaaaaaaaaaa password1234 password12345 password123456 passwordpassword password1password password0123
  passw0rd1234 p4ssw0rd1234 mypassword12 mypassword123 newpassword1 newpassword12 changeme1234 changemechangeme
  changemenow1 changeitchangeit letmein12345 letmeinletmein iloveyou1234 iloveyou12345 iloveyouforever
  welcome12345 welcome123456 welcometojungle adminadminadmin administrator administrator1 administrator123
  admin1234567 admin12345678 admin123456789 administration superadministrator rootrootroot rootpassword
  defaultpassword temporarypassword testtesttest testpassword testpassword1 testpassword123 secretsecret
  secretpassword supersecret1 supersecret123 supersecretpassword masterpassword correcthorsebatterystaple
  trustno1trustno1 dragondragon monkeymonkey footballfootball baseballbaseball princessprincess
  sunshinesunshine superman1234 batmanbatman starwarsstarwars liverpoolfc1 manchesterunited
  thequickbrownfox whateverwhatever computercomputer internetinternet helloworld12 helloworld123
  helloworldhello
`;

const contextWords = ['cluster', 'console', 'member', 'hazelcast', 'password', 'admin', 'dashboard'];

const commonPasswords = new Set(common.split(/\s+/).filter(Boolean));
/** A year or a number at the end of a common password makes no new one. */
const commonLetters = new Set(
  [...commonPasswords].map(withoutDigits).filter((letters) => letters.length >= 4),
);

/**
 * @param personal  words of this account: its user name, its e-mail address
 * @returns whether the password is on the list, or made of context words, repetition or a sequence alone
 */
export function isGuessable(password: string, personal: readonly string[]): boolean {
  if (new Set(password).size < 4 || isRepetition(password)) return true;
  return [fold(password), fold(unmask(password))].some((plain) => isKnown(plain, personal));
}

function isKnown(plain: string, personal: readonly string[]): boolean {
  if (commonPasswords.has(plain) || isSequence(plain)) return true;
  const letters = withoutDigits(plain);
  // Digits without an order are as good as any characters.
  if (letters === '') return false;
  if (commonLetters.has(letters)) return true;
  const rest = [...contextWords, ...wordsOf(personal)].reduce(
    (text, word) => text.replaceAll(word, ''),
    letters,
  );
  return rest.length < 3;
}

/** The longest first, so that a name and its parts are both found. */
function wordsOf(personal: readonly string[]): string[] {
  const words = personal.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]);
  const letters = words.map((word) => withoutDigits(fold(word))).filter((word) => word.length >= 3);
  return letters.sort((a, b) => b.length - a.length);
}

function fold(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
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
  5: 's',
};

function unmask(text: string): string {
  return text.replace(/[@$!0135]/g, (sign) => masks[sign] ?? sign);
}

/** The same few characters three times and more, such as `abcd1abcd1abcd1`. */
function isRepetition(text: string): boolean {
  for (let length = 1; length <= text.length / 3; length++) {
    const unit = text.slice(0, length);
    if (unit.repeat(Math.ceil(text.length / length)).startsWith(text)) return true;
  }
  return false;
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
