import type { Command } from '../runner/command.ts';
import { wordCases } from './word-cases.ts';

export function zshScript(commands: readonly Command[]): string {
  return [
    '#compdef console',
    '_console() {',
    '  local -a candidates plain where',
    `  local names='' previous="$words[CURRENT-1]"`,
    '  local -i i',
    ...wordCases(commands, {
      loop: 'i = 2; i < CURRENT; i++',
      current: '$PREFIX',
      first: `\${plain[1]}`,
      otherValue: '_files; return',
      list: (words) => `(${words})`,
    }),
    '  if [[ -n $names ]]; then',
    `    candidates=("\${(@f)$(console complete "$names" "$PREFIX" "\${where[@]}" 2>/dev/null)}")`,
    `    candidates=(\${candidates:#})`,
    '  fi',
    '  (( $#candidates )) && compadd -- "$candidates[@]" || _files',
    '}',
    'compdef _console console',
  ].join('\n');
}
