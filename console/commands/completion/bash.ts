import type { Command } from '../runner/command.ts';
import { wordCases } from './word-cases.ts';

/** From bash 3.2 on. The line is split here: to bash, the colon of an address ends a word. */
export function bashScript(commands: readonly Command[]): string {
  return [
    '_console() {',
    `  local line="\${COMP_LINE:0:COMP_POINT}" current previous candidates='' names='' word prefix i`,
    '  local words=() plain=() where=()',
    '  read -ra words <<< "$line"',
    `  [[ $line == *[[:space:]] ]] && words+=('')`,
    `  current="\${words[\${#words[@]} - 1]}"`,
    `  previous="\${words[\${#words[@]} - 2]}"`,
    '  COMPREPLY=()',
    ...wordCases(commands, {
      loop: `i = 1; i < \${#words[@]} - 1; i++`,
      current: '$current',
      first: `\${plain[0]}`,
      otherValue: 'return',
      list: (words) => `'${words}'`,
    }),
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
