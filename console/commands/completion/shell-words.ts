/** What shells complete, from the table of commands: words, flags, and where the name of an object stands. */
import type { Command } from '../runner/command.ts';
import { flagsOf } from '../runner/parse.ts';
import { hasNames } from './names.ts';

type Commands = readonly Command[];

/** First words, and the second ones of each. */
export function verbsByObject(commands: Commands): ReadonlyMap<string, readonly string[]> {
  const objects = new Map<string, string[]>();
  for (const { name } of commands) {
    const [object = '', verb] = name.split(' ');
    objects.set(object, [...(objects.get(object) ?? []), ...(verb === undefined ? [] : [verb])]);
  }
  return objects;
}

/** Two words first: `settings check` is not `settings`. */
export function flagsByCommand(commands: Commands): readonly { name: string; words: string }[] {
  return [...commands]
    .sort((one, other) => other.name.split(' ').length - one.name.split(' ').length)
    .map((command) => ({ name: command.name, words: flagWords(command) }));
}

/** Flags that a value follows, whatever the command. */
export function valuedFlags(commands: Commands): readonly string[] {
  const all = commands.flatMap((command) => Object.entries(flagsOf(command)));
  const switches = new Set(all.flatMap(([name, { value }]) => (value === undefined ? [name] : [])));
  const valued = all.map(([name]) => name).filter((name) => !switches.has(name));
  return [...new Set(valued)].map((name) => `--${name}`);
}

/** Flags whose value is the name of an object. */
export const namingFlags: Readonly<Record<string, readonly string[]>> = {
  role: ['--role', '--add-role', '--remove-role', '--max-role', '--add-max-role', '--remove-max-role'],
  client: ['--client'],
  user: ['--user'],
  idp: ['--provider'],
};

/** Flags that say which console it is. */
export const placeFlags = ['--url', '--token-file', '--data-dir'];

/** The commands whose first argument is the name of an object, by that. */
export function commandsByNamed(commands: Commands): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, string[]>();
  for (const { name, positionals: [first] = [] } of commands) {
    const [object = '', verb] = name.split(' ');
    const of = first === '[<user>]' ? 'user' : object;
    if (first === undefined || verb === undefined || verb === 'add' || !hasNames(of)) continue;
    named.set(of, [...(named.get(of) ?? []), name]);
  }
  return named;
}

function flagWords(command: Command): string {
  return Object.keys(flagsOf(command))
    .map((flag) => `--${flag}`)
    .join(' ');
}
