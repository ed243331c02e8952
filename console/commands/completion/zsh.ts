import type { Command } from '../runner/command.ts';
import {
  commandsByNamed,
  flagsByCommand,
  namingFlags,
  placeFlags,
  valuedFlags,
  verbsByObject,
} from './shell-words.ts';

export function zshScript(commands: readonly Command[]): string {
  const objects = verbsByObject(commands);
  return [
    '#compdef console',
    '_console() {',
    '  local -a candidates plain where',
    `  local names='' previous="$words[CURRENT-1]"`,
    '  local -i i',
    '  for ((i = 2; i < CURRENT; i++)); do',
    '    case "$words[i]" in',
    `      ${placeFlags.join('|')}) where+=("$words[i]" "$words[i+1]"); ((i++)) ;;`,
    `      ${valuedFlags(commands).join('|')}) ((i++)) ;;`,
    '      -*) ;;',
    '      *) plain+=("$words[i]") ;;',
    '    esac',
    '  done',
    '  case "$previous" in',
    ...Object.entries(namingFlags).map(([object, flags]) => `    ${flags.join('|')}) names=${object} ;;`),
    `    ${valuedFlags(commands).join('|')}) _files; return ;;`,
    '  esac',
    '  if [[ -n $names ]]; then',
    '    :',
    '  elif [[ $PREFIX == -* ]]; then',
    `    case "\${plain[*]}" in`,
    ...flagsByCommand(commands).map(
      ({ name, words }) => `      '${name}'|'${name} '*) candidates=(${words}) ;;`,
    ),
    '    esac',
    '  elif (( $#plain == 0 )); then',
    `    candidates=(${[...objects.keys()].join(' ')})`,
    '  elif (( $#plain == 1 )); then',
    '    case "$plain[1]" in',
    ...[...objects]
      .filter(([, verbs]) => verbs.length > 0)
      .map(([object, verbs]) => `      ${object}) candidates=(${verbs.join(' ')}) ;;`),
    '    esac',
    '  else',
    `    case "\${plain[*]}" in`,
    ...[...commandsByNamed(commands)].map(
      ([object, names]) => `      ${names.map((name) => `'${name}'`).join('|')}) names=${object} ;;`,
    ),
    '    esac',
    '  fi',
    '  if [[ -n $names ]]; then',
    `    candidates=("\${(@f)$(console complete "$names" "$PREFIX" "\${where[@]}" 2>/dev/null)}")`,
    `    candidates=(\${candidates:#})`,
    '  fi',
    '  (( $#candidates )) && compadd -- "$candidates[@]" || _files',
    '}',
    'compdef _console console',
  ].join('\n');
}
