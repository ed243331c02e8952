import type { Command } from '../runner/command.ts';
import { flagsOf } from '../runner/parse.ts';
import { commandsByNamed, namingFlags, placeFlags, valuedFlags, verbsByObject } from './shell-words.ts';

export function fishScript(commands: readonly Command[]): string {
  return [...helpers(commands), ...words(commands), ...commands.flatMap(flags)].join('\n');
}

/** `__console_is role show`: these are the words so far; `__console_in`: they begin so. */
function helpers(commands: readonly Command[]): readonly string[] {
  return [
    'function __console_plain',
    '  set -l plain',
    '  set -l isValue 0',
    '  for word in (commandline -opc)[2..-1]',
    '    if test $isValue = 1',
    '      set isValue 0',
    '      continue',
    '    end',
    '    switch $word',
    `      case ${valuedFlags(commands).join(' ')}`,
    '        set isValue 1',
    `      case '-*'`,
    `      case '*'`,
    '        set -a plain $word',
    '    end',
    '  end',
    '  echo "$plain"',
    'end',
    'function __console_is',
    '  test (__console_plain) = "$argv"',
    'end',
    'function __console_in',
    '  string match -q -- "$argv *" (__console_plain)" "',
    'end',
    'function __console_names',
    '  set -l where',
    '  set -l words (commandline -opc)',
    '  for i in (seq (count $words))',
    `    if contains -- $words[$i] ${placeFlags.join(' ')}`,
    '      set -a where $words[$i] $words[(math $i + 1)]',
    '    end',
    '  end',
    '  console complete $argv[1] (commandline -ct) $where 2>/dev/null',
    'end',
  ];
}

function words(commands: readonly Command[]): readonly string[] {
  const objects = verbsByObject(commands);
  const named = [...commandsByNamed(commands)].flatMap(([object, names]) =>
    names.map((name) => [name, `(__console_names ${object})`] as const),
  );
  const verbs = [...objects].flatMap(([object, some]) =>
    some.length > 0 ? [[object, some.join(' ')] as const] : [],
  );
  return [['', [...objects.keys()].join(' ')] as const, ...verbs, ...named].map(
    ([typed, candidates]) =>
      `complete -c console -f -n ${quoted(`__console_is ${typed}`.trim())} -a ${quoted(candidates)}`,
  );
}

function flags(command: Command): readonly string[] {
  return Object.entries(flagsOf(command)).map(([name, { value, meaning }]) => {
    const object = Object.entries(namingFlags).find(([, some]) => some.includes(`--${name}`))?.[0];
    const names = object === undefined ? ' -r' : ` -x -a ${quoted(`(__console_names ${object})`)}`;
    const what = `-l ${name}${value === undefined ? '' : names} -d ${quoted(meaning)}`;
    return `complete -c console -n ${quoted(`__console_in ${command.name}`)} ${what}`;
  });
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
