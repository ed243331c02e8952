/** What a program answers instead of starting: `--version` and `--help`. */
import { version } from './installation.ts';

/**
 * @param usage  what `--help` prints
 * @returns whether one of them was asked for, and has been answered on standard output
 */
export function answersQuestion(argv: readonly string[], usage: () => string): boolean {
  const isHelp = argv.includes('--help') || argv.includes('-h');
  if (!isHelp && !argv.includes('--version')) return false;
  process.stdout.write(`${isHelp ? usage() : version()}\n`);
  return true;
}
