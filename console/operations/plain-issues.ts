/** What the library of schemas says of a value, in plain words: its own are for who has written the schema. */

type Plain = (found: Readonly<Record<string, string>>) => string;

const kinds: Readonly<Record<string, string>> = {
  string: 'it has to be text',
  number: 'it has to be a number',
  int: 'it has to be a whole number',
  boolean: 'it has to be true or false',
  array: 'it has to be a list',
  object: 'it has to be an object',
  record: 'it has to be an object',
  null: 'it has to be null',
};

const said: readonly (readonly [RegExp, Plain])[] = [
  [/^Too small: expected string to have >=1 characters$/, () => 'it may not be empty'],
  [
    /^Too small: expected string to have >=(?<n>\d+) characters$/,
    ({ n }) => `it has at least ${n} characters`,
  ],
  [/^Too big: expected string to have <=(?<n>\d+) characters$/, ({ n }) => `it has at most ${n} characters`],
  [/^Too small: expected array to have >=1 items$/, () => 'give at least one'],
  [/^Too small: expected array to have >=(?<n>\d+) items$/, ({ n }) => `give at least ${n} of them`],
  [/^Too big: expected array to have <=(?<n>\d+) items$/, ({ n }) => `give at most ${n} of them`],
  [/^Too small: expected (?:number|int) to be >=(?<n>\S+)$/, ({ n }) => `it is at least ${n}`],
  [/^Too small: expected (?:number|int) to be >(?<n>\S+)$/, ({ n }) => `it is more than ${n}`],
  [/^Too big: expected (?:number|int) to be <=(?<n>\S+)$/, ({ n }) => `it is at most ${n}`],
  [/^Too big: expected (?:number|int) to be <(?<n>\S+)$/, ({ n }) => `it is less than ${n}`],
  [
    /^Invalid option: expected one of (?<options>.+)$/s,
    ({ options = '' }) => `it is one of ${listed(options)}`,
  ],
  [/^Invalid input: expected .+, received undefined$/s, () => 'it is missing'],
  [
    /^Invalid input: expected (?<kind>\w+), received .+$/s,
    ({ kind = '' }) => kinds[kind] ?? 'it cannot be this',
  ],
  [/^Invalid input: expected "?(?<value>.+?)"?$/s, ({ value }) => `it has to be ${value}`],
  [/^Invalid string: must match pattern .+$/s, () => 'it does not have the form that it needs here'],
  [/^Invalid ISO datetime$/, () => 'it is no time such as 2026-01-31T12:00:00Z'],
  [/^Invalid base64-encoded string$/, () => 'it is no base64'],
  [/^Invalid URL$/, () => 'it is no address'],
  [/^Invalid email address$/, () => 'it is no e-mail address'],
  [/^Invalid input$/, () => 'it cannot be this'],
];

/** @param message  of an issue. @returns it, where a check has words of its own */
export function inPlainWords(message: string): string {
  for (const [pattern, plain] of said) {
    const found = pattern.exec(message);
    if (found) return plain(found.groups ?? {});
  }
  return message;
}

/** `"a"|"b"` as the library has them. */
function listed(options: string): string {
  return options
    .split('|')
    .map((option) => option.replace(/^"|"$/g, ''))
    .join(', ');
}
