/** What `--help` of a process says: every flag, each of which is a setting too. */
import { entriesOfTable, flagOf, nameOf } from './names.ts';

/** @param program  one line: what starts it, and what it is */
export function settingsUsage(program: string): string {
  const flags = entriesOfTable().map(([, setting]) => `  --${flagOf(setting)} V`);
  const width = Math.max(...flags.map((flag) => flag.length)) + 2;
  const meanings = entriesOfTable().map(([, setting]) => `${nameOf(setting)}: ${setting.meaning}`);
  return [
    program,
    '',
    ...flags.map((flag, i) => flag.padEnd(width) + meanings[i]),
    '',
    'Each may stand in the environment or in console.yaml too; a secret comes from a file here. --version prints the version.',
  ].join('\n');
}
