/** Help, made from the table of commands. */
import { type Command, type Flag, UsageError } from './command.ts';
import { columns } from './output.ts';
import { flagsOf } from './parse.ts';

/** @param commands  a function, since the list holds this command too */
export function helpCommand(commands: () => readonly Command[]): Command {
  return {
    name: 'help',
    isLocal: true,
    summary: 'Lists the commands, or says how to use one.',
    positionals: ['[<command>…]'],
    async run({ positionals }) {
      const found = commandsNamed(positionals, commands());
      return {
        text: found.length === 1 ? describeCommand(found[0]!) : describeAll(found),
        json: found.map(({ name, summary }) => ({ name, usage: usageOf(name, commands()), summary })),
      };
    },
  };
}

/** `npx console user add <name> --role R… [--email E]` */
export function usageLine(command: Command): string {
  const flags = Object.entries(command.flags ?? {}).map(([name, flag]) => {
    const word = `${nameWithValue(name, flag)}${flag.isRepeatable ? '…' : ''}`;
    return flag.isRequired ? word : `[${word}]`;
  });
  const settings = command.takesSettings ? ['[--<setting> V…]'] : [];
  return ['npx console', command.name, ...(command.positionals ?? []), ...flags, ...settings].join(' ');
}

export function describeCommand(command: Command): string {
  const flags = { ...command.flags, ...flagsOf({ ...command, takesSettings: false }) };
  return [
    command.summary,
    '',
    `  ${usageLine(command)}`,
    '',
    columns(
      Object.entries<Flag>(flags).map(([name, flag]) => [
        `  ${nameWithValue(name, flag)}`,
        flag.meaning + (flag.isRepeatable ? ' (may be repeated)' : ''),
      ]),
    ),
    ...(command.details ?? []).flatMap((paragraph) => ['', paragraph]),
  ].join('\n');
}

function describeAll(commands: readonly Command[]): string {
  return [
    'The configuration tool of Cluster Console: npx console <object> <verb>',
    '',
    columns(commands.map(({ name, summary }) => [`  ${name}`, summary])),
    '',
    'Every command takes --json, --data-dir D and --help; npx console help <command> says more.',
    'It works on the store that the settings name, whether the console runs or not.',
  ].join('\n');
}

/** One command, or all of one object; what follows the name, such as a user's, does not matter. */
function commandsNamed(words: readonly string[], commands: readonly Command[]): readonly Command[] {
  if (words.length === 0) return commands;
  const [object, verb] = words;
  const exact = commands.filter(({ name }) => name === `${object} ${verb}`);
  if (exact.length > 0) return exact;
  const group = commands.filter(({ name }) => name.split(' ')[0] === object);
  if (group.length > 0) return group;
  throw new UsageError('There is no such command. npx console help lists them.');
}

function usageOf(name: string, commands: readonly Command[]): string {
  return usageLine(commands.find((command) => command.name === name)!);
}

function nameWithValue(name: string, { value }: Flag): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}
