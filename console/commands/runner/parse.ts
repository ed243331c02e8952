/** From arguments to one command and its input, or to a sentence about what is wrong with them. */
import { parseArgs } from 'node:util';
import { nearest } from '../../../platform/names/nearest-name.ts';
import { entriesOfTable, flagOf } from '../../settings/names.ts';
import { type Command, type Flag, flags, type Input, UsageError } from './command.ts';

export interface Parsed {
  readonly command: Command;
  readonly input: Input;
}

/** Flags that every command takes. */
export const commonFlags = flags({
  '[--json]': 'print one JSON value and nothing else',
  '[--data-dir D]': 'the data directory, instead of CONSOLE_DATA_DIR',
  '[--help]': 'say what the command does instead of doing it',
});

/** Every setting as a flag, as the console itself takes it. */
export const settingsFlags: Readonly<Record<string, Flag>> = Object.fromEntries(
  entriesOfTable().map(([, setting]) => [flagOf(setting), { value: 'V', meaning: setting.meaning }]),
);

/**
 * @param argv  what follows the script's name
 * @throws {UsageError}
 */
export function parseArguments(argv: readonly string[], commands: readonly Command[]): Parsed {
  const first = readTokens(argv, [...commands.map(flagsOf), settingsFlags]);
  rejectSecrets(first, commands);
  const command = findCommand(wordsOf(first), commands);
  // A flag may take a value at one command and none at another.
  const tokens = readTokens(argv, [...commands.map(flagsOf), settingsFlags, flagsOf(command)]);
  const words = wordsOf(tokens);
  const given = collectFlags(tokens, command);
  const positionals = words.slice(command.name.split(' ').length);
  checkComplete(command, positionals, given);
  return {
    command,
    input: {
      positionals,
      has: (flag) => given.has(flag),
      text: (flag) => given.get(flag)?.[0],
      texts: (flag) => given.get(flag),
    },
  };
}

type Token = NonNullable<ReturnType<typeof readTokens>>[number];

/** Leniently: what is wrong with a flag is better said with its command known. */
function readTokens(argv: readonly string[], known: readonly Readonly<Record<string, Flag>>[]) {
  const options = Object.fromEntries(
    known
      .flatMap((some) => Object.entries(some))
      .map(([name, { value }]) => [name, { type: value ? ('string' as const) : ('boolean' as const) }]),
  );
  return parseArgs({ args: [...argv], options, strict: false, tokens: true }).tokens;
}

function wordsOf(tokens: readonly Token[]): readonly string[] {
  return tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
}

const confirmationFlags = flags({
  '[--yes]': 'do not ask: before this a terminal is asked for the name, and a script has to say this',
});

/** Of commands that work by operations alone. */
const remoteFlags = flags({
  '[--url U]': 'the console at this address, instead of the one that runs here',
  '[--token-file F]':
    'with --url: an access token for it, instead of the one of console login; - is standard input',
});

/** All that a command takes. */
export function flagsOf({
  flags: own,
  takesSettings,
  asks,
  isOnApi,
}: Command): Readonly<Record<string, Flag>> {
  return {
    ...commonFlags,
    ...(takesSettings ? settingsFlags : {}),
    ...(asks ? confirmationFlags : {}),
    ...(isOnApi ? remoteFlags : {}),
    ...own,
  };
}

/** First of all, so that no other message repeats what follows such a flag (S56). */
function rejectSecrets(tokens: readonly Token[], commands: readonly Command[]): void {
  const files = [...commands.map(flagsOf), settingsFlags]
    .flatMap((known) => Object.keys(known))
    .filter((name) => name.endsWith('-file'));
  for (const token of tokens) {
    if (token.kind !== 'option' || !/(pass|passwd|password|pwd|pw|secret|encryption-key)$/i.test(token.name))
      continue;
    const file = nearest(`${token.name}-file`, files);
    throw new UsageError(
      'A secret is never an argument: every process of this machine sees it, and the shell remembers it. ' +
        `Give it with --${file} F, or --${file} - for standard input.`,
    );
  }
}

function findCommand(words: readonly string[], commands: readonly Command[]): Command {
  const [object = '', verb] = words;
  const byName = (name: string) => commands.find((command) => command.name === name);
  const two = verb === undefined ? undefined : byName(`${object} ${verb}`);
  if (two) return two;
  const one = byName(object);
  const verbs = commands.flatMap(({ name }) => (name.startsWith(`${object} `) ? [name.split(' ')[1]!] : []));
  if (one && (verb === undefined || verbs.length === 0)) return one;
  if (object === '') throw new UsageError('Say what to do. npx console help lists the commands.');
  if (verbs.length === 0) {
    const objects = [...new Set(commands.map(({ name }) => name.split(' ')[0]!))];
    throw new UsageError(`There is no command ${shown(object)}; did you mean ${nearest(object, objects)}?`);
  }
  if (verb === undefined) throw new UsageError(`Say what to do with ${object}: ${verbs.join(', ')}.`);
  throw new UsageError(
    `There is no command ${object} ${shown(verb)}; did you mean ${object} ${nearest(verb, verbs)}?`,
  );
}

function collectFlags(tokens: readonly Token[], command: Command): Map<string, string[]> {
  const known = flagsOf(command);
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const flag = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    if (!flag) throw unknownFlag(token.name, Object.keys(known), command);
    const values = given.get(token.name) ?? [];
    if (given.has(token.name) && !flag.isRepeatable) {
      throw new UsageError(`--${token.name} is given twice.`, command);
    }
    values.push(checkValue(token, flag, command));
    given.set(token.name, values);
  }
  return given;
}

function checkValue(token: Extract<Token, { kind: 'option' }>, flag: Flag, command: Command): string {
  const { name, value, inlineValue } = token;
  if (flag.value === undefined) {
    if (value !== undefined) throw new UsageError(`--${name} takes no value.`, command);
    return '';
  }
  // `--role --json` means that the value was forgotten; `-` alone is standard input.
  const isMissing = !value || (!inlineValue && value.startsWith('-') && value !== '-');
  if (isMissing) throw new UsageError(`--${name} needs a value: --${name} ${flag.value}`, command);
  return value;
}

function unknownFlag(name: string, known: readonly string[], command: Command): UsageError {
  return new UsageError(
    `${command.name} has no flag --${shown(name)}; did you mean --${nearest(name, known)}?`,
    command,
  );
}

function checkComplete(
  command: Command,
  given: readonly string[],
  givenFlags: ReadonlyMap<string, unknown>,
): void {
  const { positionals = [] } = command;
  const missing = positionals.find((word, index) => !word.startsWith('[') && given[index] === undefined);
  if (missing) throw new UsageError(`${command.name} needs ${missing}.`, command);
  if (given.length > positionals.length && !positionals.at(-1)?.includes('…')) {
    throw new UsageError(`${command.name} takes fewer arguments.`, command);
  }
  for (const [name, { isRequired, value }] of Object.entries(command.flags ?? {})) {
    if (isRequired && !givenFlags.has(name)) throw new UsageError(`--${name} ${value} is missing.`, command);
  }
}

/** Only what is an obvious word is repeated: the rest may be a secret in the wrong place, or steer a terminal. */
function shown(word: string): string {
  return /^[\w.-]{1,24}$/.test(word) ? word : '…';
}
