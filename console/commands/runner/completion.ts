/** Scripts by which a shell completes commands, made from the table of commands. */
import { type Command, UsageError } from './command.ts';
import { flagsOf } from './parse.ts';

/** @param commands  a function, since the list holds this command too */
export function completionCommand(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    isLocal: true,
    summary: 'Prints a script by which bash, zsh or fish completes commands and flags.',
    positionals: ['<shell>'],
    details: ['bash: source <(console completion bash). fish: console completion fish | source.'],
    async run({ positionals: [shell = ''] }) {
      const make = scripts.get(shell);
      if (!make) throw new UsageError(`The shells are ${[...scripts.keys()].join(', ')}.`);
      const script = make(commands());
      return { text: script, json: { shell, script } };
    },
  };
}

type Commands = readonly Command[];

const scripts: ReadonlyMap<string, (commands: Commands) => string> = new Map([
  ['bash', bash],
  ['zsh', zsh],
  ['fish', fish],
]);

/** First words, and the second ones of each. */
function verbsByObject(commands: Commands): ReadonlyMap<string, readonly string[]> {
  const objects = new Map<string, string[]>();
  for (const { name } of commands) {
    const [object = '', verb] = name.split(' ');
    objects.set(object, [...(objects.get(object) ?? []), ...(verb === undefined ? [] : [verb])]);
  }
  return objects;
}

const flagWords = (command: Command) =>
  Object.keys(flagsOf(command))
    .map((flag) => `--${flag}`)
    .join(' ');

/** The words without flags decide; of a flag's value nothing is known. */
function casesOf(commands: Commands, assign: (words: string) => string) {
  const objects = verbsByObject(commands);
  return {
    objects: assign([...objects.keys()].join(' ')),
    verbs: [...objects]
      .filter(([, verbs]) => verbs.length > 0)
      .map(([object, verbs]) => `      ${object}) ${assign(verbs.join(' '))} ;;`),
    // Two words first: `settings check` is not `settings`.
    flags: [...commands]
      .sort((one, other) => other.name.split(' ').length - one.name.split(' ').length)
      .map((command) => `      '${command.name}'|'${command.name} '*) ${assign(flagWords(command))} ;;`),
  };
}

function bash(commands: Commands): string {
  const { objects, verbs, flags } = casesOf(commands, (words) => `candidates='${words}'`);
  return [
    '_console() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" candidates='' plain=() i`,
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    `    [[ \${COMP_WORDS[i]} == -* ]] || plain+=("\${COMP_WORDS[i]}")`,
    '  done',
    '  if [[ $current == -* ]]; then',
    `    case "\${plain[*]}" in`,
    ...flags,
    '    esac',
    `  elif (( \${#plain[@]} == 0 )); then`,
    `    ${objects}`,
    `  elif (( \${#plain[@]} == 1 )); then`,
    `    case "\${plain[0]}" in`,
    ...verbs,
    '    esac',
    '  fi',
    `  COMPREPLY=($(compgen -W "$candidates" -- "$current"))`,
    '}',
    'complete -o default -F _console console',
  ].join('\n');
}

function zsh(commands: Commands): string {
  const { objects, verbs, flags } = casesOf(commands, (words) => `candidates=(${words})`);
  return [
    '#compdef console',
    '_console() {',
    '  local -a candidates plain',
    '  local word',
    `  for word in "\${(@)words[2,CURRENT-1]}"; do`,
    '    [[ $word == -* ]] || plain+=("$word")',
    '  done',
    '  if [[ $words[CURRENT] == -* ]]; then',
    `    case "\${plain[*]}" in`,
    ...flags,
    '    esac',
    '  elif (( $#plain == 0 )); then',
    `    ${objects}`,
    '  elif (( $#plain == 1 )); then',
    '    case "$plain[1]" in',
    ...verbs,
    '    esac',
    '  fi',
    '  (( $#candidates )) && compadd -- $candidates || _files',
    '}',
    'compdef _console console',
  ].join('\n');
}

function fish(commands: Commands): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const seen = (words: string) => `__fish_seen_subcommand_from ${words}`;
  const lines = [...verbsByObject(commands)].flatMap(([object, verbs]) => {
    const first = `complete -c console -f -n __fish_use_subcommand -a ${object}`;
    if (verbs.length === 0) return [first];
    const isNext = `${seen(object)}; and not ${seen(verbs.join(' '))}`;
    return [first, `complete -c console -f -n ${quoted(isNext)} -a ${quoted(verbs.join(' '))}`];
  });
  const flags = commands.flatMap((command) => {
    const condition = command.name.split(' ').map(seen).join('; and ');
    return Object.entries(flagsOf(command)).map(
      ([name, { value, meaning }]) =>
        `complete -c console -n ${quoted(condition)} -l ${name}${value === undefined ? '' : ' -r'} -d ${quoted(meaning)}`,
    );
  });
  return [...lines, ...flags].join('\n');
}
