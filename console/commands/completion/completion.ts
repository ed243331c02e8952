/** Scripts by which a shell completes commands, made from the table of commands. */
import { type Command, UsageError } from '../runner/command.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { completedNames } from './names.ts';
import { zshScript } from './zsh.ts';

const scripts: ReadonlyMap<string, (commands: readonly Command[]) => string> = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
  ['fish', fishScript],
]);

/** @param commands  a function, since the list holds these commands too */
export function completionCommands(commands: () => readonly Command[]): readonly Command[] {
  return [
    {
      name: 'completion',
      isLocal: true,
      summary: 'Prints a script by which bash, zsh or fish completes commands, flags and names.',
      positionals: ['<shell>'],
      details: ['bash: source <(console completion bash). fish: console completion fish | source.'],
      async run({ positionals: [shell = ''] }) {
        const make = scripts.get(shell);
        if (!make) throw new UsageError(`The shells are ${[...scripts.keys()].join(', ')}.`);
        const script = make(commands());
        return { text: script, json: { shell, script } };
      },
    },
    completedNames,
  ];
}
