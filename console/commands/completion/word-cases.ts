/** What the scripts of bash and zsh have in common: the words so far, and which candidates they leave. */
import type { Command } from '../runner/command.ts';
import {
  commandsByNamed,
  flagsByCommand,
  namingFlags,
  placeFlags,
  valuedFlags,
  verbsByObject,
} from './shell-words.ts';

export interface WordCases {
  /** Inside the parentheses of `for ((…))`: over the words before the one that is typed. */
  readonly loop: string;
  /** The word that is typed. */
  readonly current: string;
  /** The first word that is no flag. */
  readonly first: string;
  /** For the value of a flag that is the name of no object. */
  readonly otherValue: string;
  /** The value of `candidates`. */
  readonly list: (words: string) => string;
}

/** Fills `plain` and `where` from `words`, then `names` or `candidates`; `previous` is the word before. */
export function wordCases(
  commands: readonly Command[],
  { loop, current, first, otherValue, list }: WordCases,
): readonly string[] {
  const valued = valuedFlags(commands).join('|');
  const objects = verbsByObject(commands);
  return [
    `  for ((${loop})); do`,
    `    case "\${words[i]}" in`,
    `      ${placeFlags.join('|')}) where+=("\${words[i]}" "\${words[i + 1]}"); ((i++)) ;;`,
    `      ${valued}) ((i++)) ;;`,
    '      -*) ;;',
    `      *) plain+=("\${words[i]}") ;;`,
    '    esac',
    '  done',
    '  case "$previous" in',
    ...Object.entries(namingFlags).map(([object, flags]) => `    ${flags.join('|')}) names=${object} ;;`),
    `    ${valued}) ${otherValue} ;;`,
    '  esac',
    '  if [[ -n $names ]]; then',
    '    :',
    `  elif [[ ${current} == -* ]]; then`,
    `    case "\${plain[*]}" in`,
    ...flagsByCommand(commands).map(
      ({ name, words }) => `      '${name}'|'${name} '*) candidates=${list(words)} ;;`,
    ),
    '    esac',
    `  elif (( \${#plain[@]} == 0 )); then`,
    `    candidates=${list([...objects.keys()].join(' '))}`,
    `  elif (( \${#plain[@]} == 1 )); then`,
    `    case "${first}" in`,
    ...[...objects]
      .filter(([, verbs]) => verbs.length > 0)
      .map(([object, verbs]) => `      ${object}) candidates=${list(verbs.join(' '))} ;;`),
    '    esac',
    '  else',
    `    case "\${plain[*]}" in`,
    ...[...commandsByNamed(commands)].map(
      ([object, names]) => `      ${names.map((name) => `'${name}'`).join('|')}) names=${object} ;;`,
    ),
    '    esac',
    '  fi',
  ];
}
