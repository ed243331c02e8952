import type { Command } from '../runner/command.ts';
import {
  commandsByNamed,
  flagsByCommand,
  namingFlags,
  placeFlags,
  valuedFlags,
  verbsByObject,
} from './shell-words.ts';

/** From bash 3.2 on. The line is split here: to bash, the colon of an address ends a word. */
export function bashScript(commands: readonly Command[]): string {
  const objects = verbsByObject(commands);
  return [
    '_console() {',
    `  local line="\${COMP_LINE:0:COMP_POINT}" current previous candidates='' names='' word prefix i`,
    '  local words=() plain=() where=()',
    '  read -ra words <<< "$line"',
    `  [[ $line == *[[:space:]] ]] && words+=('')`,
    `  current="\${words[\${#words[@]} - 1]}"`,
    `  previous="\${words[\${#words[@]} - 2]}"`,
    `  for ((i = 1; i < \${#words[@]} - 1; i++)); do`,
    `    case "\${words[i]}" in`,
    `      ${placeFlags.join('|')}) where+=("\${words[i]}" "\${words[i + 1]}"); ((i++)) ;;`,
    `      ${valuedFlags(commands).join('|')}) ((i++)) ;;`,
    '      -*) ;;',
    `      *) plain+=("\${words[i]}") ;;`,
    '    esac',
    '  done',
    '  COMPREPLY=()',
    '  case "$previous" in',
    ...Object.entries(namingFlags).map(([object, flags]) => `    ${flags.join('|')}) names=${object} ;;`),
    `    ${valuedFlags(commands).join('|')}) return ;;`,
    '  esac',
    '  if [[ -n $names ]]; then',
    '    :',
    '  elif [[ $current == -* ]]; then',
    `    case "\${plain[*]}" in`,
    ...flagsByCommand(commands).map(
      ({ name, words }) => `      '${name}'|'${name} '*) candidates='${words}' ;;`,
    ),
    '    esac',
    `  elif (( \${#plain[@]} == 0 )); then`,
    `    candidates='${[...objects.keys()].join(' ')}'`,
    `  elif (( \${#plain[@]} == 1 )); then`,
    `    case "\${plain[0]}" in`,
    ...[...objects]
      .filter(([, verbs]) => verbs.length > 0)
      .map(([object, verbs]) => `      ${object}) candidates='${verbs.join(' ')}' ;;`),
    '    esac',
    '  else',
    `    case "\${plain[*]}" in`,
    ...[...commandsByNamed(commands)].map(
      ([object, names]) => `      ${names.map((name) => `'${name}'`).join('|')}) names=${object} ;;`,
    ),
    '    esac',
    '  fi',
    '  if [[ -n $names ]]; then',
    '    while IFS= read -r word; do',
    '      [[ -n $word && $word == "$current"* ]] && COMPREPLY+=("$word")',
    `    done < <(console complete "$names" "$current" \${where[@]+"\${where[@]}"} 2>/dev/null)`,
    '  else',
    '    for word in $candidates; do',
    '      [[ $word == "$current"* ]] && COMPREPLY+=("$word")',
    '    done',
    '  fi',
    '  if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then',
    `    prefix="\${current%"\${current##*:}"}"`,
    `    COMPREPLY=("\${COMPREPLY[@]#"$prefix"}")`,
    '  fi',
    '}',
    'complete -o default -F _console console',
  ].join('\n');
}
